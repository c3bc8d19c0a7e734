//! `proofmark doctor`: whether the harnesses here really ask Proofmark, and what to do where they do not.
//! It changes nothing; a server is started only by the self-test, through the installed hook.

mod check;
mod harness;
mod heard;
mod installed;
mod rehearsal;
mod server;
mod show;
mod trusted;

use std::process::ExitCode;

use clap::Args;
use proofmark_protocol::query::Heard;
use proofmark_server::engine::now;
use serde::Serialize;

use self::check::{Check, exit_code};
use self::installed::{Folder, Known};
use self::rehearsal::Start;
use self::server::Served;
use crate::install::harness::Spec;
use crate::install::setup::Found;
use crate::install::store::{Memory, Store};
use crate::install::{Chosen, Request, absent, env, one, program};
use crate::judging;
use crate::output::{say, say_json};
use crate::place::Place;

/// Arguments of `proofmark doctor`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// claude-code, codex, cursor or all.
    #[arg(value_name = "HARNESS", default_value = "all", value_parser = one)]
    chosen: Chosen,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Run no installed hook, and so start no server.
    #[arg(long)]
    no_self_test: bool,
}

/// Everything that was looked at.
#[derive(Serialize)]
struct Report {
    harnesses: Vec<Patient>,
    /// Harnesses that are not here, in words.
    absent: Vec<String>,
    server: Vec<Check>,
    heard: Vec<Heard>,
}

/// What was looked at of one harness.
#[derive(Serialize)]
struct Patient {
    harness: proofmark_protocol::Harness,
    #[serde(skip)]
    heading: String,
    checks: Vec<Check>,
    /// What is not, or not always, possible there.
    limits: Vec<Limit>,
}

/// Something that a harness makes impossible, or possible in part.
#[derive(Serialize)]
struct Limit {
    wanted: &'static str,
    reach: proofmark_server::harness::limits::Reach,
    how: &'static str,
}

/// Runs the command. 0: all pass; 1: something fails; 2: something could not be checked.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let report = examine(arguments);
    let checks = report.harnesses.iter().flat_map(|patient| &patient.checks);
    let code = exit_code(checks.chain(&report.server));
    if arguments.json {
        say_json(&report)?;
    } else {
        say(&show::text(&report))?;
    }
    Ok(ExitCode::from(code))
}

fn examine(arguments: &Arguments) -> Report {
    let place = Place::of_process();
    let before = place.as_ref().map_or(Served::No, server::look);
    let examined = place.as_ref().map(|place| server::examine(&place.state_dir));
    let heard = match (&place, &examined) {
        (Ok(place), Ok(examined)) => server::heard(place, &before, examined),
        _ => None,
    };
    let memory = place
        .as_ref()
        .map_or_else(|_| Ok(Memory::default()), |place| Store::of(&place.state_dir).load());
    let scene = Scene {
        hook: program::hook().map_err(|error| format!("{error:#}")),
        no_helpers: memory.as_ref().is_ok_and(|memory| memory.without_subagents.is_some()),
        memory: memory.err().map(|error| format!("{error:#}")),
        judge: judging::wait(),
        self_test: !arguments.no_self_test,
        is_mute: matches!(before, Served::Mute(..)),
        heard: heard.as_deref(),
    };
    let mut report = Report {
        harnesses: Vec::new(),
        absent: Vec::new(),
        server: Vec::new(),
        heard: Vec::new(),
    };
    let mut rehearsed = false;
    for spec in arguments.chosen.specs() {
        match scene.patient(spec, &mut rehearsed) {
            Ok(patient) => report.harnesses.push(patient),
            Err(missing) => match arguments.chosen {
                Chosen::All => report.absent.push(missing),
                Chosen::One(_) => report.harnesses.push(Patient {
                    harness: spec.harness,
                    heading: spec.title.to_owned(),
                    checks: vec![Check::fail("version", missing, format!("Install {}.", spec.title))],
                    limits: limits(spec),
                }),
            },
        }
    }
    report.server = match &place {
        Err(error) => vec![Check::unchecked(
            "state-folder",
            format!("{error:#}."),
            "Set HOME as your harnesses have it, and run this again.",
        )],
        Ok(place) => {
            // What the self-test has started is looked at too; what did not answer before it stays said.
            let served = match before {
                Served::No if rehearsed => server::look(place),
                before => before,
            };
            let mut checks = vec![
                server::folder(&place.state_dir),
                server::version(&served),
                server::socket(&place.state_dir, &served),
            ];
            checks.extend(examined.as_ref().map(server::ledger).ok());
            checks.push(heard::times(scene.heard, scene.judge));
            checks
        }
    };
    report.heard = heard.unwrap_or_default();
    report
}

/// What is known before a harness is looked at.
struct Scene<'a> {
    hook: Result<String, String>,
    no_helpers: bool,
    /// Why what the installer remembers can't be read.
    memory: Option<String>,
    judge: Option<u64>,
    self_test: bool,
    /// The server does not answer.
    is_mute: bool,
    heard: Option<&'a [Heard]>,
}

