//! Claude Code's tools: what each is for, and which part of its input says what it was asked.
//! What a shell command does stays out.

use serde_json::value::RawValue;

use crate::harness::json::Members;
use crate::harness::tools::{asked, by_name, by_settings, changed};
use crate::harness::{Announced, ToolSettings};
use crate::session::ToolKind;

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

/// The members of an input that say what was asked, the most telling first.
pub(super) const TELLING: [&str; 13] = [
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

/// The tool whose message may set a helper agent to work: in the record, where only its result tells whether it did, it is
/// for nothing.
const WAKES: &str = "SendMessage";
/// Where plan mode has its plans, in the person's home.
const PLANS: &str = "/.claude/plans/";

/// What a call is that `PreToolUse` announces (2.1.197, 2.1.332).
pub(super) fn announced(tool: &str, input: Option<&RawValue>, settings: &ToolSettings<'_>) -> Announced {
    let input = Members::read(input);
    let kind = match kind(tool, &input, settings) {
        ToolKind::Neither if tool == WAKES => ToolKind::Delegates,
        kind => kind,
    };
    let changes = changed(&kind, &input);
    let input = asked(&input, &TELLING);
    Announced { kind, input, changes }
}

/// What a tool is for: as the person's settings say, else by its name.
pub(super) fn kind(tool: &str, input: &Members<'_>, settings: &ToolSettings<'_>) -> ToolKind {
    if let Some(kind) = by_settings(tool, settings) {
        return kind;
    }
    if SHELL.contains(&tool) {
        return input
            .text("command")
            .map_or(ToolKind::Unknown, |command| ToolKind::shell(&command));
    }
    match by_name(&TOOLS, tool) {
        ToolKind::Mutates if is_plan(input) => ToolKind::Neither,
        kind => kind,
    }
}

/// Whether a call writes the plan that plan mode has the agent keep beside the work (2.1.197 on).
fn is_plan(input: &Members<'_>) -> bool {
    let path = input.text("file_path").unwrap_or_default();
    path.split_once(PLANS)
        .is_some_and(|(_, file)| file.ends_with(".md") && !file.contains('/'))
}

/// The task that a call looks at; none when it looks at none.
pub(super) fn looks_at(tool: &str, input: &Members<'_>) -> Option<String> {
    let member = match tool {
        "BashOutput" => "bash_id",
        "AgentOutputTool" | "TaskOutput" => "task_id",
        _ => return None,
    };
    input.text(member)
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::settings::ToolEffect;
    use serde_json::value::RawValue;

    use super::*;

    fn kind_of(tool: &str, input: &str) -> ToolKind {
        let raw: &RawValue = serde_json::from_str(input).unwrap();
        kind(tool, &Members::read(Some(raw)), &|_| None)
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
            ("Write", r#"{"file_path":"/h/.claude/plans/a.md"}"#, ToolKind::Neither),
            (
                "Write",
                r#"{"file_path":"/h/.claude/plans/../a.md"}"#,
                ToolKind::Mutates,
            ),
            (
                "Write",
                r#"{"file_path":"/h/.claude/settings.json"}"#,
                ToolKind::Mutates,
            ),
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
            assert_eq!(kind(tool, &Members::read(Some(raw)), &settings), expected, "{tool}");
        }
    }

    #[test]
    fn a_call_is_known_when_it_is_announced() {
        for (tool, input, kind, short, changes) in [
            (
                "Write",
                r#"{"file_path":"/p/a.rs","content":"x"}"#,
                ToolKind::Mutates,
                "/p/a.rs",
                &["/p/a.rs"][..],
            ),
            (
                "NotebookEdit",
                r#"{"notebook_path":"n.ipynb"}"#,
                ToolKind::Mutates,
                "n.ipynb",
                &["n.ipynb"],
            ),
            ("Read", r#"{"file_path":"a"}"#, ToolKind::Observes, "a", &[]),
            ("SendMessage", r#"{"subject":"s"}"#, ToolKind::Delegates, "s", &[]),
            ("Bash", "{}", ToolKind::Unknown, "{}", &[]),
        ] {
            let raw: &RawValue = serde_json::from_str(input).unwrap();
            let announced = announced(tool, Some(raw), &|_| None);
            assert_eq!(
                (announced.kind, announced.input.as_str(), announced.changes.as_slice()),
                (
                    kind,
                    short,
                    changes
                        .iter()
                        .map(|&file| file.to_owned())
                        .collect::<Vec<_>>()
                        .as_slice()
                ),
                "{tool}"
            );
        }
        let (none, own) = (announced("Edit", None, &|_| None), |_: &str| Some(ToolEffect::Neither));
        assert_eq!((none.kind, none.changes.len()), (ToolKind::Mutates, 0));
        assert_eq!(announced("Edit", None, &own).kind, ToolKind::Neither);
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
        for (input, expected) in cases {
            let raw: &RawValue = serde_json::from_str(input).unwrap();
            assert_eq!(asked(&Members::read(Some(raw)), &TELLING), expected, "{input}");
        }
        assert_eq!(asked(&Members::read(None), &TELLING), "");
    }
}
