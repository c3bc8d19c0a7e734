//! The checks of a reply: plain words with the judge's answers, causes without proof, odd tags, length.
//! Asking the judge, and what the built programs do, is tested elsewhere.

use super::*;
use crate::checks::plain_words::{Answer, late, said_first};
use crate::text::quoted;

const GATE: &str = "The velvet gate is half open.";

impl Play {
    /// A session with the judge on, whose person has asked something.
    fn judged() -> Self {
        let mut play = Self::new();
        play.settings.judge.enabled = true;
        play.prompt("can we merge this?");
        play
    }

    /// What a reply comes to before the judge, or with what it says.
    fn judge(&self, reply: &str, judged: Judged<'_>, rewrite: bool) -> Step {
        let helper = |_: &CallRecord| unreachable!("no test of these delegates");
        let view = StopView {
            key: &self.key,
            agent: None,
            turn: self.stream.turns,
            book: &self.book,
            record: Record::Read {
                stream: &self.stream,
                lag: self.lag,
                helper: &helper,
            },
            reply: Some(reply),
            settings: &self.settings,
            last_look: true,
            judged,
            others: &[],
            rewrite,
        };
        decide::stop(&view, REGISTRY, Vec::new(), || self.paused)
    }

    fn ends(&mut self, reply: &str, judged: Judged<'_>, rewrite: bool) -> Decision {
        let Step::Decided(outcomes) = self.judge(reply, judged, rewrite) else {
            panic!("{reply:?} is not decided")
        };
        self.commit(outcomes)
    }

    fn standing(&self) -> usize {
        self.book.noted().iter().filter(|row| row.end.is_none()).count()
    }
}

fn hit(closest: &str) -> Answer {
    Answer {
        hit: true,
        list: Some("plain-words-made-up-labels".to_owned()),
        closest: closest.to_owned(),
    }
}

#[test]
fn the_judge_is_asked_only_where_its_answer_could_count() {
    let mut play = Play::judged();
    let asks = |play: &Play, reply: &str, rewrite: bool| play.judge(reply, Judged::Unasked, rewrite) == Step::AskJudge;
    assert!(asks(&play, GATE, false));
    assert!(!asks(&play, GATE, true), "a rewrite that others asked for");
    assert!(!asks(&play, " \n", false));
    play.lag = Lag::Turn;
    assert!(!asks(&play, GATE, false), "the person's words are not on record");
    play.lag = Lag::Tail;
    assert!(asks(&play, GATE, false));
    play.settings.judge.prefilter = true;
    assert!(!asks(&play, "Merge this!", false), "the person's own words");
    play.settings.plain_words.mode = Mode::Off;
    assert!(!asks(&play, GATE, false));
    play.settings = Settings::default();
    assert!(!asks(&play, GATE, false), "the judge is off");
}

#[test]
fn a_wording_is_refused_once_and_once_more_in_the_rewrite() {
    let mut play = Play::judged();
    let answer = hit("velvet gate");
    let first = play.ends(GATE, Judged::Answered(&answer), false);
    assert_eq!(first.outcome, Outcome::Refuse);
    let said = first.to_agent.unwrap();
    assert!(
        said.contains("“velvet gate”") && said.contains("plain-words-made-up-labels"),
        "{said}"
    );
    let second = play.ends("Still the velvet gate.", Judged::Unasked, true);
    assert_eq!(second.outcome, Outcome::Refuse);
    assert!(second.to_agent.unwrap().contains("still says"));
    let third = play.ends("The velvet gate, I insist.", Judged::Unasked, true);
    assert_eq!(third.outcome, Outcome::Advise, "it passes, and the person is told");
    assert!(third.to_person.unwrap().contains("so the reply passes"));
}

#[test]
fn a_finding_ends_with_the_reply_that_no_longer_says_it() {
    let mut play = Play::judged();
    play.ends(GATE, Judged::Answered(&hit("velvet gate")), false);
    assert_eq!(play.standing(), 1);
    let decision = play.ends("The import path works.", Judged::Unasked, true);
    assert!(decision.is_silent(), "{decision:?}");
    assert_eq!(play.standing(), 0);
}

#[test]
fn a_late_finding_is_told_once_and_only_while_it_stands() {
    for (next, told) in [(None, true), (Some("Another reply."), false)] {
        let mut play = Play::judged();
        play.ends(GATE, Judged::Unchecked("no answer came within 20 s"), false);
        let found = quoted(GATE, "velvet gate", &said_first(&play.stream.vocabulary)).unwrap();
        let finding = late(&play.key, &found, None);
        play.commit(Outcomes {
            decision: Decision::allow(),
            facts: vec![(None, FactBody::Noted { finding })],
        });
        if let Some(reply) = next {
            play.stream.fold(Entry::Prompt {
                row: "p".to_owned(),
                turn: None,
                text: "go on".to_owned(),
                queued: false,
            });
            play.ends(reply, Judged::Nothing, false);
        }
        let first = play.prompt("and now?");
        let tells = |decision: &Decision| {
            let says = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains("velvet gate"));
            (says(&decision.to_agent), says(&decision.to_person))
        };
        assert_eq!(tells(&first), (told, told), "{next:?}: {first:?}");
        assert_eq!(tells(&play.prompt("more")), (false, false));
    }
}

