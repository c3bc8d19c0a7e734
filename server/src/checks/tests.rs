//! The check and the decision over it, played turn by turn without files or clock.
//! What the built programs do with it is tested end to end.

mod claimed_pass;
mod drift;
mod messages;
mod properties;
mod replies;
mod scope;
mod stale_verdict;
mod stories;

use proofmark_protocol::query::ClaimState;
use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Decision, FindingState, Harness, Outcome};

use super::plain_words::Judged;
use super::{Lag, PromptView, REGISTRY, Record, StopView};
use crate::evidence::call::{CallFacts, Known};
use crate::session::decide::{self, MAX_REFUSALS, Outcomes, Step};
use crate::session::{Book, CallRecord, Ending, Entry, Fact, FactBody, SessionKey, Stream, ToolKind};

/// A session that is played.
struct Play {
    key: SessionKey,
    settings: Settings,
    stream: Stream,
    book: Book,
    facts: Vec<Fact>,
    lag: Lag,
    paused: bool,
}

impl Play {
    fn new() -> Self {
        Self {
            key: SessionKey {
                harness: Harness::ClaudeCode,
                session: "s1".to_owned(),
            },
            settings: Settings::default(),
            stream: Stream::default(),
            book: Book::default(),
            facts: Vec::new(),
            lag: Lag::None,
            paused: false,
        }
    }

    /// A prompt, whose row the record shows after it.
    fn prompt(&mut self, text: &str) -> Decision {
        let decision = self.prompt_only(text);
        let row = format!("p{}", self.stream.turns + 1);
        self.stream.fold(Entry::Prompt {
            row,
            turn: None,
            text: text.to_owned(),
            queued: false,
        });
        decision
    }

    fn prompt_only(&mut self, text: &str) -> Decision {
        let helper = |_: &CallRecord| unreachable!("no test of these delegates before a prompt");
        let view = PromptView {
            key: &self.key,
            book: &self.book,
            stream: Some(&self.stream),
            helper: &helper,
            others: &[],
            prompt: text,
            settings: &self.settings,
        };
        let outcomes = decide::prompt(&view, REGISTRY, Vec::new());
        self.commit(outcomes)
    }

    fn call(&mut self, id: &str, kind: ToolKind, input: &str, ending: Option<Ending>) {
        let (row, id) = (String::new(), id.to_owned());
        self.stream.fold(Entry::Call {
            row,
            id: id.clone(),
            tool: "Tool".to_owned(),
            kind,
            input: input.to_owned(),
            changes: Vec::new(),
        });
        if let Some(ending) = ending {
            self.stream.fold(Entry::Result {
                id,
                ending,
                exit: None,
                output: String::new(),
                helper: None,
                turn: None,
            });
        }
    }

    fn look(&mut self, id: &str, input: &str) {
        self.call(id, ToolKind::Observes, input, Some(Ending::Succeeded));
    }

    fn step(&self, reply: &str, last_look: bool) -> Step {
        let helper = |_: &CallRecord| CallFacts {
            attempted: Known::Unknown,
            observed: Known::Unknown,
            mutated: Known::Unknown,
        };
        let record = Record::Read {
            stream: &self.stream,
            lag: self.lag,
            helper: &helper,
        };
        let (book, settings, reply) = (&self.book, &self.settings, Some(reply));
        let turn = self.stream.turns;
        let view = StopView {
            key: &self.key,
            agent: None,
            turn,
            book,
            record,
            reply,
            settings,
            last_look,
            judged: Judged::Unasked,
            others: &[],
            rewrite: false,
        };
        decide::stop(&view, REGISTRY, Vec::new(), || self.paused)
    }

    fn stop(&mut self, reply: &str) -> Decision {
        match self.step(reply, true) {
            Step::Decided(outcomes) => self.commit(outcomes),
            Step::AskJudge => panic!("the judge is off"),
            Step::AwaitRecord => panic!("waits at the last look"),
        }
    }

