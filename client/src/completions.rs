//! `proofmark completions SHELL`: what a shell needs to complete the command's words.
//! Where a shell looks for it is the person's business.

use std::process::ExitCode;

use clap_complete::{Shell, generate};

use crate::output::say;

/// Runs the command.
pub(crate) fn run(shell: Shell, command: &mut clap::Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    generate(shell, command, "proofmark", &mut script);
    say(String::from_utf8(script)?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}
