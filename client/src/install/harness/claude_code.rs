//! Claude Code's settings file and events, as its versions 2.1.197 and 2.1.332 were seen to read them.
//! How a file is changed stays out.

use proofmark_protocol::Harness;

use super::{END, Event, GATE, STOP, Shape, Spec, Surroundings, event, helper, misshapen};
use crate::install::tree::{Kind, Node};
use crate::install::version::Version;

/// Unknown events are passed over by every version, so none needs to be left out.
#[rustfmt::skip]
static EVENTS: [Event; 7] = [
    event("SessionStart", GATE, &[]),
    event("UserPromptSubmit", GATE, &[]),
    event("PreToolUse", GATE, &[]),
    event("Stop", STOP, &[]),
    helper("SubagentStart", GATE, &[]),
    helper("SubagentStop", STOP, &[]),
    event("SessionEnd", END, &[]),
];

/// Claude Code.
pub(crate) static SPEC: Spec = Spec {
    harness: Harness::ClaudeCode,
    title: "Claude Code",
    programs: &["claude"],
    judge: ("claude", "`claude -p`"),
    packages: &[],
    folder: ".claude",
    folder_variable: "CLAUDE_CONFIG_DIR",
    reads_home_too: false,
    file: "settings.json",
    toml: None,
    shape: Shape::Grouped,
    events: &EVENTS,
    // The oldest version in which it was tried. An older one would start the program without its argument.
    direct_since: Some(Version(2, 1, 197)),
    reads_mark: true,
    // Not one hook of such a file ran, in either version; 2.1.197 does not even say so.
    reads_liberties: Some(false),
    keeps_deleted: false,
    asks_trust: false,
    refuses: |text, root| misshapen(text, root, Shape::Grouped),
    stops,
    notes: |_| Vec::new(),
};

fn stops(around: &Surroundings<'_>) -> Vec<String> {
    let on = |name: &str| around.root.and_then(|root| root.get(name)).map(|node| &node.kind) == Some(&Kind::Bool(true));
    let mut stops = Vec::new();
    for switch in ["disableAllHooks", "allowManagedHooksOnly"] {
        if on(switch) {
            stops.push(format!(
                "The file says `\"{switch}\": true`, so Claude Code runs none of these hooks until you take that out."
            ));
        }
    }
    if around.root.is_some_and(has_invalid) {
        stops.push(
            "The file has a hook without a type or a command that Claude Code knows; some versions then drop every hook of the file, without a word."
                .to_owned(),
        );
    }
    stops
}

/// A handler that no version takes: of an unknown type, without a command, with a timeout that is no number.
fn has_invalid(root: &Node) -> bool {
    let events = root.get("hooks").and_then(Node::members).unwrap_or_default();
    let groups = events
        .iter()
        .flat_map(|event| event.value.elements().unwrap_or_default());
    let mut handlers = groups.flat_map(|group| group.get("hooks").and_then(Node::elements).unwrap_or_default());
    handlers.any(|handler| {
        let text = |name: &str| handler.get(name).and_then(Node::text);
        let known = matches!(text("type"), Some("command" | "http" | "mcp_tool" | "prompt" | "agent"));
        let bare = text("type") == Some("command") && text("command").is_none();
        let timeless = handler.get("timeout").is_some_and(|timeout| timeout.number().is_none());
        !known || bare || timeless
    })
}
