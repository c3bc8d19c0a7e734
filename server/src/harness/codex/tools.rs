//! Codex's tools: what each is for, which of them run a shell command, and what that command is.
//! What a shell command does stays out.

use serde_json::value::RawValue;

use crate::evidence::shell::patch;
use crate::harness::json::{Members, Text, look};
use crate::harness::tools::{Table, asked, brief, by_name, by_settings, changed};
use crate::harness::{Announced, ToolSettings};
use crate::session::ToolKind;

/// The tool that runs a command, and goes on in the background when that takes long.
pub(super) const EXEC: &str = "exec_command";
/// The tool that looks at such a command, or types into it.
pub(super) const WRITE: &str = "write_stdin";
/// The tool that patches files.
pub(super) const PATCH: &str = "apply_patch";
/// The tool that runs a script, in code mode.
pub(super) const CODE: &str = "exec";
/// The tool that looks at a script that goes on.
pub(super) const WAIT: &str = "wait";
/// The hosted search.
pub(super) const SEARCH: &str = "web_search";

/// What hooks call every tool that runs a command, a script's calls included.
const HOOKED_SHELL: &str = "Bash";

/// Tools that run a shell command, those of clients before about 0.100 included.
const SHELL: [&str; 5] = [EXEC, "shell", "shell_command", "local_shell", "container.exec"];

/// The other tools that come with Codex, up to 0.171.0. What is not here is unknown: `js` drives a browser.
const TOOLS: &Table<'static> = &[
    (
        ToolKind::Observes,
        &[
            "grep_files",
            "list_dir",
            "list_mcp_resource_templates",
            "list_mcp_resources",
            "read_file",
            "read_mcp_resource",
            "view_image",
            "web_search",
        ],
    ),
    (ToolKind::Mutates, &["apply_patch"]),
    (
        ToolKind::Delegates,
        &[
            "followup_task",
            "resume_agent",
            "send_input",
            "spawn_agent",
            "wait_agent",
        ],
    ),
    (ToolKind::Asks, &["request_permissions", "request_user_input"]),
    (
        ToolKind::Neither,
        &[
            "close_agent",
            "create_goal",
            "get_goal",
            "interrupt_agent",
            "list_agents",
            "send_message",
            "tool_search",
            "update_goal",
            "update_plan",
            "wait",
        ],
    ),
];

/// The members of an input that say what was asked, the most telling first.
pub(super) const TELLING: [&str; 13] = [
    "cmd",
    "command",
    "path",
    "file_path",
    "pattern",
    "url",
    "uri",
    "query",
    "session_id",
    "target",
    "message",
    "objective",
    "explanation",
];

/// What a call is that `PreToolUse` announces (0.171.0): a command and a patch stand in `command` both.
pub(super) fn announced(tool: &str, input: Option<&RawValue>, settings: &ToolSettings<'_>) -> Announced {
    let input = Members::read(input);
    let given = command(&input);
    match &given {
        Some(line) if tool == HOOKED_SHELL || is_shell(tool) => Announced {
            kind: shell(tool, line, settings),
            input: brief(line),
            changes: Vec::new(),
        },
        Some(patch) if tool == PATCH => {
            let changes = patch::files(patch);
            Announced {
                kind: kind(PATCH, settings),
                input: brief(&patched(patch, &changes)),
                changes,
            }
        }
        _ => {
            let kind = kind(tool, settings);
            let changes = changed(&kind, &input);
            Announced {
                kind,
                input: asked(&input, &TELLING),
                changes,
            }
        }
    }
}

/// What a tool other than a shell is for: as the person's settings say, else by its name.
pub(super) fn kind(tool: &str, settings: &ToolSettings<'_>) -> ToolKind {
    by_settings(tool, settings).unwrap_or_else(|| by_name(TOOLS, tool))
}

/// What a shell tool with this command is for.
pub(super) fn shell(tool: &str, command: &str, settings: &ToolSettings<'_>) -> ToolKind {
    by_settings(tool, settings).unwrap_or_else(|| ToolKind::shell(command))
}

/// What the tool is for that looks at a running command: what is typed into one may do anything.
pub(super) fn write(typed: bool, settings: &ToolSettings<'_>) -> ToolKind {
    let kind = if typed { ToolKind::Unknown } else { ToolKind::Observes };
    by_settings(WRITE, settings).unwrap_or(kind)
}

/// What a script is for. What it asks for is told by calls of its own, where all of that can be seen.
pub(super) fn script(plain: bool, settings: &ToolSettings<'_>) -> ToolKind {
    let kind = if plain { ToolKind::Neither } else { ToolKind::Unknown };
    by_settings(CODE, settings).unwrap_or(kind)
}

/// True for a tool that runs a shell command.
pub(super) fn is_shell(tool: &str) -> bool {
    SHELL.contains(&tool)
}

/// The command in a shell tool's input: `cmd`, or `command` as a text or as a list of arguments.
pub(super) fn command(input: &Members<'_>) -> Option<String> {
    let text = input.text("cmd").or_else(|| input.text("command"));
    text.or_else(|| arguments(&input.list("command")))
}

