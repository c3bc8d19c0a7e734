//! What calls make of the board: its bounds, how small it is stored, and what replies said of a pass.
//! Which records show which calls is tested with the harnesses' readers.

use proptest::prelude::*;

use super::*;
use crate::session::{Ending, Entry, Injection, Stream, ToolKind};

const PASS: &str = "==== 3 passed in 0.10s ====";
const FAIL: &str = "==== 1 failed, 2 passed in 0.10s ====";

fn prompt(queued: bool) -> Entry {
    Entry::Prompt {
        row: "p".to_owned(),
        turn: None,
        text: String::new(),
        queued,
    }
}

fn shell(id: &str, command: &str) -> Entry {
    Entry::Call {
        row: String::new(),
        id: id.to_owned(),
        tool: "Bash".to_owned(),
        kind: ToolKind::Shell {
            command: command.to_owned(),
        },
        input: command.to_owned(),
        changes: Vec::new(),
    }
}

fn edit(id: &str, path: &str) -> Entry {
    Entry::Call {
        row: String::new(),
        id: id.to_owned(),
        tool: "Edit".to_owned(),
        kind: ToolKind::Mutates,
        input: path.to_owned(),
        changes: vec![path.to_owned()],
    }
}

fn ends(id: &str, ending: Ending, exit: Option<i32>, output: &str) -> Entry {
    Entry::Result {
        id: id.to_owned(),
        ending,
        exit,
        output: output.to_owned(),
        helper: None,
        turn: None,
    }
}

fn ran(id: &str, command: &str, passes: bool) -> [Entry; 2] {
    let (ending, exit, output) = if passes {
        (Ending::Succeeded, Some(0), PASS)
    } else {
        (Ending::Failed, Some(1), FAIL)
    };
    [shell(id, command), ends(id, ending, exit, output)]
}

fn text(text: &str) -> Entry {
    Entry::Text {
        row: String::new(),
        text: text.to_owned(),
    }
}

fn injected(injection: Injection) -> Entry {
    Entry::Injected { injection, turn: None }
}

fn folded(entries: impl IntoIterator<Item = Entry>) -> Stream {
    let mut stream = Stream::default();
    entries.into_iter().for_each(|entry| stream.fold(entry));
    stream
}

#[test]
fn the_last_pass_outlives_the_runs_that_are_kept() {
    let mut entries: Vec<Entry> = ran("t0", "pytest", true).into();
    entries.extend(ran("t1", "pytest", true));
    entries.extend((2..30).flat_map(|n| ran(&format!("t{n}"), "pytest", false)));
    let board = folded(entries).board;
    let [row] = &board.checks[..] else { panic!("{board:?}") };
    let places: Vec<u64> = row.runs.iter().map(|ran| ran.nth).collect();
    assert_eq!(places[..3], [2, 15, 16]);
    assert_eq!((places.len(), row.latest().unwrap().nth), (MAX_RUNS + 1, 30));
    assert_eq!(row.pass_before(30).map(|ran| ran.nth), Some(2));
}

#[test]
fn of_too_many_checks_the_one_that_ran_longest_ago_goes() {
    let run = |n: usize| ran(&format!("t{n}"), &format!("pytest t{n}.py"), true);
    let mut entries: Vec<Entry> = (0..MAX_CHECKS).flat_map(run).collect();
    entries.extend(ran("again", "pytest t0.py", false));
    entries.extend(run(MAX_CHECKS));
    let board = folded(entries).board;
    assert_eq!(board.checks.len(), MAX_CHECKS);
    assert!(board.check("pytest:t0.py").is_some() && board.check("pytest:t1.py").is_none());
}

