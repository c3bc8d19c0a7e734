//! Cursor's tools: what each is for, what it was asked, which files it changes.
//! What a shell command does stays out.

use serde_json::value::RawValue;

use crate::evidence::shell::patch;
use crate::harness::json::{Members, Text, look};
use crate::harness::tools::{Table, asked, brief, by_name, by_settings};
use crate::harness::{Announced, ToolSettings};
use crate::session::ToolKind;

/// The tools that run a shell command, the name of 2025 included.
const SHELL: [&str; 2] = ["Shell", "run_terminal_cmd"];
/// What stands before the name of an MCP server's tool in events.
const MCP: &str = "MCP:";
/// The tool by which a transcript tells a call of an MCP server's.
const CALL_MCP: &str = "CallMcpTool";
/// The tool that patches files.
const PATCH: &str = "ApplyPatch";
/// A longer command is not kept, in bytes: most of it is a file's content.
const LONGEST: usize = 8 * 1024;
/// Files of one call that are named.
const FILES: usize = 64;

/// The other tools that come with Cursor, as events and transcripts of 2.7 to 3.24 name them. What is not here is
/// unknown.
const TOOLS: &Table<'static> = &[
    (
        ToolKind::Observes,
        &[
            "Await",
            "FetchMcpResource",
            "Glob",
            "Grep",
            "LS",
            "ListMcpResources",
            "Read",
            "ReadLints",
            "SemanticSearch",
            "WebFetch",
            "WebSearch",
        ],
    ),
    (
        ToolKind::Mutates,
        &[
            "ApplyPatch",
            "Delete",
            "EditNotebook",
            "GenerateImage",
            "StrReplace",
            "Write",
        ],
    ),
    (ToolKind::Delegates, &["Task"]),
    (ToolKind::Asks, &["AskQuestion"]),
    (
        ToolKind::Neither,
        &["CreatePlan", "SwitchMode", "TodoWrite", "UpdateCurrentStep"],
    ),
];

/// The members of an input that say what was asked, the most telling first. Events and transcripts spell paths
/// differently.
const TELLING: [&str; 13] = [
    "command",
    "file_path",
    "filePath",
    "pattern",
    "glob_pattern",
    "path",
    "target_notebook",
    "url",
    "uri",
    "query",
    "search_term",
    "description",
    "prompt",
];

/// The members that name a file that is changed.
const PATHS: [&str; 4] = ["file_path", "path", "filePath", "target_notebook"];

/// A call, read in one way wherever it is told: from an event, or from a transcript.
pub(super) struct Asked {
    /// The tool's name.
    pub(super) tool: String,
    /// What it is for.
    pub(super) kind: ToolKind,
    /// What it was asked, in short.
    pub(super) input: String,
    /// The files that it is to change, as it names them.
    pub(super) changes: Vec<String>,
    /// True when it goes on after its result.
    pub(super) background: bool,
}

impl Asked {
    /// The call of a tool with an input.
    pub(super) fn of(tool: &str, input: Option<&RawValue>, settings: &ToolSettings<'_>) -> Self {
        let members = Members::read(input);
        if tool == CALL_MCP
            && let Some(name) = members.text("toolName").or_else(|| members.text("tool_name"))
        {
            let name = format!("{MCP}{name}");
            return Self::of(&name, members.raw("arguments"), settings);
        }
        let kind = kind(tool, &members, settings);
        let changes = changes(tool, &kind, input, &members);
        let short = if changes.is_empty() {
            asked(&members, &TELLING)
        } else {
            brief(&changes.join(", "))
        };
        Self {
            tool: tool.to_owned(),
            kind,
            input: short,
            changes,
            background: members.raw("is_background").is_some_and(|raw| raw.get() == "true"),
        }
    }
}

/// See [`HarnessSpec::announced`](crate::harness::HarnessSpec::announced).
pub(super) fn announced(tool: &str, input: Option<&RawValue>, settings: &ToolSettings<'_>) -> Announced {
    let Asked {
        kind, input, changes, ..
    } = Asked::of(tool, input, settings);
    Announced { kind, input, changes }
}

fn kind(tool: &str, input: &Members<'_>, settings: &ToolSettings<'_>) -> ToolKind {
    if let Some(kind) = by_settings(tool, settings) {
        return kind;
    }
    if SHELL.contains(&tool) {
        let command = input.text("command").filter(|command| command.len() <= LONGEST);
        return command.map_or(ToolKind::Unknown, |command| ToolKind::shell(&command));
    }
    match tool.strip_prefix(MCP) {
        // The verbs are those of any server's tools; events do not name the server.
        Some(name) => by_name(TOOLS, &format!("mcp__server__{name}")),
        None => by_name(TOOLS, tool),
    }
}

