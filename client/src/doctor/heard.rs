//! What the server has heard of the harnesses, and what that took.
//! Who counts, and where the counts lie, stays out.

use std::collections::BTreeMap;

use proofmark_protocol::query::Heard;
use proofmark_protocol::{Harness, method};

use super::check::Check;
use crate::output::{count, span};

/// Sessions whose times are told.
const SHOWN: usize = 5;
/// So slow, in microseconds, half of the events that an agent waits for may be at most; promised is 150 ms for each.
const SLOW_GATE: u64 = 100_000;
/// So slow, in microseconds, half of the ends of turns may be at most, and as much more as the judge is waited for: a
/// record that lags is waited for 1 s, and promised are 2.25 s for each.
const SLOW_STOP: u64 = 1_500_000;
/// So many prompts without the end of a turn, or so many slow events, are no chance any more.
const MANY: u64 = 3;

/// Whether a harness is heard at all, and when which of its events came last.
pub(crate) fn check(harness: Harness, title: &str, heard: Option<&[Heard]>, now: u64) -> Check {
    const NAME: &str = "heard";
    let Some(heard) = heard else {
        return Check::unchecked(
            NAME,
            "What was heard can't be told without the ledger.",
            "See the server's checks.",
        );
    };
    let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for heard in heard.iter().filter(|heard| heard.harness == harness) {
        let (last, sum) = kinds.entry(&heard.event).or_default();
        *last = (*last).max(heard.last);
        *sum = sum.saturating_add(heard.count);
    }
    if kinds.is_empty() {
        return Check::unchecked(
            NAME,
            format!("Nothing has been heard of {title} yet."),
            format!("Start a session of {title}, give it a prompt, and run this again."),
        );
    }
    let mut newest: Vec<_> = kinds.iter().collect();
    newest.sort_by_key(|(_, (last, _))| std::cmp::Reverse(*last));
    let told: Vec<String> = newest
        .into_iter()
        .map(|(event, (last, sum))| format!("{event} {} ago ({sum})", span(now.saturating_sub(*last))))
        .collect();
    let told = format!("Last heard: {}.", told.join(", "));
    let sum = |event: &str| kinds.get(event).map_or(0, |(_, sum)| *sum);
    if sum(method::ON_PROMPT) >= MANY && sum(method::ON_STOP) == 0 {
        return Check::unchecked(
            NAME,
            format!(
                "{told} Of {} not one end of a turn was heard.",
                count(sum(method::ON_PROMPT), "prompt")
            ),
            format!("Let {title} end a turn, and run this again."),
        );
    }
    Check::pass(NAME, told)
}

/// What the events of each session took in the server; `judge` is what the person's judge may take, in seconds.
pub(crate) fn times(heard: Option<&[Heard]>, judge: Option<u64>) -> Check {
    const NAME: &str = "times";
    let heard = heard.unwrap_or_default();
    let mut sessions: Vec<Vec<&Heard>> = Vec::new();
    for one in heard {
        let same = |session: &Vec<&Heard>| session[0].harness == one.harness && session[0].session == one.session;
        match sessions.iter().position(same) {
            Some(nth) => sessions[nth].push(one),
            None if sessions.len() < SHOWN => sessions.push(vec![one]),
            None => {}
        }
    }
    if sessions.is_empty() {
        return Check::unchecked(
            NAME,
            "What hooks take in the server is not known before events are heard.",
            "Run this again after a session.",
        );
    }
    let told: Vec<String> = sessions.iter().map(|session| session_times(session)).collect();
    let told = format!("In the server: {}.", told.join("; "));
    let slow = heard.iter().find(|heard| {
        let is_stop = matches!(heard.event.as_str(), method::ON_STOP | method::ON_SUBAGENT_STOP);
        let limit = match is_stop {
            true => SLOW_STOP.saturating_add(judge.unwrap_or(0).saturating_mul(1_000_000)),
            false => SLOW_GATE,
        };
        heard.count >= MANY && heard.median > limit
    });
    match slow {
        None => Check::pass(NAME, told),
        Some(slow) => Check::fail(
            NAME,
            format!(
                "Half of all `{}` of session {} took {} or more. {told}",
                slow.event,
                slow.session,
                millis(slow.median)
            ),
            "Look what else keeps this machine or its disk busy; an event that takes too long passes unchecked.",
        ),
    }
}

