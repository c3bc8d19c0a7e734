//! What drifts from a contract or from the person's words, played turn by turn.
//! Which words of a text name files is tested beside it.

use super::*;
use crate::session::{By, FindingEnd, ScopeFact};

impl Play {
    pub(super) fn edit(&mut self, file: &str, ending: Ending) {
        let id = format!("e{}", self.stream.board.calls);
        self.stream.fold(Entry::Call {
            row: String::new(),
            id: id.clone(),
            tool: "Edit".to_owned(),
            kind: ToolKind::Mutates,
            input: file.to_owned(),
            changes: vec![file.to_owned()],
        });
        self.stream.fold(Entry::Result {
            id,
            ending,
            exit: None,
            output: String::new(),
            helper: None,
            turn: None,
        });
    }

    fn remark(&mut self, text: &str) {
        let (row, text) = (format!("m{}", self.stream.board.calls), text.to_owned());
        self.stream.fold(Entry::Remark { row, text });
    }

    /// The person has said what is to be done, with a command.
    pub(super) fn agreed(contract: &str) -> Self {
        let mut play = Self::new();
        let scope = ScopeFact::Contracted {
            contract: contract.to_owned(),
            by: By::Command,
            turn: 0,
        };
        let body = FactBody::Scope { scope };
        play.commit(Outcomes {
            decision: Decision::allow(),
            facts: vec![(None, body)],
        });
        play
    }

    /// The files that are standing as drift.
    fn drifted(&self) -> Vec<&str> {
        let standing = self.book.noted().iter().filter(|row| row.end.is_none());
        let drifted = standing.filter(|row| row.finding.code == "scope-drift");
        drifted.map(|row| row.finding.subject.as_str()).collect()
    }
}

#[test]
fn changes_are_held_against_a_contract() {
    for (contract, prompt, file, expected, why) in [
        (
            "only src/retry; nothing else",
            "go on",
            "src/loader.rs",
            true,
            "outside",
        ),
        (
            "only src/retry; nothing else",
            "go on",
            "/p/src/retry/a.rs",
            false,
            "inside",
        ),
        (
            "only src/retry; nothing else",
            "now the loader too",
            "src/loader.rs",
            false,
            "named since",
        ),
        ("only src/retry; nothing else", "go on", "/tmp/try.py", false, "scratch"),
        (
            "fix the retries; not the loader",
            "go on",
            "src/loader.rs",
            false,
            "names no file",
        ),
        (
            "fix it, and don't touch Cargo.toml",
            "go on",
            "Cargo.toml",
            true,
            "ruled out",
        ),
        (
            "fix it, and don't touch Cargo.toml",
            "go on",
            "src/a.rs",
            false,
            "not ruled out",
        ),
    ] {
        let mut play = Play::agreed(contract);
        play.prompt(prompt);
        play.edit(file, Ending::Succeeded);
        let told = play.stop("Done.");
        assert_eq!(
            !play.drifted().is_empty(),
            expected,
            "{contract} | {prompt} | {file}: {why}"
        );
        assert_ne!(told.outcome, Outcome::Refuse);
        if expected {
            let finding = &told.findings[0];
            assert_eq!(
                (finding.places[0].path.as_str(), finding.state),
                (file, FindingState::Noted)
            );
            assert!(told.to_person.unwrap().contains(file));
        }
    }
}

#[test]
fn changes_are_held_against_the_persons_words() {
    for (words, file, expected, why) in [
        (&["only touch src/retry"][..], "src/loader.rs", true, "outside"),
        (&["only touch src/retry"], "src/retry.rs", false, "inside"),
        (
            &["don't touch Cargo.toml", "go on"],
            "Cargo.toml",
            true,
            "ruled out a turn ago",
        ),
        (
            &["only touch src/retry", "fix the rest"],
            "src/loader.rs",
            false,
            "that request is over",
        ),
        (
            &["don't touch Cargo.toml", "a", "b", "c", "d"],
            "Cargo.toml",
            false,
            "said long ago",
        ),
        (
            &["don't touch Cargo.toml", "bump the version in Cargo.toml"],
            "Cargo.toml",
            false,
            "asked for since",
        ),
    ] {
        let mut play = Play::new();
        for words in words {
            play.prompt(words);
            play.stop("Done.");
        }
        play.edit(file, Ending::Succeeded);
        play.stop("Done.");
        assert_eq!(!play.drifted().is_empty(), expected, "{words:?} | {file}: {why}");
    }
}