    fn commit(&mut self, outcomes: Outcomes) -> Decision {
        let Outcomes { decision, facts } = outcomes;
        let answered = FactBody::Answered {
            event: self.facts.len().to_string(),
            decision: decision.clone(),
        };
        for (agent, body) in facts.into_iter().chain([(None, answered)]) {
            let (at, turn) = (self.facts.len() as u64, self.stream.turns);
            let fact = Fact {
                at,
                agent,
                turn,
                anchor: None,
                key: at.to_string(),
                body,
            };
            self.book.fold(&fact);
            self.facts.push(fact);
        }
        assert_eq!(self.book, Book::of(&self.facts), "folded one by one or at once");
        decision
    }

    fn states(&self) -> Vec<(String, ClaimState)> {
        self.book
            .claims()
            .iter()
            .map(|row| (row.text.clone(), row.state))
            .collect()
    }
}

fn tag(claim: &str) -> String {
    format!("{{{{CAT-UNVERIFIED: {claim} -- cannot verify: no box}}}}")
}

#[test]
fn each_claim_is_refused_once_and_a_new_one_once_more() {
    let mut play = Play::new();
    play.prompt("go");
    assert_eq!(play.stop(&tag("the build is signed")).outcome, Outcome::Refuse);
    let again = play.stop(&tag("The build is signed."));
    assert_eq!(
        (again.outcome, again.findings[0].state),
        (Outcome::Advise, FindingState::LetGo)
    );
    let both = play.stop(&format!(
        "{} {}",
        tag("the build is signed"),
        tag("the export has 12 rows")
    ));
    assert_eq!(both.outcome, Outcome::Refuse);
    let text = both.to_agent.unwrap();
    assert!(text.contains("12 rows") && !text.contains("signed"), "{text}");
}

#[test]
fn a_refused_claim_said_in_other_words_is_let_go() {
    let mut play = Play::new();
    play.prompt("go");
    assert_eq!(play.stop(&tag("the nightly export finished")).outcome, Outcome::Refuse);
    assert_eq!(
        play.stop(&tag("the nightly export has completed")).outcome,
        Outcome::Advise
    );
    let rewords = play.book.claims()[1].rewords.clone();
    assert_eq!(rewords, Some(play.book.claims()[0].id.clone()));
    assert_eq!(play.book.open().count(), 1);
}

#[test]
fn three_refusals_end_a_turn_in_strict_mode_too_and_the_next_turn_counts_anew() {
    let mut play = Play::new();
    play.settings.untried_claim.strict = true;
    play.prompt("go");
    play.look("c1", "/srv/build");
    for _ in 0..MAX_REFUSALS {
        assert_eq!(play.stop(&tag("the build is signed")).outcome, Outcome::Refuse);
    }
    let passed = play.stop(&tag("the build is signed"));
    assert_eq!(passed.outcome, Outcome::Advise);
    assert!(passed.to_person.unwrap().contains("three times"));
    play.prompt("again");
    assert_eq!(play.stop(&tag("the build is signed")).outcome, Outcome::Refuse);
}

#[test]
fn nothing_is_refused_while_paused_and_claims_are_still_kept() {
    let mut play = Play::new();
    play.paused = true;
    play.prompt("go");
    let passed = play.stop(&tag("the build is signed"));
    assert_eq!(passed.outcome, Outcome::Advise);
    assert!(passed.to_person.unwrap().contains("paused"));
    assert_eq!(play.book.open().count(), 1);
    play.paused = false;
    assert_eq!(
        play.stop(&tag("the export is complete")).outcome,
        Outcome::Refuse,
        "a pause spends no refusal"
    );
}

#[test]
fn modes_off_and_advise_hold_nothing_up() {
    let mut play = Play::new();
    play.settings.untried_claim.mode = Mode::Off;
    play.prompt("go");
    assert!(play.stop(&tag("the build is signed")).is_silent());
    assert!(play.states().is_empty());
    play.settings.untried_claim.mode = Mode::Advise;
    let advised = play.stop(&tag("the build is signed"));
    assert_eq!((advised.outcome, advised.to_agent), (Outcome::Advise, None));
    assert_eq!(advised.findings[0].state, FindingState::Noted);
}

