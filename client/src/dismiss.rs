//! `proofmark dismiss`: the person puts a kept finding aside, or takes that back; no server is needed for it.
//! What a dismissed finding means to a check is decided in the server's core.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use proofmark_protocol::query::DismissFindingParams;
use proofmark_server::engine::{now, queries};
use proofmark_server::text::quote;

use crate::output::say;
use crate::place::Place;

/// The longest message that is shown, in characters.
const MAX_SHOWN: usize = 200;

/// Arguments of `proofmark dismiss`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The finding's id, as `proofmark findings` shows it.
    id: String,
    /// It was wrong; without this, it was right and need not be shown any more.
    #[arg(long)]
    wrong: bool,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// Take back that it was dismissed.
    #[arg(long, conflicts_with_all = ["wrong", "why"])]
    undo: bool,
}

/// Runs the command.
pub(crate) fn run(place: &Place, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Some(ledger) = place.ledger()? else {
        bail!("there is no ledger in {} yet", place.state_dir.display())
    };
    let (done, finding) = if arguments.undo {
        ("Open again", queries::undismiss(&ledger, &arguments.id, now())?)
    } else {
        let params = DismissFindingParams {
            id: arguments.id.clone(),
            wrong: arguments.wrong,
            why: arguments.why.clone(),
        };
        let done = if arguments.wrong {
            "Dismissed as wrong"
        } else {
            "Dismissed as right"
        };
        (done, queries::dismiss(&ledger, &params, now())?)
    };
    say(&format!("{done}: {}", quote(&finding.message, MAX_SHOWN)))?;
    Ok(ExitCode::SUCCESS)
}
