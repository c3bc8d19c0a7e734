//! The command for people, and the process that serves.
//! What is decided about a session stands in the server's rooms; this is where it is asked for and shown.

mod child;
mod claims;
mod classify;
mod completions;
mod detach;
mod dismiss;
mod doctor;
mod findings;
mod install;
mod judge;
mod judging;
mod language_server;
mod ledger;
mod lists;
mod output;
mod pause;
mod place;
mod scope;
mod socket;
mod status;
mod status_line;
mod stop;
mod tryout;
mod wrap;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, CommandFactory, Parser, Subcommand};
use proofmark_server::rpc::owner::{self, ServeOptions};

use crate::output::say;
use crate::place::Place;

/// Proofmark checks what coding agents claim against what their record shows.
#[derive(Parser)]
#[command(name = "proofmark", version = env!("PROOFMARK_VERSION"), arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play a recorded session through the hook and a server of its own, and show what they say.
    Try(tryout::Arguments),
    /// Put Proofmark's hooks into the settings of the coding agents that are here.
    Install(install::Install),
    /// Take Proofmark's hooks out again: back to the byte where nobody else has written since.
    Uninstall(install::Uninstall),
    /// Run Codex with Proofmark's hooks, without touching its settings, and tell at the end what was found.
    Codex(wrap::Arguments),
    /// Look whether the coding agents here really ask Proofmark, and say what to do where they do not.
    Doctor(doctor::Arguments),
    /// List the claims on the ledger, or retire one.
    Claims(claims::Arguments),
    /// List the findings that the ledger keeps.
    Findings(findings::Arguments),
    /// Put a finding aside: it was right and is dealt with, or it was wrong.
    Dismiss(dismiss::Arguments),
    /// Tell which check a command runs and what came of it: JSON lines with command, output, exit_code and cwd on stdin.
    Classify,
    /// Show the server, the sessions, and what is paused.
    Status {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Print how one session stands, in a few words for a status line; a harness may name it on stdin.
        #[arg(long, conflicts_with = "json")]
        line: bool,
        /// With --line: this session.
        #[arg(long, value_name = "ID", requires = "line")]
        session: Option<String>,
    },
    /// Put a reply to the judge: exit code 0 when it is clean, 1 for a hit, 2 when nobody judged it.
    Judge(judge::Arguments),
    /// Check the judge's word lists.
    Lists(lists::Arguments),
    /// Let nothing be refused for a while.
    Pause(pause::Arguments),
    /// Show what sessions are held to, lift a scope lock, or say what a session is to do.
    Scope(scope::Arguments),
    /// Show how large the ledger is, or have old sessions removed from it.
    Ledger(ledger::Arguments),
    /// Run the server of the state folder.
    Serve(ServeArguments),
    /// Stop the server; returns when its process is gone.
    Stop,
    /// Print what a shell needs to complete this command's words.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// What a harness starts for each event; the same as `proofmark-hook HARNESS`.
    #[command(hide = true)]
    Hook {
        /// The harness.
        harness: Option<String>,
    },
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("how").required(true))]
struct ServeArguments {
    /// Start it in the background, unless one runs, and return when it takes connections.
    #[arg(long, group = "how")]
    detach: bool,
    /// Serve in this process until it is stopped.
    #[arg(long, group = "how")]
    foreground: bool,
    /// Serve an editor, as a language server on stdin and stdout, with the sessions of the server of the state folder.
    #[arg(long, group = "how")]
    stdio: bool,
    /// With --stdio: keep the sessions in this process, and neither need nor start another one.
    #[arg(long, requires = "stdio")]
    solo: bool,
    /// Exit after so many seconds without an event, instead of what the settings say.
    #[arg(long, value_name = "SECONDS")]
    idle_seconds: Option<u64>,
    /// Say on stdout when connections are taken, then let go of stdout.
    #[arg(long, hide = true)]
    announce: bool,
    /// With --detach: end a server that does not answer, and start another one in its place.
    #[arg(long, hide = true, requires = "detach")]
    replace: bool,
}

fn main() -> ExitCode {
    // The hook's own path: a harness waits for it, so nothing else happens first.
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("hook") {
        return proofmark_hook::run(words.next());
    }
    let cli = Cli::parse();
    match run(cli.command) {
        Ok(code) => code,
        Err(error) => {
            output::complain(&format!("proofmark: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Try(arguments) => tryout::run(&arguments),
        Command::Install(arguments) => install::install(&Place::of_process()?, &arguments),
        Command::Uninstall(arguments) => install::uninstall(&Place::of_process()?, &arguments),
        Command::Codex(arguments) => wrap::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Claims(arguments) => claims::run(&Place::of_process()?, &arguments),
        Command::Findings(arguments) => findings::run(&Place::of_process()?, &arguments),
        Command::Dismiss(arguments) => dismiss::run(&Place::of_process()?, &arguments),
        Command::Classify => classify::run(),
        Command::Status { json, line, session } => {
            let place = Place::of_process()?;
            if line {
                status_line::run(&place, session.as_deref())?;
                return Ok(ExitCode::SUCCESS);
            }
            status::run(&place, json)
        }
        Command::Judge(arguments) => judge::run(&Place::of_process()?, &arguments),
        Command::Lists(arguments) => lists::run(&arguments),
        Command::Pause(arguments) => pause::run(&Place::of_process()?, &arguments),
        Command::Scope(arguments) => scope::run(&Place::of_process()?, &arguments),
        Command::Ledger(arguments) => ledger::run(&Place::of_process()?, &arguments),
        Command::Serve(arguments) => serve(&arguments),
        Command::Stop => stop::run(&Place::of_process()?),
        Command::Completions { shell } => completions::run(shell, &mut Cli::command()),
        Command::Hook { harness } => Ok(proofmark_hook::run(harness)),
    }
}

fn serve(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    let place = Place::of_process()?;
    if arguments.detach {
        return detach::run(&place, arguments.idle_seconds, arguments.replace);
    }
    if arguments.stdio {
        return language_server::run(&place, arguments.solo);
    }
    let idle = arguments.idle_seconds.map(Duration::from_secs);
    let options = ServeOptions {
        state_dir: PathBuf::from(&place.state_dir),
        idle,
    };
    let announce = arguments.announce;
    owner::serve(&options, move || if announce { detach::announce() } else { Ok(()) })?;
    if !announce {
        say("The server has stopped.")?;
    }
    Ok(ExitCode::SUCCESS)
}
