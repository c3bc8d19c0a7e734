//! What entries make of a stream, where a turn of the person and a run of the agent are not the same.
//! How rows become entries stays out.

use super::*;

fn prompt(row: &str, queued: bool) -> Entry {
    let (row, text) = (row.to_owned(), "do it".to_owned());
    let turn = (!queued).then(|| row.clone());
    Entry::Prompt {
        row,
        turn,
        text,
        queued,
    }
}

fn call(id: &str, kind: ToolKind) -> Entry {
    let (row, tool, input) = (String::new(), "T".to_owned(), String::new());
    Entry::Call {
        row,
        id: id.to_owned(),
        tool,
        kind,
        input,
        changes: Vec::new(),
    }
}

fn result(id: &str, ending: Ending, helper: Option<&str>) -> Entry {
    let helper = helper.map(str::to_owned);
    Entry::Result {
        id: id.to_owned(),
        ending,
        exit: None,
        output: String::new(),
        helper,
        turn: None,
    }
}

fn text(text: &str) -> Entry {
    Entry::Text {
        row: String::new(),
        text: text.to_owned(),
    }
}

fn fold(entries: impl IntoIterator<Item = Entry>) -> Stream {
    let mut stream = Stream::default();
    entries.into_iter().for_each(|entry| stream.fold(entry));
    stream
}

fn unknown(_: &CallRecord) -> CallFacts {
    call::facts(&ToolKind::Delegates, None)
}

#[test]
fn a_queued_prompt_begins_a_turn_and_keeps_what_its_run_did() {
    for (queued, attempted, calls, unreadable) in [(true, Known::Yes, 1, 1), (false, Known::No, 0, 0)] {
        let looked = [
            call("t1", ToolKind::Observes),
            result("t1", Ending::Succeeded, None),
            Entry::Unreadable,
        ];
        let mut entries = vec![prompt("p1", false)];
        entries.extend(looked);
        entries.extend([text("so far"), prompt("p2", queued)]);
        let stream = fold(entries);
        assert_eq!(stream.turns, 2);
        assert_eq!(stream.lineage.rows(), ["p1", "p2"]);
        assert_eq!(stream.turn.prompt.as_deref(), Some("p2"));
        assert_eq!(stream.attempted(&unknown), attempted);
        assert_eq!((stream.turn.calls.len(), stream.turn.unreadable), (calls, unreadable));
        assert!(stream.turn.texts.is_empty());
        // The harness goes on to name the turn that the queued prompt was typed into.
        let newest = if queued { "p1" } else { "p2" };
        assert_eq!(stream.newest_turn.as_deref(), Some(newest));
    }
}

#[test]
fn a_queued_prompt_remembers_an_attempt_that_is_no_longer_kept() {
    let calls =
        |range: std::ops::Range<usize>, kind: ToolKind| range.map(move |n| call(&format!("t{n}"), kind.clone()));
    let mut entries = vec![prompt("p1", false), call("look", ToolKind::Observes)];
    entries.extend(calls(0..MAX_CALLS, ToolKind::Neither));
    assert_eq!(
        fold(entries.clone().into_iter().chain([prompt("p2", true)])).attempted(&unknown),
        Known::Yes
    );
    assert_eq!(
        fold(entries.into_iter().chain([prompt("p2", false)])).attempted(&unknown),
        Known::No
    );
}

#[test]
fn a_call_that_nobody_can_tell_stays_unknown_when_it_is_no_longer_kept() {
    let unreadable = ToolKind::Shell {
        command: "$X".to_owned(),
    };
    for (oldest, attempted) in [
        (ToolKind::Delegates, Known::Unknown),
        (unreadable, Known::Unknown),
        (ToolKind::Mutates, Known::No),
    ] {
        let mut entries = vec![prompt("p1", false), call("oldest", oldest.clone())];
        entries.extend((0..MAX_CALLS).map(|n| call(&format!("t{n}"), ToolKind::Mutates)));
        assert_eq!(fold(entries).attempted(&unknown), attempted, "{oldest:?}");
    }
}

#[test]
fn a_remark_begins_no_turn() {
    let remark = |n: usize| Entry::Remark {
        row: String::new(),
        text: n.to_string(),
    };
    let mut entries = vec![
        prompt("p1", false),
        call("t1", ToolKind::Observes),
        result("t1", Ending::Denied, None),
    ];
    entries.extend((0..=MAX_TEXTS).map(remark));
    let stream = fold(entries);
    assert_eq!((stream.turns, stream.turn.calls.len()), (1, 1));
}

#[test]
fn a_call_whose_result_names_a_helper_is_judged_by_the_helper() {
    let looked = |_: &CallRecord| call::facts(&ToolKind::Observes, Some(Ending::Succeeded));
    for (helper, attempted, seen) in [(Some("a7"), Known::Yes, 1), (None, Known::No, 0)] {
        let stream = fold([
            prompt("p1", false),
            call("t1", ToolKind::Neither),
            result("t1", Ending::Succeeded, helper),
        ]);
        assert_eq!(stream.attempted(&looked), attempted, "{helper:?}");
        assert_eq!(stream.observed(None, &looked).count(), seen, "{helper:?}");
    }
}

