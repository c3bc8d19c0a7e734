//! What the event of an ended call shows: how it ended, its exit code, and of a check's output what its verdict rests on.
//! Which events there are is the hook's business; joining them with the transcript is the core's.

use proofmark_protocol::event::{Ended, PostToolUseParams};
use serde_json::value::RawValue;

use super::tools::Asked;
use crate::evidence::check;
use crate::evidence::verdict::{Outcome, excerpt};
use crate::harness::json::{Members, Text, look};
use crate::harness::tools::cut;
use crate::harness::{Shown, ToolSettings};
use crate::session::observed::SeenCall;
use crate::session::{Ending, ToolKind};

/// So much of what a call showed is kept while the server runs, in characters.
const OUTPUT: usize = 500;

/// See [`HarnessSpec::observed`](crate::harness::HarnessSpec::observed).
pub(super) fn observed(params: &PostToolUseParams, settings: &ToolSettings<'_>) -> Shown {
    let asked = Asked::of(&params.call.tool, params.call.input.as_deref(), settings);
    // An event that tells no id brings a command's output bare, whatever it looks like.
    let bare = params.call.id.is_none() && matches!(asked.kind, ToolKind::Shell { .. });
    let output = Output::read(params.output.as_deref(), bare);
    let ending = ending(params.ended, &output, asked.background);
    let kept = kept(&asked.kind, ending, &output);
    let call = SeenCall {
        id: params.call.id.clone(),
        tool: asked.tool,
        kind: asked.kind,
        input: asked.input,
        changes: asked.changes,
        cwd: params.at.cwd.clone(),
        // An output that can't be kept in a few lines would be read as another one later.
        ending: kept.is_some().then_some(ending),
        exit: output.exit,
        quote: kept.unwrap_or_default(),
    };
    Shown {
        call,
        output: cut(&output.text, OUTPUT),
    }
}

fn ending(ended: Ended, output: &Output, background: bool) -> Ending {
    let failed = output.error == Some(true) || output.exit.is_some_and(|code| code != 0);
    match ended {
        Ended::Succeeded | Ended::Ran if background => Ending::Background,
        Ended::Succeeded | Ended::Ran if failed => Ending::Failed,
        Ended::Ran if output.exit.is_none() && output.error.is_none() => Ending::Untold,
        Ended::Succeeded | Ended::Ran => Ending::Succeeded,
        Ended::Failed => Ending::Failed,
        Ended::Denied => Ending::Denied,
        Ended::TimedOut | Ended::Interrupted => Ending::Interrupted,
    }
}

/// What is kept of an output for good: of a check's the lines that its verdict rests on. None where they are too many.
fn kept(kind: &ToolKind, ending: Ending, output: &Output) -> Option<String> {
    let error = match ending {
        Ending::Succeeded => Some(false),
        // As on the board: a failure without a code may be one of Cursor's own.
        Ending::Failed => output.exit.map(|_| true),
        Ending::Untold => None,
        Ending::Denied | Ending::Interrupted | Ending::Background => return Some(String::new()),
    };
    let ToolKind::Shell { command } = kind else {
        return Some(String::new());
    };
    let runs = check::runs(command).unwrap_or_default();
    if runs.is_empty() {
        return Some(String::new());
    }
    let exit = output.exit;
    excerpt(&runs, &Outcome { exit, error }, &output.text)
}

/// What a call showed.
#[derive(Debug, Default, PartialEq)]
struct Output {
    text: String,
    exit: Option<i32>,
    error: Option<bool>,
}

