//! After the kills: what has to be true of ledger, server, editors, processes and files, whoever was killed when.
//! Killing, and what agents do, stays out.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use proofmark_protocol::query::{ClaimState, KeptState};
use proofmark_protocol::{Harness, method, paths};
use proofmark_server::engine::{now, queries};
use proofmark_server::ledger::{Ledger, examine};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::people::Desk;
use super::stage::{Stage, lock};
use super::talks::Talk;
use super::wishes::Wishes;
use crate::dice::Dice;
use crate::lsp_client::Editor;
use crate::process;

/// What comes about without anybody's doing has come by then.
const SOON: Duration = Duration::from_secs(15);
/// A new owner is there by then.
const RECOVERED: Duration = Duration::from_secs(1);
/// A call that meets a server waits so long for its answer, then it runs and that is said.
const ANSWERED: Duration = Duration::from_millis(130);
/// What the state folder may hold.
const FILES: [&str; 10] = [
    "ledger.sqlite",
    "ledger.sqlite-wal",
    "ledger.sqlite-shm",
    "owner.lock",
    "startup.lock",
    "proofmark.sock",
    "server.log",
    "sessions",
    "docs",
    "said",
];

/// Everything that has to hold after a round.
///
/// # Errors
/// The machine fails, not the product.
pub(crate) fn look(
    stage: &Stage<'_>,
    wishes: &Mutex<Wishes>,
    desks: &mut [Desk],
    dice: &mut Dice,
    nth: usize,
) -> Result<()> {
    for desk in desks.iter_mut() {
        desk.look(stage);
    }
    recovers(stage, desks, dice, nth)?;
    if let Some(ledger) = settled(stage, wishes)? {
        reminders(stage, &ledger, dice)?;
        shown(stage, &ledger, desks);
    }
    Ok(())
}

/// What has to hold whenever nobody is at work: one owner, no leftovers, the ledger as acknowledged and as served.
///
/// # Errors
/// The machine fails, not the product.
pub(crate) fn settled(stage: &Stage<'_>, wishes: &Mutex<Wishes>) -> Result<Option<Ledger>> {
    one_owner(stage);
    files(stage, &FILES);
    let Some(ledger) = stage.tally.well("the ledger can be read", opened(stage)) else {
        return Ok(None);
    };
    as_acknowledged(stage, &ledger, &lock(wishes))?;
    as_served(stage, &ledger);
    Ok(Some(ledger))
}

fn opened(stage: &Stage<'_>) -> Result<Ledger> {
    let examined = examine(&stage.world.state())?.context("there is no ledger")?;
    ensure!(examined.fault.is_none(), "{examined:?}");
    Ledger::open_existing(&stage.world.state())?.context("there is no ledger")
}

/// A hook of a session that does nothing else: it is answered by a server that decides.
fn probe(stage: &Stage<'_>) -> Result<bool> {
    let event = Talk::new(&stage.world, Harness::ClaudeCode, "probe")?.gate("ls");
    Ok(stage.hook(&event)?.is_some_and(|(told, _)| !told.unchecked))
}

/// Whatever the round left: the next hooks bring a server. Then one that is killed is replaced within a second, by the
/// next hook or by an editor alone.
fn recovers(stage: &Stage<'_>, desks: &mut [Desk], dice: &mut Dice, nth: usize) -> Result<()> {
    let end = Instant::now() + SOON;
    let mut served = false;
    while !served && Instant::now() < end {
        served = probe(stage)?;
    }
    stage.tally.hold("hooks after the kills are answered", served, || {
        "no hook was".to_owned()
    });
    // Nobody who came late to replace the old one takes the new one for it.
    let alone = || (stage.background().len() == 1).then_some(());
    if process::until(SOON, alone).is_none() || !served {
        return Ok(());
    }
    let Some(old) = stage.owner() else { return Ok(()) };
    // One whose owner was told to stop may still wait before it looks for the next one: a question makes it look.
    for desk in desks.iter_mut() {
        desk.look(stage);
    }
    let (signal, name) = *dice
        .pick(&[
            (Signal::KILL, "owner at rest, SIGKILL"),
            (Signal::TERM, "owner at rest, SIGTERM"),
        ])
        .context("no signal")?;
    if !stage.signal(old, signal) {
        return Ok(());
    }
    stage.tally.killed(name);
    if signal == Signal::TERM {
        // It finishes, and takes its socket away when it begins to.
        process::until(SOON, || (!stage.world.processes().contains(&old)).then_some(()));
    }
    let begun = Instant::now();
    let by_editor = nth.is_multiple_of(3);
    if by_editor && signal == Signal::TERM {
        // It was asked to stop, so an editor waits until somebody asks it something.
        desks.first_mut().and_then(|desk| desk.ask(stage, "status", &json!({})));
    } else if !by_editor {
        let answered = probe(stage)?;
        // Somebody else may have started it: then the hook meets a server that has hardly begun, and has less time for it.
        let within = (begun, ANSWERED);
        stage.in_time("the next hook is answered by a new owner", within, answered, || {
            format!("it was not, {:?} after the kill", begun.elapsed())
        });
    }
    let new = process::until(SOON, || stage.owner().filter(|owner| *owner != old && accepts(stage)));
    let (took, limit) = (begun.elapsed(), RECOVERED + stage.slack_since(begun));
    stage.tally.hold("a new owner comes", new.is_some(), || {
        format!("{name}, by an editor: {by_editor}")
    });
    stage.in_time(
        "a new owner is there within a second",
        (begun, RECOVERED),
        took <= limit,
        || format!("{name}, by an editor: {by_editor}: {new:?} after {took:?} of {limit:?}"),
    );
    Ok(())
}

