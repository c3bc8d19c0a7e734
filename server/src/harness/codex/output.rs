//! What calls showed, by the text that the model got: the end of a call, of a command it looked at, of a script's calls.
//! What events tell of the same calls stays out; where they told an end, it stands.

use serde_json::value::RawValue;

use super::code::{self, Asked, What};
use super::ending::{self, Told};
use super::memory::Pending;
use super::reading::{Doing, End, Reading};
use super::{person, tools};
use crate::harness::json::Members;
use crate::session::Ending;

/// Shows the end of the call that a result belongs to. A result that names no call is passed over.
pub(super) fn entries(reading: &mut Reading<'_>, item: &Members<'_>) {
    let Some(id) = item.text("call_id") else { return };
    let text = text(item);
    match reading.memory.pending.take(&id).unwrap_or(Pending::Other) {
        Pending::Command => command(reading, &id, ending::of_command(&text)),
        Pending::Process(process) => looked(reading, &id, process, ending::of_command(&text)),
        Pending::Script => {
            script(reading, &id, item, &text);
            plain(reading, &id, &text);
        }
        Pending::Cell(cell) => {
            if let Some(script_call) = reading.memory.cells.get(&cell).cloned() {
                script(reading, &script_call, item, &text);
            }
            plain(reading, &id, &text);
        }
        Pending::Spawn => spawned(reading, &id, &text),
        Pending::Helpers(targets) => waited(reading, &id, &targets, &text),
        Pending::Other => plain(reading, &id, &text),
    }
}

/// The text of a result: a text, or the texts of its blocks.
pub(super) fn text(item: &Members<'_>) -> String {
    item.text("output")
        .unwrap_or_else(|| person::texts(item, "output").join("\n"))
}

/// A command ended, or goes on under a number.
fn command(reading: &mut Reading<'_>, id: &str, told: Told<'_>) {
    if reading.memory.ended.get(id).is_some() {
        return;
    }
    if let Some(process) = told.process {
        reading.memory.processes.put(&process.to_string(), id.to_owned());
    }
    reading.end(id, told.into());
}

/// A look at a command: the code that it tells is the command's.
fn looked(reading: &mut Reading<'_>, id: &str, process: i64, told: Told<'_>) {
    let end = match told.exit {
        Some(_) => Ending::Succeeded,
        None if told.process.is_some() => Ending::Succeeded,
        None => told.ending,
    };
    let shown = End::new(end, None, told.output.as_ref());
    if told.exit.is_some() {
        process_ended(reading, process, told.into());
    }
    reading.end(id, shown);
}

/// The command of that number ended: so did the call that started it, whatever turn that was in.
fn process_ended(reading: &mut Reading<'_>, process: i64, end: End) {
    if let Some(first) = reading.memory.processes.take(&process.to_string()) {
        reading.end(&first, end);
    }
}

fn plain(reading: &mut Reading<'_>, id: &str, text: &str) {
    if reading.memory.ended.get(id).is_none() {
        reading.end(id, ending::of_other(text).into());
    }
}

/// A helper was started: it works beside the agent until something tells its end.
fn spawned(reading: &mut Reading<'_>, id: &str, text: &str) {
    if reading.memory.helpers.name_of(|call| call == id).is_some() {
        return;
    }
    match Members::parse(text).text("agent_id") {
        Some(thread) => started(reading, id, &thread),
        None => {
            let told = ending::of_other(text);
            let ending = match told.ending {
                Ending::Succeeded => Ending::Background,
                other => other,
            };
            reading.end(id, End::new(ending, None, text));
        }
    }
}

/// Shows that a call started a helper, which has a record of its own.
pub(super) fn started(reading: &mut Reading<'_>, id: &str, thread: &str) {
    reading.memory.helpers.put(thread, id.to_owned());
    let mut end = End::new(Ending::Background, None, "");
    end.helper = Some(thread.to_owned());
    reading.end(id, end);
}

/// A call was about helpers: those that have ended by now end the calls that started them.
fn waited(reading: &mut Reading<'_>, id: &str, targets: &[String], text: &str) {
    let status = Members::parse(text).object("status");
    for thread in status.names() {
        let words = status.object(thread);
        if words.says("completed") || words.says("errored") {
            person::ended(reading, thread, words.text("completed").as_deref());
        }
    }
    let mut end: End = ending::of_other(text).into();
    // One call can name one helper only; with several of them, what they did stays unknown.
    end.helper = match targets {
        [one] => Some(one.clone()),
        _ => None,
    };
    reading.end(id, end);
}

/// What a script printed of one call: the result as an object.
struct Printed {
    exit: Option<i64>,
    process: Option<i64>,
    output: String,
}

