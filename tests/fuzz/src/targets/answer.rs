//! Decisions of any content become an answer that their harness can read, and one that refuses only where they do.
//! Which text goes where is held by the hook's own tests.

use proofmark_hook::Answer;
use proofmark_hook::fuzzing::{answer, silence, told};
use proofmark_protocol::{Decision, Harness, Outcome};
use serde_json::{Map, Value};

use crate::input::Input;

/// Event names of all harnesses, and some of none.
const EVENTS: &[&str] = &[
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
    "SessionEnd", "sessionStart", "beforeSubmitPrompt", "preToolUse", "beforeShellExecution", "beforeMCPExecution",
    "beforeReadFile", "postToolUse", "postToolUseFailure", "afterShellExecution", "afterFileEdit",
    "afterAgentResponse", "stop", "subagentStart", "subagentStop", "sessionEnd", "stop, spent", "beforeTabFileRead", "",
    "other",
];
/// Longer texts are cut by a harness, in characters.
const MAX_TEXT: usize = 9_000;

/// Harness, event and outcome by a byte each, then which texts there are, then both texts.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let harness = input.harness();
    let event = input.one_of(EVENTS);
    let outcome = input.one_of(&[Outcome::Allow, Outcome::Advise, Outcome::Refuse]);
    let (there, times) = (input.byte(), usize::from(input.byte() % 16).pow(3));
    let (to_agent, to_person) = input.two_texts();
    let fault = to_person.clone();
    let decision = Decision {
        outcome,
        findings: Vec::new(),
        to_agent: (there & 1 != 0).then(|| to_agent.repeat(times.max(1))),
        to_person: (there & 2 != 0).then_some(to_person),
    };
    let wire = serde_json::to_string(&decision).expect("a decision is JSON");
    assert_eq!(serde_json::from_str::<Decision>(&wire).expect("and read again"), decision);

    let given = answer(harness, event, &decision).expect("every harness is answered");
    let said = readable(harness, &given);
    assert!(given.exit == 0 || given.exit == 2 && harness == Harness::ClaudeCode);
    assert!(given.exit == 0 || given.stdout.is_empty(), "JSON beside exit code 2");
    if outcome != Outcome::Refuse {
        assert_eq!(given.exit, 0, "only a refusal refuses");
        assert!(!said.as_ref().is_some_and(refuses), "{given:?}");
    }
    assert!(passes(&answer(harness, event, &Decision::allow()).expect("every harness is answered"), harness));

    if let Some(given) = told(harness, event, &fault) {
        assert!(passes(&given, harness), "{given:?}");
        assert!(given.stderr.chars().count() <= MAX_TEXT);
    }
    let silent = Answer {
        stdout: silence(harness, event).to_owned(),
        ..Answer::default()
    };
    assert!(passes(&silent, harness));
}

/// The object on stdout, where there is one; every harness has to be able to read it.
fn readable(harness: Harness, answer: &Answer) -> Option<Map<String, Value>> {
    assert!(!answer.stdout.contains(['\n', '\r']), "an answer is one line");
    assert!(answer.stderr.chars().count() <= MAX_TEXT);
    if answer.stdout.is_empty() {
        assert_ne!(harness, Harness::Cursor, "silence refuses there");
        return None;
    }
    let object: Map<String, Value> = serde_json::from_str(&answer.stdout).expect("an answer is one object");
    let inner = object.values().filter_map(Value::as_object).flat_map(Map::values);
    for text in object.values().chain(inner).filter_map(Value::as_str) {
        assert!(text.chars().count() <= MAX_TEXT);
    }
    Some(object)
}

fn passes(answer: &Answer, harness: Harness) -> bool {
    let object = readable(harness, answer);
    answer.exit == 0 && !object.as_ref().is_some_and(refuses)
}

fn refuses(object: &Map<String, Value>) -> bool {
    let inner = object.get("hookSpecificOutput").and_then(Value::as_object);
    let decides = |object: &Map<String, Value>| {
        ["decision", "permissionDecision", "followup_message"].iter().any(|name| object.contains_key(*name))
            || object.get("permission").is_some_and(|word| word != "allow")
            || object.get("continue").is_some_and(|goes_on| goes_on != &Value::Bool(true))
    };
    decides(object) || inner.is_some_and(decides)
}