fn accepts(stage: &Stage<'_>) -> bool {
    UnixStream::connect(paths::socket(&stage.world.state())).is_ok()
}

fn one_owner(stage: &Stage<'_>) {
    let alone = process::until(SOON, || {
        let (owner, background) = (stage.owner()?, stage.background());
        (background == [owner]).then_some(())
    });
    stage
        .tally
        .hold("one owner, and no process beside it", alone.is_some(), || {
            format!("owner {:?}, processes {:?}", stage.owner(), stage.background())
        });
}

/// The state folder holds these files at most, and its folders nothing half written.
fn files(stage: &Stage<'_>, known: &[&str]) {
    let state = stage.world.state();
    let look = || {
        let mut strange = Vec::new();
        let mut folders = vec![state.clone(), stage.temp()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                let is_folder = path.is_dir();
                let fine = match folder == state {
                    true => known.contains(&name.as_str()),
                    false => is_folder || name.ends_with(".md") || folder.ends_with("said"),
                };
                if !fine {
                    strange.push(path);
                } else if is_folder {
                    folders.push(path);
                }
            }
        }
        strange
    };
    // One that is just being written is there for a moment.
    let none = process::until(SOON, || look().is_empty().then_some(()));
    stage
        .tally
        .hold("no file is left over", none.is_some(), || format!("{:?}", look()));
}

fn as_acknowledged(stage: &Stage<'_>, ledger: &Ledger, wishes: &Wishes) -> Result<()> {
    let (claims, findings) = (queries::claims(ledger, None)?, queries::findings(ledger, None)?);
    let sessions = queries::sessions(ledger, now())?;
    for (invariant, bad) in [
        (
            "claims are on the ledger as acknowledged, once",
            wishes.amiss_in_claims(&claims),
        ),
        (
            "findings are on the ledger as acknowledged, once",
            wishes.amiss_in_findings(&findings),
        ),
        (
            "scopes are on the ledger as acknowledged",
            wishes.amiss_in_scopes(&sessions),
        ),
    ] {
        stage.tally.hold(invariant, bad.is_empty(), || bad.join("; "));
    }
    let mut skipped = 0;
    for row in ledger.sessions()? {
        skipped += ledger.facts(&row.key, 0)?.skipped;
    }
    stage
        .tally
        .hold("every fact can be read", skipped == 0, || format!("{skipped} can't"));
    Ok(())
}

/// What the owner answers is what this process makes of the ledger.
fn as_served(stage: &Stage<'_>, ledger: &Ledger) {
    let compare = |method: &str, params: Value, read: &dyn Fn() -> Result<Value>| -> Result<()> {
        let mut last = (Value::Null, Value::Null);
        // The folds of the last events may still be on their way.
        let same = process::until(SOON, || {
            last = (stage.world.ask(method, &params).ok()?, read().ok()?);
            (last.0 == last.1).then_some(())
        });
        ensure!(same.is_some(), "{method}: served {}, on the ledger {}", last.0, last.1);
        Ok(())
    };
    let all = [
        compare(method::LIST_CLAIMS, json!({}), &|| {
            Ok(json!(queries::claims(ledger, None)?))
        }),
        compare(method::LIST_FINDINGS, json!({}), &|| {
            Ok(json!(queries::findings(ledger, None)?))
        }),
        compare(method::LIST_SESSIONS, Value::Null, &|| {
            Ok(json!(queries::sessions(ledger, now())?))
        }),
    ];
    for same in all {
        stage.tally.well("what is served is the fold of the ledger", same);
    }
}