#[test]
fn what_came_before_the_words_or_did_not_happen_is_no_drift() {
    let mut play = Play::new();
    play.prompt("tidy up");
    play.edit("Cargo.toml", Ending::Succeeded);
    play.remark("don't touch Cargo.toml");
    play.edit("Cargo.toml", Ending::Denied);
    play.edit("Cargo.toml", Ending::Failed);
    play.stop("Done.");
    assert!(play.drifted().is_empty(), "{:?}", play.drifted());
    play.edit("Cargo.toml", Ending::Succeeded);
    play.lag = Lag::Turn;
    play.stop("So.");
    assert!(play.drifted().is_empty(), "the record has not reached the turn");
    play.lag = Lag::None;
    play.stop("So.");
    assert_eq!(play.drifted(), ["Cargo.toml"]);
}

#[test]
fn a_file_is_found_once_told_once_and_over_when_the_reply_speaks_of_it() {
    let mut play = Play::agreed("only src/retry; nothing else");
    play.prompt("go on");
    play.edit("src/loader.rs", Ending::Succeeded);
    play.edit("src/loader.rs", Ending::Succeeded);
    assert_eq!(play.stop("Done.").findings.len(), 1);
    assert!(play.stop("Done again.").findings.is_empty());
    let told = play.prompt("and?").to_agent.unwrap();
    assert!(
        told.contains("`src/loader.rs`") && told.contains("only src/retry"),
        "{told}"
    );
    assert!(play.prompt("well?").is_silent());
    play.stop("I put loader.rs back.");
    assert!(play.drifted().is_empty());
    assert_eq!(play.book.noted()[0].end, Some(FindingEnd::Owned));
}

#[test]
fn it_never_sends_the_agent_back_and_can_be_switched_off() {
    let mut play = Play::agreed("only src/retry; nothing else");
    play.settings.scope_drift.mode = Mode::Refuse;
    play.prompt("go on");
    play.edit("src/loader.rs", Ending::Succeeded);
    assert_eq!(play.stop("Done.").outcome, Outcome::Advise);
    let mut off = Play::agreed("only src/retry; nothing else");
    off.settings.scope_drift.mode = Mode::Off;
    off.prompt("go on");
    off.edit("src/loader.rs", Ending::Succeeded);
    assert!(off.stop("Done.").is_silent());
}

#[test]
fn a_helper_that_the_running_turn_started_is_held_to_it_too() {
    for (started_now, expected) in [(true, 1), (false, 0)] {
        let mut main = Play::agreed("only src/retry; nothing else");
        main.prompt("go on");
        let delegate = |play: &mut Play| {
            play.call("d", ToolKind::Delegates, "go", None);
            play.stream.fold(Entry::Result {
                id: "d".to_owned(),
                ending: Ending::Background,
                exit: None,
                output: String::new(),
                helper: Some("helper".to_owned()),
                turn: None,
            });
        };
        delegate(&mut main);
        if !started_now {
            main.prompt("and now?");
        }
        let mut own = Play::new();
        own.prompt("do it");
        own.edit("src/loader.rs", Ending::Succeeded);
        let helper = |_: &CallRecord| unreachable!("the helper delegates nothing");
        let view = StopView {
            judged: crate::checks::plain_words::Judged::Unasked,
            key: &main.key,
            agent: Some("helper"),
            turn: 1,
            book: &main.book,
            record: Record::Read {
                stream: &own.stream,
                lag: Lag::None,
                helper: &helper,
            },
            others: &[(None, &main.stream)],
            rewrite: false,
            reply: Some("Done."),
            settings: &main.settings,
            last_look: true,
        };
        let Step::Decided(outcomes) = decide::stop(&view, REGISTRY, Vec::new(), || false) else {
            panic!("waits at the last look");
        };
        assert_eq!(outcomes.decision.findings.len(), expected);
    }
}
