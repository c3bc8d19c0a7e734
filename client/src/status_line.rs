//! `proofmark status --line`: how one session stands, in a few words for a harness's or an editor's status line.
//! Nothing is started or asked for it but the ledger.

use std::io::{IsTerminal, Read};

use proofmark_protocol::query::{KeptState, ScopePhase, SessionStatus};
use proofmark_server::engine::{now, queries};
use serde_json::Value;

use crate::output::{count, say};
use crate::place::Place;
use crate::scope;

/// So much of what a harness writes on stdin is read, in bytes.
const MAX_INPUT: u64 = 1024 * 1024;

/// Prints the line of a session: the one that is named, else the one that the harness names on stdin (Claude Code gives
/// its status line a JSON object with `session_id`), else the one that was heard of last.
pub(crate) fn run(place: &Place, named: Option<&str>) -> anyhow::Result<()> {
    let Some(ledger) = place.ledger()? else {
        return say("Proofmark: no session yet");
    };
    let server = queries::status(Some(&ledger), super::status::unasked(place), now())?;
    let told = named.map(str::to_owned).or_else(told);
    let session = match &told {
        Some(id) => server.sessions.iter().find(|session| session.session == *id),
        None => server.sessions.iter().max_by_key(|session| session.last_seen),
    };
    let Some(session) = session else {
        return say("Proofmark: no session yet");
    };
    let findings = queries::findings(&ledger, Some(&session.session))?;
    let open = findings
        .iter()
        .filter(|finding| finding.state == KeptState::Open)
        .count() as u64;
    let paused = session.paused_until.or(server.paused_until).is_some();
    say(&line(session, open, paused))
}

/// The session that a harness names on stdin; none where a person types.
fn told() -> Option<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut text = String::new();
    stdin.lock().take(MAX_INPUT).read_to_string(&mut text).ok()?;
    let input: Value = serde_json::from_str(&text).ok()?;
    input["session_id"].as_str().map(str::to_owned)
}

fn line(session: &SessionStatus, findings: u64, paused: bool) -> String {
    let mut parts = Vec::new();
    if paused {
        parts.push("paused".to_owned());
    }
    if session.scope.phase != ScopePhase::None {
        parts.push(scope::phase(session.scope.phase).to_owned());
    }
    if findings > 0 {
        parts.push(count(findings, "finding"));
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
    use proofmark_protocol::Harness;
    use proofmark_protocol::query::Scope;

    use super::*;

    #[test]
    fn a_line_says_what_is_open_and_no_more() {
        let session = |phase, open_claims| SessionStatus {
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
        };
        let nothing = session(ScopePhase::None, 0);
        assert_eq!(line(&nothing, 0, false), "Proofmark: nothing open");
        let much = session(ScopePhase::ContractRequired, 2);
        let said = line(&much, 1, true);
        assert!(
            said.starts_with("Proofmark: paused, ") && said.ends_with(", 1 finding, 2 open claims"),
            "{said}"
        );
        assert!(said.contains(&scope::phase(ScopePhase::ContractRequired)), "{said}");
    }
}
