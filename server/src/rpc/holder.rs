//! Who holds a state folder: one process, told from every other that ever had its number.
//! When a holder is to be ended is decided by whoever waits for it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;

use rustix::process::{Pid, Signal};

/// A process as it writes itself into the owner's lock, in this order: process id, instance, start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process id; 0 when the lock does not say.
    pub pid: u32,
    /// A random word that its socket repeats: who answers is who holds the lock.
    pub instance: String,
    /// When it was started, as the system tells it; none when it does not.
    started: Option<String>,
}

impl Holder {
    /// This process.
    pub(super) fn this() -> Self {
        let pid = std::process::id();
        // The standard library's hash keys are random in each process.
        let instance = format!("{:016x}", RandomState::new().build_hasher().finish());
        Self {
            pid,
            instance,
            started: started(pid),
        }
    }

    /// What the text of a lock says. A text that says nothing is a holder that nobody can signal.
    pub fn parse(text: &str) -> Self {
        let mut words = text.trim().splitn(3, ' ');
        let pid = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let instance = words.next().unwrap_or_default().to_owned();
        Self {
            pid,
            instance,
            started: words.next().map(str::to_owned),
        }
    }

    /// The text of its lock.
    pub(super) fn text(&self) -> String {
        let started = self.started.as_deref().unwrap_or_default();
        format!("{} {} {started}", self.pid, self.instance)
            .trim_end()
            .to_owned()
    }

    /// Sends a signal to this process and to no other: a process that has the number now, and was started at another
    /// time, is left alone. False when the process is not there any more, or can't be told from others.
    ///
    /// # Errors
    /// What the system says to the signal.
    pub fn signal(&self, signal: Signal) -> io::Result<bool> {
        match i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
            Some(pid) if self.started.is_some() => self.send(pid, signal),
            _ => Ok(false),
        }
    }

    fn is_this(&self) -> bool {
        started(self.pid) == self.started
    }

    #[cfg(target_os = "linux")]
    fn send(&self, pid: Pid, signal: Signal) -> io::Result<bool> {
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
        // Opened before the look: the handle stays with the process that was looked at, whoever gets its number next.
        let process = match pidfd_open(pid, PidfdFlags::empty()) {
            Err(rustix::io::Errno::SRCH) => return Ok(false),
            opened => opened?,
        };
        if !self.is_this() {
            return Ok(false);
        }
        match pidfd_send_signal(process, signal) {
            Err(rustix::io::Errno::SRCH) => Ok(false),
            sent => sent.map(|()| true).map_err(io::Error::from),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send(&self, pid: Pid, signal: Signal) -> io::Result<bool> {
        if !self.is_this() {
            return Ok(false);
        }
        match rustix::process::kill_process(pid, signal) {
            Err(rustix::io::Errno::SRCH) => Ok(false),
            sent => sent.map(|()| true).map_err(io::Error::from),
        }
    }
}

/// When a process was started: clock ticks since the system's start (field 22 of `/proc/PID/stat`, see proc(5)).
#[cfg(target_os = "linux")]
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name is in parentheses and may hold any character; field 3 follows it.
    stat.rsplit_once(") ")?.1.split(' ').nth(19).map(str::to_owned)
}

/// When a process was started: date and time to the second, as `ps` prints them.
#[cfg(not(target_os = "linux"))]
fn started(pid: u32) -> Option<String> {
    let mut ps = std::process::Command::new("/bin/ps");
    let output = ps
        .env("LC_ALL", "C")
        .args(["-o", "lstart=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("60").spawn().unwrap()
    }

    #[test]
    fn a_holder_reads_back_from_its_lock() {
        let holder = Holder::this();
        assert!(holder.started.is_some());
        assert_eq!(Holder::parse(&holder.text()), holder);
        assert_ne!(Holder::this().instance, holder.instance);
        for nothing in ["", "\n", "x", "-1 a b", "99999999999 a b"] {
            assert!(!Holder::parse(nothing).signal(Signal::KILL).unwrap(), "{nothing:?}");
        }
    }

    #[test]
    fn a_signal_reaches_the_process_that_was_written_down() {
        let mut child = sleeper();
        let holder = Holder {
            pid: child.id(),
            started: started(child.id()),
            instance: String::new(),
        };
        assert!(holder.signal(Signal::KILL).unwrap());
        assert!(!child.wait().unwrap().success());
        assert!(!holder.signal(Signal::KILL).unwrap(), "it is gone");
    }

    #[test]
    fn a_process_that_only_has_the_number_is_left_alone() {
        let mut child = sleeper();
        for started in [Some("1".to_owned()), None] {
            let holder = Holder {
                pid: child.id(),
                started,
                instance: String::new(),
            };
            assert!(!holder.signal(Signal::KILL).unwrap());
        }
        assert!(child.try_wait().unwrap().is_none(), "a stranger was hit");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
