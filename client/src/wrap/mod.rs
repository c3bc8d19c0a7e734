//! `proofmark codex`: runs Codex with our hooks on its command line, and tells at the end what was found.
//! What is found is the server's; what Codex does is Codex's, and nobody may notice who started it.

mod child;
mod findings;
mod flags;
mod hooks;
mod link;
mod program;
mod record;
mod sessions;
mod summary;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, ensure};
use clap::Args;
use proofmark_protocol::{Harness, paths};
use tokio::runtime::Runtime;

use self::child::Child;
use self::findings::Findings;
use self::flags::Flags;
use self::hooks::Commands;
use self::record::{Record, Records};
use self::sessions::Sessions;
use self::summary::{Known, Told, Weight};
use crate::install::program::quoted;
use crate::output::complain;
use crate::place::Place;

/// Codex could not be started: what a shell says of a command that it does not find.
const NOT_STARTED: u8 = 127;

/// Arguments of `proofmark codex`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Exit with 3 when Codex ended well and there are findings: those for which the agent was sent back (refuse), or
    /// any (advise). Exit with 4 when that is not known.
    #[arg(long, value_name = "WEIGHT")]
    fail_on: Option<Weight>,
    /// Say nothing beside what Codex says.
    #[arg(long)]
    quiet: bool,
    /// The arguments for Codex.
    #[arg(last = true, value_name = "CODEX ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// What is needed to know about a run.
struct Watch {
    sessions: Sessions,
    findings: Findings,
    records: Option<Records>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let this = std::env::current_exe().context("the path of this program can't be found")?;
    let program = match program(&arguments.arguments, &this) {
        Ok(program) => program,
        Err(error) => {
            complain(&format!("proofmark: {error:#}"));
            return Ok(ExitCode::from(NOT_STARTED));
        }
    };
    let say = |text: &str| {
        if !arguments.quiet {
            complain(text);
        }
    };
    // Whatever keeps us from watching does not keep the person from working.
    let (watch, flags) = match Watch::prepare(&arguments.arguments, &this) {
        Ok((watch, flags)) => (Ok(watch), flags),
        Err(error) => {
            let (arguments, said) = (arguments.arguments.clone(), Vec::new());
            (Err(format!("{error:#}")), Flags { arguments, said })
        }
    };
    for said in &flags.said {
        say(&format!("proofmark: {said}"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut command = Command::new(&program);
    command.args(&flags.arguments);
    let child = match Child::start(&runtime, command) {
        Ok(child) => child,
        Err(error) => {
            complain(&format!("proofmark: {} can't be started: {error}", program.display()));
            return Ok(ExitCode::from(NOT_STARTED));
        }
    };
    let (end, known) = match watch {
        Ok(mut watch) => {
            let end = runtime.block_on(async {
                tokio::select! {
                    end = child.end() => end,
                    never = watch.findings.follow() => match never {},
                }
            });
            (end, watch.known(&runtime))
        }
        Err(why) => (runtime.block_on(child.end()), Known::Unchecked(why)),
    };
    let end = end.context("Codex can't be waited for")?;
    if let Some(text) = summary::text(&known, arguments.fail_on) {
        say(&text);
    }
    Ok(summary::exit(end, &known, arguments.fail_on))
}

/// The program that is Codex.
fn program(arguments: &[OsString], this: &Path) -> anyhow::Result<std::path::PathBuf> {
    ensure!(
        !flags::is_led_back(arguments, sessions::MARK),
        "the `codex` that was started leads back to Proofmark; {} has to name the real one",
        program::VARIABLE
    );
    let var = |name| std::env::var_os(name);
    program::find(var(program::VARIABLE).as_deref(), var("PATH").as_deref(), this)
}

impl Watch {
    fn prepare(arguments: &[OsString], this: &Path) -> anyhow::Result<(Self, Flags)> {
        let place = Place::of_process()?;
        let sessions = Sessions::none().context("a folder for the run can't be made")?;
        let commands = Commands {
            hook: hook(this)?,
            note: sessions.note().context("the path of temporary files is no text")?,
        };
        let here = std::env::current_dir().context("the working folder can't be found")?;
        let flags = flags::with_hooks(arguments, &commands);
        let watch = Self {
            sessions,
            findings: Findings::behind(paths::socket(&place.state_dir)),
            records: Records::before(arguments, |name| std::env::var_os(name), &here),
        };
        Ok((watch, flags))
    }

    /// What is known now that Codex has ended.
    fn known(mut self, runtime: &Runtime) -> Known {
        let started = match self.sessions.started() {
            Ok(started) => started,
            Err(error) => return Known::Unchecked(format!("the list of its sessions can't be read: {error}")),
        };
        if !started.is_empty() {
            let is_last = runtime.block_on(self.findings.settle());
            let items = started.iter().flat_map(|session| self.findings.of(session));
            let told: Vec<Told> = items.map(|item| Told::from(&item)).collect();
            if told.is_empty() && !is_last {
                return Known::Unchecked("Proofmark's server can't be reached".to_owned());
            }
            return Known::Watched(told);
        }
        match self.records.map(|records| records.judge()) {
            None | Some(Ok(Record::None)) => Known::NoSession,
            Some(Ok(Record::Judged { version, findings })) => Known::Afterwards {
                version,
                told: findings.iter().map(Told::from).collect(),
            },
            Some(Ok(Record::Unclear(why))) => Known::Unchecked(format!("Codex ran no hooks, and {why}")),
            Some(Err(error)) => {
                Known::Unchecked(format!("Codex ran no hooks, and its record can't be judged: {error:#}"))
            }
        }
    }
}

/// The command that Codex runs at every event: the hook beside this program, else this program.
fn hook(this: &Path) -> anyhow::Result<String> {
    let beside = this.with_file_name("proofmark-hook");
    let (program, more) = if beside.is_file() {
        (beside.as_path(), "")
    } else {
        (this, "hook ")
    };
    let program = program.to_str().context("the path of Proofmark is no text")?;
    Ok(format!("{} {more}{}", quoted(program), Harness::Codex))
}