fn session_times(session: &[&Heard]) -> String {
    let total = session.iter().map(|heard| heard.total).sum();
    let events = session.iter().map(|heard| heard.count).sum();
    let worst = session.iter().map(|heard| heard.worst).max().unwrap_or_default();
    let medians: Vec<String> = session
        .iter()
        .map(|heard| format!("{} {}", heard.event, millis(heard.median)))
        .collect();
    format!(
        "{} {} {}, {} together, {} at worst (median: {})",
        session[0].harness,
        session[0].session,
        count(events, "event"),
        millis(total),
        millis(worst),
        medians.join(", ")
    )
}

/// Microseconds, for people.
fn millis(micros: u64) -> String {
    format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn heard(session: &str, event: &str, count: u64, last: u64, median: u64) -> Heard {
        Heard {
            harness: Harness::ALL[0],
            session: session.to_owned(),
            event: event.to_owned(),
            count,
            last,
            median,
            worst: median * 2,
            total: median * count,
        }
    }

    #[test]
    fn silence_is_unchecked_and_never_clean() {
        let now = 600_000;
        let told = |heard: Option<&[Heard]>| check(Harness::ALL[0], "It", heard, now);
        assert_eq!(told(None).state, State::Unchecked);
        assert_eq!(told(Some(&[])).state, State::Unchecked);
        let other = Heard {
            harness: Harness::ALL[1],
            ..heard("s", "onStop", 1, 1, 1)
        };
        assert_eq!(told(Some(&[other])).state, State::Unchecked);
        let few = [heard("s", "onPrompt", 2, 1, 1)];
        assert_eq!(told(Some(&few)).state, State::Pass);
        let deaf = [heard("s", "onPrompt", 2, 1, 1), heard("t", "onPrompt", 1, 1, 1)];
        assert_eq!(told(Some(&deaf)).state, State::Unchecked);
        let well = [
            heard("s", "onPrompt", 9, 300_000, 1),
            heard("t", "onStop", 1, 540_000, 1),
        ];
        let well = told(Some(&well));
        assert_eq!(
            (well.state, well.what.as_str()),
            (
                State::Pass,
                "Last heard: onStop 1 minute ago (1), onPrompt 5 minutes ago (9)."
            )
        );
    }

    #[test]
    fn times_are_told_for_each_session_and_slowness_is() {
        assert_eq!(times(None, None).state, State::Unchecked);
        assert_eq!(times(Some(&[]), None).state, State::Unchecked);
        let quick = [heard("s", "onStop", 2, 1, 3_250), heard("s", "onPrompt", 1, 1, 900)];
        let told = times(Some(&quick), None);
        assert_eq!(told.state, State::Pass);
        assert!(
            told.what
                .contains("s 3 events, 7.4 ms together, 6.5 ms at worst (median: onStop 3.2 ms, onPrompt 0.9 ms)"),
            "{}",
            told.what
        );
        for (event, count, median, judge, state) in [
            ("onStop", MANY, SLOW_STOP, None, State::Pass),
            ("onStop", MANY, SLOW_STOP + 1, None, State::Fail),
            ("onStop", MANY, SLOW_STOP + 1, Some(1), State::Pass),
            ("onStop", MANY - 1, SLOW_STOP + 1, None, State::Pass),
            ("onSubagentStop", MANY, SLOW_GATE + 1, None, State::Pass),
            ("onPreToolUse", MANY, SLOW_GATE + 1, Some(9), State::Fail),
        ] {
            let told = times(Some(&[heard("s", event, count, 1, median)]), judge);
            assert_eq!(told.state, state, "{event} {count} {median} {judge:?}");
        }
        let many: Vec<Heard> = (0..9).map(|nth| heard(&format!("s{nth}"), "onStop", 1, 1, 1)).collect();
        assert_eq!(times(Some(&many), None).what.matches("together").count(), SHOWN);
    }
}