/// Shows the calls that a script asked for and that no other line shows: all of them in older files, in newer ones those
/// that were refused or have not ended.
fn script(reading: &mut Reading<'_>, id: &str, item: &Members<'_>, text: &str) {
    let Some(asked) = reading.memory.scripts.take(id) else {
        return;
    };
    let first = text.lines().next().unwrap_or_default();
    let running = first.strip_prefix("Script running with cell ID ").map(str::trim);
    let refused = text.contains("blocked by PreToolUse hook");
    let printed = printed(item);
    // With one call alone, what the script printed is of that call.
    let shown = match &asked[..] {
        [_] => person::texts(item, "output")
            .split_first()
            .map(|(_, texts)| texts.join("\n")),
        _ => None,
    };
    let shown = shown.unwrap_or_default();
    // Only when each has one can it be told which is whose.
    let mut printed = if printed.len() == asked.len() {
        printed.into_iter().map(Some).collect()
    } else {
        Vec::new()
    };
    printed.resize_with(asked.len(), || None);
    let mut open = Vec::new();
    for (number, (mut asked, printed)) in asked.into_iter().zip(printed).enumerate() {
        let end = match (&printed, running) {
            (_, Some(_)) => End::new(Ending::Background, None, ""),
            (Some(printed), None) => printed_end(printed),
            (None, None) if refused => End::new(Ending::Denied, None, text),
            // In newer files a command that has ended is shown by then.
            (None, None) if reading.memory.paginated && matches!(asked.what, What::Command { .. }) => {
                End::new(Ending::Background, None, "")
            }
            (None, None) if matches!(asked.what, What::Command { .. }) => {
                End::new(Ending::Untold, None, shown.as_str())
            }
            (None, None) => End::new(Ending::Succeeded, None, shown.as_str()),
        };
        let goes_on = end.ending == Ending::Background;
        let is_new = asked.id.is_none();
        let name = asked.id.clone().unwrap_or_else(|| format!("{id}/{number}"));
        if is_new {
            show(reading, &name, &asked);
        }
        if is_new || !goes_on {
            settle(reading, &name, &asked, printed.as_ref(), end);
        }
        if goes_on {
            asked.id = Some(name);
            open.push(asked);
        }
    }
    if let Some(cell) = running {
        reading.memory.cells.put(cell, id.to_owned());
    }
    if !open.is_empty() {
        reading.memory.scripts.put(id, open);
    }
}

fn show(reading: &mut Reading<'_>, id: &str, asked: &Asked) {
    let other = || tools::kind(&asked.tool, reading.tools);
    // Known at run time only, it is the folder of this call and of no other.
    let at_run_time = format!("{}@{id}", code::AT_RUN_TIME);
    let doing = match &asked.what {
        What::Command { command, folder } => Doing {
            folder: match folder.as_deref() {
                Some(code::AT_RUN_TIME) => Some(&at_run_time),
                folder => folder,
            },
            ..Doing::new(&asked.tool, tools::shell(&asked.tool, command, reading.tools), command)
        },
        What::Process { typed, .. } => Doing::new(&asked.tool, tools::write(*typed, reading.tools), ""),
        What::Patch(files) => Doing {
            changes: files.clone(),
            ..Doing::new(&asked.tool, other(), "")
        },
        What::Other => Doing::new(&asked.tool, other(), ""),
    };
    reading.call(None, id, doing);
}

/// Shows the end of a script's call; what it tells of a running command is that command's.
fn settle(reading: &mut Reading<'_>, id: &str, asked: &Asked, printed: Option<&Printed>, end: End) {
    match (&asked.what, printed) {
        (
            What::Command { .. },
            Some(Printed {
                process: Some(process),
                exit: None,
                ..
            }),
        ) => {
            reading.memory.processes.put(&process.to_string(), id.to_owned());
            reading.end(id, end);
        }
        (What::Process { number, .. }, Some(printed)) => {
            if let (Some(process), Some(_)) = (number, printed.exit) {
                process_ended(reading, *process, end);
            }
            reading.end(id, End::new(Ending::Succeeded, None, printed.output.as_str()));
        }
        _ => reading.end(id, end),
    }
}

fn printed_end(printed: &Printed) -> End {
    match printed.exit {
        Some(code) => {
            let (ending, exit) = ending::by_code(code);
            End::new(ending, exit, printed.output.as_str())
        }
        None if printed.process.is_some() => End::new(Ending::Background, None, printed.output.as_str()),
        None => End::new(Ending::Untold, None, printed.output.as_str()),
    }
}

/// The results that a script printed whole, in their order: each in a block of its own, or all in one list.
fn printed(item: &Members<'_>) -> Vec<Printed> {
    let read = |object: Members<'_>| {
        let (exit, process) = (object.number("exit_code"), object.number("session_id"));
        let output = object.text("output").unwrap_or_default();
        (exit.is_some() || process.is_some()).then_some(Printed { exit, process, output })
    };
    let mut all = Vec::new();
    for text in person::texts(item, "output") {
        match serde_json::from_str::<Vec<&RawValue>>(&text) {
            Ok(list) => all.extend(list.into_iter().filter_map(|raw| read(Members::read(Some(raw))))),
            Err(_) => all.extend(read(Members::parse(&text))),
        }
    }
    all
}
