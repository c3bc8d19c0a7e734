//! The scope lock and what drifts from a contract, played turn by turn.
//! The built programs, forks and restarts are tested end to end.

use proofmark_protocol::query::ScopePhase;

use super::*;
use crate::checks::ToolView;

const LOCKED: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/shell/locked.tsv"));
/// Words of one class.
const CORRECTS: &str = "that's not what I asked";
const AGAIN: &str = "again: that's not what I asked for";

impl Play {
    /// A session in which something was changed, ready for the person's next words.
    fn worked() -> Self {
        let mut play = Self::new();
        play.prompt("tidy the parser");
        play.write("w1", "src/loader.rs");
        play
    }

    fn write(&mut self, id: &str, file: &str) {
        self.call(id, ToolKind::Mutates, file, Some(Ending::Succeeded));
    }

    fn says(&mut self, text: &str) {
        let (row, text) = (String::new(), text.to_owned());
        self.stream.fold(Entry::Text { row, text });
    }

    fn phase(&self) -> ScopePhase {
        self.book.scope().phase()
    }

    /// What becomes of a call: none when it may run.
    fn asks(&self, kind: &ToolKind) -> Option<String> {
        let view = ToolView {
            key: &self.key,
            agent: None,
            book: &self.book,
            stream: Some(&self.stream),
            tool: "Tool",
            kind,
            input: "input",
            changes: &[],
            settings: &self.settings,
        };
        let outcomes = decide::tool(&view, REGISTRY, Vec::new(), || self.paused);
        assert!(
            outcomes.facts.is_empty() || outcomes.decision.outcome != Outcome::Refuse,
            "a denied call costs nothing"
        );
        (outcomes.decision.outcome == Outcome::Refuse).then(|| outcomes.decision.to_agent.unwrap())
    }

    fn locked(words: &[&str]) -> Self {
        let mut play = Self::worked();
        for (at, words) in words.iter().enumerate() {
            play.prompt(words);
            play.write(&format!("x{at}"), "src/loader.rs");
        }
        play
    }
}

fn shell(command: &str) -> ToolKind {
    ToolKind::Shell {
        command: command.to_owned(),
    }
}

#[test]
fn a_correction_of_changed_work_locks_and_a_contract_in_an_ended_turn_opens() {
    let mut play = Play::worked();
    let told = play.prompt(CORRECTS);
    assert_eq!(play.phase(), ScopePhase::ContractRequired);
    assert_eq!(
        (told.outcome, told.findings[0].code.as_str()),
        (Outcome::Advise, "scope-lock")
    );
    let (agent, person) = (told.to_agent.unwrap(), told.to_person.unwrap());
    assert!(
        agent.contains("SCOPE CONTRACT:") && agent.contains("end your turn"),
        "{agent}"
    );
    assert!(
        person.contains("proofmark scope release") && person.contains("scope lock off"),
        "{person}"
    );
    assert!(play.asks(&ToolKind::Mutates).is_some());
    // Stated in the running turn, it doesn't count yet: the person could not read it.
    play.says("SCOPE CONTRACT: change parser.rs only; not the loader");
    assert!(play.asks(&ToolKind::Mutates).is_some());
    let stopped = play.stop("SCOPE CONTRACT: change parser.rs only; not the loader");
    assert!(stopped.to_person.unwrap().contains("parser.rs only"));
    assert_eq!(play.phase(), ScopePhase::Locked);
    assert_eq!(play.asks(&ToolKind::Mutates), None);
}

#[test]
fn a_reply_that_is_sent_back_states_no_contract_yet() {
    let mut play = Play::locked(&[CORRECTS]);
    let reply = format!("SCOPE CONTRACT: change parser.rs only\n\n{}", tag("the parser works"));
    play.says(&reply);
    assert_eq!(play.stop(&reply).outcome, Outcome::Refuse);
    assert_eq!(play.phase(), ScopePhase::ContractRequired);
    let rewrite = "SCOPE CONTRACT: change parser.rs only";
    play.says(rewrite);
    assert_eq!(play.stop(rewrite).outcome, Outcome::Advise);
    assert_eq!(play.phase(), ScopePhase::Locked);
}

