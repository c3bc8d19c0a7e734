//! `claimed-pass`: the reply says that a check passes, and the record of the session says otherwise.
//! What is a claim, which check a command ran, and what came of it, is decided elsewhere.
//!
//! # What it catches
//! "All tests pass" or "42 passed" after a last run that failed, that checked nothing, whose result nobody can have seen,
//! or after which code was changed; or where no check was run at all.
//!
//! # Why
//! That a check was run satisfies nobody: what it showed is what the reply has to say.
//!
//! # Example
//! `go test ./internal/...` ends with `FAIL internal/net`; then "All tests pass now."
//!
//! # False positives
//! A claim about another check than the one that is looked at, and evidence that the record does not show. So a claim has
//! to fit a check by its command, its name or its kind; the check is silent where the reply says that a run failed, was
//! partial or was not made, where the claim's numbers are those of another run, where a helper agent, an unknown tool or
//! a command that nobody can read may have run it, and where the record is missing, late or has gaps.

mod doubts;
mod fit;

use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Evidence, Severity};

use super::kept::{self, evidence, ran, title};
use super::standing::flips;
use super::{Check, Complaint, Lag, PromptVerdict, PromptView, Record, StopView, Verdict, named};
use crate::evidence::verdict::Verdict as CameTo;
use crate::session::board::Ran;
use crate::session::{FactBody, FindingEnd, NotedRow, Stream};
use crate::text::{self, PassClaim, quote};
use doubts::{Doubt, Reason};

const CODE: &str = "claimed-pass";
/// Claims of one reply that are held against the record; a reply hardly makes ten.
const MAX_CLAIMS: usize = 32;
/// The longest quote of a claim in a message, in characters.
const MAX_CLAIM: usize = 40;
/// The longest quote in a piece of evidence, in characters.
const MAX_QUOTE: usize = 80;
/// What a finding is about when no check was run at all.
const NO_RUN: &str = "no run";

/// The check.
pub struct ClaimedPass;

impl Check for ClaimedPass {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.claimed_pass.mode
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(reply) = view.reply else { return verdict };
        let claims = text::pass_claims(reply);
        let (stream, lag) = match &view.record {
            Record::Read { stream, lag, .. } => (*stream, *lag),
            Record::Unread { may_come, .. } => {
                verdict.await_record = *may_come && !claims.is_empty() && !view.last_look;
                return verdict;
            }
        };
        if lag != Lag::None {
            verdict.await_record = !claims.is_empty() && !view.last_look;
            return verdict;
        }
        verdict.facts = ends(view, stream, reply);
        let refused = view.book.refusals(view.agent, view.turn).findings;
        // The whole reply is looked through for each of them.
        for claim in claims.iter().take(MAX_CLAIMS) {
            let Some(doubt) = doubts::about(claim, reply, stream, view.others) else {
                continue;
            };
            let subject = subject(&doubt);
            let sent_back = refused.contains(&(CODE.to_owned(), subject.clone()));
            let said = view.book.noted_about(CODE, &subject, view.agent).is_some();
            let twice = verdict.complaints.iter().any(|known| known.subject == subject);
            if twice || (said && !sent_back) || of_stale_verdict(view, stream, &doubt) {
                continue;
            }
            verdict.complaints.push(complaint(view, stream, claim, &doubt, subject));
        }
        verdict
    }

    fn refusal(&self, _: &StopView<'_>, refused: &[&Complaint]) -> String {
        let named = named(refused.iter().map(|complaint| complaint.quote.as_str()));
        format!(
            "Proofmark holds the reply against the record: {named}. Correct the sentence, or run the check again and report \
             what it shows."
        )
    }

    fn on_prompt(&self, view: &PromptView<'_>) -> PromptVerdict {
        if self.mode(view.settings) == Mode::Off {
            return PromptVerdict::default();
        }
        let line = |row: &NotedRow| {
            let still = newest(view.stream?, &row.finding.subject) == Newest::Same;
            let message = &row.finding.message;
            still.then(|| format!("“{}”", message.split(". “").next().unwrap_or(message)))
        };
        let ask = "In your next reply, correct that, or run the check again and say what it shows.";
        kept::tell(view, CODE, line, ask)
    }
}

/// What a finding is about: the run that the claim rests on.
fn subject(doubt: &Doubt<'_>) -> String {
    match doubt.run {
        Some((key, ran)) => kept::subject(key, &ran.call),
        None => NO_RUN.to_owned(),
    }
}

/// What has become of the run that a finding rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Newest {
    /// It is still its check's latest.
    Same,
    /// The check passed since.
    Passed,
    /// Something else came.
    Other,
}

fn newest(stream: &Stream, subject: &str) -> Newest {
    let board = &stream.board;
    let Some((key, call)) = kept::parts(subject) else {
        let passed = board
            .checks
            .iter()
            .flat_map(|row| &row.runs)
            .any(|ran| ran.verdict == CameTo::Pass);
        return match (passed, board.checks.is_empty() && board.running.is_empty()) {
            (true, _) => Newest::Passed,
            (false, true) => Newest::Same,
            (false, false) => Newest::Other,
        };
    };
    match board.check(key).and_then(|row| row.latest()) {
        Some(latest) if latest.call == call => {
            let cleared = latest.verdict == CameTo::Fail
                && super::standing::since(stream, latest) == super::standing::Since::Passed;
            if cleared { Newest::Passed } else { Newest::Same }
        }
        Some(latest) if latest.verdict == CameTo::Pass => Newest::Passed,
        _ => Newest::Other,
    }
}

