//! Cursor's hooks file and events, as reported for its editor (3.x) and its command line (2026).
//! How a file is changed stays out.

use proofmark_protocol::Harness;

use super::{Event, GATE, STOP, Shape, Spec, Surroundings, event, helper, misshapen};
use crate::install::tree::{Kind, Node, Unparsed};
use crate::install::version::Version;

/// The first versions, of the editor and of the command line, from which payloads of all these events are known. An
/// event that a version does not know voids the whole file there.
const FULL: &[Version] = &[Version(3, 12, 0), Version(2026, 7, 23)];
/// Every event there is, in the command line of 2026.08.11.
const KNOWN: &[&str] = &[
    "sessionStart",
    "sessionEnd",
    "beforeSubmitPrompt",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "afterAgentResponse",
    "afterAgentThought",
    "stop",
    "subagentStart",
    "subagentStop",
    "preCompact",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "workspaceOpen",
];
/// Follow-ups of ours in a row: three, as everywhere. Cursor's own limit is 5.
const LOOPS: &[(&str, u64)] = &[("loop_limit", 3)];

#[rustfmt::skip]
static EVENTS: [Event; 13] = [
    event("sessionStart", GATE, FULL),
    event("sessionEnd", GATE, FULL),
    event("beforeSubmitPrompt", GATE, &[]),
    event("preToolUse", GATE, FULL),
    event("postToolUse", GATE, FULL),
    event("postToolUseFailure", GATE, FULL),
    event("afterShellExecution", GATE, &[]),
    event("afterMCPExecution", GATE, &[]),
    event("afterFileEdit", GATE, &[]),
    event("afterAgentResponse", GATE, &[]),
    Event { more: LOOPS, ..event("stop", STOP, &[]) },
    helper("subagentStart", GATE, FULL),
    Event { more: LOOPS, ..helper("subagentStop", STOP, FULL) },
];

/// Cursor.
pub(crate) static SPEC: Spec = Spec {
    harness: Harness::Cursor,
    title: "Cursor",
    programs: &["cursor", "cursor-agent"],
    judge: ("cursor-agent", "`cursor-agent -p`"),
    packages: &[
        "/Applications/Cursor.app/Contents/Resources/app/package.json",
        "/usr/share/cursor/resources/app/package.json",
        "/opt/Cursor/resources/app/package.json",
    ],
    folder: ".cursor",
    folder_variable: "CURSOR_CONFIG_DIR",
    reads_home_too: true,
    file: "hooks.json",
    toml: None,
    shape: Shape::Flat,
    events: &EVENTS,
    direct_since: None,
    reads_mark: false,
    reads_liberties: None,
    keeps_deleted: true,
    asks_trust: false,
    refuses,
    stops,
    notes,
};

/// What makes Cursor drop every hook of the file, without a word.
fn refuses(text: &str, root: &Node) -> Option<Unparsed> {
    if let Some(misshapen) = misshapen(text, root, Shape::Flat) {
        return Some(misshapen);
    }
    let told = |place: usize, what: String| Some(Unparsed::at(text, place, what));
    if let Some(version) = root.get("version")
        && version.whole().is_none_or(|version| version == 0)
    {
        return told(version.span.start, "“version” is no whole number above 0".to_owned());
    }
    let events = root.get("hooks").and_then(Node::members).unwrap_or_default();
    for event in events {
        if !KNOWN.contains(&event.name.as_str()) {
            return told(event.span.start, format!("Cursor knows no event “{}”", event.name));
        }
        for entry in event.value.elements().unwrap_or_default() {
            if let Some(what) = wrong(entry) {
                return told(entry.span.start, format!("an entry of “{}” {what}", event.name));
            }
        }
    }
    None
}

fn wrong(entry: &Node) -> Option<String> {
    let kind = entry.get("type").map_or(Some("command"), Node::text);
    let text = |name: &str| entry.get(name).is_some_and(|value| value.text().is_some());
    let number = |name: &str| entry.get(name).is_none_or(|value| value.number().is_some());
    let loops = entry
        .get("loop_limit")
        .is_none_or(|limit| limit.number().is_some() || limit.kind == Kind::Other("null".to_owned()));
    let closed = entry
        .get("failClosed")
        .is_none_or(|closed| matches!(closed.kind, Kind::Bool(_)));
    Some(match kind {
        Some("command") if !text("command") => "has no command that is a text".to_owned(),
        Some("prompt") if !text("prompt") => "has no prompt that is a text".to_owned(),
        Some("command" | "prompt") if !number("timeout") => "has a timeout that is no number".to_owned(),
        Some("command" | "prompt") if !loops => "has a loop_limit that is no number".to_owned(),
        Some("command" | "prompt") if !closed => "has a failClosed that is neither true nor false".to_owned(),
        Some("command" | "prompt") if entry.get("matcher").is_some_and(|matcher| matcher.text().is_none()) => {
            "has a matcher that is no text".to_owned()
        }
        Some("command" | "prompt") => return None,
        _ => "has a type that is neither “command” nor “prompt”".to_owned(),
    })
}

fn stops(around: &Surroundings<'_>) -> Vec<String> {
    let stop = "Cursor's command line does not read a hooks.json that is a symbolic link.";
    around.is_link.then(|| stop.to_owned()).into_iter().collect()
}

fn notes(around: &Surroundings<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if around.versions.is_empty() {
        notes.push(
            "Cursor's version could not be told, so only the events that every version knows are set up; with `cursor` or `cursor-agent` on PATH, run this again."
                .to_owned(),
        );
    }
    if around.project {
        notes.push("Cursor reads a project's hooks only in a workspace that you trust.".to_owned());
    }
    notes
}
