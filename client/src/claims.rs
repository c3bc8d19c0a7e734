//! `proofmark claims`: what is on the ledger, and retiring a claim; read from the ledger, so no server is started.
//! When a claim is open or settled is decided in the server's core.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, Subcommand};
use proofmark_protocol::query::{Claim, ClaimState};
use proofmark_server::engine::{now, queries};
use proofmark_server::text::quote;

use crate::output::{Look, count, say, say_json, styled};
use crate::place::Place;

/// The longest claim that is shown, in characters.
const MAX_SHOWN: usize = 200;

/// Arguments of `proofmark claims`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Only this session's.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Retire an open claim: nobody is reminded of it any more.
    Retire {
        /// The claim's id, as the list shows it.
        id: String,
        /// Why, for the record.
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
}

/// Runs the command.
pub(crate) fn run(place: &Place, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let ledger = place.ledger()?;
    if let Some(Action::Retire { id, why }) = &arguments.action {
        let Some(ledger) = ledger else {
            bail!("there is no ledger in {} yet", place.state_dir.display())
        };
        let claim = queries::retire(&ledger, id, why.as_deref(), now())?;
        say(&format!("Retired “{}”.", quote(&claim.claim, MAX_SHOWN)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let claims = match &ledger {
        Some(ledger) => queries::claims(ledger, arguments.session.as_deref())?,
        None => Vec::new(),
    };
    if arguments.json {
        say_json(&claims)?;
    } else {
        say(&text(&claims))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(claims: &[Claim]) -> String {
    let open = claims.iter().filter(|claim| claim.state == ClaimState::Open).count() as u64;
    let settled = claims.len() as u64 - open;
    let head = format!("{}, {settled} settled", count(open, "open claim"));
    let mut lines = vec![styled(Look::HEAD, &head)];
    lines.extend(claims.iter().map(row));
    lines.join("\n")
}

/// A claim as the terminal shows it, on two or three lines.
pub(crate) fn row(claim: &Claim) -> String {
    let (style, state) = match claim.state {
        ClaimState::Open if claim.turns == 0 => (Look::NOTE, "open, new".to_owned()),
        ClaimState::Open => (Look::NOTE, format!("open for {}", count(claim.turns, "turn"))),
        ClaimState::Checked => (Look::GOOD, "checked".to_owned()),
        ClaimState::Dropped => (Look::DIM, "dropped".to_owned()),
        ClaimState::Retired => (Look::DIM, "retired".to_owned()),
    };
    let by = match (&claim.settled_by, claim.matched) {
        (Some(call), Some(false)) => format!(
            "\n      closed without a matching check; last look: {} “{}”",
            call.tool, call.input
        ),
        (Some(call), _) => format!("\n      by {} “{}”", call.tool, call.input),
        (None, _) => claim
            .why
            .as_ref()
            .map_or(String::new(), |why| format!("\n      {}", quote(why, MAX_SHOWN))),
    };
    format!(
        "  {} {}  {}\n      {}{by}",
        styled(Look::DIM, &claim.id),
        styled(style, &state),
        quote(&claim.claim, MAX_SHOWN),
        styled(
            Look::DIM,
            &format!("cannot verify: {}", quote(&claim.reason, MAX_SHOWN))
        ),
    )
}
