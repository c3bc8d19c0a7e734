//! `proofmark install` and `proofmark uninstall`: our entries in the settings of harnesses, and out of them again.
//! What the hooks do once they run stays out.

mod commit;
pub(crate) mod entries;
pub(crate) mod files;
pub(crate) mod harness;
pub(crate) mod json;
pub(crate) mod language;
pub(crate) mod program;
mod report;
pub(crate) mod settings;
pub(crate) mod setup;
mod splice;
pub(crate) mod store;
pub(crate) mod toml;
pub(crate) mod tree;
pub(crate) mod trust;
mod undo;
pub(crate) mod version;
pub(crate) mod wanted;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use proofmark_protocol::Harness;

use self::commit::Ledger;
use self::harness::{SPECS, Spec};
use self::settings::shown;
use self::setup::Found;
use self::store::Store;
use crate::judging;
use crate::output::{Look, complain, say, styled};
use crate::place::Place;

/// What both commands take.
#[derive(Args)]
pub(crate) struct Which {
    /// claude-code, codex, cursor or all.
    #[arg(value_name = "HARNESS", default_value = "all", value_parser = one)]
    chosen: Chosen,
    /// Whose settings: yours, or those of the project in the current folder.
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Show what would change, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// Arguments of `proofmark install`.
#[derive(Args)]
pub(crate) struct Install {
    #[command(flatten)]
    which: Which,
    /// For Codex: also write that you trust these hooks. Without it you review them with /hooks.
    #[arg(long)]
    trust: bool,
    /// Leave out the events of helper agents, now and from now on, for this reason.
    #[arg(long, value_name = "WHY")]
    without_subagents: Option<String>,
    /// Take the events of helper agents in again.
    #[arg(long, conflicts_with = "without_subagents")]
    with_subagents: bool,
}

/// Arguments of `proofmark uninstall`.
#[derive(Args)]
pub(crate) struct Uninstall {
    #[command(flatten)]
    which: Which,
}

/// Which harnesses a command is about.
#[derive(Clone, Copy)]
pub(crate) enum Chosen {
    /// All that are here.
    All,
    /// This one, whether it is here or not.
    One(Harness),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    User,
    Project,
}

/// What was asked for, and where.
pub(crate) struct Request<'a> {
    /// The variables of this process.
    pub(crate) env: &'a dyn Fn(&str) -> Option<OsString>,
    /// The project's folder; none for the person's own settings.
    pub(crate) project: Option<PathBuf>,
    /// The hook's path.
    pub(crate) hook: &'a str,
    /// The person has said that Codex may trust our hooks.
    pub(crate) trust: bool,
}

/// A harness by its name, or all.
///
/// # Errors
/// There is none of that name; the message lists those that there are.
pub(crate) fn one(name: &str) -> Result<Chosen, String> {
    match Harness::from_name(name) {
        _ if name == "all" => Ok(Chosen::All),
        Some(harness) => Ok(Chosen::One(harness)),
        None => Err(format!(
            "there is {}, and all",
            Harness::ALL.map(Harness::as_str).join(", ")
        )),
    }
}

impl Chosen {
    /// Their rows.
    pub(crate) fn specs(self) -> Vec<&'static Spec> {
        match self {
            Self::All => SPECS.to_vec(),
            Self::One(harness) => vec![harness::spec(harness)],
        }
    }
}

impl Which {
    fn project(&self) -> anyhow::Result<Option<PathBuf>> {
        match self.scope {
            Scope::User => Ok(None),
            Scope::Project => std::env::current_dir()
                .map(Some)
                .context("the current folder can't be told"),
        }
    }
}

/// A variable of this process.
pub(crate) fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Opens what the installer remembers. A dry run makes nothing, and waits for nobody.
fn open(place: &Place, dry: bool) -> anyhow::Result<(Option<std::fs::File>, Ledger)> {
    let store = Store::of(&place.state_dir);
    if !dry {
        place.make()?;
    }
    let lock = if dry { None } else { Some(store.lock()?) };
    let memory = store.load()?;
    Ok((lock, Ledger { store, memory, dry }))
}

/// Runs `proofmark install`.
pub(crate) fn install(place: &Place, arguments: &Install) -> anyhow::Result<ExitCode> {
    let hook = program::hook()?;
    let (_lock, mut ledger) = open(place, arguments.which.dry_run)?;
    let chosen = arguments.without_subagents.clone().filter(|why| !why.trim().is_empty());
    anyhow::ensure!(
        chosen.is_some() == arguments.without_subagents.is_some(),
        "say why helper agents are left out: the reason is shown whenever they are"
    );
    if arguments.with_subagents || chosen.is_some() {
        ledger.memory.without_subagents = chosen;
        if !ledger.dry {
            ledger.store.save(&ledger.memory)?;
        }
    }
    let request = Request {
        env: &env,
        project: arguments.which.project()?,
        hook: &hook,
        trust: arguments.trust,
    };
    let (mut found_any, mut failed) = (false, false);
    for spec in arguments.which.chosen.specs() {
        let found = Found::of(spec, &request);
        if !found.is_there(spec, &request) {
            let missing = absent(spec, &request);
            match arguments.which.chosen {
                Chosen::All => say(&format!("{missing} Skipped."))?,
                Chosen::One(_) => complain(&format!("proofmark: {missing} Nothing was written.")),
            }
            continue;
        }
        found_any = true;
        say(&styled(Look::HEAD, &found.heading(spec)))?;
        for folder in &found.folders {
            if let Err(error) = setup::install(spec, &found, folder, &request, &mut ledger) {
                failed = true;
                complain(&format!("proofmark: {error:#}"));
            }
        }
    }
    if let Some(why) = &ledger.memory.without_subagents {
        say(&format!(
            "Helper agents are left out ({why}); `proofmark install --with-subagents` takes them in again."
        ))?;
    }
    if found_any && !ledger.dry && judging::wait().is_none() {
        say(&judging::told(std::env::var_os("PATH").as_deref()))?;
    }
    Ok(if failed || !found_any {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// That a harness is not there, and by what that was seen.
pub(crate) fn absent(spec: &Spec, request: &Request<'_>) -> String {
    let folders: Vec<String> = spec
        .folders(request.env, None)
        .iter()
        .map(|folder| shown(folder))
        .collect();
    format!(
        "{} was not found: there is no {} and no `{}` on PATH.",
        spec.title,
        folders.join(" or "),
        spec.programs.join("` or `")
    )
}

/// Runs `proofmark uninstall`.
pub(crate) fn uninstall(place: &Place, arguments: &Uninstall) -> anyhow::Result<ExitCode> {
    let (_lock, mut ledger) = open(place, arguments.which.dry_run)?;
    let request = Request {
        env: &env,
        project: arguments.which.project()?,
        hook: "",
        trust: false,
    };
    let mut failed = false;
    for spec in arguments.which.chosen.specs() {
        say(&styled(Look::HEAD, spec.title))?;
        if let Err(error) = undo::uninstall(spec, &request, &mut ledger) {
            failed = true;
            complain(&format!("proofmark: {error:#}"));
        }
    }
    for record in ledger
        .memory
        .records
        .iter()
        .filter(|record| record.project && request.project.is_none())
    {
        say(&format!(
            "Still installed for a project, in {}: run `proofmark uninstall --scope project` there.",
            shown(&record.file)
        ))?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
