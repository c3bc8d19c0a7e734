//! How long the texts are that the checks put to an agent: what is ours, beside what they quote.
//! What they say is each check's own.

use proofmark_protocol::settings::{Mode, Reminder, Settings};
use proofmark_protocol::{Finding, FindingState, Harness, Severity};
use proofmark_server::checks::plain_words::{Answer, Judged};
use proofmark_server::checks::{Complaint, Lag, PromptView, REGISTRY, Record, StopView};
use proofmark_server::evidence::call::{self, CallFacts};
use proofmark_server::session::decide::{self, Step};
use proofmark_server::session::{
    Book, CallRecord, Ending, Entry, Fact, FactBody, ScopeFact, SessionKey, Stream, ToolKind,
};

/// Words of ours in one message, at most.
const MAX_WORDS: usize = 60;
/// So many things at once: more than any message names.
const MANY: usize = 9;
/// Checks that are about one reply, and over with it.
const SILENT_AT_PROMPTS: [&str; 3] = ["unproven-claim", "malformed-tag", "reply-length"];

/// Every text that is too long, of every check, under each setting that changes a text.
pub(crate) fn offenders() -> Vec<String> {
    let mut offenders = Vec::new();
    let key = SessionKey {
        harness: Harness::ALL[0],
        session: "s".to_owned(),
    };
    for strict in [false, true] {
        let mut settings = Settings::default();
        settings.untried_claim.strict = strict;
        settings.untried_claim.reminder = Reminder::NextPrompt;
        // What was advised goes to the agent with the next prompt.
        settings.judge.enabled = true;
        settings.plain_words.mode = Mode::Advise;
        for count in [1, MANY] {
            let stream = flipped(count);
            let all = [facts(count), kept(&key, &settings, &stream)].concat();
            let book = Book::of(&all);
            let record = Record::Unread {
                why: "",
                may_come: false,
            };
            let (agent, reply) = (None, Some(""));
            let stop = StopView {
                key: &key,
                agent,
                turn: 9,
                book: &book,
                record,
                reply,
                settings: &settings,
                last_look: true,
                judged: Judged::Unasked,
                others: &[],
                rewrite: false,
            };
            let helper = |call: &CallRecord| -> CallFacts { call::facts(&call.kind, call.ending) };
            let prompt = PromptView {
                key: &key,
                book: &book,
                stream: Some(&stream),
                helper: &helper,
                others: &[],
                prompt: "",
                settings: &settings,
            };
            let complaints: Vec<Complaint> = (0..count).map(complaint).collect();
            let refused: Vec<&Complaint> = complaints.iter().collect();
            for check in REGISTRY {
                let reminder = check.on_prompt(&prompt).to_agent.map(|text| without_list(&text));
                if reminder.is_none() && !SILENT_AT_PROMPTS.contains(&check.code()) {
                    offenders.push(format!("{}: says nothing to {count} with a prompt", check.code()));
                }
                let texts = [Some(check.refusal(&stop, &refused)), check.teach(&settings), reminder];
                let too_long = texts.iter().flatten().filter_map(|text| too_long(text));
                offenders.extend(too_long.map(|why| format!("{}: {why}", check.code())));
            }
        }
    }
    offenders
}

fn complaint(number: usize) -> Complaint {
    let quote = format!("claim {number} in words that are not ours and do not count");
    Complaint {
        subject: number.to_string(),
        formerly: None,
        quote,
        insists: false,
        message: String::new(),
        severity: Severity::Information,
        evidence: Vec::new(),
        places: Vec::new(),
        check: None,
        kept: false,
    }
}

/// A record in which so many checks pass and then fail, and as many fail from the start.
fn flipped(count: usize) -> Stream {
    let mut stream = Stream::default();
    stream.fold(Entry::Prompt {
        row: "p".to_owned(),
        turn: None,
        text: "go".to_owned(),
        queued: false,
    });
    let runs = (0..count).flat_map(|number| {
        let (flips, fails) = (format!("make check-{number}"), format!("pytest test_{number}.py"));
        [(flips.clone(), 0), (flips, 2), (fails, 1)]
    });
    for (number, (command, exit)) in runs.enumerate() {
        let id = format!("c{number}");
        stream.fold(Entry::Call {
            row: id.clone(),
            id: id.clone(),
            tool: "Bash".to_owned(),
            kind: ToolKind::Shell {
                command: command.clone(),
            },
            input: command,
            changes: Vec::new(),
        });
        stream.fold(Entry::Result {
            id,
            ending: if exit == 0 { Ending::Succeeded } else { Ending::Failed },
            exit: Some(exit),
            output: String::new(),
            helper: None,
            turn: None,
        });
    }
    stream
}