#[test]
fn advice_goes_to_the_person_at_once_and_to_the_agent_with_the_next_prompt() {
    let mut play = Play::judged();
    play.settings.plain_words.mode = Mode::Advise;
    let decision = play.ends(GATE, Judged::Answered(&hit("velvet gate")), false);
    assert_eq!(decision.outcome, Outcome::Advise);
    let next = play.prompt("go on");
    assert!(next.to_agent.unwrap().contains("velvet gate"));
    assert_eq!(next.to_person, None, "the person has heard it");
}

#[test]
fn an_answer_that_is_not_borne_out_is_dropped() {
    for answer in [
        hit("nowhere in the reply"),
        hit(""),
        hit("e"),
        hit("merge this"),
        Answer {
            hit: false,
            ..hit("velvet gate")
        },
    ] {
        let mut play = Play::judged();
        let decision = play.ends("The velvet gate: merge this.", Judged::Answered(&answer), false);
        assert!(decision.is_silent(), "{answer:?}: {decision:?}");
    }
}

#[test]
fn that_nobody_answered_is_told_once_a_session() {
    let mut play = Play::judged();
    let first = play.ends(GATE, Judged::Unchecked("the model has no login"), false);
    assert!(first.to_person.unwrap().contains("the model has no login"));
    assert!(
        play.ends(GATE, Judged::Unchecked("the model has no login"), false)
            .is_silent()
    );
    assert!(play.ends(GATE, Judged::Nothing, false).is_silent());
}

#[test]
fn one_refusal_carries_all_complaints_in_their_order() {
    let mut play = Play::judged();
    play.settings.unproven_claim.mode = Mode::Refuse;
    play.settings.reply_length.mode = Mode::Refuse;
    let reply = format!(
        "{GATE} It stalls because the lock is held. {{{{CAT-UNVERIFIED: the mirror}}}} {}",
        "More words follow here. ".repeat(40)
    );
    let decision = play.ends(&reply, Judged::Answered(&hit("velvet gate")), false);
    let said = decision.to_agent.unwrap();
    let places: Vec<usize> = [
        "velvet gate",
        "lock is held",
        "CAT-UNVERIFIED: the mirror",
        "the limit is 150",
    ]
    .iter()
    .map(|part| said.find(part).unwrap_or_else(|| panic!("{part} is missing: {said}")))
    .collect();
    assert!(places.is_sorted(), "{said}");
}

#[test]
fn a_paused_session_refuses_nothing() {
    let mut play = Play::judged();
    play.paused = true;
    let decision = play.ends(GATE, Judged::Answered(&hit("velvet gate")), false);
    assert_eq!(decision.outcome, Outcome::Advise);
}

#[test]
fn a_tag_that_is_none_is_refused_once() {
    for (reply, part) in [
        ("Fine. {{CAT-UNVERIFIED: the mirror}}", Some("names no reason")),
        (
            "Fine. {{CAT-UNVERIFIED: -- cannot verify: no login}}",
            Some("names no claim"),
        ),
        ("UNVERIFIED: the mirror is behind.", Some("old marker")),
        ("- UNVERIFIED: the mirror", Some("old marker")),
        ("Still unverified: the mirror.", None),
        ("The mark `UNVERIFIED:` is gone, “UNVERIFIED:” too.", None),
        ("> UNVERIFIED: the mirror", None),
        ("CAT-UNVERIFIED: the mirror", None),
    ] {
        let mut play = Play::new();
        play.prompt("go");
        let decision = play.stop(reply);
        let message = decision.findings.first().map(|finding| finding.message.clone());
        assert_eq!(
            decision.outcome == Outcome::Refuse,
            part.is_some(),
            "{reply}: {decision:?}"
        );
        assert!(
            part.is_none_or(|part| message.unwrap_or_default().contains(part)),
            "{reply}: {decision:?}"
        );
        assert_ne!(play.stop(reply).outcome, Outcome::Refuse, "{reply}: once a turn");
    }
}

#[test]
fn length_counts_only_where_the_prompt_is_known_and_asks_for_nothing_else() {
    let long = "word ".repeat(151);
    for (prompt, lag, rewrite, refused) in [
        (Some("what did you find?"), Lag::None, false, true),
        (Some("tell me in detail"), Lag::None, false, false),
        (Some("what did you find?"), Lag::Turn, false, false),
        (Some("what did you find?"), Lag::None, true, false),
        (None, Lag::None, false, false),
    ] {
        let mut play = Play::new();
        play.settings.reply_length.mode = Mode::Refuse;
        prompt.into_iter().for_each(|prompt| drop(play.prompt(prompt)));
        play.lag = lag;
        let decision = play.ends(&long, Judged::Unasked, rewrite);
        assert_eq!(
            decision.outcome == Outcome::Refuse,
            refused,
            "{prompt:?} {lag:?} {rewrite}"
        );
    }
    let mut play = Play::new();
    play.settings.reply_length.mode = Mode::Refuse;
    play.prompt("what did you find?");
    assert!(play.stop(&"word ".repeat(150)).is_silent(), "exactly at the limit");
}
