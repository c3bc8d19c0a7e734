//! `proofmark status`: the server, the sessions, what is paused; read from the ledger, so no server is started.
//! What a session is stands on the ledger.

use std::process::ExitCode;
use std::time::Duration;

use proofmark_protocol::method;
use proofmark_protocol::query::{ScopePhase, ServerStatus, SessionStatus, Status};
use proofmark_server::engine::{now, queries};

use crate::output::{Look, count, say, say_json, span, styled};
use crate::place::Place;
use crate::scope;
use crate::socket::call;

/// Sessions that are shown without `--json`.
const SHOWN: usize = 10;

/// Runs the command.
pub(crate) fn run(place: &Place, json: bool) -> anyhow::Result<ExitCode> {
    let mut notes = Vec::new();
    let server = server(place, &mut notes)?;
    // The server can be told of without the ledger, and just then somebody looks.
    let ledger = place.ledger().unwrap_or_else(|error| {
        notes.push(format!("{error:#}."));
        None
    });
    let mut status = queries::status(ledger.as_ref(), server, now())?;
    status.notes = notes;
    if json {
        say_json(&status)?
    } else {
        say(&text(&status, now()))?
    }
    Ok(ExitCode::SUCCESS)
}

/// A server of which nobody asked whether it runs.
pub(crate) fn unasked(place: &Place) -> ServerStatus {
    ServerStatus {
        running: false,
        pid: None,
        build: None,
        state_dir: place.state_dir.display().to_string(),
    }
}

fn server(place: &Place, notes: &mut Vec<String>) -> anyhow::Result<ServerStatus> {
    let Some(pid) = place.owner()?.map(|owner| owner.pid) else {
        return Ok(unasked(place));
    };
    match call::<Status>(&place.state_dir, method::STATUS, (), Duration::from_secs(1)) {
        Ok(Some(status)) => {
            notes.extend(status.notes);
            Ok(status.server)
        }
        other => {
            let why = other
                .err()
                .map_or_else(|| "its socket is gone".to_owned(), |error| format!("{error:#}"));
            notes.push(format!(
                "Process {pid} holds the state folder, but {why}. `proofmark stop` ends it."
            ));
            Ok(ServerStatus {
                running: true,
                pid: Some(pid),
                ..unasked(place)
            })
        }
    }
}

fn text(status: &Status, now: u64) -> String {
    let server = &status.server;
    let mut lines = vec![match (server.running, server.pid) {
        (true, Some(pid)) => {
            let build = server.build.as_deref().unwrap_or("unknown version");
            format!("{} {build}, process {pid}", styled(Look::GOOD, "Server running:"))
        }
        _ => format!("{} the next event starts it", styled(Look::DIM, "Server not running:")),
    }];
    lines.push(format!("State folder: {}", server.state_dir));
    if let Some(until) = status.paused_until {
        let left = left(until, now);
        lines.push(styled(
            Look::NOTE,
            &format!("Paused for {left} more: nothing is refused in any session."),
        ));
    }
    lines.extend(status.notes.iter().map(|note| styled(Look::NOTE, note)));
    if status.sessions.is_empty() {
        lines.push("No session has been seen yet.".to_owned());
    }
    lines.extend(status.sessions.iter().take(SHOWN).map(|session| row(session, now)));
    if status.sessions.len() > SHOWN {
        lines.push(styled(
            Look::DIM,
            &format!("and {} more (`--json` shows all)", status.sessions.len() - SHOWN),
        ));
    }
    lines.join("\n")
}

/// What is left of a pause, rounded up to the minute that it began in.
fn left(until: u64, now: u64) -> String {
    span(until.saturating_sub(now).next_multiple_of(60_000))
}

fn row(session: &SessionStatus, now: u64) -> String {
    let claims = count(session.open_claims, "open claim");
    let claims = if session.open_claims > 0 {
        styled(Look::NOTE, &claims)
    } else {
        claims
    };
    let seen = span(now.saturating_sub(session.last_seen));
    let paused = session
        .paused_until
        .map_or(String::new(), |until| format!(", paused for {} more", left(until, now)));
    let scope = match session.scope.phase {
        ScopePhase::None => String::new(),
        phase => format!(", {}", scope::phase(phase)),
    };
    format!(
        "  {} {}  {claims}, {}{paused}{scope}  {}",
        session.harness,
        styled(Look::HEAD, &session.session),
        count(session.refusals, "refusal"),
        styled(Look::DIM, &format!("seen {seen} ago")),
    )
}
