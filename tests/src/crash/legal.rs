//! What each harness takes for an answer of the hook: exit code, streams, members; anything else is no answer.
//! Whether the answer is the right one stays out.

use proofmark_protocol::Harness;
use serde_json::{Map, Value};

use crate::process::Finished;

/// What the hook says when an event passed because of Proofmark's own trouble.
const UNCHECKED: &str = "Proofmark did not check this";

/// A legal answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// The agent is sent back, or its call does not run.
    pub(crate) refused: bool,
    /// What the agent reads.
    pub(crate) agent: String,
    /// What the person reads.
    pub(crate) person: String,
    /// The hook said that it could not have the event checked.
    pub(crate) unchecked: bool,
}

/// What a finished hook said.
///
/// # Errors
/// What is wrong with its answer: the harness would throw it away, or take it for something else.
pub(crate) fn told(harness: Harness, event: &str, done: &Finished) -> Result<Told, String> {
    let read = match harness {
        Harness::ClaudeCode => claude_code(event, done),
        Harness::Codex => codex(event, done),
        Harness::Cursor => cursor(event, done),
    };
    let mut told = read.map_err(|why| format!("{}: {event}: {why}: {done:?}", harness.as_str()))?;
    told.unchecked = told.person.contains(UNCHECKED);
    Ok(told)
}

fn claude_code(event: &str, done: &Finished) -> Result<Told, String> {
    if done.code == Some(2) {
        holds(is_stop(event), "only a stop may end with exit code 2")?;
        holds(
            done.stdout.is_empty(),
            "stdout beside exit code 2 is read in place of stderr",
        )?;
        holds(!done.stderr.trim().is_empty(), "no reason")?;
        return Ok(Told {
            refused: true,
            agent: done.stderr.clone(),
            ..Told::default()
        });
    }
    let Some(answer) = silent_or_object(done)? else {
        return Ok(Told::default());
    };
    only(&answer, &["hookSpecificOutput", "systemMessage"])?;
    specific(event, &answer)
}

fn codex(event: &str, done: &Finished) -> Result<Told, String> {
    let Some(answer) = silent_or_object(done)? else {
        return Ok(Told::default());
    };
    only(&answer, &["decision", "reason", "hookSpecificOutput", "systemMessage"])?;
    let mut told = specific(event, &answer)?;
    if let Some(decision) = answer.get("decision") {
        holds(is_stop(event) && decision == "block", "no such decision here")?;
        told.agent = text(&answer, "reason")?;
        holds(!told.agent.is_empty(), "a block without a reason")?;
        told.refused = true;
    }
    Ok(told)
}

fn cursor(event: &str, done: &Finished) -> Result<Told, String> {
    let (prompt, gate, start) = (
        event == "beforeSubmitPrompt",
        matches!(event, "preToolUse" | "beforeShellExecution"),
        event == "sessionStart",
    );
    holds(done.code == Some(0), "the exit code is not 0")?;
    holds(
        done.stderr.is_empty() || prompt || start || is_stop(event),
        "stderr where nobody reads it",
    )?;
    let answer = object(&done.stdout)?;
    let mut told = Told {
        person: done.stderr.clone(),
        ..Told::default()
    };
    if prompt {
        only(&answer, &["continue", "user_message"])?;
        holds(
            answer.get("continue") == Some(&Value::Bool(true)),
            "the prompt does not go on",
        )?;
        told.person += &text(&answer, "user_message")?;
    } else if gate {
        only(&answer, &["permission", "user_message", "agent_message"])?;
        let permission = text(&answer, "permission")?;
        holds(matches!(permission.as_str(), "allow" | "deny"), "no permission")?;
        told.refused = permission == "deny";
        told.agent = text(&answer, "agent_message")?;
    } else if start {
        only(&answer, &["additional_context"])?;
        told.agent = text(&answer, "additional_context")?;
    } else if is_stop(event) {
        only(&answer, &["followup_message"])?;
        told.agent = text(&answer, "followup_message")?;
        told.refused = !told.agent.is_empty();
    } else {
        only(&answer, &[])?;
    }
    Ok(told)
}

fn is_stop(event: &str) -> bool {
    matches!(event, "Stop" | "SubagentStop" | "stop" | "subagentStop")
}

