//! What tools are for, as far as no single harness decides it: the person's settings, and verbs in names of MCP tools.
//! Each harness's own tools stand in its folder; what a shell command does stays out.

use std::borrow::Cow;

use proofmark_protocol::settings::ToolEffect;

use super::ToolSettings;
use super::json::Members;
use crate::session::ToolKind;
use crate::text::redact;

/// Names of tools by what the tools are for.
pub(crate) type Table<'a> = [(ToolKind, &'a [&'a str])];

/// So much of what a call was asked is kept, in characters.
const ASKED: usize = 400;

/// So much of the beginning of what a call showed is kept, in bytes: what could not start says so there.
const HEAD: usize = 32 * 1024;
/// So much of its end, in bytes: runners put their summaries there.
const TAIL: usize = 96 * 1024;
/// Members of an input that name the file which a tool changes.
const CHANGED: [&str; 8] = [
    "file_path",
    "notebook_path",
    "path",
    "filePath",
    "relative_path",
    "file",
    "source",
    "destination",
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

/// What the person's settings say that a tool is for.
pub(crate) fn by_settings(tool: &str, settings: &ToolSettings<'_>) -> Option<ToolKind> {
    Some(match settings(tool)? {
        ToolEffect::Observes => ToolKind::Observes,
        ToolEffect::Mutates => ToolKind::Mutates,
        ToolEffect::Neither => ToolKind::Neither,
    })
}

/// What a tool is for by its name: as the table says, else by an MCP tool's verb, else unknown.
pub(crate) fn by_name(table: &Table<'_>, tool: &str) -> ToolKind {
    named(table, tool)
        .or_else(|| by_verb(tool.strip_prefix("mcp__")?.split_once("__")?.1))
        .unwrap_or(ToolKind::Unknown)
}

fn named(table: &Table<'_>, name: &str) -> Option<ToolKind> {
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

/// What was asked, in short: the most telling member, a pattern with its path; the whole input when none is known.
/// `telling` names the members, the most telling first.
pub(crate) fn asked(input: &Members<'_>, telling: &[&str]) -> String {
    let Some((name, text)) = telling.iter().find_map(|name| Some((*name, input.text(name)?))) else {
        return brief(input.whole());
    };
    match input.text("path") {
        Some(path) if name == "pattern" => brief(&format!("{text} {path}")),
        _ => brief(&text),
    }
}

/// A text that was asked, in short and without what looks like a secret.
pub(crate) fn brief(text: &str) -> String {
    // A secret at the end is known by what is behind it too.
    let beginning = &text[..text.floor_char_boundary(8 * ASKED)];
    cut(&redact(beginning), ASKED)
}

/// The beginning of a text, at most `len` characters.
pub(crate) fn cut(text: &str, len: usize) -> String {
    let end = text.char_indices().nth(len).map_or(text.len(), |(at, _)| at);
    text[..end].to_owned()
}

/// What a call showed: all of it, or its beginning and its end, whole lines with a line between them that says how much
/// is left out.
pub(crate) fn shown(text: Cow<'_, str>) -> String {
    if text.len() <= HEAD + TAIL {
        return text.into_owned();
    }
    let head = &text[..text.floor_char_boundary(HEAD)];
    let head = head.rfind('\n').map_or(head, |end| &head[..end]);
    // The rest of a line that was cut could pass for a summary that nobody printed.
    let tail = &text[text.ceil_char_boundary(text.len() - TAIL)..];
    let tail = tail.split_once('\n').map_or("", |(_, whole)| whole);
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n[{left_out} bytes of the output are left out here]\n{tail}")
}

/// The files that a tool of this kind is to change, by the members of its input that name one.
pub(crate) fn changed(kind: &ToolKind, input: &Members<'_>) -> Vec<String> {
    if *kind != ToolKind::Mutates {
        return Vec::new();
    }
    CHANGED.iter().filter_map(|name| input.text(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(by_name(&[], tool), expected, "{tool}");
        }
    }

    #[test]
    fn of_a_long_output_both_ends_are_kept_in_whole_lines() {
        let long: String = (0..40_000).map(|n| format!("line {n}\n")).collect();
        let kept = shown(Cow::Borrowed(&long));
        assert!(kept.len() <= HEAD + TAIL + 100, "{}", kept.len());
        assert!(kept.starts_with("line 0\nline 1\n") && kept.ends_with("line 39999\n"));
        let (head, rest) = kept.split_once("\n[").unwrap();
        let (note, tail) = rest.split_once("]\n").unwrap();
        assert!(long.contains(&format!("{head}\n")) && long.contains(&format!("\n{tail}")));
        let left_out = long.len() - head.len() - tail.len();
        assert_eq!(note, format!("{left_out} bytes of the output are left out here"));
        // A line without an end is cut, and what is left of it passes for no line of its own.
        let endless = "é".repeat(HEAD + TAIL);
        assert!(shown(Cow::Borrowed(&endless)).ends_with(" bytes of the output are left out here]\n"));
        for text in ["", "a", &"a\n".repeat((HEAD + TAIL) / 2)] {
            assert_eq!(shown(Cow::Borrowed(text)), text);
        }
    }

    #[test]
    fn a_tool_names_the_files_that_it_changes() {
        let cases = [
            (ToolKind::Mutates, r#"{"file_path":"a","content":"b"}"#, vec!["a"]),
            (ToolKind::Mutates, r#"{"notebook_path":"a"}"#, vec!["a"]),
            (ToolKind::Mutates, r#"{"source":"a","destination":"b"}"#, vec!["a", "b"]),
            (ToolKind::Mutates, r#"{"title":"a","path":7}"#, vec![]),
            (ToolKind::Observes, r#"{"path":"a"}"#, vec![]),
            (ToolKind::Unknown, r#"{"path":"a"}"#, vec![]),
        ];
        for (kind, input, expected) in cases {
            assert_eq!(changed(&kind, &Members::parse(input)), expected, "{kind:?} {input}");
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(brief(&"é".repeat(500)), "é".repeat(400));
        assert_eq!(brief("a"), "a");
        let long = format!("{} ghp_FAKEfake0123456789FAKEfake0123456789", "é".repeat(390));
        assert_eq!(brief(&long), format!("{} [redacted", "é".repeat(390)));
    }
}