/// A prompt of one of the sessions: the agent is reminded of claims that are open there, and of no other one.
fn reminders(stage: &Stage<'_>, ledger: &Ledger, dice: &mut Dice) -> Result<()> {
    // Cursor's prompts have no way to the agent: there it goes with the next stop.
    let mut sessions = queries::sessions(ledger, now())?;
    sessions.retain(|session| session.harness != Harness::Cursor);
    let Some(session) = dice.pick(&sessions) else {
        return Ok(());
    };
    let claims = queries::claims(ledger, Some(&session.session))?;
    let params = json!({"harness": session.harness, "session": session.session, "prompt": "Where do we stand?"});
    let asked = stage.world.ask(method::ON_PROMPT, &params);
    let Some(decision) = stage.tally.well("prompts after the kills are answered", asked) else {
        return Ok(());
    };
    let context = decision["toAgent"].as_str().unwrap_or_default();
    let wrong = claims
        .iter()
        .find(|claim| claim.state != ClaimState::Open && context.contains(&claim.claim));
    let open = claims.iter().filter(|claim| claim.state == ClaimState::Open);
    let mut open = open.peekable();
    let some = open.peek().is_none() || open.any(|claim| context.contains(&claim.claim));
    stage.tally.hold(
        "the live session knows its open claims",
        wrong.is_none() && some,
        || format!("{}: {decision}; {wrong:?}; {claims:?}", session.session),
    );
    Ok(())
}

/// Each editor shows what is open, and nothing else.
fn shown(stage: &Stage<'_>, ledger: &Ledger, desks: &mut [Desk]) {
    let wanted = || -> Result<BTreeSet<String>> {
        let claims = queries::claims(ledger, None)?.into_iter();
        let findings = queries::findings(ledger, None)?.into_iter();
        let open = claims
            .filter(|claim| claim.state == ClaimState::Open)
            .map(|claim| claim.id);
        let standing = findings
            .filter(|finding| finding.state == KeptState::Open)
            .map(|finding| finding.id);
        Ok(open.chain(standing).collect())
    };
    for desk in desks {
        let mut last = (BTreeSet::new(), BTreeSet::new());
        let same = process::until(SOON, || {
            // A question brings in what was published before its answer.
            desk.ask(stage, "ping", &json!({}))?;
            last = (on_screen(desk.editor(stage)?), wanted().ok()?);
            (last.0 == last.1).then_some(())
        });
        stage
            .tally
            .hold("editors show what is open, and nothing else", same.is_some(), || {
                let left: Vec<_> = last.0.difference(&last.1).collect();
                let lacking: Vec<_> = last.1.difference(&last.0).collect();
                format!("left over {left:?}, lacking {lacking:?}")
            });
    }
}

fn on_screen(editor: &Editor) -> BTreeSet<String> {
    let all = editor.places().into_iter().flat_map(|place| editor.at(place));
    let ids = all.filter_map(|one| {
        let data = &one["data"];
        data["claim"].as_str().or(data["finding"].as_str()).map(str::to_owned)
    });
    ids.collect()
}

/// The end of a world: editors leave, the server is stopped, and nothing stays.
///
/// # Errors
/// The machine fails, not the product.
pub(crate) fn end(stage: &Stage<'_>, desks: &mut [Desk]) -> Result<()> {
    for desk in desks {
        desk.leave(stage);
    }
    let stopped = stage.proofmark_slowly(&["stop"])?;
    stage.tally.hold(
        "the server stops when it is told to",
        stopped.as_ref().is_some_and(|done| done.code == Some(0)),
        || format!("{stopped:?}"),
    );
    let gone = process::until(SOON, || stage.world.processes().is_empty().then_some(()));
    stage.tally.hold("no process is left over", gone.is_some(), || {
        format!("{:?}", stage.world.processes())
    });
    let known: Vec<&str> = FILES.into_iter().filter(|name| *name != "proofmark.sock").collect();
    files(stage, &known);
    Ok(())
}
