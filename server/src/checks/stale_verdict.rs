//! `stale-verdict`: a check passed, the same check failed later, and the reply that ends the turn does not say so.
//! Which check a command ran, what came of it, and what a sentence owns, is decided elsewhere.
//!
//! # What it catches
//! A reply that ends a turn in which a check fails that had passed before, and that says nothing of it.
//!
//! # Why
//! Whatever was said while it was green no longer holds, and nobody who reads the reply can know.
//!
//! # Example
//! `pytest tests/golden` passes, a file is edited, the same run fails; then "The change is in. Golden suite: 4992 passed."
//!
//! # False positives
//! A failure that was wanted, is about other files, or was cleared in a way that the record does not show. So the check is
//! silent where the reply or an earlier text of the turn owns the failure, where a fixer of that runner was run after it,
//! where git swapped the files around it, where a helper agent or a command that nobody can read may have run it again,
//! where a run still goes on, and where the record is missing, late or has a gap behind the failure.

use std::cell::LazyCell;

use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Evidence, Severity};

use super::kept::{self, evidence, ran, title};
use super::standing::{Flip, Standing, flips, standing};
use super::{Check, Complaint, Lag, PromptVerdict, PromptView, Record, StopView, Verdict, named};
use crate::session::board::Ran;
use crate::session::{FactBody, FindingEnd, NotedRow, Stream};
use crate::text::{self, About, PassClaim, quote};

const CODE: &str = "stale-verdict";
/// Changes between pass and failure that are listed.
const MAX_CHANGES: usize = 5;
/// The longest names of two checks in a message, in characters of both: its first words are read at a glance.
const MAX_NAMES: usize = 60;
/// The longest quote of a sentence, in characters.
const MAX_QUOTE: usize = 80;
/// Words by which a remark puts a failure down to an earlier state: a pass on record says otherwise.
const DISMISSED: [&str; 7] = [
    "already failing",
    "already broken",
    "before my change",
    "existing issue",
    "existing failure",
    "pre-existing",
    "preexisting",
];

/// The check.
pub struct StaleVerdict;

impl Check for StaleVerdict {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.stale_verdict.mode
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let (Record::Read { stream, lag, .. }, Some(reply)) = (&view.record, view.reply) else {
            return verdict;
        };
        if *lag != Lag::None {
            // What is not on record yet may be the run that clears it, or the one that fails.
            verdict.await_record = !view.last_look && !stream.board.checks.is_empty();
            return verdict;
        }
        verdict.facts = ends(view, stream, reply);
        let flips = flips(stream, |ran| is_of_this_turn(stream, ran));
        if flips.is_empty() {
            return verdict;
        }
        // Nobody can tell whether a reply in another language owns a failure, nor blames it where one was ordered.
        let ordered = stream.past.stretches().last().map(|stretch| &stretch.said);
        if text::is_foreign(reply) || ordered.is_some_and(|said| text::orders_failure(said)) {
            return verdict;
        }
        let refused = view.book.refusals(view.agent, view.turn).findings;
        for flip in flips {
            let subject = kept::subject(flip.key, &flip.pass.call);
            let sent_back = refused.contains(&(CODE.to_owned(), subject.clone()));
            let said = view.book.noted_about(CODE, &subject, view.agent).is_some() || view.rewrite;
            if (said && !sent_back) || owns(&flip, stream, reply) {
                continue;
            }
            verdict.complaints.push(complaint(view, stream, &flip, subject));
        }
        verdict
    }

    fn refusal(&self, _: &StopView<'_>, refused: &[&Complaint]) -> String {
        let named = named(refused.iter().map(|complaint| complaint.quote.as_str()));
        format!(
            "Proofmark asks for a word on what changed: {named}. The reply does not say so. Say which earlier statement no \
             longer holds, or that the break is on purpose; or run it again and report what it shows."
        )
    }

    fn on_prompt(&self, view: &PromptView<'_>) -> PromptVerdict {
        let Some(stream) = view.stream.filter(|_| self.mode(view.settings) != Mode::Off) else {
            return PromptVerdict::default();
        };
        let flips = LazyCell::new(|| flips(stream, |_| true));
        let line = |row: &NotedRow| {
            let (key, call) = kept::parts(&row.finding.subject)?;
            let still = standing(stream, &flips, key, call) == Standing::Contradicted;
            let message = &row.finding.message;
            still.then(|| format!("“{}”", message.split("; ").next().unwrap_or(message)))
        };
        let ask = "Say in your next reply why the earlier result went out unchecked, or that the break is on purpose.";
        kept::tell(view, CODE, line, ask)
    }
}

/// How findings that were kept have ended: their check is right again, or the reply owns the failure.
fn ends(view: &StopView<'_>, stream: &Stream, reply: &str) -> Vec<FactBody> {
    let open = kept::standing(view.book, CODE, view.agent);
    let flips = LazyCell::new(|| flips(stream, |_| true));
    let ended = open.filter_map(|row| {
        let (key, call) = kept::parts(&row.finding.subject)?;
        if standing(stream, &flips, key, call) == Standing::Right {
            return kept::ended(row, FindingEnd::Recovered);
        }
        let flip = flips.iter().find(|flip| flip.key == key && flip.pass.call == call)?;
        let owned = text::owns_failure(reply, &names(flip)) || kept::tells_numbers(reply, flip.fail);
        owned.then(|| kept::ended(row, FindingEnd::Owned)).flatten()
    });
    ended.collect()
}

