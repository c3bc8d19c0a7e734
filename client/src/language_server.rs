//! `proofmark serve --stdio`: the language server of an editor, with an owner behind it that is started where none runs.
//! What it serves is the server's; stdout is the editor's alone.

use std::io;
use std::process::{Command, ExitCode, Stdio};

use proofmark_server::lsp::{self, Sessions};

use crate::place::Place;

/// Runs the command.
pub(crate) fn run(place: &Place, solo: bool) -> anyhow::Result<ExitCode> {
    let state_dir = place.state_dir.clone();
    let sessions = if solo {
        Sessions::Here
    } else {
        Sessions::Owner(Box::new(move || start(&state_dir)))
    };
    Ok(ExitCode::from(lsp::serve(&place.state_dir, sessions)?))
}

/// Starts an owner through a process that ends when it takes connections: the owner has to be nobody's child.
fn start(state_dir: &std::path::Path) -> io::Result<()> {
    let done = Command::new(std::env::current_exe()?)
        .args(["serve", "--detach"])
        .env("PROOFMARK_STATE_DIR", state_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    if done.status.success() {
        return Ok(());
    }
    Err(io::Error::other(
        String::from_utf8_lossy(&done.stderr).trim().to_owned(),
    ))
}
