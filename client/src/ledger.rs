//! `proofmark ledger`: how large the ledger is, and how to have old sessions removed from it.
//! What is removed with a session is the server's knowledge.

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use proofmark_server::engine::retention::{self, Pruned, Retention};
use proofmark_server::engine::{now, settings};
use proofmark_server::ledger::{Extent, Ledger};

use crate::output::{Look, count, say, span, styled};
use crate::place::Place;

/// The command's arguments.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Remove sessions that were not heard of for long, with all that is kept of them.
    Prune {
        /// Sessions that were not heard of for so many days; without it, what `ledger.keep_days` in your settings says.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..))]
        older_than: Option<u64>,
        /// Also those in which a claim is open, a finding stands or a scope is in force.
        #[arg(long)]
        open: bool,
        /// Only say how many would be removed.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Runs the command.
pub(crate) fn run(place: &Place, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Some(ledger) = place.ledger()? else {
        say("There is no ledger yet.")?;
        return Ok(ExitCode::SUCCESS);
    };
    let keep_days = settings::of_person().keep_days;
    match arguments.action {
        None => say(&extent(&ledger.extent()?, keep_days, now()))?,
        Some(Action::Prune {
            older_than,
            open,
            dry_run,
        }) => {
            let days = match older_than {
                Some(days) => days,
                None if keep_days == 0 => {
                    bail!("your settings keep every session (ledger.keep_days = 0); say how old with --older-than DAYS")
                }
                None => keep_days,
            };
            let retention = Retention::asked(days, keep_days, open, now());
            say(&if dry_run {
                told(&retention::would_prune(&ledger, &retention)?, days, "would be removed")
            } else {
                prune(place, &ledger, &retention, days)?
            })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn prune(place: &Place, ledger: &Ledger, retention: &Retention, days: u64) -> anyhow::Result<String> {
    let before = ledger.extent()?;
    let pruned = retention::prune(&place.state_dir, ledger, retention, &|| true)
        .context("not everything was removed; the same command goes on from there")?;
    // Everybody who writes would have to wait: only where nobody does.
    if !before.shrinks && place.owner()?.is_none() {
        ledger.rewrite()?;
        ledger.settle_log()?;
    }
    let after = ledger.extent()?;
    let mut text = told(&pruned, days, "removed");
    let freed = before.bytes.saturating_sub(after.bytes);
    text.push_str(&format!(
        "\nThe ledger takes {}, {} less than before.",
        size(after.bytes),
        size(freed)
    ));
    if !after.shrinks && after.free > 0 {
        text.push_str(&format!(
            " {} of it are free; they are given back when you run this while no server runs (`proofmark stop`).",
            size(after.free)
        ));
    }
    Ok(text)
}

fn told(pruned: &Pruned, days: u64, what: &str) -> String {
    let mut text = format!(
        "{} {what}: not heard of for {}.",
        count(pruned.sessions, "session"),
        count(days, "day")
    );
    if pruned.open > 0 {
        text.push_str(&format!(
            " {} more {}, because something in them is open; `--open` takes those too.",
            pruned.open,
            if pruned.open == 1 { "stays" } else { "stay" }
        ));
    }
    if pruned.files > 0 {
        text.push_str(&format!(" {} beside the ledger went too.", count(pruned.files, "file")));
    }
    text
}

fn extent(extent: &Extent, keep_days: u64, now: u64) -> String {
    let mut lines = vec![format!(
        "{} {}, of which {} are free",
        styled(Look::HEAD, "Ledger:"),
        size(extent.bytes),
        size(extent.free)
    )];
    if let Some(oldest) = extent.oldest {
        lines.push(format!("Oldest session: seen {} ago", span(now.saturating_sub(oldest))));
    }
    lines.push(match keep_days {
        0 => "Sessions are kept for ever (ledger.keep_days = 0)".to_owned(),
        days => format!("Sessions are kept for {} after they were last seen", count(days, "day")),
    });
    lines.extend(extent.rows.iter().map(|(table, rows)| format!("  {rows:>8}  {table}")));
    lines.join("\n")
}

/// A number of bytes as people read it.
fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes / KIB),
        _ => format!("{}.{} MiB", bytes / KIB / KIB, bytes / KIB % KIB * 10 / KIB),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_write_them() {
        for (bytes, wanted) in [(0, "0 bytes"), (4_096, "4 KiB"), (1_572_864, "1.5 MiB")] {
            assert_eq!(size(bytes), wanted);
        }
    }

    #[test]
    fn what_stays_is_told_beside_what_goes() {
        let pruned = Pruned {
            sessions: 1,
            open: 2,
            files: 0,
            ended: true,
        };
        assert_eq!(
            told(&pruned, 30, "removed"),
            "1 session removed: not heard of for 30 days. 2 more stay, because something in them is open; `--open` takes \
             those too."
        );
    }
}