#[test]
fn of_too_many_changes_the_vague_ones_go_first() {
    let mut entries = vec![edit("e", "a.rs"), ends("e", Ending::Succeeded, None, "")];
    entries.extend((0..300).map(|n| shell(&format!("t{n}"), "python x.py")));
    let board = folded(entries).board;
    assert_eq!(board.changes.len(), MAX_CHANGES);
    assert_eq!(board.changes[0].path.as_deref(), Some("a.rs"));
    let mut entries: Vec<Entry> = (0..300).map(|n| edit(&format!("t{n}"), "a.rs")).collect();
    entries.push(ends("t299", Ending::Succeeded, None, ""));
    let board = folded(entries).board;
    assert_eq!((board.changes.len(), board.changes[0].nth), (MAX_CHANGES, 45));
    assert_eq!(
        board
            .changed_after(299)
            .map(|change| change.happened)
            .collect::<Vec<_>>(),
        [Known::Yes]
    );
}

#[test]
fn runs_without_an_end_are_bounded_and_go_together() {
    let board = folded((0..200).map(|n| shell(&format!("t{n}"), "pytest a; pytest b; pytest c"))).board;
    assert!(board.running.len() <= MAX_RUNNING && board.running.len() % 3 == 0);
    let nameless = folded([shell("", "pytest"), ends("", Ending::Succeeded, Some(0), "")]).board;
    assert_eq!((nameless.running.len(), nameless.checks.len()), (1, 0));
}

#[test]
fn a_check_that_one_command_runs_twice_has_one_row() {
    let board = folded(ran("t1", "pytest; pytest", false)).board;
    assert_eq!(board.ended().len(), 1);
}

#[test]
fn an_id_that_begins_again_means_the_newer_call() {
    let mut entries = vec![shell("t1", "pytest a.py")];
    entries.extend(ran("t1", "pytest b.py", true));
    let board = folded(entries).board;
    assert_eq!(board.ended().len(), 1);
    assert!(board.running.is_empty() && board.check("pytest:b.py").is_some());
}

#[test]
fn a_change_without_a_file_is_never_sure_for_a_tool_that_may_be_elsewhere() {
    let call = |kind: ToolKind| Entry::Call {
        row: String::new(),
        id: "t1".to_owned(),
        tool: "mcp__x__y".to_owned(),
        kind,
        input: String::new(),
        changes: Vec::new(),
    };
    for (kind, changes) in [
        (ToolKind::Mutates, 1),
        (ToolKind::Unknown, 1),
        (ToolKind::Delegates, 1),
        (ToolKind::Observes, 0),
        (ToolKind::Asks, 0),
    ] {
        let board = folded([call(kind.clone()), ends("t1", Ending::Succeeded, None, "")]).board;
        assert_eq!(board.changes.len(), changes, "{kind:?}");
        assert!(
            board
                .changes
                .iter()
                .all(|change| change.path.is_none() && change.happened == Known::Unknown)
        );
    }
}

#[test]
fn a_session_of_two_hundred_turns_is_stored_small() {
    let mut entries = Vec::new();
    let id = |n: usize| format!("toolu_01{n:022}");
    let commands = [
        "cargo test -p cli 2>&1 | tail -20",
        "npm test",
        "npx tsc --noEmit",
        "cargo clippy --workspace",
        "pytest tests/test_core.py -q",
    ];
    entries.push(Entry::Origin {
        session: None,
        client: true,
        cwd: Some("/srv/teams/backend/project".to_owned()),
        by_harness: false,
    });
    for turn in 0..200 {
        entries.push(prompt(false));
        for call in 0..8 {
            let path = format!("/srv/teams/backend/project/src/module{call}/file{turn}.rs");
            entries.extend([
                edit(&id(turn * 10 + call), &path),
                ends(&id(turn * 10 + call), Ending::Succeeded, None, ""),
            ]);
        }
        entries.extend(ran(&id(turn * 10 + 8), commands[turn % 5], turn % 3 > 0));
        entries.extend(ran(
            &id(turn * 10 + 9),
            &format!("pytest tests/test_{}.py", turn / 2),
            true,
        ));
        entries.push(text("All tests pass now. It is done."));
    }
    let stored = serde_json::to_string(&folded(entries)).unwrap().len();
    assert!(stored < 110_000, "{stored} bytes");
}

