//! Items: what was said and what ran, as newer files tell it, and the older events that tell the same of single tools.
//! The text that the model got for a call stays out: what stands here is what came of it.

use super::code::What;
use super::ending::by_code;
use super::reading::{Doing, End, Reading};
use super::{call, output, person, tools};
use crate::evidence::shell::patch;
use crate::harness::json::Members;
use crate::harness::tools::{asked, changed};
use crate::session::Ending;
use crate::text::redact;

/// Shows what an item tells (0.171.0).
pub(super) fn entries(reading: &mut Reading<'_>, item: &Members<'_>) {
    let id = item.text("id");
    match item.text("type").as_deref() {
        Some("UserMessage") => {
            let text = person::texts(item, "content").join("\n");
            person::submitted(reading, id, &text);
        }
        Some("AgentMessage") => {
            let text = person::texts(item, "content").join("\n");
            person::told(reading, id, &text);
        }
        Some("CommandExecution") => command(reading, "id", item),
        Some("FileChange") => patch(reading, "id", item),
        Some("McpToolCall") => {
            let failed = item.is("status", "failed");
            mcp(reading, &id.unwrap_or_default(), item, failed);
        }
        Some("ImageView") => image_seen(reading, &id.unwrap_or_default(), &item.text("path").unwrap_or_default()),
        Some("WebSearch") => {
            let id = id.unwrap_or_else(|| tools::SEARCH.to_owned());
            call::searched(reading, &id, &item.object("action"));
        }
        Some("CollabAgentToolCall") if item.is("tool", "spawn_agent") => {
            let threads = item.list("receiver_thread_ids");
            if let [thread] = &threads[..]
                && let Ok(thread) = serde_json::from_str::<String>(thread.get())
            {
                spawn(reading, &id.unwrap_or_default(), &thread);
            }
        }
        _ => {}
    }
}

/// A command ended: `CommandExecution`, or `exec_command_end` (to 0.128). What the person ran beside the agent is not
/// the agent's.
pub(super) fn command(reading: &mut Reading<'_>, id: &str, item: &Members<'_>) {
    if item.is("source", "user_shell") {
        return;
    }
    let id = item.text(id).unwrap_or_default();
    let line = item
        .text("command")
        .or_else(|| tools::arguments(&item.list("command")))
        .unwrap_or_default();
    let (ending, exit) = match item.number("exit_code") {
        Some(code) => by_code(code),
        None if item.is("status", "declined") => (Ending::Denied, None),
        None if item.is("status", "failed") => (Ending::Failed, None),
        None => (Ending::Untold, None),
    };
    let shown = item.text("aggregated_output").unwrap_or_default();
    let folder = item.text("cwd");
    let doing = Doing {
        folder: folder
            .as_deref()
            .map(|folder| folder.strip_prefix("file://").unwrap_or(folder)),
        ..Doing::new(tools::EXEC, tools::shell(tools::EXEC, &line, reading.tools), &line)
    };
    ended(reading, &id, doing, End::new(ending, exit, shown));
}

/// A patch was applied, or not: `FileChange`, or `patch_apply_end` (to 0.145).
pub(super) fn patch(reading: &mut Reading<'_>, id: &str, item: &Members<'_>) {
    let id = item.text(id).unwrap_or_default();
    let changes = item.object("changes");
    let files: Vec<String> = changes.names().take(patch::MAX_FILES).map(str::to_owned).collect();
    let failed = item.is("status", "failed") || item.raw("success").is_some_and(|raw| raw.get() == "false");
    let ending = match (item.is("status", "declined"), failed) {
        (true, _) => Ending::Denied,
        (false, true) => Ending::Failed,
        (false, false) => Ending::Succeeded,
    };
    let shown = item.text("stdout").or_else(|| item.text("stderr")).unwrap_or_default();
    let input = tools::patched("", &files);
    let doing = Doing {
        changes: files,
        ..Doing::new(tools::PATCH, tools::kind(tools::PATCH, reading.tools), &input)
    };
    ended(reading, &id, doing, End::new(ending, None, shown));
}

