//! A conversation of Cursor's as the hook sees it: events of its shape, a transcript without results, follow-ups.
//! What a transcript's lines mean one by one is tested beside the reader, and payloads beside the hook.

use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use proofmark_protocol::Harness;
use proofmark_server::session::observed::Seen;
use proofmark_server::session::{Ending, FactBody, SessionKey};
use proofmark_tests::process::Finished;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{ledger, tagged, wait_for};

/// One conversation in the IDE (3.21).
struct Conversation<'w> {
    world: &'w World,
    transcript: PathBuf,
    /// False where transcripts are turned off.
    written: bool,
    /// Whoever registered the hook; both, where each event is delivered twice.
    registered: &'static [Harness],
    generation: Cell<u32>,
    loops: Cell<u32>,
}

const ONCE: &[Harness] = &[Harness::Cursor];
/// Cursor reads the hooks in Claude Code's settings too.
const TWICE: &[Harness] = &[Harness::Cursor, Harness::ClaudeCode];

impl<'w> Conversation<'w> {
    fn new(world: &'w World) -> Self {
        let folder = world.home().join(".cursor/projects/p/agent-transcripts/c1");
        fs::create_dir_all(&folder).unwrap();
        Self {
            world,
            transcript: folder.join("c1.jsonl"),
            written: true,
            registered: ONCE,
            generation: Cell::new(0),
            loops: Cell::new(0),
        }
    }

    fn row(&self, row: &Value) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.transcript)
            .unwrap();
        file.write_all(format!("{row}\n").as_bytes()).unwrap();
    }

    fn block(&self, block: Value) {
        self.row(&json!({"role": "assistant", "message": {"content": [block]}}));
    }

    fn event(&self, event: &str, own: Value) -> Value {
        let mut payload = json!({
            "conversation_id": "c1", "session_id": "c1", "generation_id": format!("g{}", self.generation.get()),
            "hook_event_name": event, "cursor_version": "3.21.18", "workspace_roots": [self.world.project()],
            "user_email": "dev@example.invalid", "transcript_path": self.written.then_some(&self.transcript), "cwd": "",
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(own.as_object().unwrap().clone());
        let bytes = payload.to_string().into_bytes();
        let mut answers: Vec<Value> = self
            .registered
            .iter()
            .map(|harness| object(&self.world.hook(*harness, &bytes).unwrap()))
            .collect();
        let last = answers.pop().unwrap();
        assert!(
            answers.iter().all(|answer| *answer == last),
            "{event}: {answers:?} {last}"
        );
        last
    }

    fn submits(&self, text: &str) {
        self.generation.set(self.generation.get() + 1);
        let answer = self.event("beforeSubmitPrompt", json!({"prompt": text}));
        assert_eq!(answer["continue"], true, "{answer}");
        if self.written {
            let query = format!("<user_query>\n{text}\n</user_query>");
            self.row(&json!({"role": "user", "message": {"content": [{"type": "text", "text": query}]}}));
        }
    }

    /// The person speaks.
    fn asks(&self, text: &str) {
        self.loops.set(0);
        self.submits(text);
    }

    /// A command that ran: each of its two events, and its row.
    fn runs(&self, id: &str, command: &str, exit: i32, output: &str) {
        assert_eq!(
            self.event(
                "afterShellExecution",
                json!({"command": command, "output": output, "duration": 4120.518})
            ),
            json!({})
        );
        let input = json!({"command": command, "cwd": "", "timeout": 30000});
        let own = json!({"tool_name": "Shell", "tool_input": input, "tool_use_id": id, "duration": 4120.518});
        let (event, how) = if exit == 0 {
            (
                "postToolUse",
                json!({"tool_output": json!({"output": output, "exitCode": 0}).to_string()}),
            )
        } else {
            let how = json!({"error_message": output, "failure_type": "error", "is_interrupt": false});
            ("postToolUseFailure", how)
        };
        let mut own = own;
        own.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
        assert_eq!(self.event(event, own), json!({}));
        if self.written {
            self.block(json!({"type": "tool_use", "name": "Shell", "input": {"command": command}}));
        }
    }

    fn edits(&self, path: &str) {
        let edits = json!([{"old_string": "a", "new_string": "b"}]);
        assert_eq!(
            self.event("afterFileEdit", json!({"file_path": path, "edits": edits})),
            json!({})
        );
        if self.written {
            self.block(json!({"type": "tool_use", "name": "StrReplace", "input": {"path": path}}));
        }
    }

    fn replies(&self, text: &str) {
        if self.written {
            self.block(json!({"type": "text", "text": text}));
        }
        assert_eq!(
            self.event("afterAgentResponse", json!({"text": text, "input_tokens": 9})),
            json!({})
        );
    }

    fn stops(&self) -> Option<String> {
        let own = json!({"status": "completed", "loop_count": self.loops.get()});
        let answer = self.event("stop", own);
        let text = answer["followup_message"].as_str().map(str::to_owned);
        assert_eq!(text.is_some(), answer != json!({}), "{answer}");
        text
    }

    /// The agent says its last words; what Cursor would send it next, which is sent.
    fn ends(&self, reply: &str) -> Option<String> {
        self.replies(reply);
        let text = self.stops()?;
        self.loops.set(self.loops.get() + 1);
        self.submits(&text);
        Some(text)
    }

    fn observed(&self) -> Vec<Seen> {
        let key = SessionKey {
            harness: Harness::Cursor,
            session: "c1".to_owned(),
        };
        let facts = ledger(self.world).unwrap().facts(&key, 0).unwrap().facts;
        let seen = |body| match body {
            FactBody::Observed { seen, .. } => Some(seen),
            _ => None,
        };
        facts.into_iter().filter_map(|stored| seen(stored.fact.body)).collect()
    }
}

/// The one object that Cursor gets.
fn object(done: &Finished) -> Value {
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(answer.is_object(), "{done:?}");
    answer
}

/// Each claim and its state.
fn claims(world: &World) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let claims = world.claims().unwrap();
    claims
        .iter()
        .map(|claim| (text(&claim["claim"]), text(&claim["state"])))
        .collect()
}

