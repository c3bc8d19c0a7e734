//! One row for each harness: the events of a self-test, how their refusal has to look, and what else only it can tell.
//! Settings files, and how a hook is started, stay out.

mod claude_code;
mod codex;
mod cursor;

use std::path::Path;

use proofmark_protocol::Harness;
use serde_json::{Map, Value};

use crate::child::{Finished, Trouble};

/// What the doctor knows about one harness.
pub(crate) struct Row {
    /// Which one.
    harness: Harness,
    /// Events that the server refuses in a self-test.
    pub(crate) rehearsals: [Rehearsal; 2],
    /// Asks the harness's own program which hooks it knows; none where it can't be asked.
    pub(crate) listed: Option<Ask>,
    /// Another harness whose hooks it runs as well.
    pub(crate) also_runs: Option<Harness>,
}

/// Asks a harness's program which hooks it knows.
type Ask = fn(program: &Path) -> Result<Vec<Listed>, Trouble>;

/// An event of a self-test.
pub(crate) struct Rehearsal {
    /// What it is, in words for people.
    pub(crate) what: &'static str,
    /// The payload that the harness would send in a session of this name.
    pub(crate) payload: fn(session: &str) -> Value,
    /// Why an answer would not hold the event up; none where the harness takes it as a refusal.
    pub(crate) fault: fn(&Finished) -> Option<String>,
}

/// A hook as its harness lists it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// What the harness knows it by.
    pub(crate) key: String,
    /// What it says of it.
    pub(crate) status: String,
    /// Whether it runs.
    pub(crate) runs: bool,
}

static ROWS: [&Row; 3] = [&claude_code::ROW, &codex::ROW, &cursor::ROW];

/// The row of a harness.
pub(crate) fn row(harness: Harness) -> &'static Row {
    ROWS.into_iter().find(|row| row.harness == harness).unwrap_or(ROWS[0])
}

/// The one JSON object that an answer is.
fn object(answer: &Finished) -> Option<Map<String, Value>> {
    serde_json::from_slice(&answer.stdout).ok()
}

/// A text that is not empty.
fn is_said(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}

/// True for an answer by exit code, with the reason on stderr and nothing beside it.
fn by_exit_code(answer: &Finished) -> bool {
    answer.code == Some(2) && !answer.stderr.is_empty() && answer.stdout.is_empty()
}

/// What an answer says, for people: its exit code and the beginning of its words.
fn told(answer: &Finished) -> String {
    let said = [&answer.stdout, &answer.stderr].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
    let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
    let said: String = said.join(" / ").chars().take(300).collect();
    match (answer.code, said.is_empty()) {
        (Some(0), true) => "it said nothing, and so let it pass".to_owned(),
        (Some(0), false) => format!("it said: {said}"),
        (Some(127), true) => "its program was not found".to_owned(),
        (Some(code), true) => format!("it ended with exit code {code}"),
        (Some(code), false) => format!("it ended with exit code {code} and said: {said}"),
        (None, _) => format!("it was killed by a signal {said}").trim_end().to_owned(),
    }
}

/// Whether an object has these members and no others.
fn only(object: &Map<String, Value>, known: &[&str]) -> bool {
    object.keys().all(|name| known.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn answer(code: i32, stdout: &str, stderr: &str) -> Finished {
        Finished {
            code: Some(code),
            stdout: stdout.into(),
            stderr: stderr.into(),
            took: Duration::ZERO,
        }
    }

    #[test]
    fn only_what_a_harness_takes_as_a_refusal_is_one() {
        let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
        let block = r#"{"decision":"block","reason":"no"}"#;
        let spoilt = |text: &str, what: &str, with: &str| text.replacen(what, with, 1);
        let [claude, codex, cursor] = Harness::ALL;
        let cases = [
            (claude, 0, true, answer(2, "", "no\n")),
            (claude, 0, true, answer(0, deny, "")),
            (claude, 0, false, answer(2, "", "")),
            (claude, 0, false, answer(2, "{}", "no")),
            (claude, 0, false, answer(0, "", "")),
            (claude, 0, false, answer(1, "", "no")),
            (claude, 0, false, answer(0, &spoilt(deny, "PreToolUse", "Stop"), "")),
            (claude, 0, false, answer(0, &format!("log\n{deny}"), "")),
            (claude, 0, false, answer(0, block, "")),
            (claude, 1, true, answer(2, "", "no")),
            (claude, 1, true, answer(0, block, "")),
            (claude, 1, false, answer(0, deny, "")),
            (claude, 1, false, answer(0, r#"{"systemMessage":"late"}"#, "")),
            (codex, 0, true, answer(0, deny, "")),
            (codex, 0, true, answer(2, "", "no")),
            (
                codex,
                0,
                false,
                answer(0, &spoilt(deny, "{\"hook", "{\"more\":1,\"hook"), ""),
            ),
            (codex, 0, false, answer(0, &spoilt(deny, "\"no\"", "\"\""), "")),
            (codex, 1, true, answer(0, block, "")),
            (
                codex,
                1,
                false,
                answer(0, &spoilt(block, "{", "{\"hookSpecificOutput\":{},"), ""),
            ),
            (codex, 1, false, answer(0, "", "")),
            (
                cursor,
                0,
                true,
                answer(
                    0,
                    r#"{"permission":"deny","user_message":"no","agent_message":"no"}"#,
                    "",
                ),
            ),
            (cursor, 0, false, answer(0, r#"{"permission":"allow"}"#, "")),
            (cursor, 0, false, answer(0, r#"{"permission":"deny"}"#, "")),
            (cursor, 0, false, answer(2, "", "no")),
            (cursor, 1, true, answer(0, r#"{"followup_message":"no"}"#, "")),
            (cursor, 1, false, answer(2, r#"{"followup_message":"no"}"#, "")),
            (cursor, 1, false, answer(0, "{}", "")),
        ];
        for (harness, event, refuses, answer) in cases {
            let fault = (row(harness).rehearsals[event].fault)(&answer);
            assert_eq!(fault.is_none(), refuses, "{harness} {event} {answer:?}: {fault:?}");
        }
    }

    #[test]
    fn every_harness_has_its_row_and_its_payloads_name_the_session() {
        for harness in Harness::ALL {
            assert_eq!(row(harness).harness, harness);
            for rehearsal in &row(harness).rehearsals {
                assert!(
                    (rehearsal.payload)("the-session")
                        .to_string()
                        .contains("\"the-session\"")
                );
            }
        }
    }
}
