//! What an agent calls: functions, tools with a text for their input, shells of older clients, the hosted search.
//! How the calls end stays out.

use super::code;
use super::memory::Pending;
use super::reading::{Doing, End, Reading};
use super::tools;
use crate::evidence::shell::patch;
use crate::harness::json::Members;
use crate::harness::tools::{asked, changed};
use crate::session::Ending;

/// Shows a call with named arguments, which stand as JSON in a text.
pub(super) fn function(reading: &mut Reading<'_>, call: &Members<'_>) {
    let tool = tools::name(
        call.text("namespace").as_deref(),
        &call.text("name").unwrap_or_default(),
    );
    let text = call.text("arguments").unwrap_or_default();
    let input = Members::parse(&text);
    let id = call.text("call_id").unwrap_or_default();
    let row = call.text("id");
    if let Some(command) = tools::command(&input).filter(|_| tools::is_shell(&tool)) {
        let kind = tools::shell(&tool, &command, reading.tools);
        let folder = input.text("workdir");
        let mut doing = Doing::new(&tool, kind, &command);
        doing.folder = folder.as_deref();
        reading.call(row, &id, doing);
        reading.memory.pending.put(&id, Pending::Command);
        return;
    }
    let mut kind = tools::kind(&tool, reading.tools);
    let pending = match tool.as_str() {
        tools::WRITE => {
            kind = tools::write(input.text("chars").is_some(), reading.tools);
            Pending::Process(input.number("session_id").unwrap_or_default())
        }
        tools::WAIT => match cell(&input) {
            Some(cell) => Pending::Cell(cell),
            None => Pending::Other,
        },
        tools::PATCH => Pending::Command,
        "spawn_agent" => Pending::Spawn,
        "wait_agent" | "send_input" | "resume_agent" | "followup_task" => Pending::Helpers(targets(&input)),
        _ => Pending::Other,
    };
    let asked = asked(&input, &tools::TELLING);
    let mut doing = Doing::new(&tool, kind, &asked);
    doing.changes = if tool == tools::PATCH {
        // The patch is the one member, under a name that varied.
        input
            .names()
            .filter_map(|name| input.text(name))
            .flat_map(|text| patch::files(&text))
            .collect()
    } else {
        changed(&doing.kind, &input)
    };
    reading.call(row, &id, doing);
    reading.memory.pending.put(&id, pending);
}

/// Shows a call whose input is a text: a patch, or a script.
pub(super) fn custom(reading: &mut Reading<'_>, call: &Members<'_>) {
    let tool = call.text("name").unwrap_or_default();
    let text = call.text("input").unwrap_or_default();
    let id = call.text("call_id").unwrap_or_default();
    let row = call.text("id");
    if tool == tools::CODE {
        let source = code::read(&text);
        let kind = tools::script(source.plain, reading.tools);
        reading.call(row, &id, Doing::new(&tool, kind, &text));
        reading.memory.pending.put(&id, Pending::Script);
        reading.memory.scripts.put(&id, source.asked);
        return;
    }
    let kind = tools::kind(&tool, reading.tools);
    let (input, changes, pending) = if tool == tools::PATCH {
        let files = patch::files(&text);
        (tools::patched(&text, &files), files, Pending::Command)
    } else {
        (text, Vec::new(), Pending::Other)
    };
    let mut doing = Doing::new(&tool, kind, &input);
    doing.changes = changes;
    reading.call(row, &id, doing);
    reading.memory.pending.put(&id, pending);
}

/// Shows a call of the shell that older models were given as a tool of its own kind.
pub(super) fn local_shell(reading: &mut Reading<'_>, call: &Members<'_>) {
    const TOOL: &str = "local_shell";
    let command = tools::command(&call.object("action")).unwrap_or_default();
    let id = call.text("call_id").or_else(|| call.text("id")).unwrap_or_default();
    let kind = tools::shell(TOOL, &command, reading.tools);
    let folder = call.object("action").text("working_directory");
    let mut doing = Doing::new(TOOL, kind, &command);
    doing.folder = folder.as_deref();
    reading.call(call.text("id"), &id, doing);
    reading.memory.pending.put(&id, Pending::Command);
}

/// Shows a search on the model's own side, which is over when it is told. Newer files tell it by an item.
pub(super) fn search(reading: &mut Reading<'_>, call: &Members<'_>) {
    if !reading.memory.paginated {
        let id = call.text("id").unwrap_or_else(|| tools::SEARCH.to_owned());
        searched(reading, &id, &call.object("action"));
    }
}

/// Shows a search, by what was done in it.
pub(super) fn searched(reading: &mut Reading<'_>, id: &str, action: &Members<'_>) {
    let kind = tools::kind(tools::SEARCH, reading.tools);
    let asked = asked(action, &tools::TELLING);
    reading.call(None, id, Doing::new(tools::SEARCH, kind, &asked));
    reading.end(id, End::new(Ending::Succeeded, None, ""));
}

/// The script that `wait` looks at: its number, as a text (0.144.0).
fn cell(input: &Members<'_>) -> Option<String> {
    input
        .text("cell_id")
        .or_else(|| input.number("cell_id").map(|number| number.to_string()))
}

/// The helpers that a call is about.
fn targets(input: &Members<'_>) -> Vec<String> {
    let one = ["target", "id", "agent_id"].iter().find_map(|name| input.text(name));
    let several = || {
        let list = [input.list("targets"), input.list("ids")].concat();
        list.into_iter()
            .filter_map(|raw| serde_json::from_str(raw.get()).ok())
            .collect()
    };
    one.map_or_else(several, |one| vec![one])
}