/// The members that Claude Code and Codex share.
fn specific(event: &str, answer: &Map<String, Value>) -> Result<Told, String> {
    let mut told = Told {
        person: text(answer, "systemMessage")?,
        ..Told::default()
    };
    let Some(inner) = answer.get("hookSpecificOutput") else {
        return Ok(told);
    };
    let inner = inner.as_object().ok_or("no object within")?;
    only(
        inner,
        &[
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
            "additionalContext",
        ],
    )?;
    holds(text(inner, "hookEventName")? == event, "another event's name")?;
    holds(!is_stop(event), "context would make the turn go on, or void the answer")?;
    told.agent = text(inner, "additionalContext")?;
    if inner.contains_key("permissionDecision") {
        holds(event == "PreToolUse", "a permission where none is asked for")?;
        holds(text(inner, "permissionDecision")? == "deny", "no such permission")?;
        told.agent = text(inner, "permissionDecisionReason")?;
        holds(!told.agent.is_empty(), "a denial without a reason")?;
        told.refused = true;
    }
    Ok(told)
}

fn silent_or_object(done: &Finished) -> Result<Option<Map<String, Value>>, String> {
    holds(done.code == Some(0), "the exit code is neither 0 nor 2")?;
    holds(done.stderr.is_empty(), "stderr beside exit code 0")?;
    if done.stdout.is_empty() {
        return Ok(None);
    }
    object(&done.stdout).map(Some)
}

fn object(stdout: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(stdout) {
        Ok(Value::Object(answer)) => Ok(answer),
        _ => Err("stdout is not one JSON object".to_owned()),
    }
}

fn only(answer: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match answer.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!("a member {name:?}")),
        None => Ok(()),
    }
}

fn text(answer: &Map<String, Value>, name: &str) -> Result<String, String> {
    match answer.get(name) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("{name} is no text")),
    }
}

fn holds(is_so: bool, why: &str) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(why.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(code: i32, stdout: &str, stderr: &str) -> Finished {
        Finished {
            code: Some(code),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        }
    }

    #[test]
    fn legal_answers_are_read() {
        let read = |harness, event, done| told(harness, event, &done).unwrap();
        let refused = read(Harness::ClaudeCode, "Stop", done(2, "", "check it\n"));
        assert!(refused.refused && refused.agent == "check it\n");
        assert_eq!(read(Harness::ClaudeCode, "Stop", done(0, "", "")), Told::default());
        let note = r#"{"systemMessage":"Proofmark did not check this: x."}"#;
        assert!(read(Harness::Codex, "Stop", done(0, note, "")).unchecked);
        let block = r#"{"decision":"block","reason":"check it"}"#;
        assert!(read(Harness::Codex, "Stop", done(0, block, "")).refused);
        let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
        assert!(read(Harness::ClaudeCode, "PreToolUse", done(0, deny, "")).refused);
        assert!(read(Harness::Cursor, "stop", done(0, r#"{"followup_message":"x"}"#, "")).refused);
        assert!(!read(Harness::Cursor, "preToolUse", done(0, r#"{"permission":"allow"}"#, "")).refused);
    }

    #[test]
    fn what_a_harness_would_not_take_is_told() {
        let context = r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}"#;
        for (harness, event, answer) in [
            (Harness::ClaudeCode, "PreToolUse", done(2, "", "x")),
            (Harness::ClaudeCode, "Stop", done(2, "{}", "x")),
            (Harness::ClaudeCode, "Stop", done(2, "", " ")),
            (Harness::ClaudeCode, "Stop", done(1, "", "")),
            (Harness::ClaudeCode, "Stop", done(0, "x", "")),
            (Harness::ClaudeCode, "Stop", done(0, "", "x")),
            (Harness::ClaudeCode, "Stop", done(0, r#"{"decision":"block"}"#, "")),
            (Harness::ClaudeCode, "Stop", done(0, context, "")),
            (Harness::Codex, "Stop", done(0, r#"{"decision":"block"}"#, "")),
            (Harness::Codex, "Stop", done(2, "", "x")),
            (Harness::Codex, "Stop", done(0, "{} {}", "")),
            (Harness::Cursor, "stop", done(0, "", "")),
            (Harness::Cursor, "preToolUse", done(0, "{}", "")),
            (Harness::Cursor, "postToolUse", done(0, "{}", "x")),
            (
                Harness::Cursor,
                "beforeSubmitPrompt",
                done(0, r#"{"continue":false}"#, ""),
            ),
        ] {
            assert!(told(harness, event, &answer).is_err(), "{event}: {answer:?}");
        }
        let killed = Finished {
            code: None,
            ..done(0, "", "")
        };
        assert!(told(Harness::Codex, "Stop", &killed).is_err());
    }
}