/// A list of arguments as a command line. A shell that is handed one (`bash -lc "..."`) is taken off.
pub(super) fn arguments(list: &[&RawValue]) -> Option<String> {
    let words: Vec<String> = list
        .iter()
        .map(|word| look::<Option<Text<'_>>>(Some(word)).map(|text| text.0.into_owned()))
        .collect::<Option<_>>()?;
    if let [shell, option, line] = &words[..]
        && is_a_shell(shell)
        && matches!(option.as_str(), "-c" | "-lc" | "-ic" | "-Command")
    {
        return Some(line.clone());
    }
    let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

fn is_a_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    matches!(
        name,
        "bash" | "zsh" | "sh" | "dash" | "ksh" | "fish" | "pwsh" | "powershell"
    )
}

/// A word as a shell reads it back: quoted unless it is harmless.
fn quoted(word: &str) -> String {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(harmless) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The files that a patch is about, in short; the patch itself when it names none.
pub(super) fn patched(patch: &str, files: &[String]) -> String {
    if files.is_empty() {
        patch.to_owned()
    } else {
        files.iter().take(16).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// A tool's whole name: that of an MCP tool stands in two members (`mcp__git` and `get_issue`, 0.171.0).
pub(super) fn name(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(server) if server.starts_with("mcp__") && !name.starts_with("mcp__") => format!("{server}__{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::settings::ToolEffect;

    use super::*;

    #[test]
    fn a_tool_is_known_by_its_name() {
        for (tool, expected) in [
            ("apply_patch", ToolKind::Mutates),
            ("update_plan", ToolKind::Neither),
            ("view_image", ToolKind::Observes),
            ("web_search", ToolKind::Observes),
            ("spawn_agent", ToolKind::Delegates),
            ("wait_agent", ToolKind::Delegates),
            ("request_user_input", ToolKind::Asks),
            ("js", ToolKind::Unknown),
            ("no_such_tool", ToolKind::Unknown),
            ("mcp__git__get_issue", ToolKind::Observes),
            ("mcp__git__create_issue", ToolKind::Mutates),
        ] {
            assert_eq!(kind(tool, &|_| None), expected, "{tool}");
        }
        assert_eq!(name(Some("mcp__git"), "get_issue"), "mcp__git__get_issue");
        assert_eq!(name(Some("collaboration"), "spawn_agent"), "spawn_agent");
        assert_eq!(name(None, "mcp__git__get_issue"), "mcp__git__get_issue");
    }

    #[test]
    fn the_persons_setting_comes_first() {
        let settings = |tool: &str| (tool != "x").then_some(ToolEffect::Mutates);
        for kind in [
            kind("view_image", &settings),
            shell(EXEC, "ls", &settings),
            write(false, &settings),
            script(true, &settings),
        ] {
            assert_eq!(kind, ToolKind::Mutates);
        }
    }

    #[test]
    fn a_call_is_known_when_it_is_announced() {
        let shell = |command: &str| ToolKind::Shell {
            command: command.to_owned(),
        };
        let patch = r#"{"command":"*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch"}"#;
        for (tool, input, kind, short, changes) in [
            ("Bash", r#"{"command":"ls -l"}"#, shell("ls -l"), "ls -l", 0),
            ("Bash", "{}", ToolKind::Unknown, "{}", 0),
            ("apply_patch", patch, ToolKind::Mutates, "a.rs", 1),
            ("view_image", r#"{"path":"a.png"}"#, ToolKind::Observes, "a.png", 0),
            ("spawn_agent", r#"{"message":"go"}"#, ToolKind::Delegates, "go", 0),
            ("mcp__git__create_issue", "{}", ToolKind::Mutates, "{}", 0),
        ] {
            let raw: &RawValue = serde_json::from_str(input).unwrap();
            let announced = announced(tool, Some(raw), &|_| None);
            assert_eq!(
                (announced.kind, announced.input.as_str(), announced.changes.len()),
                (kind, short, changes),
                "{tool} {input}"
            );
        }
    }

    #[test]
    fn a_command_is_read_as_a_shell_would() {
        for (input, expected) in [
            (r#"{"cmd":"ls -l","workdir":"/p"}"#, Some("ls -l")),
            (r#"{"command":"ls"}"#, Some("ls")),
            (r#"{"command":["bash","-lc","cd a && ls"]}"#, Some("cd a && ls")),
            (r#"{"command":["/usr/bin/zsh","-c","ls"]}"#, Some("ls")),
            (r#"{"command":["C:\\pwsh.exe","-Command","dir"]}"#, Some("dir")),
            (r#"{"command":["bash","-x","a.sh"]}"#, Some("bash -x a.sh")),
            (
                r#"{"command":["rm","-rf","a b;$(c)","it's",""]}"#,
                Some(r"rm -rf 'a b;$(c)' 'it'\''s' ''"),
            ),
            (
                r#"{"command":["apply_patch","*** Begin Patch\n"]}"#,
                Some("apply_patch '*** Begin Patch\n'"),
            ),
            (r#"{"command":[]}"#, None),
            (r#"{"command":["a",7]}"#, None),
            (r#"{"cmd":7}"#, None),
            ("[]", None),
        ] {
            let raw: &RawValue = serde_json::from_str(input).unwrap();
            assert_eq!(command(&Members::read(Some(raw))).as_deref(), expected, "{input}");
        }
    }
}