#[test]
fn an_agent_is_told_what_the_settings_will_do_with_a_tag() {
    for (mode, strict, taught, reminded) in [
        (Mode::Refuse, false, "is sent back.", "keep its tag."),
        (Mode::Advise, false, "is told to the person.", "keep its tag."),
        (Mode::Refuse, true, "is sent back.", "leave it out."),
        (Mode::Advise, true, "is told to the person.", "leave it out."),
    ] {
        let mut play = Play::new();
        (play.settings.untried_claim.mode, play.settings.untried_claim.strict) = (mode, strict);
        let started = decide::start(&play.settings, &play.book, REGISTRY, true, Vec::new());
        let told = started.decision.to_agent.unwrap();
        assert!(told.contains(taught), "{mode:?} {strict}: {told}");
        assert_eq!(
            told.contains("{{CAT-UNVERIFIED: claim -- cannot verify: reason}}"),
            !strict
        );
        play.prompt("go");
        play.stop(&tag("the lid opens"));
        let told = play.prompt("go on").to_agent.unwrap();
        assert!(told.contains(reminded), "{mode:?} {strict}: {told}");
    }
}

#[test]
fn a_record_that_lags_is_waited_for_and_then_nothing_is_held_against_the_agent() {
    for lag in [Lag::Tail, Lag::Turn] {
        let mut play = Play::new();
        play.lag = lag;
        play.prompt("go");
        if lag == Lag::Turn {
            // What is on record belongs to the turn before.
            play.look("c1", "/srv/build");
        }
        assert_eq!(play.step(&tag("the build is signed"), false), Step::AwaitRecord);
        let unchecked = play.stop(&tag("the build is signed"));
        assert_eq!(unchecked.outcome, Outcome::Advise, "{lag:?}");
        assert!(unchecked.to_person.unwrap().contains("unchecked"));
        assert_eq!(unchecked.findings[0].state, FindingState::Unchecked);
        assert!(
            play.stop(&tag("the export is complete")).to_person.is_none(),
            "said once a session"
        );
    }
}

#[test]
fn a_command_that_nobody_can_read_is_not_waited_for() {
    let mut play = Play::new();
    play.prompt("go");
    let command = "eval \"$(cat <<'X'".to_owned();
    play.call("c1", ToolKind::Shell { command }, "eval", Some(Ending::Succeeded));
    let Step::Decided(outcomes) = play.step(&tag("the build is signed"), false) else {
        panic!("nothing more will come")
    };
    assert_eq!(outcomes.decision.findings[0].state, FindingState::Unchecked);
}

#[test]
fn a_lagging_record_settles_and_drops_nothing_that_it_does_not_show() {
    let mut play = Play::new();
    play.prompt("go");
    play.stop(&tag("the build is signed"));
    play.lag = Lag::Tail;
    play.stop("I left it out.");
    assert_eq!(play.book.open().count(), 1, "its check may be on the way");
    play.lag = Lag::None;
    play.stop("I left it out.");
    assert_eq!(play.states()[0].1, ClaimState::Dropped);
}

#[test]
fn a_call_before_the_tag_settles_nothing_in_the_same_turn_and_one_after_it_does() {
    let mut play = Play::new();
    play.prompt("go");
    play.look("c1", "/srv/build");
    assert_eq!(play.stop(&tag("the build is signed")).outcome, Outcome::Allow);
    play.stop("Another hook asked for a rewrite; nothing new was looked at.");
    assert_eq!(play.book.open().count(), 1);
    play.look("c2", "/srv/build/signature");
    play.stop("It is signed.");
    let row = &play.book.claims()[0];
    assert_eq!((row.state, row.matched), (ClaimState::Checked, Some(true)));
    assert_eq!(row.settled_by.as_ref().unwrap().call, "c2");
}

