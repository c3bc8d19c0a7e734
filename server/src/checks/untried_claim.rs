//! `untried-claim`: a claim may be tagged as unverified only when a check was tried; open claims stay on a ledger.
//! How tags are written, and what a call did, is decided elsewhere.
//!
//! # What it catches
//! A reply that says `{{CAT-UNVERIFIED: claim -- cannot verify: reason}}` in a turn in which nothing tried to look.
//!
//! # Why
//! A tag is honest when an attempt stands behind it. Without one it is a way to skip the check.
//!
//! # Example
//! "Done. {{CAT-UNVERIFIED: the parser works on Windows -- cannot verify: no Windows box}}", after edits alone.
//!
//! # False positives
//! An attempt that the record does not show. So an unread or lagging record, a helper agent whose own record is missing
//! and a shell command that cannot be understood are no ground to refuse: the claim is said to be unchecked. A tool
//! that nobody knows counts as an attempt.

use std::collections::BTreeMap;

use proofmark_protocol::query::{ClaimState, SettledBy};
use proofmark_protocol::settings::{Mode, Reminder, Settings};
use proofmark_protocol::{Evidence, Finding, FindingState, Severity};

use super::{
    Check, Complaint, Lag, MAX_NAMED, Note, PromptVerdict, PromptView, Record, StopView, Verdict, is_of, named,
};
use crate::evidence::call::Known;
use crate::session::book::claim_id;
use crate::session::{CallRecord, ClaimRow, FactBody, ToolKind};
use crate::text;
use crate::text::quote;

const CODE: &str = "untried-claim";
/// A rewording as close as this is the same thing said otherwise.
const REWORDED: f64 = 0.8;
/// A claim this old, in turns of the person, is brought up also by the `stale` reminder.
const STALE_TURNS: u64 = 3;
/// The longest quote of a claim, in characters.
const MAX_QUOTE: usize = 80;

/// The check.
pub struct UntriedClaim;

/// A claim that the reply tags.
struct Tagged {
    id: String,
    text: String,
    reason: String,
    well_formed: bool,
    /// The open claim that it rewords.
    rewords: Option<String>,
}