/// Whether a run belongs to what the reply ends. A failure of an earlier turn was judged with that turn's reply.
fn is_of_this_turn(stream: &Stream, ran: &Ran) -> bool {
    ran.turn == stream.turns || stream.turn.calls.iter().any(|call| call.id == ran.call)
}

/// The words by which a reply would name the check.
fn names(flip: &Flip<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for ran in [flip.fail, flip.pass] {
        names.extend(text::check_names(&ran.run.runner, &ran.run.selection, &ran.command));
    }
    names
}

/// Whether the reply, or a text of the turn before it, says that the check fails. A remark on the way that puts the
/// failure down to the state before does not: the check passed in this session.
fn owns(flip: &Flip<'_>, stream: &Stream, reply: &str) -> bool {
    let names = names(flip);
    let dismissed = |said: &str| {
        let said = said.to_lowercase();
        DISMISSED.iter().any(|word| said.contains(word))
    };
    let on_the_way = |said: &String| !dismissed(said) && text::owns_failure(said, &names);
    let shown = stream.turn.calls.iter().find(|call| call.id == flip.fail.call);
    text::owns_failure(reply, &names)
        || text::tells_trouble(reply)
        || shown.is_some_and(|call| text::names_failed_test(reply, &call.output))
        || kept::tells_numbers(reply, flip.fail)
        || stream.turn.trouble.iter().any(on_the_way)
}

fn complaint(view: &StopView<'_>, stream: &Stream, flip: &Flip<'_>, subject: String) -> Complaint {
    let Flip { pass, fail, .. } = flip;
    let (whose, room) = if view.agent.is_some() {
        ("In a helper agent, ", MAX_NAMES - 16)
    } else {
        ("", MAX_NAMES)
    };
    let (passed, failed) = both(&title(&pass.run), &title(&fail.run), room);
    let failed = if passed == failed {
        String::new()
    } else {
        format!("{failed} ")
    };
    let fact = format!(
        "{whose}{passed} passed in turn {}, {failed}failed in turn {}",
        pass.turn, fail.turn
    );
    let mut message = format!("{fact}; the reply does not say so.");
    let used = used(stream, flip);
    if let Some((turn, sentence)) = &used {
        message += &format!(" The reply of turn {turn} used the pass: “{sentence}”");
    }
    let mut places = kept::places(fail);
    places.dedup();
    Complaint {
        subject,
        formerly: None,
        quote: fact,
        insists: false,
        message,
        severity: Severity::Error,
        evidence: rests_on(view, stream, flip, used),
        places,
        check: Some(kept::check_of(stream, fail)),
        kept: true,
    }
}

/// The names of two checks in so many characters; the longer one is cut first.
fn both(one: &str, other: &str, room: usize) -> (String, String) {
    let left = |name: &str| room.saturating_sub(name.chars().count()).max(room / 2);
    if one == other {
        return (quote(one, room), quote(other, room));
    }
    (quote(one, left(other)), quote(other, left(one)))
}

/// The sentence of an earlier reply by which the agent used the pass: its turn and a quote.
fn used(stream: &Stream, flip: &Flip<'_>) -> Option<(u64, String)> {
    let between = stream
        .board
        .used
        .iter()
        .filter(|used| (flip.pass.nth..flip.fail.nth).contains(&used.after));
    let names = text::check_names(&flip.pass.run.runner, &flip.pass.run.selection, &flip.pass.command);
    let speaks_of_it = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let of_all = |claim: &PassClaim| claim.about == About::Everything;
        names.iter().any(|name| lower.contains(name.as_str())) || text::pass_claims(sentence).iter().any(of_all)
    };
    let of_it = between.rev().find(|used| speaks_of_it(&used.sentence))?;
    Some((of_it.turn, quote(&of_it.sentence, MAX_QUOTE)))
}

fn rests_on(view: &StopView<'_>, stream: &Stream, flip: &Flip<'_>, used: Option<(u64, String)>) -> Vec<Evidence> {
    let Flip { pass, fail, .. } = flip;
    let mut all = vec![ran("passed", pass)];
    all.extend(used.map(|(turn, sentence)| evidence(format!("the reply said: “{sentence}”"), turn, None)));
    let changes: Vec<_> = stream
        .board
        .changed_after(pass.nth)
        .filter(|change| change.nth < fail.nth)
        .collect();
    let more = changes.len().saturating_sub(MAX_CHANGES);
    all.extend(changes.iter().take(MAX_CHANGES).map(|change| kept::changed(change)));
    if more > 0 {
        all.push(evidence(format!("{more} more changes"), fail.turn, None));
    }
    all.push(ran("failed", fail));
    all.push(evidence("the reply that does not say so".to_owned(), view.turn, None));
    all
}