/// How findings that were kept have ended: the check passed since, or the reply owns the failure.
fn ends(view: &StopView<'_>, stream: &Stream, reply: &str) -> Vec<FactBody> {
    let ended = kept::standing(view.book, CODE, view.agent).filter_map(|row| {
        let subject = &row.finding.subject;
        if newest(stream, subject) == Newest::Passed {
            return kept::ended(row, FindingEnd::Recovered);
        }
        let (key, _) = kept::parts(subject)?;
        let latest = stream.board.check(key)?.latest()?;
        doubts::owned(reply, latest)
            .then(|| kept::ended(row, FindingEnd::Owned))
            .flatten()
    });
    ended.collect()
}

/// Whether the same failure turns a pass over: that check's finding says it, with both runs.
fn of_stale_verdict(view: &StopView<'_>, stream: &Stream, doubt: &Doubt<'_>) -> bool {
    let (Reason::Failed, Some((_, failed))) = (&doubt.reason, doubt.run) else {
        return false;
    };
    let now = |ran: &Ran| ran.turn == stream.turns && ran.nth == failed.nth;
    view.settings.stale_verdict.mode != Mode::Off && !flips(stream, now).is_empty()
}

fn complaint(view: &StopView<'_>, stream: &Stream, claim: &PassClaim, doubt: &Doubt<'_>, subject: String) -> Complaint {
    let said = quote(&claim.sentence, MAX_CLAIM);
    let whose = if view.agent.is_some() {
        "A helper agent's reply"
    } else {
        "Reply"
    };
    let fact = fact(doubt);
    let mut message = format!("{whose} says “{said}”; {fact}.");
    if let (Reason::Failed, Some((_, ran))) = (&doubt.reason, doubt.run) {
        message += &format!(" {}", shown(ran));
    }
    let mut evidence_list: Vec<Evidence> = Vec::new();
    let mut places = Vec::new();
    if let Some((_, last)) = doubt.run {
        let came_to = match doubt.reason {
            Reason::Failed => "failed",
            Reason::Outdated(_) | Reason::Counted => "passed",
            Reason::Nothing | Reason::Unseen | Reason::NoRun => "showed no result",
        };
        evidence_list.push(ran(came_to, last));
        places = kept::places(last);
    }
    if let Reason::Outdated(change) = &doubt.reason {
        evidence_list.push(kept::changed(change));
    }
    let sentence = quote(&claim.sentence, MAX_QUOTE);
    evidence_list.push(evidence(format!("the reply said: “{sentence}”"), view.turn, None));
    places.dedup();
    Complaint {
        subject,
        formerly: None,
        quote: format!("{said}: {fact}").replace(['“', '”'], "\""),
        insists: false,
        message,
        severity: Severity::Warning,
        evidence: evidence_list,
        places,
        check: doubt.run.map(|(_, ran)| kept::check_of(stream, ran)),
        kept: true,
    }
}

/// What the record says, in a few words.
fn fact(doubt: &Doubt<'_>) -> String {
    let Some((_, ran)) = doubt.run else {
        return "no run of any check is on record".to_owned();
    };
    let (name, turn) = (title(&ran.run), ran.turn);
    match &doubt.reason {
        Reason::Failed => {
            let numbers = match (ran.counts.failed, ran.counts.passed) {
                (Some(failed), Some(passed)) if failed > 0 => format!(" {failed} of {}", failed + passed),
                (Some(failed), None) if failed > 0 => format!(" {failed}"),
                _ => String::new(),
            };
            format!("the last run of {name} failed{numbers} (turn {turn})")
        }
        Reason::Counted => {
            let passed = ran.counts.passed.unwrap_or_default();
            format!("the last run of {name} counted {passed} passed (turn {turn})")
        }
        Reason::Nothing => format!("the last run of {name} checked nothing (turn {turn})"),
        Reason::Unseen => format!("the last run of {name} hid its result and printed nothing (turn {turn})"),
        Reason::Outdated(change) => {
            let path = change.path.as_deref().unwrap_or(&change.input);
            let file = path.rsplit('/').next().unwrap_or(path);
            format!(
                "{} was changed after the last run of {name} (turn {turn})",
                quote(file, MAX_CLAIM)
            )
        }
        Reason::NoRun => "no run of any check is on record".to_owned(),
    }
}

/// What a failed run showed: why it counts as failed, and the first place that it names.
fn shown(ran: &Ran) -> String {
    let because = ran.because.trim_end_matches('.');
    let place = ran.places.first().map_or_else(String::new, |(path, line)| match line {
        Some(line) => format!(", first at {}:{line}", quote(path, MAX_QUOTE)),
        None => format!(", first in {}", quote(path, MAX_QUOTE)),
    });
    format!("“{}”: {because}{place}.", quote(&ran.command, MAX_QUOTE))
}