impl Check for UntriedClaim {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.untried_claim.mode
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(reply) = view.reply else {
            // Which of the record's texts is the reply nobody can tell, so none is judged.
            let said_a_tag = match &view.record {
                Record::Read { stream, .. } => stream.turn.texts.iter().any(|said| !text::tags(said).is_empty()),
                Record::Unread { .. } => false,
            };
            if said_a_tag || view.book.open().any(|row| is_of(row, view.agent)) {
                verdict
                    .notes
                    .push(unchecked_note("no-reply", "the harness did not send the reply's text"));
            }
            return verdict;
        };
        let tagged = tagged(view, reply);
        let attempted = match &view.record {
            Record::Read { lag: Lag::Turn, .. } => Known::Unknown,
            Record::Read { stream, lag, helper } => match stream.attempted(helper) {
                Known::No if *lag != Lag::None => Known::Unknown,
                attempted => attempted,
            },
            Record::Unread { .. } => Known::Unknown,
        };
        let undecided = attempted == Known::Unknown && tagged.iter().any(|tagged| tagged.well_formed);
        let unsettled = view
            .book
            .open()
            .any(|row| is_of(row, view.agent) && !still_tagged(row, &tagged));
        let may_change = match &view.record {
            // Only a record that lags, or a helper's, can still tell more than it does.
            Record::Read { stream, lag, .. } => {
                let delegated = stream.turn.calls.iter().any(|call| call.kind == ToolKind::Delegates);
                (undecided && (delegated || *lag != Lag::None)) || (unsettled && *lag != Lag::None)
            }
            Record::Unread { may_come, .. } => undecided && *may_come,
        };
        verdict.await_record = may_change && !view.last_look;
        for tagged in &tagged {
            judge(view, tagged, attempted, &mut verdict);
        }
        settle(view, &tagged, &mut verdict);
        verdict
    }

    fn refusal(&self, view: &StopView<'_>, refused: &[&Complaint]) -> String {
        let named = named(refused.iter().map(|complaint| complaint.quote.as_str()));
        if view.settings.untried_claim.strict {
            return format!(
                "Proofmark runs strict here: no unverified tag may stand in a reply. Tagged: {named}. \
                 Check it and say what the check showed, or leave the sentence out."
            );
        }
        format!(
            "Proofmark asks for a check before this goes out: nothing in this turn tried to verify {named}. \
             Try one thing that could show it, and report what it showed; an attempt that fails is enough to keep the tag. \
             Or leave the claim out."
        )
    }

    fn on_prompt(&self, view: &PromptView<'_>) -> PromptVerdict {
        let mut verdict = PromptVerdict::default();
        let open: Vec<&ClaimRow> = view.book.open().collect();
        let retired = retired_by(view.prompt, &open);
        for row in &retired {
            let why = Some(quote(view.prompt, MAX_QUOTE));
            let (claim, state) = (row.id.clone(), ClaimState::Retired);
            let settled = FactBody::ClaimSettled {
                claim,
                state,
                settled_by: None,
                matched: None,
                why,
            };
            verdict.facts.push((row.agent.clone(), settled));
            let text = format!(
                "Proofmark retired the claim “{}”, as you asked.",
                quote(&row.text, MAX_QUOTE)
            );
            verdict.notes.push(Note { text, once: None });
        }
        let due = |row: &&&ClaimRow| match view.settings.untried_claim.reminder {
            Reminder::Off => false,
            Reminder::Stale => view.book.age(row) >= STALE_TURNS,
            Reminder::NextPrompt => true,
        };
        let kept = |row: &&&ClaimRow| !retired.iter().any(|retired| retired.id == row.id);
        let due: Vec<&ClaimRow> = open.iter().filter(kept).filter(due).copied().collect();
        if !due.is_empty() && self.mode(view.settings) != Mode::Off {
            verdict.to_agent = Some(reminder(view, &due));
        }
        verdict
    }

    fn teach(&self, settings: &Settings) -> Option<String> {
        let wanted = settings.untried_claim.teach && settings.untried_claim.mode != Mode::Off;
        let comes_of_it = if settings.untried_claim.mode == Mode::Advise {
            "is told to the person"
        } else {
            "is sent back"
        };
        let text = if settings.untried_claim.strict {
            format!(
                "Proofmark watches this session: state only what a check in the turn has shown. A reply that carries an \
                 unverified tag {comes_of_it}."
            )
        } else {
            format!(
                "Proofmark watches this session: what you state without being able to verify it belongs in a tag, in \
                 prose: {{{{CAT-UNVERIFIED: claim -- cannot verify: reason}}}}. Try a check first: a tag without any \
                 attempt in the turn {comes_of_it}. Open claims are kept and brought up again."
            )
        };
        wanted.then_some(text)
    }
}

/// The claims that a reply tags, each once. In strict mode tags without a reason count too.
fn tagged(view: &StopView<'_>, reply: &str) -> Vec<Tagged> {
    let mut by_id = BTreeMap::new();
    let mut order = Vec::new();
    for tag in text::tags(reply) {
        if !tag.well_formed && !view.settings.untried_claim.strict {
            continue;
        }
        let folded = text::folded(&tag.claim);
        let id = claim_id(view.key, view.agent, &folded);
        if by_id.insert(id.clone(), ()).is_some() {
            continue;
        }
        let known = view.book.claim(&id).is_some();
        let like = |row: &&ClaimRow| is_of(row, view.agent) && text::similarity(&row.text, &tag.claim) > REWORDED;
        let rewords = if known {
            None
        } else {
            view.book.open().find(like).map(|row| row.id.clone())
        };
        order.push(Tagged {
            id,
            text: tag.claim,
            reason: tag.reason,
            well_formed: tag.well_formed,
            rewords,
        });
    }
    order
}

