//! `proofmark lists check`: whether word lists can be used, and which of their examples contradict each other.
//! What a list may hold is said in the server's room of the judge.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use proofmark_server::engine::lists_in_use;
use proofmark_server::judge::list::{self, WordList};

use crate::output::{complain, count, say};

/// The command's arguments.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Check a file of lists against those in use, or all that are in use.
    Check {
        /// A file of one list or several, as TOML or JSON.
        file: Option<PathBuf>,
    },
}

/// Runs the command: exit code 1 when a list can't be used.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Action::Check { file } = &arguments.action;
    let cwd = std::env::current_dir()
        .ok()
        .and_then(|cwd| cwd.to_str().map(str::to_owned));
    let (mut lists, mut faults) = lists_in_use(cwd.as_deref());
    if let Some(file) = file {
        match list::read(file) {
            Ok(own) => {
                // The file may be in use already; it contradicts itself no more for that.
                lists.retain(|list| !own.iter().any(|own| own.name == list.name));
                lists = [own, lists].concat();
            }
            Err(error) => faults.push(format!("{}: {error}", file.display())),
        }
    }
    for fault in &faults {
        complain(&format!("proofmark: {fault}"));
    }
    say(&text(&lists))?;
    Ok(if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn text(lists: &[WordList]) -> String {
    let line = |list: &WordList| {
        let (falls, not) = (list.matching.len() as u64, list.not_match.len());
        format!(
            "{}: {} that fall under it, {not} that do not",
            list.name,
            count(falls, "example")
        )
    };
    let mut lines: Vec<String> = lists.iter().map(line).collect();
    let contradictions = list::contradictions(lists);
    if !contradictions.is_empty() {
        lines.push(format!("{}:", count(contradictions.len() as u64, "contradiction")));
        lines.extend(contradictions.into_iter().map(|told| format!("  {told}")));
    }
    lines.join("\n")
}
