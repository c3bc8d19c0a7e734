//! Codex as a child that nobody notices: the terminal and the standard streams are its own, signals reach it, and its
//! end becomes ours. What it is started with stays out.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal as Nix};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process, setrlimit, waitpid};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Signals that wait for Codex to take them, at most; more of the same would tell it nothing new.
const WAITING: usize = 64;

/// Signals that a terminal sends to everything that runs in it, so that Codex may have got them already.
const OF_TERMINALS: [Signal; 3] = [Signal::INT, Signal::QUIT, Signal::TSTP];
/// Signals that only this process got.
const OWN: [Signal; 5] = [Signal::TERM, Signal::HUP, Signal::CONT, Signal::USR1, Signal::USR2];

/// How Codex ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, with this exit code.
    Exit(u8),
    /// By this signal.
    Signal(i32),
}

/// The running Codex, and the signals for it.
pub(super) struct Child {
    pid: Pid,
    changed: tokio::signal::unix::Signal,
    signals: mpsc::Receiver<Signal>,
}

impl Child {
    /// Starts it, in this process's group and with its streams.
    ///
    /// A signal that this process was started to ignore (`nohup`) is ignored by the child as well: what is caught here is
    /// caught only after the child's start. Until then signals wait for this process, so that none is lost in between.
    pub(super) fn start(runtime: &Runtime, mut command: Command) -> io::Result<Self> {
        let _inside = runtime.enter();
        let changed = signal(SignalKind::child())?;
        let held: SigSet = OF_TERMINALS.into_iter().chain(OWN).filter_map(nix).collect();
        let free = held.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        #[expect(
            unsafe_code,
            reason = "between fork and exec nothing is done but to set the mask back, which is allowed there"
        )]
        // They are not to wait for the child.
        unsafe {
            command.pre_exec(move || Ok(free.thread_set_mask()?));
        }
        let started = command.spawn().and_then(|child| {
            let signals = caught()?;
            Ok((Pid::from_child(&child), signals))
        });
        free.thread_set_mask()?;
        let (pid, signals) = started?;
        Ok(Self { pid, changed, signals })
    }

    /// Waits for its end. Signals are passed on meanwhile.
    pub(super) async fn end(mut self) -> io::Result<End> {
        loop {
            // While it has not been waited for, its number is nobody else's.
            match waitpid(Some(self.pid), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
                Ok(None) => {}
                Ok(Some((_, status))) => {
                    if let Some(code) = status.exit_status() {
                        return Ok(End::Exit(u8::try_from(code).unwrap_or(u8::MAX)));
                    }
                    if let Some(signal) = status.terminating_signal() {
                        return Ok(End::Signal(signal));
                    }
                    if status.stopping_signal() == Some(Signal::TSTP.as_raw()) {
                        stop_as_well();
                    }
                    continue;
                }
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            tokio::select! {
                _ = self.changed.recv() => {}
                Some(signal) = self.signals.recv() => {
                    if is_ours_alone(signal) {
                        // It fails only when the child has just ended, and then there is nobody to tell.
                        let _gone = kill_process(self.pid, signal);
                    }
                }
            }
        }
    }
}

/// The signals that this process gets from now on; they do nothing else to it.
fn caught() -> io::Result<mpsc::Receiver<Signal>> {
    let (send, receive) = mpsc::channel(WAITING);
    for kind in OF_TERMINALS.into_iter().chain(OWN) {
        let mut signals = signal(SignalKind::from_raw(kind.as_raw()))?;
        let send = send.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if send.send(kind).await.is_err() {
                    return;
                }
            }
        });
    }
    Ok(receive)
}

/// The person put Codex aside with Ctrl-Z: their shell waits for this process, so it has to stop, too. `fg` wakes both.
/// Without a terminal there is no such shell, and nobody who would wake this process.
fn stop_as_well() {
    if terminal().is_some() {
        // Sent to oneself it can't fail.
        let _stopped = kill_process(getpid(), Signal::STOP);
    }
}

/// True for a signal that Codex did not get with us. Those that a terminal sends go to everything in front of it, and are
/// taken as such there. Ctrl-Z is looked at after it has put us aside, when we may be in front or not: where there is a
/// terminal at all, it comes from there.
fn is_ours_alone(signal: Signal) -> bool {
    let terminal = if OF_TERMINALS.contains(&signal) {
        terminal()
    } else {
        None
    };
    let Some(terminal) = terminal else { return true };
    let in_front = rustix::termios::tcgetpgrp(terminal).is_ok_and(|group| group == rustix::process::getpgrp());
    signal != Signal::TSTP && !in_front
}

fn terminal() -> Option<File> {
    File::open("/dev/tty").ok()
}

/// Ends this process as Codex ended, when a signal ended it; the code that a shell would show, should that not work.
pub(super) fn die_of(signal: i32) -> ExitCode {
    let code = u8::try_from(signal).map_or(u8::MAX, |signal| 128 | signal);
    // The dump that is worth a look is Codex's.
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let dumps = setrlimit(Resource::Core, none);
    if let (Ok(()), Ok(signal)) = (dumps, Nix::try_from(signal)) {
        #[expect(
            unsafe_code,
            reason = "the default is no handler of ours that would have to be safe to run, and the process ends with it"
        )]
        // KILL has no other than the default, and the system says so.
        let _default = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
        let _sent = nix::sys::signal::raise(signal);
    }
    ExitCode::from(code)
}

fn nix(signal: Signal) -> Option<Nix> {
    Nix::try_from(signal.as_raw()).ok()
}
