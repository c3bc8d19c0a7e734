//! `plain-words`: wording that the person would have to ask about, as a small model sees it and the reply's own words prove.
//! Asking the model is the engine's business; which wording counts is said by the word lists.
//!
//! # What it catches
//! A reply with made-up names, status words, jargon or stacked negatives, when the judge quotes them from the reply.
//!
//! # Why
//! Patterns can't enumerate such wording. A model sees it, and is not believed unless its quote stands in the reply.
//!
//! # Example
//! "The shim lane only widens", where nobody has spoken of a shim lane.
//!
//! # False positives
//! A term that the person knows from elsewhere. What they used in any earlier prompt is no finding; a list that does not
//! fit can be left out.

use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Evidence, Finding, FindingState};

use super::{Check, Complaint, Lag, Note, PromptVerdict, PromptView, Record, StopView, Verdict};
use crate::evidence::call::Known;
use crate::session::book::finding_id;
use crate::session::{FactBody, FindingEnd, NotedRow, SessionKey, Vocabulary};
use crate::text::{Quoted, quotable, quote, quoted, still_says};

const CODE: &str = "plain-words";
/// The longest quote in a refusal, in characters.
const MAX_QUOTE: usize = 160;
/// The longest quote in a finding's message, and the longest name of a list there, in characters.
const MAX_SHOWN: usize = 32;
/// The longest identity of a quote, in bytes.
const MAX_SUBJECT: usize = 400;
/// Marks the second refusal of a wording, the last one. No quote's own words hold a colon.
const AGAIN: &str = "again: ";
/// What a finding rests on whose answer came after the turn had ended.
const LATE: &str = "the judge answered after the turn had ended";

/// The check.
pub struct PlainWords;

/// What a runner answered about a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// True when wording of one of the lists is in the reply.
    pub hit: bool,
    /// The list, where it is one of ours.
    pub list: Option<String>,
    /// The wording, as the runner has it.
    pub closest: String,
}

/// What is known of a reply from the judge.
#[derive(Debug, Clone, Copy)]
pub enum Judged<'a> {
    /// It was not asked so far.
    Unasked,
    /// It answered.
    Answered(&'a Answer),
    /// It has nothing to say about this reply.
    Nothing,
    /// Nobody answered in a way that counts; why.
    Unchecked(&'a str),
}

impl Check for PlainWords {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        if settings.judge.enabled {
            settings.plain_words.mode
        } else {
            Mode::Off
        }
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(reply) = view
            .reply
            .filter(|reply| view.agent.is_none() && !reply.trim().is_empty())
        else {
            return verdict;
        };
        for row in view.book.noted().iter().filter(|row| stands(row)) {
            if !still_says(reply, &row.finding.subject) {
                let finding = row.finding.id.clone().unwrap_or_default();
                let end = FindingEnd::Recovered;
                verdict.facts.push(FactBody::FindingEnded { finding, end });
            }
        }
        if view.rewrite {
            verdict.complaints = said_again(view, reply);
            return verdict;
        }
        let stream = match &view.record {
            Record::Read { stream, lag, .. } if *lag != Lag::Turn => stream,
            // What the person said in this turn may excuse a word, so it has to be on record.
            Record::Read { .. } => {
                verdict.await_record = !view.last_look;
                return verdict;
            }
            Record::Unread { may_come, .. } => {
                verdict.await_record = *may_come && !view.last_look;
                return verdict;
            }
        };
        let said_first = said_first(&stream.vocabulary);
        match view.judged {
            Judged::Unasked => verdict.ask_judge = !view.settings.judge.prefilter || quotable(reply, &said_first),
            Judged::Answered(answer) if answer.hit => {
                let found = quoted(reply, &answer.closest, &said_first);
                verdict
                    .complaints
                    .extend(found.ok().map(|found| complaint(&found, answer.list.as_deref())));
            }
            Judged::Answered(_) | Judged::Nothing => {}
            Judged::Unchecked(why) => verdict.notes.push(Note {
                text: format!("Proofmark: the judge could not check this reply: {why}. The reply passes."),
                once: Some("judge:unchecked".to_owned()),
            }),
        }
        verdict
    }

    fn refusal(&self, view: &StopView<'_>, refused: &[&Complaint]) -> String {
        let quotes: Vec<String> = refused
            .iter()
            .map(|complaint| format!("“{}”", complaint.quote))
            .collect();
        let quotes = quotes.join(", ");
        if view.rewrite {
            return format!(
                "Proofmark: the reply still says {quotes}, which it was asked to put plainly. Say what is meant in \
                 everyday words, or leave it out."
            );
        }
        let lists: Vec<&str> = refused
            .iter()
            .filter_map(|it| it.evidence.first())
            .map(|it| it.what.as_str())
            .collect();
        format!(
            "Proofmark asks for plain words: {quotes} falls under {}, and the person has not used these words. Say what is \
             meant in everyday words, or explain the term in the same sentence.",
            lists.join(", ")
        )
    }

    fn on_prompt(&self, view: &PromptView<'_>) -> PromptVerdict {
        let mut verdict = PromptVerdict::default();
        if self.mode(view.settings) == Mode::Off {
            return verdict;
        }
        let refused = |row: &NotedRow| {
            let about = (CODE.to_owned(), row.finding.subject.clone());
            view.book.refusals(None, row.turn).findings.contains(&about)
        };
        let due: Vec<&NotedRow> = view
            .book
            .noted()
            .iter()
            .filter(|row| stands(row) && !row.told && !refused(row))
            .collect();
        for row in &due {
            let finding = row.finding.id.clone().unwrap_or_default();
            verdict.facts.push((None, FactBody::Told { finding }));
            if row.finding.evidence.iter().any(|evidence| evidence.what == LATE) {
                let text = format!("Proofmark, about the last reply: {}", row.finding.message);
                verdict.notes.push(Note { text, once: None });
            }
        }
        if !due.is_empty() {
            let said: Vec<String> = due.iter().map(|row| format!("- {}", row.finding.message)).collect();
            verdict.to_agent = Some(format!(
                "Proofmark, about your last reply:\n{}\nFrom here on, say it in everyday words, or explain the term where \
                 you use it.",
                said.join("\n")
            ));
        }
        verdict
    }
}