#[test]
fn words_without_changed_work_lock_nothing() {
    for (kind, ending) in [
        (ToolKind::Observes, Some(Ending::Succeeded)),
        (ToolKind::Neither, Some(Ending::Succeeded)),
        (ToolKind::Asks, Some(Ending::Succeeded)),
        (shell("git status"), Some(Ending::Succeeded)),
        (shell("cargo test"), Some(Ending::Failed)),
        (ToolKind::Mutates, Some(Ending::Denied)),
        (ToolKind::Mutates, Some(Ending::Failed)),
        (ToolKind::Mutates, None),
        (shell("make"), Some(Ending::Succeeded)),
        (ToolKind::Unknown, Some(Ending::Succeeded)),
        (ToolKind::Delegates, Some(Ending::Succeeded)),
    ] {
        let mut play = Play::new();
        play.prompt("look at the parser");
        play.call("c1", kind.clone(), "input", ending);
        let told = play.prompt(CORRECTS);
        assert!(
            told.is_silent() && told.findings.is_empty(),
            "{kind:?} {ending:?}: {told:?}"
        );
        assert_eq!(play.phase(), ScopePhase::None, "{kind:?} {ending:?}");
    }
    for command in ["git branch feature", "git commit -m x", "git push", "echo x > f"] {
        let mut play = Play::new();
        play.prompt("look at the parser");
        play.call("c1", shell(command), "input", Some(Ending::Succeeded));
        play.prompt(CORRECTS);
        assert_eq!(play.phase(), ScopePhase::ContractRequired, "{command}");
    }
}

#[test]
fn the_same_words_delivered_again_count_once() {
    let mut play = Play::worked();
    play.prompt(CORRECTS);
    // The row is on record by now; the event comes once more.
    let again = play.prompt_only(CORRECTS);
    assert_eq!(play.phase(), ScopePhase::ContractRequired);
    assert!(again.to_agent.unwrap().contains("SCOPE CONTRACT"));
}

#[test]
fn a_second_correction_stops_everything_until_the_person_lifts_it() {
    let mut play = Play::locked(&[CORRECTS, AGAIN]);
    assert_eq!(play.phase(), ScopePhase::HardStop);
    for kind in [
        ToolKind::Observes,
        ToolKind::Mutates,
        ToolKind::Neither,
        ToolKind::Unknown,
        shell("ls"),
    ] {
        let text = play.asks(&kind).unwrap();
        assert!(text.contains("/reflect") && text.contains("automate-me"), "{text}");
    }
    assert_eq!(play.asks(&ToolKind::Asks), None);
    for own in [
        "proofmark status",
        "proofmark scope",
        "proofmark scope show --json",
        "/opt/bin/proofmark claims",
    ] {
        assert_eq!(play.asks(&shell(own)), None, "{own}");
    }
    for other in [
        "proofmark scope release",
        "proofmark status; rm f",
        "proofmark pause",
        "./proofmark status",
        "proofmark claims retire x",
    ] {
        assert!(play.asks(&shell(other)).is_some(), "{other}");
    }
    play.settings.scope_lock.hard_stop_reading = true;
    assert_eq!(play.asks(&shell("ls")), None);
    assert!(play.asks(&ToolKind::Mutates).is_some());
    play.says("SCOPE CONTRACT: parser.rs only; nothing else");
    play.stop("SCOPE CONTRACT: parser.rs only; nothing else");
    assert_eq!(play.phase(), ScopePhase::HardStop, "a contract lifts no stop");
    play.prompt("/reflect");
    let text = play.asks(&ToolKind::Mutates).unwrap();
    assert!(text.contains("automate-me") && !text.contains("/reflect"), "{text}");
    let told = play.prompt("automate-me");
    assert_eq!(play.phase(), ScopePhase::ReflectionAcknowledged);
    assert!(told.to_agent.unwrap().contains("two reviews"));
    assert!(play.prompt("go on").is_silent(), "said once");
    play.write("y", "src/x.rs");
    play.prompt("no, that's not what I asked");
    assert_eq!(play.phase(), ScopePhase::ContractRequired, "it counts anew");
}

#[test]
fn one_line_lifts_every_lock() {
    for words in [&[CORRECTS][..], &[CORRECTS, AGAIN]] {
        let mut play = Play::locked(words);
        let told = play.prompt("scope lock off");
        assert_eq!(play.phase(), ScopePhase::None);
        assert!(told.to_person.unwrap().contains("off") && told.to_agent.is_none());
        assert_eq!(play.asks(&ToolKind::Mutates), None);
    }
    let mut play = Play::worked();
    assert!(play.prompt("scope lock off").is_silent(), "there was nothing to lift");
}

#[test]
fn a_contract_that_was_kept_lets_earlier_corrections_be() {
    for (turns, expected) in [(4, ScopePhase::HardStop), (5, ScopePhase::ContractRequired)] {
        let mut play = Play::locked(&[CORRECTS]);
        play.says("SCOPE CONTRACT: parser.rs only; nothing else");
        play.stop("SCOPE CONTRACT: parser.rs only; nothing else");
        for turn in 0..turns {
            play.prompt(&format!("go on {turn}"));
            play.write(&format!("k{turn}"), "parser.rs");
        }
        play.prompt(AGAIN);
        assert_eq!(play.phase(), expected, "after {turns} turns");
    }
}