/// What follows from one tag.
fn judge(view: &StopView<'_>, tagged: &Tagged, attempted: Known, verdict: &mut Verdict) {
    let strict = view.settings.untried_claim.strict;
    let shown = quote(&tagged.text, MAX_QUOTE);
    if tagged.well_formed {
        let after_call = match &view.record {
            Record::Read { stream, .. } => stream.turn.calls.last().map(|call| call.id.clone()),
            Record::Unread { .. } => None,
        };
        verdict.facts.push(FactBody::ClaimTagged {
            claim: tagged.id.clone(),
            text: tagged.text.clone(),
            reason: tagged.reason.clone(),
            rewords: tagged.rewords.clone(),
            after_call,
        });
        if let Some(old) = &tagged.rewords {
            verdict.facts.push(FactBody::ClaimSettled {
                claim: old.clone(),
                state: ClaimState::Dropped,
                settled_by: None,
                matched: None,
                why: Some(format!("reworded as {}", tagged.id)),
            });
        }
    }
    if strict || attempted == Known::No {
        let message = if strict {
            format!("The reply carries an unverified tag, and strict is on: “{shown}”.")
        } else {
            format!("“{shown}” is tagged as unverified, and nothing in the turn tried to check it.")
        };
        verdict.complaints.push(Complaint {
            subject: tagged.id.clone(),
            formerly: tagged.rewords.clone(),
            quote: shown,
            insists: strict,
            message,
            severity: Severity::Information,
            evidence: Vec::new(),
            places: Vec::new(),
            check: None,
            kept: false,
        });
        return;
    }
    let state = if attempted == Known::Yes {
        FindingState::Noted
    } else {
        FindingState::Unchecked
    };
    if state == FindingState::Unchecked {
        let why = match view.record {
            Record::Unread { why, .. } => why,
            Record::Read { .. } => "the record does not show all of this turn",
        };
        let text = format!("Proofmark left “{shown}” unchecked: {why}. The claim is neither refused nor settled.");
        verdict.notes.push(Note {
            text,
            once: Some("unchecked".to_owned()),
        });
    }
    let message = match state {
        FindingState::Unchecked => format!("“{shown}” is unchecked: the record of the turn could not be read."),
        _ => format!("“{shown}” is open: a check was tried, and the reply says it did not settle the claim."),
    };
    verdict
        .findings
        .push(finding(tagged.id.clone(), message, state, view.turn, None));
}

/// Settles open claims that the reply no longer tags.
fn settle(view: &StopView<'_>, tagged: &[Tagged], verdict: &mut Verdict) {
    let Record::Read {
        stream,
        lag: lag @ (Lag::None | Lag::Tail),
        helper,
    } = &view.record
    else {
        return;
    };
    for row in view
        .book
        .open()
        .filter(|row| is_of(row, view.agent) && !still_tagged(row, tagged))
    {
        let refused_now = row.refused == Some(view.turn);
        let after = if row.tagged == view.turn && !refused_now {
            row.after_call.as_deref()
        } else {
            None
        };
        let calls: Vec<&CallRecord> = stream.observed(after, helper).collect();
        let matches = |call: &&&CallRecord| {
            text::shares_subject(&row.text, &call.input) || text::shares_subject(&row.text, &call.output)
        };
        let matching = calls.iter().rev().find(matches);
        let fact = |state, call: Option<&CallRecord>| FactBody::ClaimSettled {
            claim: row.id.clone(),
            state,
            settled_by: call.map(settled_by),
            matched: call.map(|_| matching.is_some()),
            why: None,
        };
        let shown = quote(&row.text, MAX_QUOTE);
        if let Some(call) = matching.or(calls.last()).copied() {
            let by = format!("{} “{}”", quote(&call.tool, MAX_QUOTE), quote(&call.input, MAX_QUOTE));
            let text = if matching.is_some() {
                format!("Proofmark: the open claim “{shown}” is settled by {by}.")
            } else {
                format!(
                    "Proofmark: the open claim “{shown}” is closed without a matching check; the last look was {by}."
                )
            };
            verdict.facts.push(fact(ClaimState::Checked, Some(call)));
            verdict.findings.push(finding(
                row.id.clone(),
                text.clone(),
                FindingState::Noted,
                view.turn,
                Some(call),
            ));
            verdict.notes.push(Note { text, once: None });
        } else if refused_now && *lag == Lag::None {
            verdict.facts.push(fact(ClaimState::Dropped, None));
        }
    }
}

