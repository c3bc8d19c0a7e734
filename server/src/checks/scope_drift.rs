//! `scope-drift`: a file was changed that the scope contract, or the person's own words, leave out.
//! What a text names as wanted or unwanted is read elsewhere; nothing is held up for it.
//!
//! # What it catches
//! After `SCOPE CONTRACT: only src/retry; nothing else`, a change to `src/loader.rs`. After "don't touch Cargo.toml", a
//! change to it.
//!
//! # Why
//! A contract that nobody compares with the work is a formula.
//!
//! # Example
//! “`src/loader.rs` was changed; the scope is “only src/retry””, as a warning on that file.
//!
//! # False positives
//! Only words that look like paths or file names count. What later words of the person name is wanted, files outside
//! the project are left out, and so is a change that is not known to have happened.

use std::cell::LazyCell;

use proofmark_protocol::findings::Cited;
use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Evidence, Severity};

use super::{Check, Complaint, Lag, PromptVerdict, PromptView, Record, StopView, Verdict};
use crate::evidence::call::Known;
use crate::session::board::Change;
use crate::session::{By, FactBody, FindingEnd, Spoken, Stream, Stretch};
use crate::text::{self, Wanted, quote};

mod ground;

const CODE: &str = "scope-drift";
/// The longest quote, in characters.
const MAX_QUOTE: usize = 80;
/// Files that are found at one stop, and that the agent is told of at one prompt.
const MAX_FILES: usize = 8;
/// What the person ruled out counts for so many runs of the agent after the one that it was said in.
const RULED_OUT_FOR: u64 = 3;

/// The check.
pub(super) struct ScopeDrift;

/// Ground that a text marks out, and from where on it holds.
struct Limit<'a> {
    wanted: Wanted,
    said: &'a str,
    /// The place of the text among the person's words: what they say later may widen it.
    place: usize,
    /// The number of the last call before it holds.
    after: u64,
}

impl Check for ScopeDrift {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        // Where a file lies is a hint of drift, never ground to send somebody back.
        settings.scope_drift.mode.min(Mode::Advise)
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let Record::Read { stream, lag, .. } = &view.record else {
            return verdict;
        };
        if let Some(reply) = view.reply {
            verdict.facts = owned(view, reply);
        }
        if *lag == Lag::Turn {
            return verdict;
        }
        // To find what is wanted takes long, and is of no use where no file was changed.
        let limits = LazyCell::new(|| limits(view, stream));
        for change in &stream.board.changes {
            let Some(path) = change.path.as_deref().filter(|_| change.happened == Known::Yes) else {
                continue;
            };
            let known = view.book.noted_about(CODE, path, view.agent).is_some();
            let found = verdict.complaints.iter().any(|complaint| complaint.subject == path);
            if known || found || verdict.complaints.len() == MAX_FILES {
                continue;
            }
            let Some((main, limits)) = &*limits else {
                break;
            };
            let broken = limits
                .iter()
                .find(|limit| change.nth > limit.after && leaves_out(limit, path, main));
            verdict
                .complaints
                .extend(broken.map(|limit| complaint(change, path, limit)));
        }
        verdict
    }

    fn on_prompt(&self, view: &PromptView<'_>) -> PromptVerdict {
        let mut verdict = PromptVerdict::default();
        if self.mode(view.settings) == Mode::Off {
            return verdict;
        }
        let due = view.book.noted().iter();
        let due = due.filter(|row| row.finding.code == CODE && row.end.is_none() && !row.told);
        let mut lines = Vec::new();
        for row in due.take(MAX_FILES) {
            let Some(finding) = row.finding.id.clone() else {
                continue;
            };
            lines.push(format!("- {}", row.finding.message));
            verdict.facts.push((row.agent.clone(), FactBody::Told { finding }));
        }
        if !lines.is_empty() {
            verdict.to_agent = Some(format!(
                "Proofmark compares changes with the scope that was agreed:\n{}\nUndo what was not wanted, or say in the reply why \
                 it is needed.",
                lines.join("\n")
            ));
        }
        verdict
    }
}

