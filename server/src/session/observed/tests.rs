//! Events and rows in every order: each prompt and each call is shown once, and what no event told has no ending.
//! What they come to in a stream is tested with the stream.

use super::joined::PAIR;
use super::*;
use crate::session::Entry;
use steps::Step::{Asks, Bare, Call, Edit, Edited, Feedback, Look, Prompt, Says, SendsBack, Tool, Wait};
use steps::{Step, play};

mod anything;
mod steps;

/// What most calls come to here.
const OK: Ending = Ending::Succeeded;

#[test]
fn each_prompt_and_call_is_shown_once() {
    let cases: [(&str, &[Step], &[&str]); 22] = [
        (
            "events first, rows at the stop",
            &[
                Asks("g1", "go"),
                Tool("g1", "t1", "make", OK),
                Look,
                Prompt("go"),
                Call("make"),
            ],
            &["prompt g1", "call t1", "end t1 Succeeded"],
        ),
        (
            "the row's text was changed by the harness",
            &[
                Asks("g1", "go"),
                Tool("g1", "t1", "make", OK),
                Look,
                Prompt("go @a.rs"),
                Call("make"),
            ],
            &["prompt g1", "call t1", "end t1 Succeeded"],
        ),
        (
            "a call that no event told has no ending",
            &[Asks("g1", "go"), Look, Prompt("go"), Call("make")],
            &["prompt g1", "call row-4"],
        ),
        (
            "its event comes late",
            &[
                Asks("g1", "go"),
                Look,
                Prompt("go"),
                Call("make"),
                Tool("g1", "t1", "make", OK),
            ],
            &["prompt g1", "call row-4", "end row-4 Succeeded"],
        ),
        (
            "two events of one run, the one without an id first",
            &[
                Asks("g1", "go"),
                Bare("g1", "make"),
                Tool("g1", "t1", "make", OK),
                Look,
                Prompt("go"),
                Call("make"),
            ],
            &["prompt g1", "call t1", "end t1 Succeeded"],
        ),
        (
            "and last",
            &[
                Asks("g1", "go"),
                Tool("g1", "t1", "make", Ending::Failed),
                Bare("g1", "make"),
                Look,
                Prompt("go"),
                Call("make"),
            ],
            &["prompt g1", "call t1", "end t1 Failed"],
        ),
        (
            "two runs, each told twice",
            &[
                Asks("g1", "go"),
                Bare("g1", "make"),
                Tool("g1", "t1", "make", Ending::Failed),
                Wait(5_000),
                Tool("g1", "t2", "make", OK),
                Bare("g1", "make"),
                Look,
                Prompt("go"),
                Call("make"),
                Call("make"),
            ],
            &["prompt g1", "call t1", "end t1 Failed", "call t2", "end t2 Succeeded"],
        ),
        (
            "only events without an id: two runs",
            &[
                Asks("g1", "go"),
                Bare("g1", "make"),
                Wait(9),
                Bare("g1", "make"),
                Look,
                Prompt("go"),
                Call("make"),
                Call("make"),
            ],
            &[
                "prompt g1",
                "call seen-2",
                "end seen-2 Untold",
                "call seen-3",
                "end seen-3 Untold",
            ],
        ),
        (
            "a run that one event told, and another at once that two tell",
            &[
                Asks("g1", "go"),
                Bare("g1", "make"),
                Bare("g1", "make"),
                Tool("g1", "t1", "make", Ending::Failed),
                Look,
            ],
            &[
                "prompt g1",
                "call seen-2",
                "end seen-2 Untold",
                "call t1",
                "end t1 Failed",
            ],
        ),
        (
            "two at the same time, each told twice",
            &[
                Asks("g1", "go"),
                Bare("g1", "make"),
                Bare("g1", "make"),
                Tool("g1", "t1", "make", OK),
                Tool("g1", "t2", "make", Ending::Failed),
                Look,
            ],
            &[
                "prompt g1",
                "call seen-2",
                "end seen-2 Untold",
                "call t1",
                "end t1 Succeeded",
                "end seen-2 Failed",
            ],
        ),
        (
            "a later run is no late word of an earlier one",
            &[
                Asks("g1", "go"),
                Bare("g1", "make"),
                Look,
                Wait(PAIR),
                Tool("g1", "t1", "make", OK),
            ],
            &[
                "prompt g1",
                "call seen-2",
                "end seen-2 Untold",
                "call t1",
                "end t1 Succeeded",
            ],
        ),
        (
            "nor of one that only the record told before a follow-up",
            &[
                Asks("g1", "go"),
                Look,
                Prompt("go"),
                Call("make"),
                SendsBack("g2"),
                Tool("g2", "t1", "make", OK),
                Look,
                Feedback,
                Call("make"),
            ],
            &["prompt g1", "call row-4", "HookFeedback", "call t1", "end t1 Succeeded"],
        ),
        (
            "one that waits is told before what comes later",
            &[
                Asks("g1", "go"),
                Bare("g1", "make"),
                Wait(PAIR),
                Tool("g1", "t1", "ls", OK),
            ],
            &[
                "prompt g1",
                "call seen-2",
                "end seen-2 Untold",
                "call t1",
                "end t1 Succeeded",
            ],
        ),
        (
            "an edit by two names",
            &[
                Asks("g1", "go"),
                Edited("g1", "/w/a.rs"),
                Look,
                Prompt("go"),
                Edit("a.rs"),
            ],
            &["prompt g1", "call seen-2", "end seen-2 Succeeded"],
        ),
        (
            "delivered twice",
            &[
                Asks("g1", "go"),
                Asks("g1", "go"),
                Tool("g1", "t1", "make", OK),
                Tool("g1", "t1", "make", OK),
            ],
            &["prompt g1", "call t1", "end t1 Succeeded"],
        ),
        (
            "hooks that came later: the record alone tells the first turn",
            &[
                Prompt("one"),
                Call("make"),
                Asks("g2", "two"),
                Tool("g2", "t1", "make", OK),
                Look,
                Prompt("two"),
                Call("make"),
            ],
            &["prompt row-1", "call row-2", "prompt g2", "call t1", "end t1 Succeeded"],
        ),
        (
            "the row is there before its event",
            &[Prompt("go"), Asks("g1", "go"), Call("make")],
            &["prompt row-1", "call row-3"],
        ),
        (
            "the same words again are another prompt",
            &[Prompt("go"), Says("done"), Asks("g2", "go"), Look, Prompt("go")],
            &["prompt row-1", "prompt g2"],
        ),
        (
            "no event tells prompts: the calls before the row are its own",
            &[
                Tool("c", "t1", "make", Ending::Failed),
                Look,
                Prompt("go"),
                Call("make"),
            ],
            &["call t1", "end t1 Failed", "queued row-3"],
        ),
        (
            "a text of ours is no prompt, by event and by row",
            &[
                Asks("g1", "go"),
                SendsBack("g2"),
                Tool("g2", "t1", "make", OK),
                Look,
                Prompt("go"),
                Feedback,
                Call("make"),
            ],
            &["prompt g1", "HookFeedback", "call t1", "end t1 Succeeded"],
        ),
        (
            "by row alone",
            &[Asks("g1", "go"), Look, Prompt("go"), Feedback],
            &["prompt g1", "HookFeedback"],
        ),
        (
            "rows of an earlier turn that come late",
            &[
                Asks("g1", "one"),
                Tool("g1", "t1", "make", OK),
                Asks("g2", "two"),
                Tool("g2", "t2", "make", OK),
                Look,
                Prompt("one"),
                Call("make"),
                Prompt("two"),
                Call("make"),
                Call("ls"),
            ],
            &[
                "prompt g1",
                "call t1",
                "end t1 Succeeded",
                "prompt g2",
                "call t2",
                "end t2 Succeeded",
                "call row-10",
            ],
        ),
    ];
    for (what, steps, expected) in cases {
        assert_eq!(play(steps).0, expected, "{what}");
    }
}

