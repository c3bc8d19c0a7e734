//! A terminal of a test's own, with a program in front of it: what it shows, and keys pressed on it.
//! What the program is, and what its screen means, is the caller's business.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::process::{self, kill_group};

/// Rows and columns.
const SIZE: (u16, u16) = (40, 120);
/// What a program asks a terminal at its start, and what it is answered: where the cursor is, what the terminal is.
const ASKED: [(&str, &[u8]); 2] = [("\u{1b}[6n", b"\x1b[1;1R"), ("\u{1b}[c", b"\x1b[?62c")];

/// A terminal with a program; dropping it kills the program and all that it started there.
#[derive(Debug)]
pub struct Terminal {
    keys: File,
    child: Child,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Starts a program in front of a new terminal. `command` is one for `setsid` without arguments so far, which gives
    /// the program a session of its own, with that terminal.
    ///
    /// # Errors
    /// The system gives no terminal, or has no `setsid`.
    pub fn start(mut command: Command, program: &OsStr, arguments: &[&str]) -> Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let (rows, columns) = SIZE;
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size)?;
        let noctty = i32::try_from(OFlags::NOCTTY.bits())?;
        let mut options = OpenOptions::new();
        let side = options.read(true).write(true).custom_flags(noctty);
        let side = side.open(OsStr::from_bytes(name.to_bytes()))?;
        let child = command
            .arg("--ctty")
            .arg(program)
            .args(arguments)
            .stdin(side.try_clone()?)
            .stdout(side.try_clone()?)
            .stderr(side)
            .spawn()
            .context("setsid can't be started")?;
        // The handles of the other side are the command's.
        drop(command);
        let keys = File::from(master);
        let shown = Arc::new(Mutex::new(Vec::new()));
        watch(keys.try_clone()?, keys.try_clone()?, Arc::clone(&shown));
        Ok(Self { keys, child, shown })
    }

    /// Presses keys.
    ///
    /// # Errors
    /// Nobody is there to take them.
    pub fn press(&mut self, keys: &str) -> Result<()> {
        Ok(self.keys.write_all(keys.as_bytes())?)
    }

    /// Everything that was shown so far, without what moves the cursor or colours the text.
    pub fn shown(&self) -> String {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        plain(&String::from_utf8_lossy(&shown))
    }

    /// Waits until a text has been shown `times` times, blanks apart: a program may jump over them.
    ///
    /// # Errors
    /// It has not been within `limit`.
    pub fn shows(&self, text: &str, times: usize, limit: Duration) -> Result<()> {
        let wanted = dense(text);
        let there = || (dense(&self.shown()).matches(&wanted).count() >= times).then_some(());
        match process::until(limit, there) {
            Some(()) => Ok(()),
            None => bail!("{text:?} was not shown {times} times:\n{}", self.shown()),
        }
    }

    /// Waits for the program's end; none when `limit` passes first.
    ///
    /// # Errors
    /// The system refuses to tell.
    pub fn end(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        Ok(process::wait(&mut self.child, limit)?)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It leads a session and so a group: `setsid` made it one.
        kill_group(&mut self.child);
    }
}

/// Gathers what is shown, and answers for the terminal.
fn watch(mut screen: File, mut answers: File, shown: Arc<Mutex<Vec<u8>>>) {
    thread::spawn(move || {
        let mut piece = [0; 4096];
        // The end of all programs there is an error on Linux, and an end of file elsewhere.
        while let Ok(read @ 1..) = screen.read(&mut piece) {
            let text = String::from_utf8_lossy(&piece[..read]);
            for (_, answer) in ASKED.iter().filter(|(asked, _)| text.contains(asked)) {
                if answers.write_all(answer).is_err() {
                    return;
                }
            }
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            shown.extend_from_slice(&piece[..read]);
        }
    });
}

fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The text without escape sequences: `ESC [ … letter`, and `ESC ] …` up to its end.
fn plain(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            kept.push(c);
            continue;
        }
        match rest.next() {
            Some('[') => while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            Some(']') => {
                let end = rest.by_ref().find(|c| matches!(c, '\u{7}' | '\u{1b}'));
                if end == Some('\u{1b}') {
                    // The other half of the end.
                    rest.next();
                }
            }
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_no_text() {
        assert_eq!(
            plain("a\u{1b}[1;31mb\u{1b}[0mc\u{1b}]0;title\u{7}d\u{1b}]8;;\u{1b}\\e\u{1b}"),
            "abcde"
        );
    }

    #[test]
    fn what_is_typed_reaches_the_program_and_its_end_is_seen() {
        let script = "read line; echo \"<$line>\"; tty >/dev/null && exit 7";
        let mut terminal = Terminal::start(Command::new("setsid"), OsStr::new("sh"), &["-c", script]).unwrap();
        terminal.press("typed\n").unwrap();
        terminal.shows("< typed >", 1, Duration::from_secs(20)).unwrap();
        assert_eq!(terminal.end(Duration::from_secs(20)).unwrap().unwrap().code(), Some(7));
        assert!(terminal.shows("never", 1, Duration::ZERO).is_err());
    }
}