#[test]
fn the_call_that_shares_the_claims_subject_is_named_and_others_are_marked() {
    let mut play = Play::new();
    play.prompt("go");
    play.look("c1", "x");
    play.stop(&format!(
        "{} {}",
        tag("the nightly export finished"),
        tag("the phone build is signed")
    ));
    play.prompt("go on");
    play.look("c2", "/srv/export/status");
    play.look("c3", "README");
    play.stop("Done.");
    let by = |row: &crate::session::ClaimRow| (row.settled_by.as_ref().unwrap().call.clone(), row.matched);
    assert_eq!(by(&play.book.claims()[0]), ("c2".to_owned(), Some(true)));
    assert_eq!(by(&play.book.claims()[1]), ("c3".to_owned(), Some(false)));
}

#[test]
fn what_the_person_could_not_be_told_beside_a_refusal_is_told_with_the_next_answer() {
    let mut play = Play::new();
    play.prompt("go");
    play.look("c1", "x");
    play.stop(&tag("the nightly export finished"));
    play.prompt("go on");
    play.look("c2", "/srv/export");
    let refused = play.stop("It finished.");
    assert!(refused.to_person.unwrap().contains("settled"));
    play.stop(&tag("the phone build is signed"));
    play.prompt("next");
    play.settings.untried_claim.strict = true;
    play.look("c3", "/srv/phone/build");
    let refused = play.stop(&tag("the disk is full"));
    assert_eq!((refused.outcome, refused.to_person), (Outcome::Refuse, None));
    let told = play.prompt("well?").to_person.unwrap();
    assert!(told.contains("phone build"), "{told}");
    assert!(play.prompt("well?").to_person.is_none(), "told once");
}

#[test]
fn ages_count_turns_of_the_person_and_old_claims_are_called_overdue() {
    let mut play = Play::new();
    play.prompt("go");
    play.look("c1", "x");
    play.stop(&tag("the build is signed"));
    play.stop(&tag("the build is signed"));
    for turn in 1..=4 {
        let reminder = play.prompt("go on").to_agent.unwrap();
        assert_eq!(reminder.contains("overdue"), turn > 4, "{reminder}");
        play.stop("Nothing new.");
        assert_eq!(play.book.age(&play.book.claims()[0]), turn);
    }
    assert!(
        play.prompt("go on")
            .to_agent
            .unwrap()
            .contains("open for 4 turns, overdue")
    );
}

#[test]
fn five_claims_are_named_and_the_rest_is_counted() {
    let mut play = Play::new();
    play.prompt("go");
    let claims: Vec<String> = (10..17).map(|n| tag(&format!("case {n} passes"))).collect();
    let refused = play.stop(&claims.join("\n\n")).to_agent.unwrap();
    assert!(
        refused.contains("case 14") && !refused.contains("case 15") && refused.contains("2 more"),
        "{refused}"
    );
    let reminder = play.prompt("go on").to_agent.unwrap();
    assert!(
        reminder.contains("case 14") && !reminder.contains("case 15") && reminder.contains("and 2 more"),
        "{reminder}"
    );
}

#[test]
fn the_person_retires_a_claim_by_saying_so() {
    let mut play = Play::new();
    play.prompt("go");
    play.look("c1", "x");
    play.stop(&format!(
        "{} {}",
        tag("the nightly export finished"),
        tag("the phone build is signed")
    ));
    play.prompt("Drop it.");
    assert_eq!(play.book.open().count(), 2, "two are open and none is named");
    let told = play
        .prompt("Drop the claim about the nightly export.")
        .to_person
        .unwrap();
    assert!(told.contains("nightly export"), "{told}");
    assert_eq!(play.states()[0].1, ClaimState::Retired);
    play.prompt("Don't drop it yet.");
    assert_eq!(play.book.open().count(), 1);
    play.prompt("ok, drop it");
    assert_eq!(play.book.open().count(), 0);
    play.look("c2", "y");
    play.stop(&tag("the nightly export finished"));
    assert_eq!(
        play.states()[0].1,
        ClaimState::Open,
        "tagged again after it was settled"
    );
}