/// The standing findings whose file a reply speaks of, after the agent was told.
fn owned(view: &StopView<'_>, reply: &str) -> Vec<FactBody> {
    let mine = view.book.noted().iter();
    let mine = mine.filter(|row| row.finding.code == CODE && row.end.is_none() && row.told);
    let spoken_of = mine.filter(|row| row.agent.as_deref() == view.agent && ground::names(reply, &row.finding.subject));
    let ended = spoken_of.filter_map(|row| {
        Some(FactBody::FindingEnded {
            finding: row.finding.id.clone()?,
            end: FindingEnd::Owned,
        })
    });
    ended.collect()
}

/// What holds for the agent's running work, and the person's words: the main agent's record has those. None where
/// nobody can tell what the work came after.
fn limits<'a>(view: &StopView<'a>, stream: &'a Stream) -> Option<(&'a [Stretch], Vec<Limit<'a>>)> {
    let (main, helper) = match view.agent {
        None => (stream, false),
        Some(agent) => {
            let (_, main) = view.others.iter().find(|(agent, _)| agent.is_none())?;
            // One that was started in an earlier turn may have done its work before anything was agreed.
            let started = |call: &crate::session::CallRecord| call.helper.as_deref() == Some(agent);
            main.turn.calls.iter().any(started).then_some((*main, true))?
        }
    };
    let words = main.past.stretches();
    let run = main.past.run_before(words.len());
    let begin = words.get(run)?.after;
    let after = |number: u64| if helper { 0 } else { number };
    let mut limits = Vec::new();
    if let Some(contract) = view.book.scope().contract()
        && !contract.kept
        && (contract.by != By::Agent || contract.turn < main.turns)
    {
        limits.push(Limit {
            wanted: text::wanted_paths(&contract.text),
            said: &contract.text,
            place: run,
            after: after(begin),
        });
    }
    let earlier = words.len() - main.past.before(words.len(), RULED_OUT_FOR + 1).len();
    for (place, stretch) in words.iter().enumerate().skip(earlier) {
        // Of a helper's calls nobody can tell which came before words that were said meanwhile.
        if helper && (place > run || stretch.spoken != Spoken::Prompt) {
            continue;
        }
        let mut wanted = text::wanted_paths(&stretch.said);
        if place < run {
            // What a request is limited to ends with it; what was ruled out goes on for a while.
            wanted.only.clear();
        }
        limits.push(Limit {
            wanted,
            said: &stretch.said,
            place: place + 1,
            after: after(stretch.after.max(begin)),
        });
    }
    Some((words, limits))
}

/// Whether a limit leaves a file out, and the person has not named it since.
fn leaves_out(limit: &Limit<'_>, path: &str, words: &[Stretch]) -> bool {
    let ruled_out = limit.wanted.not.iter().any(|token| ground::covers(token, path));
    let paths: Vec<&String> = limit
        .wanted
        .only
        .iter()
        .filter(|token| ground::is_path(token))
        .collect();
    let outside = !paths.is_empty() && !paths.iter().any(|token| ground::covers(token, path));
    let later = words.get(limit.place..).unwrap_or_default();
    (ruled_out || outside)
        && ground::is_of_project(path)
        && !later.iter().any(|stretch| ground::names(&stretch.said, path))
}

fn complaint(change: &Change, path: &str, limit: &Limit<'_>) -> Complaint {
    let (shown, said) = (quote(path, MAX_QUOTE), quote(limit.said, MAX_QUOTE));
    Complaint {
        subject: path.to_owned(),
        formerly: None,
        quote: shown.clone(),
        insists: false,
        message: format!("`{shown}` was changed; the scope is “{said}”."),
        severity: Severity::Warning,
        evidence: vec![Evidence {
            what: quote(&change.input, MAX_QUOTE),
            turn: Some(change.turn),
            id: Some(change.call.clone()),
            place: None,
        }],
        places: vec![Cited {
            path: path.to_owned(),
            line: None,
        }],
        check: None,
        kept: true,
    }
}