/// An MCP tool answered, by the older event.
pub(super) fn mcp_ended(reading: &mut Reading<'_>, event: &Members<'_>) {
    let result = event.object("result");
    let is_error = result
        .object("Ok")
        .raw("isError")
        .is_some_and(|raw| raw.get() == "true");
    let id = event.text("call_id").unwrap_or_default();
    mcp(
        reading,
        &id,
        &event.object("invocation"),
        is_error || result.says("Err"),
    );
}

fn mcp(reading: &mut Reading<'_>, id: &str, invocation: &Members<'_>, failed: bool) {
    let server = invocation.text("server").unwrap_or_default();
    let tool = format!("mcp__{server}__{}", invocation.text("tool").unwrap_or_default());
    let ending = if failed { Ending::Failed } else { Ending::Succeeded };
    let kind = tools::kind(&tool, reading.tools);
    let arguments = invocation.object("arguments");
    let input = asked(&arguments, &tools::TELLING);
    let texts = person::texts(&invocation.object("result"), "content").join("\n");
    let doing = Doing {
        changes: changed(&kind, &arguments),
        ..Doing::new(&tool, kind, &input)
    };
    ended(reading, id, doing, End::new(ending, None, texts));
}

/// A helper was started, by the older event.
pub(super) fn spawn_ended(reading: &mut Reading<'_>, event: &Members<'_>) {
    if let Some(thread) = event.text("new_thread_id") {
        spawn(reading, &event.text("call_id").unwrap_or_default(), &thread);
    }
}

fn spawn(reading: &mut Reading<'_>, id: &str, thread: &str) {
    if reading.memory.pending.get(id).is_none() {
        let kind = tools::kind("spawn_agent", reading.tools);
        nested_call(reading, id, Doing::new("spawn_agent", kind, ""));
    }
    output::started(reading, id, thread);
}

/// A script looked at an image, which is told only when it is over; a look of the agent's own is ended by its result.
fn image_seen(reading: &mut Reading<'_>, id: &str, path: &str) {
    if reading.memory.pending.get(id).is_none() {
        const TOOL: &str = "view_image";
        let doing = Doing::new(TOOL, tools::kind(TOOL, reading.tools), path);
        ended(reading, id, doing, End::new(Ending::Succeeded, None, ""));
    }
}

/// Shows the end of a call; before it the call itself, when no line did: a script's calls have no other line.
fn ended(reading: &mut Reading<'_>, id: &str, doing: Doing<'_>, end: End) {
    if let Some(told) = reading.memory.ended.get(id) {
        // A code that comes late is news; that Codex killed what was left is none.
        if !told && end.exit.is_some() {
            reading.end(id, end);
        }
        return;
    }
    let process = reading.memory.processes.name_of(|first| first == id).map(str::to_owned);
    let made = reading.memory.pending.get(id).is_some() || process.is_some();
    if let Some(process) = process {
        reading.memory.processes.take(&process);
    }
    if made {
        reading.end(id, end);
    } else {
        let shown = nested_call(reading, id, doing);
        reading.end(&shown, end);
    }
}

/// Shows a script's call under its own id, unless it was shown under another one: as something that goes on. Returns
/// the id under which it is known.
fn nested_call(reading: &mut Reading<'_>, id: &str, doing: Doing<'_>) -> String {
    if let Some(known) = take_asked(reading, doing.tool, doing.input).flatten() {
        return known;
    }
    reading.call(None, id, doing);
    id.to_owned()
}

/// Takes a call out of what scripts asked for. None when no script asked for it; else the id under which it was shown.
fn take_asked(reading: &mut Reading<'_>, tool: &str, input: &str) -> Option<Option<String>> {
    let input = redact(input);
    for asked in reading.memory.scripts.newest() {
        let is_it = |asked: &super::code::Asked| {
            asked.tool == tool
                && match &asked.what {
                    What::Command { command, .. } => *command == input,
                    What::Process { .. } | What::Patch(_) | What::Other => true,
                }
        };
        if let Some(at) = asked.iter().position(is_it) {
            return Some(asked.remove(at).id);
        }
    }
    None
}