/// True when the reply tags the claim again, in these words or in others.
fn still_tagged(row: &ClaimRow, tagged: &[Tagged]) -> bool {
    tagged
        .iter()
        .any(|tagged| tagged.id == row.id || tagged.rewords.as_deref() == Some(row.id.as_str()))
}

fn settled_by(call: &CallRecord) -> SettledBy {
    SettledBy {
        call: call.id.clone(),
        tool: call.tool.clone(),
        input: quote(&call.input, MAX_QUOTE),
    }
}

fn finding(subject: String, message: String, state: FindingState, turn: u64, call: Option<&CallRecord>) -> Finding {
    let evidence = Evidence {
        what: call.map_or_else(
            || "the reply of this turn".to_owned(),
            |call| quote(&call.input, MAX_QUOTE),
        ),
        turn: Some(turn),
        id: call.map(|call| call.id.clone()),
        place: None,
    };
    Finding {
        id: None,
        code: CODE.to_owned(),
        severity: Severity::Information,
        subject,
        message,
        evidence: vec![evidence],
        places: Vec::new(),
        check: None,
        state,
    }
}

fn unchecked_note(once: &str, why: &str) -> Note {
    let text = format!("Proofmark left this reply unchecked: {why}.");
    Note {
        text,
        once: Some(once.to_owned()),
    }
}

/// The claims that the person's prompt retires: those it names, else the only one that is open.
fn retired_by<'a>(prompt: &str, open: &[&'a ClaimRow]) -> Vec<&'a ClaimRow> {
    if open.is_empty() || !text::drop_request(prompt) {
        return Vec::new();
    }
    let named: Vec<&ClaimRow> = open
        .iter()
        .copied()
        .filter(|row| text::names_claim(prompt, &row.text))
        .collect();
    match (named.is_empty(), open) {
        (true, [only]) => vec![only],
        _ => named,
    }
}

/// The reminder that goes with a prompt.
fn reminder(view: &PromptView<'_>, due: &[&ClaimRow]) -> String {
    let line = |row: &&ClaimRow| {
        let age = view.book.age(row);
        let overdue = if age > STALE_TURNS { ", overdue" } else { "" };
        let open = match age {
            0 => "new".to_owned(),
            1 => "open for 1 turn".to_owned(),
            _ => format!("open for {age} turns"),
        };
        let helper = if row.agent.is_some() { ", by a helper agent" } else { "" };
        let (text, reason) = (quote(&row.text, MAX_QUOTE), quote(&row.reason, MAX_QUOTE));
        format!("- “{text}” (blocked by: {reason}; {open}{overdue}{helper})")
    };
    let mut lines: Vec<String> = due.iter().take(MAX_NAMED).map(line).collect();
    if due.len() > MAX_NAMED {
        lines.push(format!("- and {} more", due.len() - MAX_NAMED));
    }
    let count = if due.len() == 1 {
        "1 open claim".to_owned()
    } else {
        format!("{} open claims", due.len())
    };
    // In strict mode a tag that is kept is sent back.
    let otherwise = if view.settings.untried_claim.strict {
        "leave it out"
    } else {
        "keep its tag"
    };
    format!(
        "Proofmark keeps {count} of this session:\n{}\nIf this turn can check one, check it and say what came out; \
         else {otherwise}. The person can retire one by saying to drop it.",
        lines.join("\n")
    )
}