#[test]
fn the_end_of_a_call_in_the_background_is_told_later() {
    let stream = fold([
        prompt("p1", false),
        call(
            "t1",
            ToolKind::Shell {
                command: "cargo test".to_owned(),
            },
        ),
        result("t1", Ending::Background, None),
        call("t2", ToolKind::Delegates),
        result("t2", Ending::Background, Some("a7")),
        text("both run"),
    ]);
    assert_eq!(
        stream
            .observed(None, &|_| call::facts(&ToolKind::Neither, None))
            .count(),
        0
    );
    let mut ended = stream;
    ended.fold(result("t1", Ending::Failed, None));
    ended.fold(result("t2", Ending::Succeeded, None));
    let seen: Vec<&str> = ended
        .observed(None, &|_| call::facts(&ToolKind::Neither, None))
        .map(|call| call.id.as_str())
        .collect();
    assert_eq!(seen, ["t1"]);
    assert_eq!(ended.turn.calls[1].helper.as_deref(), Some("a7"));
    assert_eq!(ended.turn.calls[1].ending, Some(Ending::Succeeded));
    // It is no call of the agent: what it said before is still what it said last.
    assert!(ended.shows_reply("both run"));
}

#[test]
fn an_earlier_reply_is_no_part_of_a_later_one() {
    use Injection::{Command, Harness, HookFeedback, Interruption, Notification};
    for (injection, whole) in [
        (HookFeedback, "b"),
        (Notification, "b"),
        (Interruption, "b"),
        (Command, "b"),
        (Harness, "a\n\nb"),
    ] {
        let stream = fold([
            prompt("p1", false),
            text("a"),
            Entry::Injected { injection, turn: None },
            text("b"),
        ]);
        assert_eq!(stream.whole_reply("b"), *whole, "{injection:?}");
    }
}

#[test]
fn a_sentence_counts_when_the_turn_ended_with_it() {
    let after = |next: Entry| {
        let mut stream = fold([prompt("p1", false), call("t1", ToolKind::Observes)]);
        stream.turn.passes.push("All tests pass.".to_owned());
        stream.fold(next);
        stream
    };
    let injected = |injection| Entry::Injected { injection, turn: None };
    // What the person was left with; after a command of theirs, and beside a task's report, the reply stands.
    for next in [
        prompt("p2", false),
        injected(Injection::Notification),
        injected(Injection::Command),
    ] {
        let stream = after(next.clone());
        assert_eq!(stream.board.used.len(), 1, "{next:?}");
        let used = &stream.board.used[0];
        assert_eq!(
            (used.turn, used.after, used.sentence.as_str()),
            (1, 1, "All tests pass.")
        );
        assert!(stream.turn.passes.is_empty());
    }
    // What the agent went on from, what it was sent back for, and what was cut off.
    for next in [
        call("t2", ToolKind::Observes),
        prompt("p2", true),
        injected(Injection::HookFeedback),
        injected(Injection::Interruption),
    ] {
        let stream = after(next.clone());
        assert!(
            stream.board.used.is_empty() && stream.turn.passes.is_empty(),
            "{next:?}"
        );
    }
    let stream = after(injected(Injection::Harness));
    assert_eq!(stream.turn.passes.len(), 1);
}

#[test]
fn what_owns_a_failure_is_kept_for_the_turn_wherever_it_stands() {
    let shell = |id: &str, command: &str| {
        call(
            id,
            ToolKind::Shell {
                command: command.to_owned(),
            },
        )
    };
    let failed = |id: &str| Entry::Result {
        id: id.to_owned(),
        ending: Ending::Failed,
        exit: Some(1),
        output: String::new(),
        helper: None,
        turn: None,
    };
    let mut entries = vec![prompt("p1", false), text("pytest fails. It is so.")];
    entries.extend([
        shell("t1", "pytest"),
        failed("t1"),
        text("Hm. pytest fails here!\nI go on."),
        shell("t2", "ls"),
    ]);
    let stream = fold(entries.clone());
    // Before the first run there was nothing to own.
    assert_eq!(stream.turn.trouble, ["pytest fails here!"]);
    entries.extend((0..40).map(|n| text(&format!("pytest fails again, {n}."))));
    let stream = fold(entries.clone());
    assert_eq!(
        (stream.turn.trouble.len(), stream.turn.trouble[31].as_str()),
        (32, "pytest fails again, 39.")
    );
    entries.push(prompt("p2", false));
    assert!(fold(entries).turn.trouble.is_empty());
}

#[test]
fn only_the_beginning_of_what_a_call_showed_is_kept() {
    let shown = |output: &str| {
        let result = Entry::Result {
            id: "t1".to_owned(),
            ending: Ending::Succeeded,
            exit: None,
            output: output.to_owned(),
            helper: None,
            turn: None,
        };
        fold([call("t1", ToolKind::Observes), result]).turn.calls[0]
            .output
            .clone()
    };
    assert_eq!(shown(&"é".repeat(600)), "é".repeat(500));
    assert_eq!(shown("a"), "a");
}