#[test]
fn the_tail_is_what_the_record_says_after_its_last_call() {
    let tail = |steps: &[Step]| -> Vec<String> {
        let text = |entry| match entry {
            Entry::Text { text, .. } => text,
            other => panic!("{other:?}"),
        };
        play(steps).1.take_tail().map(text).collect()
    };
    let told = &[Asks("g1", "go"), Tool("g1", "t1", "make", OK), Look];
    let with = |rows: &[Step]| tail(&[told, rows].concat());
    assert_eq!(
        with(&[Prompt("go"), Says("first"), Call("make"), Says("done"), Says("really")]),
        ["done", "really"]
    );
    assert_eq!(with(&[Prompt("go"), Says("old"), Feedback]), [""; 0]);
    assert_eq!(with(&[]), [""; 0]);
    // The record has not reached the running turn.
    assert_eq!(with(&[Asks("g2", "on"), Prompt("go"), Says("old")]), [""; 0]);
}

#[test]
fn a_turn_is_covered_when_its_prompt_was_told() {
    for (steps, covers, sent_back) in [
        (&[Asks("g1", "go")][..], true, false),
        (&[Asks("g1", "go"), SendsBack("g2")], true, true),
        (&[Asks("g1", "go"), SendsBack("g2"), Asks("g3", "on")], true, false),
        (&[Prompt("go")], false, false),
        (&[Prompt("go"), Asks("g1", "go")], true, false),
        (&[Asks("g1", "go"), Look, Prompt("go"), Prompt("on")], false, false),
        (&[Tool("c", "t1", "make", OK)], false, false),
    ] {
        let (_, joined) = play(steps);
        assert_eq!(
            (joined.covers(), joined.was_sent_back()),
            (covers, sent_back),
            "{steps:?}"
        );
    }
}
