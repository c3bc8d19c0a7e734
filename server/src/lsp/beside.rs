//! What is shown beside a diagnostic: a hover with where it comes from, and a lens over a stale verdict.
//! Diagnostics themselves, and what can be done about them, stay out.

use serde_json::json;
use tower_lsp::ls_types::{
    CodeLens, Diagnostic, Hover, HoverContents, MarkupContent, MarkupKind, NumberOrString, Position, Range, Uri,
};

use super::actions;
use super::editor::{Editor, has_lens};
use crate::text::quote;

/// Findings in one hover at most.
const MAX_HOVER: usize = 10;
/// The longest name of a session in a hover, in characters.
const MAX_SESSION: usize = 80;

/// The hover at a position: of each finding there its code, session and turn, and the check's command.
pub(super) fn hover(editor: &Editor, uri: &Uri, position: Position) -> Option<Hover> {
    let markdown = editor.setup().markdown;
    let there = editor.at(uri, Range::new(position, position));
    let told: Vec<String> = there
        .iter()
        .filter_map(|one| about(one, markdown))
        .take(MAX_HOVER)
        .collect();
    if told.is_empty() {
        return None;
    }
    let kind = if markdown {
        MarkupKind::Markdown
    } else {
        MarkupKind::PlainText
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind,
            value: told.join("\n\n"),
        }),
        range: there.first().map(|one| one.range),
    })
}

fn about(diagnostic: &Diagnostic, markdown: bool) -> Option<String> {
    let data = diagnostic.data.as_ref()?;
    let Some(NumberOrString::String(code)) = &diagnostic.code else {
        return None;
    };
    let shown = |text: &str| if markdown { span(text) } else { text.to_owned() };
    let code = if markdown { format!("**{code}**") } else { code.clone() };
    let session = shown(&quote(data.get("session")?.as_str()?, MAX_SESSION));
    let turn = data.get("turn")?;
    let command = data.get("command").and_then(|command| command.as_str());
    let check = command.map_or_else(String::new, |command| format!("; the check: {}", shown(command)));
    Some(format!("{code}, session {session}, turn {turn}{check}"))
}

/// A text as a code span of Markdown: its fence is longer than any within.
fn span(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // The blanks keep a backtick at either end apart from the fence, and are not shown.
    if longest > 0 {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// The lenses of a file: one over each stale verdict, where the person wants them.
pub(super) fn lenses(editor: &Editor, uri: &Uri) -> Vec<CodeLens> {
    let setup = editor.setup();
    if !setup.options.code_lens {
        return Vec::new();
    }
    let lens = |diagnostic: &Diagnostic| {
        let data = diagnostic.data.as_ref()?;
        let target = json!({ "id": data.get("id")?, "session": data.get("session")? });
        let (what, command) = if setup.shows_documents {
            ("open the session's document", actions::OPEN_DOCUMENT)
        } else {
            ("copy as prompt", actions::COPY)
        };
        let title = format!("stale verdict of turn {}: {what}", data.get("turn")?);
        Some(CodeLens {
            range: diagnostic.range,
            command: Some(actions::with_title(&title, command, target)),
            data: None,
        })
    };
    editor.of_file(uri).iter().filter(has_lens).filter_map(lens).collect()
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::findings::EditorOptions;

    use super::*;

    fn diagnostic(code: &str, command: Option<&str>) -> Diagnostic {
        Diagnostic {
            code: Some(NumberOrString::String(code.to_owned())),
            data: Some(json!({ "id": "finding:1", "session": "4c25`2179", "turn": 7, "command": command })),
            ..Diagnostic::default()
        }
    }

    #[test]
    fn a_hover_says_where_a_finding_comes_from_and_shows_a_command_as_it_is() {
        for (command, markdown, expected) in [
            (None, false, "stale-verdict, session 4c25`2179, turn 7"),
            (
                Some("npm  test"),
                false,
                "stale-verdict, session 4c25`2179, turn 7; the check: npm  test",
            ),
            (None, true, "**stale-verdict**, session `` 4c25`2179 ``, turn 7"),
            (
                Some("a *b* [c](d)"),
                true,
                "**stale-verdict**, session `` 4c25`2179 ``, turn 7; the check: `a *b* [c](d)`",
            ),
            (
                Some("``x` ```"),
                true,
                "**stale-verdict**, session `` 4c25`2179 ``, turn 7; the check: ```` ``x` ``` ````",
            ),
        ] {
            let told = about(&diagnostic("stale-verdict", command), markdown);
            assert_eq!(told.as_deref(), Some(expected), "{command:?}");
        }
        let more = Diagnostic::default();
        assert_eq!(about(&more, true), None, "one that only says how many more there are");
    }

    #[test]
    fn a_lens_stands_over_a_stale_verdict_alone_and_a_refresh_is_asked_for_when_one_comes_or_goes() {
        let editor = Editor::new("/state".into());
        let uri: Uri = "file:///a.py".parse().unwrap();
        let told = |codes: &[&str]| {
            let shown = codes.iter().map(|code| diagnostic(code, None)).collect();
            editor.told((uri.clone(), shown))
        };
        assert!(!told(&["untried-claim"]) && !told(&[]));
        assert!(told(&["untried-claim", "stale-verdict"]) && !told(&["stale-verdict"]));
        for (lenses, shows_documents, expected) in [
            (false, true, None),
            (true, true, Some(actions::OPEN_DOCUMENT)),
            (true, false, Some(actions::COPY)),
        ] {
            editor.set_up(super::super::editor::Setup {
                options: EditorOptions {
                    code_lens: lenses,
                    ..EditorOptions::default()
                },
                shows_documents,
                ..Default::default()
            });
            let commands: Vec<String> = self::lenses(&editor, &uri)
                .into_iter()
                .filter_map(|lens| Some(lens.command?.command))
                .collect();
            assert_eq!(
                commands,
                Vec::from_iter(expected.map(str::to_owned)),
                "{lenses} {shows_documents}"
            );
        }
        assert!(told(&["untried-claim"]) && self::lenses(&editor, &uri).is_empty());
    }
}