impl Output {
    /// In all the forms that were met: a text, an object, an object as JSON in a text; `exitCode` or `exit_code` with
    /// `output`, or with `stdout` and `stderr`; an MCP result's list of contents (documentation of 2026, and payloads of
    /// 3.12 to 3.21).
    fn read(raw: Option<&RawValue>, bare: bool) -> Self {
        let text: Option<Text<'_>> = look(raw);
        let (members, whole) = match &text {
            Some(text) if bare => (Members::parse("null"), text.0.as_ref()),
            Some(text) => (Members::parse(&text.0), text.0.as_ref()),
            None => (Members::read(raw), raw.map_or("", RawValue::get)),
        };
        let exit = members.number("exitCode").or_else(|| members.number("exit_code"));
        let streams: Vec<String> = ["output", "stdout", "stderr"]
            .iter()
            .filter_map(|name| members.text(name))
            .collect();
        let contents: Vec<String> = members
            .list("content")
            .into_iter()
            .filter_map(|content| Members::read(Some(content)).text("text"))
            .collect();
        let text = match (streams.is_empty(), contents.is_empty()) {
            (false, _) => streams.join("\n"),
            (true, false) => contents.join("\n"),
            (true, true) if exit.is_some() => String::new(),
            (true, true) => whole.to_owned(),
        };
        Self {
            text,
            exit: exit.and_then(|code| i32::try_from(code).ok()),
            error: look(members.raw("isError")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(call: Value, ended: &str, output: Value) -> Shown {
        let params = json!({"harness": "cursor", "session": "s", "call": call, "ended": ended, "output": output});
        observed(&serde_json::from_str(&params.to_string()).unwrap(), &|_| None)
    }

    #[test]
    fn every_form_of_an_output_is_read() {
        let tests = || json!({"id": "t", "tool": "Shell", "input": {"command": "cargo test"}});
        let bare = || json!({"tool": "Shell", "input": {"command": "cargo test"}});
        let issues = || json!({"tool": "MCP:list_issues", "input": {}});
        let ok = "test result: ok. 3 passed; 0 failed; 0 ignored";
        let bad = "test result: FAILED. 2 passed; 1 failed; 0 ignored";
        let text = |value: Value| Value::from(value.to_string());
        let cases = [
            (
                tests(),
                "succeeded",
                text(json!({"output": ok, "exitCode": 0})),
                Ending::Succeeded,
                Some(0),
                ok,
            ),
            (
                tests(),
                "succeeded",
                text(json!({"stdout": ok, "stderr": "", "exit_code": 0})),
                Ending::Succeeded,
                Some(0),
                ok,
            ),
            (
                tests(),
                "succeeded",
                json!({"output": ok, "exitCode": 0}),
                Ending::Succeeded,
                Some(0),
                ok,
            ),
            (
                tests(),
                "succeeded",
                text(json!({"output": bad, "exitCode": 101})),
                Ending::Failed,
                Some(101),
                bad,
            ),
            (tests(), "succeeded", json!(ok), Ending::Succeeded, None, ok),
            (tests(), "failed", json!(bad), Ending::Failed, None, bad),
            (
                bare(),
                "ran",
                json!(format!("x\r\n{bad}\r\n")),
                Ending::Untold,
                None,
                bad,
            ),
            (bare(), "ran", text(json!({"exitCode": 0})), Ending::Untold, None, ""),
            (tests(), "denied", json!("rejected"), Ending::Denied, None, ""),
            (tests(), "timed-out", json!("30s"), Ending::Interrupted, None, ""),
            (
                tests(),
                "interrupted",
                json!("Interrupted"),
                Ending::Interrupted,
                None,
                "",
            ),
            (
                issues(),
                "ran",
                text(json!({"content": [{"type": "text", "text": "2 open"}], "isError": false})),
                Ending::Succeeded,
                None,
                "",
            ),
            (
                issues(),
                "ran",
                text(json!({"content": [], "isError": true})),
                Ending::Failed,
                None,
                "",
            ),
            (issues(), "ran", Value::Null, Ending::Untold, None, ""),
        ];
        for (call, ended, output, ending, exit, quote) in cases {
            let shown = shown(call, ended, output.clone());
            assert_eq!(
                (shown.call.ending, shown.call.exit),
                (Some(ending), exit),
                "{ended} {output}"
            );
            assert_eq!(shown.call.quote, quote, "{ended} {output}");
        }
    }

    #[test]
    fn what_is_no_check_leaves_no_output_behind() {
        let call = json!({"id": "t", "tool": "Shell", "input": {"command": "cat .env"}});
        let shown = shown(call, "succeeded", json!({"output": "TOKEN=hunter2", "exitCode": 0}));
        assert_eq!(
            (shown.call.quote.as_str(), shown.output.as_str()),
            ("", "TOKEN=hunter2")
        );
        let stored = serde_json::to_string(&shown.call).unwrap();
        assert!(!stored.contains("hunter2"), "{stored}");
    }

    #[test]
    fn a_check_whose_output_is_too_long_to_keep_has_no_known_end() {
        let call = json!({"id": "t", "tool": "Shell", "input": {"command": "cargo test; cat notes"}});
        let output = format!(
            "test result: ok. 1 passed; 0 failed; 0 ignored\n{}",
            "n\n".repeat(2_000)
        );
        assert_eq!(
            shown(call, "succeeded", json!({"output": output, "exitCode": 0}))
                .call
                .ending,
            None
        );
    }
}
