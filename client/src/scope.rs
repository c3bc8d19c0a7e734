//! `proofmark scope`: what sessions are held to, and the person's way to lift it or to say it; no server is needed.
//! When a lock begins, and what it holds up, is decided in the server's core.

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use proofmark_protocol::query::{ScopePhase, SessionStatus};
use proofmark_server::engine::{now, queries};
use proofmark_server::ledger::Ledger;
use proofmark_server::session::By;
use proofmark_server::text::quote;

use crate::output::{Look, say, say_json, span, styled};
use crate::place::Place;

/// The longest contract or correction that is shown, in characters.
const MAX_SHOWN: usize = 200;

/// Arguments of `proofmark scope`.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Only this session; without it those that are held up or, for `set`, the one heard of last.
    #[arg(long, value_name = "ID", global = true)]
    session: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Action {
    /// Show what each session is held to; the same as without an action.
    Show,
    /// Lift the lock: tools run again, and earlier corrections no longer count.
    Release,
    /// Say what the session is to do, and what not; tools run again.
    Set {
        /// One line: the outcome, and what is not to be touched.
        text: String,
    },
}

/// Runs the command.
pub(crate) fn run(place: &Place, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let ledger = place.ledger()?;
    let sessions = match &ledger {
        Some(ledger) => queries::sessions(ledger, now())?,
        None => Vec::new(),
    };
    let named = arguments.session.as_deref();
    let changed = match &arguments.action {
        None | Some(Action::Show) => {
            show(&sessions, named, arguments.json)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Action::Release) => released(&sessions, named)?
            .into_iter()
            .map(|session| {
                queries::release_scope(some(ledger.as_ref(), place)?, session, By::Command, now()).map_err(Into::into)
            })
            .collect::<anyhow::Result<Vec<_>>>()?,
        Some(Action::Set { text }) => {
            let session = named
                .or_else(|| held(&sessions).map(|session| session.session.as_str()).next())
                .or_else(|| sessions.first().map(|session| session.session.as_str()))
                .context("no session has been seen yet")?;
            let ledger = some(ledger.as_ref(), place)?;
            vec![queries::set_scope(ledger, session, text, By::Command, now())?]
        }
    };
    if arguments.json {
        say_json(&changed)?;
    } else {
        let lines: Vec<String> = changed.iter().map(told).collect();
        say(&lines.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn some<'a>(ledger: Option<&'a Ledger>, place: &Place) -> anyhow::Result<&'a Ledger> {
    ledger.with_context(|| format!("there is no ledger in {} yet", place.state_dir.display()))
}

/// The sessions whose tools are held up.
fn held(sessions: &[SessionStatus]) -> impl Iterator<Item = &SessionStatus> {
    let holds =
        |session: &&SessionStatus| matches!(session.scope.phase, ScopePhase::ContractRequired | ScopePhase::HardStop);
    sessions.iter().filter(holds)
}

/// The sessions to be released: the named one, else all that are held up, else the only one that has a contract.
fn released<'a>(sessions: &'a [SessionStatus], named: Option<&'a str>) -> anyhow::Result<Vec<&'a str>> {
    if let Some(session) = named {
        return Ok(vec![session]);
    }
    let held: Vec<&str> = held(sessions).map(|session| session.session.as_str()).collect();
    let has_scope = |session: &&SessionStatus| session.scope.phase != ScopePhase::None;
    let others: Vec<&str> = sessions
        .iter()
        .filter(has_scope)
        .map(|session| session.session.as_str())
        .collect();
    match (held.is_empty(), &others[..]) {
        (false, _) => Ok(held),
        (true, [only]) => Ok(vec![only]),
        (true, []) => bail!("no session has a scope lock or a contract"),
        (true, _) => bail!(
            "no session is held up; say which contract to forget with --session ({})",
            others.join(", ")
        ),
    }
}

fn show(sessions: &[SessionStatus], named: Option<&str>, json: bool) -> anyhow::Result<()> {
    let shown = |session: &&SessionStatus| match named {
        Some(named) => session.session == named,
        None => session.scope.phase != ScopePhase::None,
    };
    let shown: Vec<&SessionStatus> = sessions.iter().filter(shown).collect();
    if json {
        return say_json(&shown);
    }
    let lines: Vec<String> = shown.into_iter().map(|session| row(session, now())).collect();
    say(&if lines.is_empty() {
        "No session is held to anything.".to_owned()
    } else {
        lines.join("\n")
    })
}

/// A session as the terminal shows it, on one to three lines.
fn row(session: &SessionStatus, now: u64) -> String {
    let scope = &session.scope;
    let since = scope.since.map_or(String::new(), |since| {
        format!("  since {}", span(now.saturating_sub(since)))
    });
    let mut lines = vec![format!(
        "{} {}  {}{}",
        session.harness,
        styled(Look::HEAD, &session.session),
        phase(scope.phase),
        styled(Look::DIM, &since)
    )];
    lines.extend(
        scope
            .correction
            .as_deref()
            .map(|said| format!("  you said: “{}”", quote(said, MAX_SHOWN))),
    );
    lines.extend(
        scope
            .contract
            .as_deref()
            .map(|contract| format!("  scope: “{}”", quote(contract, MAX_SHOWN))),
    );
    lines.join("\n")
}

/// Where a lock stands, in a few words.
pub(crate) fn phase(phase: ScopePhase) -> String {
    match phase {
        ScopePhase::None => styled(Look::DIM, "no scope lock"),
        ScopePhase::ContractRequired => styled(Look::NOTE, "scope lock: a contract is due, the agent may only look"),
        ScopePhase::Locked => "scope contract in force".to_owned(),
        ScopePhase::HardStop => styled(Look::BAD, "scope lock: every tool is stopped"),
        ScopePhase::ReflectionAcknowledged => styled(Look::DIM, "scope lock lifted after review"),
    }
}

fn told(session: &SessionStatus) -> String {
    match &session.scope.contract {
        Some(contract) => format!(
            "Session {} is held to “{}”.",
            session.session,
            quote(contract, MAX_SHOWN)
        ),
        None => format!("Session {}: the scope lock is off.", session.session),
    }
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::Harness;
    use proofmark_protocol::query::Scope;

    use super::*;

    fn session(name: &str, phase: ScopePhase) -> SessionStatus {
        SessionStatus {
            harness: Harness::Codex,
            session: name.to_owned(),
            open_claims: 0,
            refusals: 0,
            last_seen: 0,
            scope: Scope {
                phase,
                ..Scope::default()
            },
            paused_until: None,
        }
    }

    #[test]
    fn what_is_released_without_a_name_is_what_is_held_up() {
        use ScopePhase::{ContractRequired, HardStop, Locked, None as No};
        for (phases, named, expected) in [
            (
                &[No, HardStop, ContractRequired, Locked][..],
                None,
                Some(&["1", "2"][..]),
            ),
            (&[No, Locked], None, Some(&["1"])),
            (&[Locked, Locked], None, None),
            (&[No], None, None),
            (&[], None, None),
            (&[HardStop], Some("x"), Some(&["x"])),
        ] {
            let sessions: Vec<SessionStatus> = (0..)
                .zip(phases)
                .map(|(at, phase)| session(&at.to_string(), *phase))
                .collect();
            let names = released(&sessions, named);
            assert_eq!(names.as_deref().ok(), expected, "{phases:?} {named:?}");
        }
    }
}