/// What a reply over that record leaves on the ledger.
fn kept(key: &SessionKey, settings: &Settings, stream: &Stream) -> Vec<Fact> {
    let helper = |call: &CallRecord| -> CallFacts { call::facts(&call.kind, call.ending) };
    let claims: Vec<String> = (0..MANY)
        .map(|number| format!("`pytest test_{number}.py` passes."))
        .collect();
    let reply = format!("{}\n\nThe velvet gate is open.", claims.join("\n\n"));
    let answer = Answer {
        hit: true,
        list: None,
        closest: "velvet gate".to_owned(),
    };
    let (book, record) = (
        Book::default(),
        Record::Read {
            stream,
            lag: Lag::None,
            helper: &helper,
        },
    );
    let view = StopView {
        key,
        agent: None,
        turn: 1,
        book: &book,
        record,
        reply: Some(&reply),
        settings,
        last_look: true,
        judged: Judged::Answered(&answer),
        others: &[],
        rewrite: false,
    };
    let Step::Decided(outcomes) = decide::stop(&view, REGISTRY, Vec::new(), || false) else {
        return Vec::new();
    };
    let fact = |(number, (agent, body)): (usize, (Option<String>, FactBody))| Fact {
        at: 0,
        agent,
        turn: 1,
        anchor: None,
        key: format!("kept:{number}"),
        body,
    };
    outcomes.facts.into_iter().enumerate().map(fact).collect()
}

fn facts(count: usize) -> Vec<Fact> {
    let fact = |number: usize| {
        let (claim, text) = (number.to_string(), format!("claim {number}"));
        let body = FactBody::ClaimTagged {
            claim,
            text,
            reason: "r".to_owned(),
            rewords: None,
            after_call: None,
        };
        Fact {
            at: 0,
            agent: None,
            turn: 1,
            anchor: None,
            key: number.to_string(),
            body,
        }
    };
    (0..count).map(fact).chain((0..count).flat_map(scope)).collect()
}

/// A correction of a session's scope, the second one of its kind stops everything; and a file outside of what was agreed.
fn scope(number: usize) -> [Fact; 2] {
    let corrected = FactBody::Scope {
        scope: ScopeFact::Corrected {
            words: number.to_string(),
            of: None,
            class: "drift".to_owned(),
            quote: format!("correction {number}"),
        },
    };
    let drifted = FactBody::Noted {
        finding: Finding {
            id: Some(format!("drift {number}")),
            code: "scope-drift".to_owned(),
            severity: Severity::Warning,
            subject: format!("file-{number}.rs"),
            message: format!("`file-{number}.rs` was changed; the scope is “parser.rs only”."),
            evidence: Vec::new(),
            places: Vec::new(),
            check: None,
            state: FindingState::Noted,
        },
    };
    [corrected, drifted].map(|body| Fact {
        at: 0,
        agent: None,
        turn: 1,
        anchor: None,
        key: format!("{}:{number}", body.kind()),
        body,
    })
}

/// A text without the list of what it is about: each line there is a quote and where it stands.
fn without_list(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with("- "))
        .collect::<Vec<_>>()
        .join("\n")
}

fn too_long(text: &str) -> Option<String> {
    let words = words(text);
    (words > MAX_WORDS).then(|| format!("{words} words, {MAX_WORDS} at most: {text}"))
}

/// The words outside of quotation marks.
fn words(text: &str) -> usize {
    let ours = text.split('“').enumerate().map(|(at, part)| {
        if at == 0 {
            part
        } else {
            part.split_once('”').map_or("", |(_, ours)| ours)
        }
    });
    ours.flat_map(str::split_whitespace)
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_lists_do_not_count_and_the_rest_does() {
        assert_eq!(words("asks for “one two three”; “four”: and then."), 4);
        assert_eq!(words(&without_list("keeps 2:\n- “a” (blocked by: b)\nDo it.")), 4);
        assert!(too_long(&"word ".repeat(MAX_WORDS)).is_none());
        assert!(too_long(&"word ".repeat(MAX_WORDS + 1)).is_some());
    }
}