fn changes(tool: &str, kind: &ToolKind, raw: Option<&RawValue>, input: &Members<'_>) -> Vec<String> {
    if *kind != ToolKind::Mutates {
        return Vec::new();
    }
    if tool == PATCH {
        let bare: Option<Text<'_>> = look(raw);
        let patch = bare.map(|text| text.0.into_owned());
        let patch = patch.or_else(|| input.text("patch")).or_else(|| input.text("input"));
        let mut files = patch.map_or_else(Vec::new, |patch| patch::files(&patch));
        files.truncate(FILES);
        return files;
    }
    PATHS.iter().find_map(|name| input.text(name)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::settings::ToolEffect;

    use super::*;

    fn asked_of(tool: &str, input: &str) -> Asked {
        let raw: &RawValue = serde_json::from_str(input).unwrap();
        Asked::of(tool, Some(raw), &|_| None)
    }

    #[test]
    fn calls_are_read_alike_wherever_they_are_told() {
        let shell = |command: &str| ToolKind::Shell {
            command: command.to_owned(),
        };
        let patch = r#"{"patch":"*** Begin Patch\n*** Update File: a.rs\n*** Add File: b.rs\n"}"#;
        let cases: [(&str, &str, ToolKind, &str, &[&str]); 17] = [
            (
                "Shell",
                r#"{"command":"cargo test","cwd":""}"#,
                shell("cargo test"),
                "cargo test",
                &[],
            ),
            ("run_terminal_cmd", r#"{"command":"ls"}"#, shell("ls"), "ls", &[]),
            ("Shell", "{}", ToolKind::Unknown, "{}", &[]),
            (
                "Write",
                r#"{"file_path":"/a.rs","content":"x"}"#,
                ToolKind::Mutates,
                "/a.rs",
                &["/a.rs"],
            ),
            (
                "Write",
                r#"{"path":"/a.rs","contents":"x"}"#,
                ToolKind::Mutates,
                "/a.rs",
                &["/a.rs"],
            ),
            (
                "StrReplace",
                r#"{"path":"a.rs","old_string":"x"}"#,
                ToolKind::Mutates,
                "a.rs",
                &["a.rs"],
            ),
            ("Delete", r#"{"filePath":"a.rs"}"#, ToolKind::Mutates, "a.rs", &["a.rs"]),
            ("ApplyPatch", patch, ToolKind::Mutates, "a.rs, b.rs", &["a.rs", "b.rs"]),
            (
                "ApplyPatch",
                r#""*** Delete File: c.rs""#,
                ToolKind::Mutates,
                "c.rs",
                &["c.rs"],
            ),
            (
                "Read",
                r#"{"path":"/a.rs","limit":80}"#,
                ToolKind::Observes,
                "/a.rs",
                &[],
            ),
            (
                "Grep",
                r#"{"path":"/w","pattern":"f"}"#,
                ToolKind::Observes,
                "f /w",
                &[],
            ),
            ("Task", r#"{"description":"look"}"#, ToolKind::Delegates, "look", &[]),
            (
                "TodoWrite",
                r#"{"todos":[]}"#,
                ToolKind::Neither,
                r#"{"todos":[]}"#,
                &[],
            ),
            (
                "MCP:list_issues",
                r#"{"state":"open"}"#,
                ToolKind::Observes,
                r#"{"state":"open"}"#,
                &[],
            ),
            (
                "CallMcpTool",
                r#"{"server":"t","toolName":"list_issues","arguments":{"state":"open"}}"#,
                ToolKind::Observes,
                r#"{"state":"open"}"#,
                &[],
            ),
            ("MCP:echo", "{}", ToolKind::Unknown, "{}", &[]),
            ("later", "[]", ToolKind::Unknown, "[]", &[]),
        ];
        for (tool, input, kind, short, changes) in cases {
            let asked = asked_of(tool, input);
            assert_eq!((asked.kind, asked.input.as_str()), (kind, short), "{tool} {input}");
            assert_eq!(asked.changes, changes, "{tool} {input}");
        }
        assert_eq!(asked_of("CallMcpTool", r#"{"toolName":"x"}"#).tool, "MCP:x");
        assert!(asked_of("Shell", r#"{"command":"x","is_background":true}"#).background);
        let long = format!(r#"{{"command":"cat > f <<E\n{}\nE"}}"#, "x".repeat(LONGEST));
        assert_eq!(asked_of("Shell", &long).kind, ToolKind::Unknown);
    }

    #[test]
    fn the_persons_setting_comes_first() {
        let settings = |tool: &str| (tool == "Shell").then_some(ToolEffect::Observes);
        let raw: &RawValue = serde_json::from_str(r#"{"command":"ls"}"#).unwrap();
        assert_eq!(Asked::of("Shell", Some(raw), &settings).kind, ToolKind::Observes);
    }
}
