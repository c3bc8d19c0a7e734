//! `proofmark findings`: the findings that the ledger keeps, with their ids; read from the ledger, so no server is started.
//! When a finding stands or is over is decided in the server's core.

use std::process::ExitCode;

use clap::Args;
use proofmark_protocol::findings::Cited;
use proofmark_protocol::query::{KeptFinding, KeptState};
use proofmark_server::engine::queries;
use proofmark_server::text::quote;

use crate::output::{Look, count, say, say_json, styled};
use crate::place::Place;

/// The longest message, command or path that is shown, in characters.
const MAX_SHOWN: usize = 300;
/// As much of a session's id as tells it from others, in characters.
const SHORT_ID: usize = 8;

/// Arguments of `proofmark findings`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Only this session's.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Runs the command.
pub(crate) fn run(place: &Place, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let findings = match &place.ledger()? {
        Some(ledger) => queries::findings(ledger, arguments.session.as_deref())?,
        None => Vec::new(),
    };
    if arguments.json {
        say_json(&findings)?;
    } else {
        say(&text(&findings))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(findings: &[KeptFinding]) -> String {
    let open = findings
        .iter()
        .filter(|finding| finding.state == KeptState::Open)
        .count() as u64;
    let over = findings.len() as u64 - open;
    let head = format!("{}, {over} over", count(open, "finding"));
    let mut lines = vec![styled(Look::HEAD, &head)];
    lines.extend(findings.iter().map(row));
    lines.join("\n")
}

/// A finding on two lines, or three where the person said why they dismissed it.
fn row(finding: &KeptFinding) -> String {
    let (style, state) = match (finding.state, finding.wrong) {
        (KeptState::Open, _) => (Look::NOTE, "open"),
        (KeptState::Recovered, _) => (Look::GOOD, "right again"),
        (KeptState::Owned, _) => (Look::GOOD, "said by a later reply"),
        (KeptState::Dismissed, Some(true)) => (Look::DIM, "dismissed as wrong"),
        (KeptState::Dismissed, _) => (Look::DIM, "dismissed as right"),
    };
    let session = finding.session.rsplit('/').next().unwrap_or_default();
    let session: String = quote(session, MAX_SHOWN).chars().take(SHORT_ID).collect();
    let at = finding
        .places
        .first()
        .map_or_else(String::new, |place| format!(", {}", at(place)));
    let check = finding
        .check
        .as_ref()
        .map_or_else(String::new, |check| format!(", {}", quote(&check.command, MAX_SHOWN)));
    let why = finding
        .why
        .as_ref()
        .map_or_else(String::new, |why| format!("\n      {}", quote(why, MAX_SHOWN)));
    format!(
        "  {} {}  {}\n      {}{why}",
        styled(Look::DIM, &quote(&finding.id, MAX_SHOWN)),
        styled(style, state),
        quote(&finding.message, MAX_SHOWN),
        styled(
            Look::DIM,
            &format!("{}, session {session}, turn {}{at}{check}", finding.code, finding.turn)
        ),
    )
}

fn at(place: &Cited) -> String {
    let path = quote(&place.path, MAX_SHOWN);
    place.line.map_or(path.clone(), |line| format!("{path}:{line}"))
}