fn is(claim: &str, state: &str) -> (String, String) {
    (claim.to_owned(), state.to_owned())
}

const PASSED: &str = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored\n";

#[test]
fn an_untried_tag_is_followed_up_once_and_the_follow_up_is_no_prompt() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is the parser ready?");
    told.edits("/w/parser.rs");
    let text = told.ends(&tagged("the parser works")).unwrap();
    assert!(
        text.starts_with("[Proofmark] ") && text.contains("“the parser works”"),
        "{text}"
    );
    // The same finding again: it is let go, and stays open.
    assert_eq!(told.ends(&tagged("the parser works")), None);
    assert_eq!(claims(&world), [is("the parser works", "open")]);
    let ours = |seen: &Seen| matches!(seen, Seen::Prompt { ours: true, .. });
    assert_eq!(told.observed().iter().filter(|seen| ours(seen)).count(), 1);
}

#[test]
fn a_rewrite_that_looks_and_says_what_it_saw_passes() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is the parser ready?");
    assert!(told.ends(&tagged("the parser works")).is_some());
    told.runs("tu_1", "cargo test parser", 0, PASSED);
    assert_eq!(told.ends("The parser works: 3 passed."), None);
    assert_eq!(claims(&world), [is("the parser works", "checked")]);
}

#[test]
fn an_attempt_excuses_a_tag_whichever_way_it_ended() {
    for (exit, output) in [(0, PASSED), (101, "error: no such target")] {
        let world = World::new().unwrap();
        let told = Conversation::new(&world);
        told.asks("Is the parser ready?");
        told.runs("tu_1", "cargo test parser", exit, output);
        assert_eq!(told.ends(&tagged("the parser works on Windows")), None, "{exit}");
        assert_eq!(claims(&world), [is("the parser works on Windows", "open")]);
    }
}

