//! Claude Code's tools: what each is for, and which part of its input says what it was asked.
//! What a shell command does stays out.

use std::collections::BTreeMap;

use proofmark_protocol::settings::ToolEffect;
use serde_json::value::RawValue;

use super::row::{Text, look};
use crate::harness::ToolSettings;
use crate::session::ToolKind;

/// So much of what a call was asked is kept, in characters.
const ASKED: usize = 400;

/// Tools that run a shell command.
const SHELL: &[&str] = &["Bash", "PowerShell"];

/// The other tools that come with Claude Code, up to 2.1.332. What is not here is unknown: a workflow may do anything.
const TOOLS: [(ToolKind, &[&str]); 5] = [
    (
        ToolKind::Observes,
        &[
            "AgentOutputTool",
            "BashOutput",
            "Glob",
            "Grep",
            "LS",
            "LSP",
            "ListMcpResourcesTool",
            "Monitor",
            "NotebookRead",
            "Read",
            "ReadMcpResourceTool",
            "TaskOutput",
            "WebFetch",
            "WebSearch",
        ],
    ),
    (ToolKind::Mutates, &["Edit", "MultiEdit", "NotebookEdit", "Write"]),
    (ToolKind::Delegates, &["Agent", "Task"]),
    (ToolKind::Asks, &["AskUserQuestion"]),
    (
        ToolKind::Neither,
        &[
            "EnterPlanMode",
            "ExitPlanMode",
            "KillBash",
            "KillShell",
            "ListAgents",
            "ReportFindings",
            "ScheduleWakeup",
            "SendMessage",
            "Skill",
            "SlashCommand",
            "StructuredOutput",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskStop",
            "TaskUpdate",
            "TodoRead",
            "TodoWrite",
            "ToolSearch",
        ],
    ),
];

/// Words by which an MCP tool's name says what it does.
const VERBS: [(ToolKind, &[&str]); 2] = [
    (
        ToolKind::Observes,
        &[
            "check",
            "describe",
            "fetch",
            "find",
            "get",
            "inspect",
            "list",
            "lookup",
            "navigate",
            "query",
            "read",
            "screenshot",
            "search",
            "show",
            "snapshot",
            "status",
            "view",
        ],
    ),
    (
        ToolKind::Mutates,
        &[
            "add", "append", "create", "delete", "deploy", "drop", "edit", "insert", "merge", "modify", "move",
            "patch", "post", "publish", "push", "put", "remove", "rename", "replace", "save", "send", "set", "update",
            "upload", "write",
        ],
    ),
];

/// Words after which a name says a second thing: `get_or_create`, `find_and_replace`.
const JOINS: [&str; 3] = ["and", "or", "then"];

/// The members of an input that say what was asked, the most telling first.
const TELLING: [&str; 13] = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "uri",
    "query",
    "path",
    "task_id",
    "bash_id",
    "skill",
    "description",
    "subject",
];

/// What a tool is for: as the person's settings say, else by its name.
pub(super) fn kind(tool: &str, input: &Input<'_>, settings: &ToolSettings<'_>) -> ToolKind {
    match settings(tool) {
        Some(ToolEffect::Observes) => return ToolKind::Observes,
        Some(ToolEffect::Mutates) => return ToolKind::Mutates,
        Some(ToolEffect::Neither) => return ToolKind::Neither,
        None => {}
    }
    if SHELL.contains(&tool) {
        return input
            .member("command")
            .map_or(ToolKind::Unknown, |command| ToolKind::Shell { command });
    }
    let kind = named(&TOOLS, tool).or_else(|| by_verb(tool.strip_prefix("mcp__")?.split_once("__")?.1));
    kind.unwrap_or(ToolKind::Unknown)
}

fn named(table: &[(ToolKind, &[&str])], name: &str) -> Option<ToolKind> {
    table
        .iter()
        .find(|(_, names)| names.contains(&name))
        .map(|(kind, _)| kind.clone())
}

/// What an MCP tool does by its name's first verb, among its first three words (`get_issue`, `issue-read`,
/// `browserNavigate`). None when there is none, and when the name names a second thing beside a look.
fn by_verb(tool: &str) -> Option<ToolKind> {
    let words = words(tool);
    let kind = words.iter().take(3).find_map(|word| named(&VERBS, word))?;
    let joined = words.iter().any(|word| JOINS.contains(&word.as_str()));
    (kind != ToolKind::Observes || !joined).then_some(kind)
}

/// The words of a name, in lower case: cut at signs and before capitals that follow a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (small && letter.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter.is_alphanumeric()
        {
            word.extend(letter.to_lowercase());
        }
        small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A call's input, its members unread.
pub(super) struct Input<'a> {
    raw: &'a str,
    members: BTreeMap<String, &'a RawValue>,
}

impl<'a> Input<'a> {
    /// Reads the names of the members; an input of another shape has none.
    pub(super) fn read(raw: Option<&'a RawValue>) -> Self {
        Self {
            raw: raw.map_or("", RawValue::get),
            members: look(raw),
        }
    }

    /// The text of a member; none when there is no such member, or no text in it.
    fn member(&self, name: &str) -> Option<String> {
        let text: Option<Text<'_>> = look(self.members.get(name).copied());
        text.map(|text| text.0.into_owned()).filter(|text| !text.is_empty())
    }