/// Whether the person used words first, or may have: more than is kept of a session's prompts excuses any word.
pub fn said_first(vocabulary: &Vocabulary) -> impl Fn(&[String]) -> bool {
    |words| vocabulary.said(words) != Known::No
}

/// The finding of an answer that came after its turn had ended.
pub fn late(key: &SessionKey, found: &Quoted, list: Option<&str>) -> Finding {
    let complaint = complaint(found, list);
    Finding {
        id: Some(finding_id(key, None, CODE, &complaint.subject)),
        code: CODE.to_owned(),
        severity: complaint.severity,
        subject: complaint.subject,
        message: complaint.message,
        check: None,
        evidence: vec![rests_on(LATE.to_owned())],
        places: complaint.places,
        state: FindingState::Noted,
    }
}

fn complaint(found: &Quoted, list: Option<&str>) -> Complaint {
    let shown = quote(&found.text, MAX_QUOTE);
    let list = list.map_or_else(|| "an unnamed list".to_owned(), |list| format!("the list {list}"));
    let subject = &found.words[..found.words.floor_char_boundary(MAX_SUBJECT)];
    let message = format!(
        "“{}” falls under {}; the person has not used these words.",
        quote(&found.text, MAX_SHOWN),
        quote(&list, MAX_SHOWN + 9)
    );
    Complaint {
        evidence: vec![rests_on(list)],
        kept: true,
        ..Complaint::about_words(subject.trim_end().to_owned(), shown, message)
    }
}

fn rests_on(what: String) -> Evidence {
    Evidence {
        what,
        turn: None,
        id: None,
        place: None,
    }
}

/// What a rewrite says again although it was refused for it in this turn: no model is asked, and it is refused once more
/// at most.
fn said_again(view: &StopView<'_>, reply: &str) -> Vec<Complaint> {
    let refusals = view.book.refusals(view.agent, view.turn);
    let own = refusals
        .findings
        .iter()
        .filter(|(code, subject)| code == CODE && !subject.starts_with(AGAIN));
    own.filter_map(|(_, subject)| {
        let found = quoted(reply, subject, &|_| false).ok()?;
        let shown = quote(&found.text, MAX_QUOTE);
        let message = format!("“{shown}” stands in the reply again.");
        Some(Complaint::about_words(format!("{AGAIN}{subject}"), shown, message))
    })
    .collect()
}

fn stands(row: &NotedRow) -> bool {
    row.finding.code == CODE && row.agent.is_none() && row.end.is_none()
}