#[test]
fn the_third_follow_up_is_the_last_also_where_cursor_does_not_count() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is it ready?");
    for claim in ["the lexer works", "the parser holds", "the printer is fast"] {
        assert!(told.ends(&tagged(claim)).is_some(), "{claim}");
        // As where Claude Code's settings registered the hook.
        told.loops.set(0);
    }
    assert_eq!(told.ends(&tagged("the linker is sound")), None);
    told.asks("Go on.");
    assert!(told.ends(&tagged("the loader is lazy")).is_some(), "a new turn");
}

#[test]
fn every_event_delivered_twice_has_one_effect() {
    let world = World::new().unwrap();
    let told = Conversation {
        registered: TWICE,
        ..Conversation::new(&world)
    };
    told.asks("Is the parser ready?");
    told.edits("/w/parser.rs");
    assert!(told.ends(&tagged("the parser works")).is_some());
    told.runs("tu_1", "cargo test", 0, PASSED);
    assert_eq!(told.ends(&tagged("the parser works")), None);
    let refusals = &world.claims().unwrap()[0]["refusals"];
    assert_eq!(refusals, 1);
    // Prompt, edit, follow-up, and the two events of one run.
    assert_eq!(told.observed().len(), 5, "{:?}", told.observed());
}

#[test]
fn events_alone_are_enough() {
    let world = World::new().unwrap();
    let told = Conversation {
        written: false,
        ..Conversation::new(&world)
    };
    told.asks("Is the parser ready?");
    told.edits("/w/parser.rs");
    assert!(told.ends(&tagged("the parser works")).is_some());
    told.runs("tu_1", "cargo test", 0, PASSED);
    told.replies("3 passed.");
    // Told by none but one event, and an empty reply is none.
    told.replies(" ");
    assert_eq!(told.stops(), None);
    assert_eq!(claims(&world), [is("the parser works", "checked")]);
}

#[test]
fn a_call_that_only_the_transcript_tells_is_an_attempt_and_settles_nothing() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is the parser ready?");
    told.block(json!({"type": "tool_use", "name": "Grep", "input": {"pattern": "parser", "path": "/w"}}));
    assert_eq!(told.ends(&tagged("the parser works")), None);
    told.asks("And now?");
    told.block(json!({"type": "tool_use", "name": "Shell", "input": {"command": "cargo test parser"}}));
    assert_eq!(told.ends("It does."), None);
    assert_eq!(claims(&world), [is("the parser works", "open")]);
}

#[test]
fn a_killed_server_forgets_nothing_that_was_seen() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is the parser ready?");
    told.runs("tu_1", "cargo test", 0, PASSED);
    world.kill_server().unwrap();
    assert_eq!(told.ends(&tagged("the parser works on Windows")), None, "it was tried");

    told.asks("And the lexer?");
    told.edits("/w/lexer.rs");
    told.replies(&tagged("the lexer works"));
    world.kill_server().unwrap();
    // The reply was in memory alone; the transcript has it too.
    let text = told.stops().unwrap();
    assert!(text.contains("“the lexer works”"), "{text}");
}

#[test]
fn a_reply_that_nobody_told_is_not_judged() {
    let world = World::new().unwrap();
    let told = Conversation {
        written: false,
        ..Conversation::new(&world)
    };
    told.asks("Is the parser ready?");
    assert_eq!(told.stops(), None);
    assert_eq!(claims(&world), []);
}

#[test]
fn what_ended_otherwise_is_not_judged_and_our_own_words_are_nobodys() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is the parser ready?");
    told.replies(&tagged("the parser works"));
    for status in ["aborted", "error"] {
        assert_eq!(
            told.event("stop", json!({"status": status, "loop_count": 0})),
            json!({})
        );
    }
    assert_eq!(claims(&world), []);
    assert!(told.stops().is_some());
    // Were these the person's, they would retire the claim.
    told.submits("[Proofmark] Forget the claim that the parser works.");
    assert_eq!(claims(&world), [is("the parser works", "open")]);
    told.asks("Forget the claim that the parser works.");
    assert_eq!(claims(&world), [is("the parser works", "retired")]);
}