impl Scene<'_> {
    /// Looks at one harness. `rehearsed` is set where a hook was started.
    ///
    /// # Errors
    /// It is not here; in words.
    fn patient(&self, spec: &'static Spec, rehearsed: &mut bool) -> Result<Patient, String> {
        let request = Request {
            env: &env,
            project: None,
            hook: self.hook.as_deref().unwrap_or_default(),
            trust: false,
        };
        let found = Found::of(spec, &request);
        if !found.is_there(spec, &request) {
            return Err(absent(spec, &request));
        }
        let known = Known {
            found: &found,
            request: &request,
            no_hook: self.hook.as_ref().err().map(String::as_str),
            no_helpers: self.no_helpers,
            judge: self.judge,
        };
        let row = harness::row(spec.harness);
        let mut checks = vec![version(spec, &found)];
        checks.extend(self.memory.as_deref().map(|why| {
            Check::unchecked(
                "memory",
                format!("{why}."),
                "Which events were left out on purpose is not known without it.",
            )
        }));
        let mut starts: Vec<Start> = Vec::new();
        for folder in &found.folders {
            match Folder::read(spec, folder) {
                Ok(folder) => {
                    checks.extend(folder.checks(spec, &known));
                    checks.extend(trusted::check(spec, row, &known, &folder));
                    starts.extend(folder.entries.into_iter().map(|entry| entry.start));
                }
                Err(check) => checks.push(check),
            }
        }
        if found.folders.is_empty() {
            checks.push(Check::unchecked(
                "settings",
                format!("Without HOME it can't be told where {} keeps its settings.", spec.title),
                "Set HOME as your harnesses have it, and run this again.",
            ));
        }
        checks.extend(project(spec, &request, !starts.is_empty()));
        checks.extend(row.also_runs.and_then(|other| also(spec, other, !starts.is_empty())));
        checks.push(heard::check(spec.harness, spec.title, self.heard, now()));
        starts.sort();
        starts.dedup();
        if !self.self_test {
            let mend = "Run this without --no-self-test.";
            checks.push(Check::unchecked(
                "self-test",
                "No hook was started, as you asked.",
                mend,
            ));
        } else if self.is_mute {
            let what = "No hook was started: it would wait for the server in vain, and have it replaced.";
            checks.push(Check::unchecked(
                "self-test",
                what,
                "Run `proofmark stop`, then this again.",
            ));
        } else if !starts.is_empty() {
            *rehearsed = true;
            checks.push(rehearsal::check(row, &starts));
        }
        Ok(Patient {
            harness: spec.harness,
            heading: found.heading(spec),
            checks,
            limits: limits(spec),
        })
    }
}

fn version(spec: &Spec, found: &Found) -> Check {
    const NAME: &str = "version";
    let programs: Vec<String> = found
        .programs
        .iter()
        .map(|program| program.display().to_string())
        .collect();
    if found.versions.is_empty() {
        return Check::unchecked(
            NAME,
            format!("{} is here, but its version can't be told.", spec.title),
            format!("Put `{}` on PATH.", spec.programs.join("` or `")),
        );
    }
    let place = if programs.is_empty() {
        String::new()
    } else {
        format!(": {}", programs.join(", "))
    };
    Check::pass(NAME, format!("{} is here{place}.", found.heading(spec)))
}

/// Whether the project in the current folder starts our hook a second time for each event; none where it does not.
fn project(spec: &Spec, request: &Request<'_>, is_installed: bool) -> Option<Check> {
    const NAME: &str = "doubled";
    let here = std::env::current_dir().ok()?;
    let folder = spec.folders(request.env, Some(&here)).into_iter().next()?;
    if !is_installed || spec.folders(request.env, None).contains(&folder) {
        return None;
    }
    match Folder::read(spec, &folder) {
        Ok(found) if found.entries.is_empty() => None,
        Ok(_) => Some(Check::fail(
            NAME,
            format!(
                "The project in {} has hooks of Proofmark's beside yours, so two start for each event.",
                here.display()
            ),
            format!(
                "Run `proofmark uninstall {} --scope project` in that folder.",
                spec.harness
            ),
        )),
        Err(why) => Some(Check::unchecked(
            NAME,
            format!(
                "Whether the project has hooks of Proofmark's as well can't be told: {}",
                why.what
            ),
            "Mend that file, and run this again.",
        )),
    }
}

/// What a harness that runs the hooks of another one's settings makes of ours there.
fn also(spec: &Spec, other: proofmark_protocol::Harness, is_installed: bool) -> Option<Check> {
    const NAME: &str = "doubled";
    let other = crate::install::harness::spec(other);
    let folder = other.folders(&env, None).into_iter().next()?;
    // What is wrong with the other one's file stands with the other one.
    let ours = Folder::read(other, &folder).ok()?.entries;
    if ours.is_empty() {
        return None;
    }
    let told = format!("{} also runs the hooks in {}'s settings", spec.title, other.title);
    Some(match is_installed {
        true => Check::pass(NAME, format!("{told}; an event that comes twice has one effect.")),
        false => Check::unchecked(
            NAME,
            format!("{told}, unless that was switched off there, and has none of its own: it may be heard or not."),
            format!("Run `proofmark install {}`.", spec.harness),
        ),
    })
}

fn limits(spec: &Spec) -> Vec<Limit> {
    use proofmark_server::harness::limits::{Reach, limits};
    let rows = limits(spec.harness).into_iter().flat_map(|limits| limits.rows());
    rows.filter(|(_, reach, _)| *reach != Reach::Full)
        .map(|(wanted, reach, how)| Limit { wanted, reach, how })
        .collect()
}