#[test]
fn a_contract_is_found_when_the_stop_was_missed_and_only_behind_the_correction() {
    let mut play = Play::worked();
    play.says("SCOPE CONTRACT: whatever I like; and more");
    play.prompt(CORRECTS);
    play.prompt("well?");
    assert_eq!(
        play.phase(),
        ScopePhase::ContractRequired,
        "it was stated before the correction"
    );
    play.says("SCOPE CONTRACT: parser.rs only; nothing else");
    play.prompt("go on");
    assert_eq!(play.phase(), ScopePhase::Locked);
}

#[test]
fn words_that_no_event_brought_are_heard_at_the_stop() {
    let remark = |play: &mut Play, text: &str| {
        let (row, text) = ("r1".to_owned(), text.to_owned());
        play.stream.fold(Entry::Remark { row, text });
    };
    let mut play = Play::worked();
    remark(&mut play, CORRECTS);
    let told = play.stop("I stopped.");
    assert_eq!((play.phase(), told.findings.len()), (ScopePhase::ContractRequired, 1));
    assert!(told.to_person.unwrap().contains("corrects work"));
    assert!(play.stop("I stopped.").findings.is_empty(), "heard once");
    play.prompt("scope lock off");
    assert_eq!(play.phase(), ScopePhase::None);
    let mut refused = Play::new();
    refused.prompt("tidy the parser");
    refused.call("d", ToolKind::Mutates, "f", Some(Ending::Denied));
    remark(&mut refused, CORRECTS);
    refused.write("w", "g");
    refused.stop("Done.");
    assert_eq!(
        refused.phase(),
        ScopePhase::None,
        "nothing was changed before the words"
    );
}

#[test]
fn what_advises_denies_nothing_and_what_is_off_records_nothing() {
    let mut play = Play::worked();
    play.settings.scope_lock.mode = Mode::Advise;
    let told = play.prompt(CORRECTS);
    assert!(told.to_person.unwrap().contains("would lock"));
    assert_eq!(play.asks(&ToolKind::Mutates), None);
    let mut off = Play::worked();
    off.settings.scope_lock.mode = Mode::Off;
    assert!(off.prompt(CORRECTS).is_silent());
    assert_eq!(off.phase(), ScopePhase::None);
    let mut paused = Play::locked(&[CORRECTS]);
    paused.paused = true;
    assert_eq!(paused.asks(&ToolKind::Mutates), None);
}

#[test]
fn a_wider_window_reaches_further_back() {
    for (window, expected) in [(1, ScopePhase::None), (2, ScopePhase::ContractRequired)] {
        let mut play = Play::worked();
        play.settings.scope_lock.window = window;
        play.prompt("show me");
        play.look("l1", "src/loader.rs");
        play.prompt(CORRECTS);
        assert_eq!(play.phase(), expected, "window {window}");
    }
}

#[test]
fn helper_agents_state_no_contract_and_are_held_too() {
    let play = Play::locked(&[CORRECTS]);
    assert_eq!(play.phase(), ScopePhase::ContractRequired);
    let helper = |_: &CallRecord| unreachable!("nobody delegates");
    let view = StopView {
        judged: crate::checks::plain_words::Judged::Unasked,
        key: &play.key,
        agent: Some("helper"),
        turn: 1,
        book: &play.book,
        record: Record::Read {
            stream: &play.stream,
            lag: Lag::None,
            helper: &helper,
        },
        others: &[],
        rewrite: false,
        reply: Some("SCOPE CONTRACT: parser.rs only; nothing else"),
        settings: &play.settings,
        last_look: true,
    };
    let Step::Decided(outcomes) = decide::stop(&view, REGISTRY, Vec::new(), || false) else {
        panic!("waits at the last look");
    };
    assert!(outcomes.facts.is_empty(), "{outcomes:?}");
}

#[test]
fn commands_under_a_lock() {
    let play = Play::locked(&[CORRECTS]);
    let mut wrong = Vec::new();
    let rows: Vec<&str> = LOCKED.lines().skip(1).collect();
    assert!(rows.len() >= 60);
    for row in rows {
        let [command, expected, note] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three cells: {row}");
        };
        assert!(["passes", "denied"].contains(&expected), "{row}");
        let command = command.replace("\\n", "\n").replace("\\\\", "\\");
        let got = if play.asks(&shell(&command)).is_some() {
            "denied"
        } else {
            "passes"
        };
        if got != expected {
            wrong.push(format!("{command:?} ({note}): {got}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