#[test]
fn headless_runs_are_judged_at_their_end_and_only_reported() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.generation.set(7);
    told.event("sessionStart", json!({"is_background_agent": false}));
    let query = "<user_query>\nIs the parser ready?\n</user_query>";
    told.row(&json!({"role": "user", "message": {"content": [{"type": "text", "text": query}]}}));
    told.edits("/w/parser.rs");
    told.block(json!({"type": "text", "text": tagged("the parser works")}));
    let end = |reason: &str| told.event("sessionEnd", json!({"reason": reason, "final_status": reason}));
    assert_eq!(end("user_close"), json!({}));
    for _ in 0..2 {
        assert_eq!(end("completed"), json!({}));
        wait_for("the claim", || (claims(&world).len() == 1).then_some(()));
    }
    assert_eq!(world.claims().unwrap()[0]["refusals"], 0);
}

#[test]
fn advice_waits_for_the_next_follow_up() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is the parser ready?");
    told.runs("tu_1", "cargo test", 0, PASSED);
    assert_eq!(told.ends(&tagged("the parser works on Windows")), None);
    told.asks("And the lexer?");
    let text = told.ends(&tagged("the lexer works")).unwrap();
    assert!(
        text.contains("keeps 1 open claim") && text.contains("“the parser works on Windows”"),
        "{text}"
    );
}

#[test]
fn of_what_tools_print_the_ledger_keeps_a_checks_summary_alone() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("Is it ready?");
    told.runs("tu_1", "cat .env", 0, "TOKEN=hunter2\n");
    told.runs(
        "tu_2",
        "cargo test",
        101,
        "TOKEN=hunter2\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n",
    );
    assert_eq!(told.ends("Done."), None);
    let seen = format!("{:?}", told.observed());
    assert!(!seen.contains("hunter2"), "{seen}");
    let failed = |seen: &Seen| match seen {
        Seen::Call(call) => call.ending == Some(Ending::Failed) && call.quote.contains("2 passed; 1 failed"),
        Seen::Prompt { .. } => false,
    };
    assert!(told.observed().iter().any(failed), "{seen}");
}

/// Cursor can hold up a call, so a lock of the scope holds here too.
#[test]
fn a_locked_scope_denies_calls_in_cursors_form() {
    let world = World::new().unwrap();
    let told = Conversation::new(&world);
    told.asks("please tidy the parser");
    told.edits("/p/other.rs");
    assert_eq!(told.ends("I rewrote the loader as well."), None);
    told.asks("what are you doing? I wanted the parser only");
    let call = |tool: &str, input: Value| {
        told.event(
            "preToolUse",
            json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"}),
        )
    };
    let denied = call("Write", json!({"file_path": "/p/other.rs", "content": "x"}));
    assert_eq!(denied["permission"], "deny", "{denied}");
    assert_eq!(denied["user_message"], denied["agent_message"], "{denied}");
    assert!(
        denied["agent_message"].as_str().unwrap().contains("SCOPE CONTRACT"),
        "{denied}"
    );
    assert_eq!(
        call("Read", json!({"file_path": "/p/other.rs"})),
        json!({"permission": "allow"})
    );
    let shell = told.event(
        "beforeShellExecution",
        json!({"command": "rm /p/other.rs", "sandbox": false}),
    );
    assert_eq!(shell["permission"], "deny", "{shell}");
}

/// Whole sessions of every event there is, in order: no event of theirs is answered with anything but what lets it go.
#[test]
fn whole_sessions_pass() {
    for name in ["ide-claim-contradicted", "cli-print-no-stop"] {
        let path = format!("../fixtures/cursor/sequences/{name}.jsonl");
        let lines = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        for registered in [ONCE, TWICE] {
            let world = World::new().unwrap();
            for (payload, harness) in lines
                .lines()
                .flat_map(|line| registered.iter().map(move |harness| (line, harness)))
            {
                let answer = object(&world.hook(*harness, payload.as_bytes()).unwrap());
                let passes = answer == json!({})
                    || answer == json!({"continue": true})
                    || answer == json!({"permission": "allow"})
                    || answer["additional_context"].is_string();
                assert!(passes, "{answer} to {payload}");
            }
        }
    }
}
