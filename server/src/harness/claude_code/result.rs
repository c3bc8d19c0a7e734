//! How calls ended, from the rows that hold their results.
//! Whether a failed command is a failed check stays out.

use std::borrow::Cow;

use super::memory::Memory;
use super::row::{Block, Content, PermissionDecision, Row, ToolUseResult};
use super::task;
use crate::harness::json::{Text, is, look, owned};
use crate::harness::tools::shown;
use crate::session::{CallId, Ending, Entry};

/// How the error of a call begins that never ran: the person, a rule, a hook or the harness's own look at the input
/// refused it, or a call beside it failed first. Each beginning may ask for more words in the first line.
const DENIALS: [(&str, &str); 8] = [
    ("The user doesn't want to ", ""),
    ("Permission for this tool use was denied", ""),
    ("User rejected tool use", ""),
    ("<tool_use_error>", ""),
    ("Sibling tool call errored", ""),
    ("PreToolUse:", " hook error"),
    ("Permission to use ", "denied"),
    ("Claude requested permissions to ", "haven't granted"),
];

/// In the error of a call that ran until the person stopped it; its beginning is that of a refusal (2.1.332).
const STOPPED: &str = "this call was stopped while running, not refused before it ran";
/// How the error of a call begins that the person stopped.
const INTERRUPTED: &str = "[Request interrupted by user";
/// How the error of a call begins that the person refused, and so may have said something.
const REFUSALS: [&str; 2] = ["The user doesn't want to ", "Permission for this tool use was denied"];
/// What stands before a person's words in such an error, to its end (all clients up to 2.1.332).
const SAID: &str = "he user said:\n";
/// What 2.1.78 to 2.1.150 put after those words.
const AFTER_SAID: &str = "\n\nNote: The user's next message may contain a correction";
/// How the result of a call begins that goes on, where no `toolUseResult` says so: in helpers' records.
const BACKGROUND: [&str; 3] = [
    "Command running in background with ID:",
    "Command did not complete within its ",
    "Async agent launched successfully",
];

/// What stands before the id of a task in such a result.
const TASK: &str = " with ID: ";

/// Adds an ending for each result, and what the person said in refusing its call; false when the row holds none. A
/// result that names no call is passed over.
///
/// What stands on the row itself is about one result; with several, each has its own text alone.
pub(super) fn entries(row: &Row<'_>, content: &Content<'_>, memory: &mut Memory, out: &mut Vec<Entry>) -> bool {
    let Content::Blocks(blocks) = content else { return false };
    let results: Vec<&Block<'_>> = blocks.iter().filter(|block| block.is("tool_result")).collect();
    let alone = if results.len() == 1 { Some(row) } else { None };
    for block in &results {
        let content: Content<'_> = look(block.content);
        let text = content.into_text();
        let remark = remark(block, &text);
        if let Some(id) = owned(block.tool_use_id.as_ref()) {
            out.extend(task_ended(&id, &text, memory));
            out.push(result(alone, block, (id, text), row.prompt_id.as_ref(), memory));
        }
        if let Some(text) = remark {
            out.push(Entry::Remark { row: row.id(), text });
        }
    }
    !results.is_empty()
}

fn result(
    row: Option<&Row<'_>>,
    block: &Block<'_>,
    (id, text): (CallId, Cow<'_, str>),
    turn: Option<&Text<'_>>,
    memory: &mut Memory,
) -> Entry {
    let beside: ToolUseResult<'_> = look(row.and_then(|row| row.tool_use_result));
    let ending = ending(row, block, &beside, text.trim_start());
    if ending == Ending::Background
        && let Some(task) = owned(beside.background_task_id.as_ref()).or_else(|| task(&text))
    {
        memory.tasks.put(&task, id.clone());
    }
    Entry::Result {
        id,
        ending,
        exit: if ending == Ending::Failed { exit(&text) } else { None },
        output: shown(text),
        helper: owned(beside.agent_id.as_ref()).or_else(|| owned(beside.resumed_agent_id.as_ref())),
        turn: owned(turn),
    }
}

/// The id of the task in the result of a call that goes on.
fn task(text: &str) -> Option<String> {
    let (_, rest) = text.lines().next()?.split_once(TASK)?;
    let id = rest
        .split(|letter: char| !letter.is_alphanumeric() && !"_-".contains(letter))
        .next()?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// The end of the call that began a task, when a look at the task shows it.
fn task_ended(look: &str, text: &str, memory: &mut Memory) -> Option<Entry> {
    let task = memory.looks.take(look)?;
    let end = task::looked_at(text)?;
    Some(end.of(memory.tasks.take(&task)?))
}

/// The code in the first line of a failed command's result: `Exit code 3` (2.1.197, 2.1.332). A success names none.
fn exit(text: &str) -> Option<i32> {
    text.lines().next()?.trim().strip_prefix("Exit code ")?.parse().ok()
}

/// What the person said in refusing the call.
fn remark(block: &Block<'_>, text: &str) -> Option<String> {
    let refused = block.is_error == Some(true) && REFUSALS.iter().any(|refusal| text.starts_with(refusal));
    let said = text.split_once(SAID).filter(|_| refused)?.1;
    let said = said.rsplit_once(AFTER_SAID).map_or(said, |(said, _)| said).trim();
    (!said.is_empty()).then(|| said.to_owned())
}

fn ending(row: Option<&Row<'_>>, block: &Block<'_>, beside: &ToolUseResult<'_>, text: &str) -> Ending {
    // Successes of most tools have no `is_error` at all.
    let error = block.is_error == Some(true);
    if beside.interrupted == Some(true) || (error && (text.contains(STOPPED) || text.starts_with(INTERRUPTED))) {
        return Ending::Interrupted;
    }
    if row.is_some_and(rejected) || (error && denied(text)) {
        return Ending::Denied;
    }
    if error {
        return Ending::Failed;
    }
    let untold = row.is_none_or(|row| row.tool_use_result.is_none());
    let goes_on = beside
        .background_task_id
        .as_ref()
        .is_some_and(|Text(task)| !task.is_empty())
        || beside.assistant_auto_backgrounded == Some(true)
        || is(beside.status.as_ref(), "async_launched")
        || beside.resumed_agent_id.is_some()
        || task::goes_on(text)
        || (untold && BACKGROUND.iter().any(|beginning| text.starts_with(beginning)));
    if goes_on { Ending::Background } else { Ending::Succeeded }
}

/// True when the row itself says that the call was refused.
fn rejected(row: &Row<'_>) -> bool {
    let decision: PermissionDecision<'_> = look(row.permission_decision);
    row.tool_denial_kind.is_some() || is(decision.decision.as_ref(), "reject")
}

fn denied(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    DENIALS
        .iter()
        .any(|(beginning, then)| line.strip_prefix(beginning).is_some_and(|rest| rest.contains(then)))
}