    /// What was asked, in short: the most telling member, a pattern with its path; the whole input when none is known.
    pub(super) fn asked(&self) -> String {
        let Some((name, text)) = TELLING.iter().find_map(|name| Some((*name, self.member(name)?))) else {
            return cut(self.raw, ASKED);
        };
        match self.member("path") {
            Some(path) if name == "pattern" => cut(&format!("{text} {path}"), ASKED),
            _ => cut(&text, ASKED),
        }
    }
}

/// The beginning of a text, at most `len` characters.
pub(super) fn cut(text: &str, len: usize) -> String {
    let end = text.char_indices().nth(len).map_or(text.len(), |(at, _)| at);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(tool: &str, input: &str) -> ToolKind {
        let raw: &RawValue = serde_json::from_str(input).unwrap();
        kind(tool, &Input::read(Some(raw)), &|_| None)
    }

    #[test]
    fn a_tool_is_known_by_its_name() {
        let shell = |command: &str| ToolKind::Shell {
            command: command.to_owned(),
        };
        let cases = [
            (
                "Bash",
                r#"{"command":"ls\n\"a\"","run_in_background":true}"#,
                shell("ls\n\"a\""),
            ),
            ("PowerShell", r#"{"command":"dir"}"#, shell("dir")),
            ("Bash", r#"{"command":7}"#, ToolKind::Unknown),
            ("Bash", r#"{}"#, ToolKind::Unknown),
            ("Bash", r#"["command"]"#, ToolKind::Unknown),
            ("Read", "{}", ToolKind::Observes),
            ("MultiEdit", "{}", ToolKind::Mutates),
            ("Task", "{}", ToolKind::Delegates),
            ("AskUserQuestion", "{}", ToolKind::Asks),
            ("TodoWrite", "{}", ToolKind::Neither),
            ("Workflow", "{}", ToolKind::Unknown),
            ("get_issue", "{}", ToolKind::Unknown),
            ("read", "{}", ToolKind::Unknown),
            ("", "{}", ToolKind::Unknown),
            ("Task\" >\n<parameter name=", "{}", ToolKind::Unknown),
        ];
        for (tool, input, expected) in cases {
            assert_eq!(kind_of(tool, input), expected, "{tool} {input}");
        }
    }

    #[test]
    fn an_mcp_tool_is_known_by_its_verb() {
        let cases = [
            ("mcp__git__get_issue", ToolKind::Observes),
            ("mcp__git__listPullRequests", ToolKind::Observes),
            ("mcp__git__issue-read", ToolKind::Observes),
            ("mcp__web__browser_navigate", ToolKind::Observes),
            ("mcp__web__browser_take_screenshot", ToolKind::Observes),
            ("mcp__db__query", ToolKind::Observes),
            ("mcp__git__createPage", ToolKind::Mutates),
            ("mcp__git__issue_write", ToolKind::Mutates),
            ("mcp__git__get_or_create_issue", ToolKind::Unknown),
            ("mcp__fs__find_and_replace", ToolKind::Unknown),
            ("mcp__fs__add_and_commit", ToolKind::Mutates),
            ("mcp__fs__getaway", ToolKind::Unknown),
            ("mcp__list__run", ToolKind::Unknown),
            ("mcp__toy__echo", ToolKind::Unknown),
            ("mcp__toy__", ToolKind::Unknown),
            ("mcp__get", ToolKind::Unknown),
        ];
        for (tool, expected) in cases {
            assert_eq!(kind_of(tool, "{}"), expected, "{tool}");
        }
    }

    #[test]
    fn the_persons_setting_comes_first() {
        let raw: &RawValue = serde_json::from_str(r#"{"command":"ls"}"#).unwrap();
        let settings = |tool: &str| match tool {
            "Bash" => Some(ToolEffect::Observes),
            "mcp__git__get_issue" => Some(ToolEffect::Mutates),
            "Write" => Some(ToolEffect::Neither),
            _ => None,
        };
        let cases = [
            ("Bash", ToolKind::Observes),
            ("mcp__git__get_issue", ToolKind::Mutates),
            ("Write", ToolKind::Neither),
            ("Edit", ToolKind::Mutates),
        ];
        for (tool, expected) in cases {
            assert_eq!(kind(tool, &Input::read(Some(raw)), &settings), expected, "{tool}");
        }
    }

    #[test]
    fn what_was_asked_is_the_most_telling_member() {
        let cases = [
            (r#"{"description":"say","command":"ls -l"}"#, "ls -l"),
            (r#"{"path":"src","pattern":"a.c","output_mode":"content"}"#, "a.c src"),
            (r#"{"pattern":"*.rs"}"#, "*.rs"),
            (r#"{"path":"src"}"#, "src"),
            (r#"{"prompt":"long","url":"https://a.example/"}"#, "https://a.example/"),
            (
                r#"{"command":"","query":["x"],"description":"d\ud83d"}"#,
                "d\u{fffd}\u{fffd}\u{fffd}",
            ),
            (r#"{"id":17}"#, r#"{"id":17}"#),
            ("[1]", "[1]"),
        ];
        for (input, asked) in cases {
            let raw: &RawValue = serde_json::from_str(input).unwrap();
            assert_eq!(Input::read(Some(raw)).asked(), asked, "{input}");
        }
        assert_eq!(Input::read(None).asked(), "");
        assert_eq!(cut(&"é".repeat(500), ASKED), "é".repeat(400));
    }
}
