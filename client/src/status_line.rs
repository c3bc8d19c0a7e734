//! `proofmark status --line`: how one session stands, in a few words for a harness's or an editor's status line.
//! Nothing is started or asked for it but the ledger.

use std::io::IsTerminal;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use proofmark_protocol::query::ScopePhase;
use proofmark_server::engine::now;
use proofmark_server::engine::queries::{self, Standing};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use serde_json::{Deserializer, Value};

use crate::output::{count, say};
use crate::place::Place;
use crate::scope;

/// So much of what a harness writes on stdin is read, in bytes.
const MAX_INPUT: usize = 1024 * 1024;
/// Whoever says nothing on stdin for so long, and leaves it open, has nothing to say: a status line is drawn often.
const PATIENCE: Duration = Duration::from_millis(100);

/// Prints the line of a session: the one that is named, else the one that the harness names on stdin (Claude Code gives
/// its status line a JSON object with `session_id`), else the one that was heard of last.
pub(crate) fn run(place: &Place, named: Option<&str>) -> anyhow::Result<()> {
    let stdin = std::io::stdin();
    let told = match named {
        Some(named) => Some(named.to_owned()),
        None if stdin.is_terminal() => None,
        None => told(stdin.as_fd()),
    };
    let standing = match place.ledger()? {
        Some(ledger) => queries::standing(&ledger, told.as_deref(), now())?,
        None => None,
    };
    say(&standing.map_or_else(|| "Proofmark: no session yet".to_owned(), |standing| line(&standing)))
}

/// The session that a harness names; it may leave the pipe open behind that.
fn told(input: BorrowedFd<'_>) -> Option<String> {
    let until = Instant::now() + PATIENCE;
    let (mut text, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    while text.len() < MAX_INPUT && is_readable(input, until) {
        match rustix::io::read(input, &mut piece) {
            Ok(0) => break,
            Ok(read) => text.extend_from_slice(&piece[..read]),
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(_) => break,
        }
        if let Some(Ok(value)) = Deserializer::from_slice(&text).into_iter::<Value>().next() {
            return value["session_id"].as_str().map(str::to_owned);
        }
    }
    None
}

fn is_readable(input: BorrowedFd<'_>, until: Instant) -> bool {
    let left = until.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).ok();
    let mut asked = [PollFd::from_borrowed_fd(input, PollFlags::IN)];
    rustix::event::poll(&mut asked, left.as_ref()).is_ok_and(|ready| ready > 0)
}

fn line(
    Standing {
        session,
        findings,
        paused_until,
    }: &Standing,
) -> String {
    let mut parts = Vec::new();
    if paused_until.is_some() {
        parts.push("paused".to_owned());
    }
    if session.scope.phase != ScopePhase::None {
        parts.push(scope::phase(session.scope.phase).to_owned());
    }
    if *findings > 0 {
        parts.push(count(*findings, "finding"));
    }
    if session.open_claims > 0 {
        parts.push(count(session.open_claims, "open claim"));
    }
    if parts.is_empty() {
        parts.push("nothing open".to_owned());
    }
    format!("Proofmark: {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proofmark_protocol::Harness;
    use proofmark_protocol::query::{Scope, SessionStatus};

    use super::*;

    #[test]
    fn a_line_says_what_is_open_and_no_more() {
        let standing = |phase, open_claims, findings, paused_until| Standing {
            session: SessionStatus {
                harness: Harness::ALL[0],
                session: "s".to_owned(),
                open_claims,
                refusals: 3,
                last_seen: 0,
                scope: Scope {
                    phase,
                    ..Scope::default()
                },
                paused_until: None,
            },
            findings,
            paused_until,
        };
        let nothing = standing(ScopePhase::None, 0, 0, None);
        assert_eq!(line(&nothing), "Proofmark: nothing open");
        let said = line(&standing(ScopePhase::ContractRequired, 2, 1, Some(1)));
        assert!(
            said.starts_with("Proofmark: paused, ") && said.ends_with(", 1 finding, 2 open claims"),
            "{said}"
        );
        assert!(said.contains(&scope::phase(ScopePhase::ContractRequired)), "{said}");
    }

    #[test]
    fn a_session_is_read_from_a_pipe_that_stays_open_and_nothing_from_one_that_is_silent() {
        // The pipe's other end is held over the call, so that its end does not end it.
        let told_by = |text: &str| {
            let (read, mut write) = std::io::pipe().unwrap();
            write.write_all(text.as_bytes()).unwrap();
            (told(read.as_fd()), write).0
        };
        assert_eq!(told_by("{\"session_id\": \"s\"}").as_deref(), Some("s"));
        for nothing in ["", "{\"session_id\": \"s", "[]", "{\"session_id\": 1}", "x"] {
            assert_eq!(told_by(nothing), None, "{nothing:?}");
        }
    }
}