/// A call of a shell with an odd name, its end, or anything that may stand between.
fn entry() -> impl Strategy<Value = Entry> {
    let id = || "[ab]{0,1}";
    let command = prop_oneof![
        Just("pytest".to_owned()),
        Just("pytest a.py | tail -1".to_owned()),
        Just("cargo test && npm test".to_owned()),
        Just("sed -i s/a/b/ f; rm g".to_owned()),
        Just("rm 'a".to_owned()),
        Just("python x".to_owned()),
        "[a-z ;|&'é]{0,12}",
    ];
    let ending = prop_oneof![
        Just(Ending::Succeeded),
        Just(Ending::Failed),
        Just(Ending::Untold),
        Just(Ending::Denied),
        Just(Ending::Interrupted),
        Just(Ending::Background)
    ];
    let output = prop_oneof![
        Just(PASS.to_owned()),
        Just(FAIL.to_owned()),
        Just(String::new()),
        "[a-z\n]{0,9}"
    ];
    let exit = prop_oneof![Just(None), Just(Some(0)), Just(Some(1)), Just(Some(143))];
    prop_oneof![
        4 => (id(), command).prop_map(|(id, command)| shell(&id, &command)),
        4 => (id(), ending, exit, output).prop_map(|(id, ending, exit, output)| ends(&id, ending, exit, &output)),
        1 => id().prop_map(|id| edit(&id, "a/b.rs")),
        1 => any::<bool>().prop_map(prompt),
        1 => Just(text("All tests pass. One test fails!")),
        1 => prop_oneof![Just(Injection::Notification), Just(Injection::Harness), Just(Injection::Interruption)].prop_map(injected),
        1 => Just(Entry::Unreadable),
        1 => "[/a-z]{0,4}".prop_map(|cwd| Entry::Origin { session: None, client: false, cwd: Some(cwd), by_harness: false }),
    ]
}

proptest! {
    #[test]
    fn a_stored_board_goes_on_as_if_it_never_was(entries in proptest::collection::vec(entry(), 0..40), at in 0_usize..40) {
        let whole = folded(entries.clone());
        let at = at.min(entries.len());
        let stored = serde_json::to_string(&folded(entries[..at].to_vec())).unwrap();
        let mut pieces: Stream = serde_json::from_str(&stored).unwrap();
        entries[at..].iter().cloned().for_each(|entry| pieces.fold(entry));
        prop_assert_eq!(&pieces.board, &whole.board);
        prop_assert_eq!(&pieces.cwd, &whole.cwd);
        prop_assert_eq!((&pieces.turn.trouble, &pieces.turn.passes), (&whole.turn.trouble, &whole.turn.passes));
    }

    #[test]
    fn a_run_is_never_read_better_than_it_ended(entries in proptest::collection::vec(entry(), 0..40)) {
        let stream = folded(entries.clone());
        let calls = entries.iter().filter(|entry| matches!(entry, Entry::Call { .. })).count() as u64;
        prop_assert_eq!(stream.board.calls, calls);
        // Whatever passed has a success or a summary on record.
        let ended_well = |id: &str| entries.iter().any(|entry| matches!(entry, Entry::Result { id: of, ending, exit, output, .. }
            if of == id && (*ending == Ending::Succeeded || *exit == Some(0) || output == PASS)));
        for (row, ran) in stream.board.ended() {
            prop_assert_eq!(&row.key, &ran.run.key());
            prop_assert!(ran.verdict != Verdict::Pass || ended_well(&ran.call), "{:?}", ran);
        }
        for row in &stream.board.checks {
            prop_assert!(row.runs.windows(2).all(|pair| pair[0].nth < pair[1].nth));
        }
        prop_assert!(stream.board.changes.iter().all(|change| change.happened != Known::No));
    }
}
