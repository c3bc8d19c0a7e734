//! Codex's two settings files and its events, as its version 0.171.0 was seen to read them.
//! How a file is changed, and how trust in a hook is written, stays out.

use proofmark_protocol::Harness;

use super::{END, Event, GATE, STOP, Shape, Spec, Surroundings, event, helper, misshapen};
use crate::install::tree::{Kind, Node, Unparsed};
use crate::install::version::Version;

/// The first version that is known to have events about helper agents and a session's end.
const FULL: &[Version] = &[Version(0, 145, 0)];
/// Hooks are on by default from here.
const ON: Version = Version(0, 124, 0);
/// `codex exec` ran no hooks from the first of these to the second.
const NO_EXEC: [Version; 2] = [Version(0, 136, 0), Version(0, 140, 0)];

#[rustfmt::skip]
static EVENTS: [Event; 7] = [
    event("SessionStart", GATE, &[]),
    event("UserPromptSubmit", GATE, &[]),
    event("PreToolUse", GATE, &[]),
    event("Stop", STOP, &[]),
    helper("SubagentStart", GATE, FULL),
    helper("SubagentStop", STOP, FULL),
    event("SessionEnd", END, FULL),
];

/// Codex.
pub(crate) static SPEC: Spec = Spec {
    harness: Harness::Codex,
    title: "Codex",
    programs: &["codex"],
    judge: ("codex", "`codex exec`"),
    packages: &[],
    folder: ".codex",
    folder_variable: "CODEX_HOME",
    reads_home_too: false,
    file: "hooks.json",
    toml: Some("config.toml"),
    shape: Shape::Grouped,
    events: &EVENTS,
    direct_since: None,
    reads_mark: false,
    reads_liberties: Some(false),
    keeps_deleted: false,
    asks_trust: true,
    refuses,
    stops,
    notes,
};

/// What makes Codex drop the whole of `hooks.json`.
fn refuses(text: &str, root: &Node) -> Option<Unparsed> {
    if let Some(misshapen) = misshapen(text, root, Shape::Grouped) {
        return Some(misshapen);
    }
    if matches!(root.kind, Kind::Object(_)) {
        let strange = root
            .members()?
            .iter()
            .find(|member| !matches!(member.name.as_str(), "hooks" | "description"));
        if let Some(member) = strange {
            return Some(Unparsed::at(
                text,
                member.span.start,
                format!("Codex takes no “{}” beside “hooks” and “description”", member.name),
            ));
        }
    }
    let events = root.get("hooks").and_then(Node::members).unwrap_or_default();
    let events = events.iter().filter(|event| event.name != "state");
    let groups = events.flat_map(|event| event.value.elements().unwrap_or_default());
    groups
        .flat_map(|group| group.get("hooks").and_then(Node::elements).unwrap_or_default())
        .find_map(|handler| wrong(text, handler))
}

fn wrong(text: &str, handler: &Node) -> Option<Unparsed> {
    let told = |what: &str| Some(Unparsed::at(text, handler.span.start, what));
    let kind = handler.get("type").and_then(Node::text);
    if !matches!(kind, Some("command" | "mcp_tool" | "prompt" | "agent")) {
        return told("a hook's type is none that Codex knows");
    }
    if kind == Some("command") && handler.get("command").and_then(Node::text).is_none() {
        return told("a hook of type “command” has no command");
    }
    if handler.get("timeout").is_some_and(|timeout| timeout.whole().is_none()) {
        return told("a hook's timeout is no whole number of seconds");
    }
    None
}

fn stops(around: &Surroundings<'_>) -> Vec<String> {
    let features = around.toml.and_then(|toml| toml.get("features"));
    let flag = |name: &str| features.and_then(|features| features.get(name)).map(|node| &node.kind);
    let mut stops = Vec::new();
    for name in ["hooks", "codex_hooks"] {
        if flag(name) == Some(&Kind::Bool(false)) {
            stops.push(format!(
                "config.toml says `[features] {name} = false`, so Codex runs no hooks at all until you take that out."
            ));
        }
    }
    let newest = around.versions.iter().max();
    if newest.is_some_and(|version| *version < ON) && flag("codex_hooks") != Some(&Kind::Bool(true)) {
        stops.push(format!(
            "Codex before {ON} runs hooks only where config.toml says `[features] codex_hooks = true`; yours does not."
        ));
    }
    if newest.is_some_and(|version| (NO_EXEC[0]..NO_EXEC[1]).contains(version)) {
        stops.push("This version of Codex runs no hooks in `codex exec`, only in its terminal interface.".to_owned());
    }
    stops
}

fn notes(around: &Surroundings<'_>) -> Vec<String> {
    let note = "Codex reads a project's hooks only where you have said that you trust the project.";
    around.project.then(|| note.to_owned()).into_iter().collect()
}
