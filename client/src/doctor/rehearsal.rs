//! The self-test: an installed hook is started as its harness starts it, and has to bring the server's refusal back.
//! What a refusal looks like stands with the harness.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use proofmark_protocol::event::SELF_TEST;
use proofmark_server::engine::now;

use super::check::Check;
use super::harness::{Rehearsal, Row};
use crate::child;

/// How long a hook has, which ends by itself within 3 s.
const LIMIT: Duration = Duration::from_secs(15);
/// The check's name.
const NAME: &str = "self-test";

/// How a harness starts a hook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Start {
    /// By a shell's command line.
    Line(String),
    /// A program with arguments.
    Direct(String, Vec<String>),
}

impl Start {
    fn command(&self) -> Command {
        let mut command = match self {
            Self::Line(line) => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", line]);
                shell
            }
            Self::Direct(program, arguments) => {
                let mut direct = Command::new(program);
                direct.args(arguments);
                direct
            }
        };
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let folder = home.filter(|home| home.is_dir()).unwrap_or_else(|| PathBuf::from("/"));
        // A hook that a judge's own agent starts asks nobody.
        command.current_dir(folder).env_remove("PROOFMARK_JUDGE_CHILD");
        command
    }

    /// As people would write it.
    fn told(&self) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Direct(program, arguments) => format!("{program} {}", arguments.join(" ")),
        }
    }
}

/// Sends each event of the self-test through each of the hooks.
pub(crate) fn check(row: &Row, starts: &[Start]) -> Check {
    let mut slowest = Duration::ZERO;
    for start in starts {
        for rehearsal in &row.rehearsals {
            // A machine that is busy may let one pass; a hook that is at fault lets every one pass.
            match send(start, rehearsal).or_else(|_| send(start, rehearsal)) {
                Ok(took) => slowest = slowest.max(took),
                Err(why) => {
                    return Check::fail(
                        NAME,
                        format!("`{}` does not hold up {}: {why}.", start.told(), rehearsal.what),
                        "See what is said about the entries and the server; then `proofmark stop`, and this again.",
                    );
                }
            }
        }
    }
    Check::pass(
        NAME,
        format!(
            "The installed hook took {} to the server and brought the refusal back, in {} ms at most.",
            row.rehearsals
                .iter()
                .map(|rehearsal| rehearsal.what)
                .collect::<Vec<_>>()
                .join(" and "),
            slowest.as_millis()
        ),
    )
}

/// Sends one event in a session of its own: how long that took, or why the answer would hold nothing up.
fn send(start: &Start, rehearsal: &Rehearsal) -> Result<Duration, String> {
    static SENT: AtomicU32 = AtomicU32::new(0);
    let nth = SENT.fetch_add(1, Ordering::Relaxed);
    let session = format!("{SELF_TEST}{}-{}-{nth}", std::process::id(), now());
    let payload = (rehearsal.payload)(&session).to_string();
    let answer = child::run(&mut start.command(), payload.as_bytes(), LIMIT).map_err(|trouble| trouble.to_string())?;
    match (rehearsal.fault)(&answer) {
        Some(why) => Err(why),
        None => Ok(answer.took),
    }
}
