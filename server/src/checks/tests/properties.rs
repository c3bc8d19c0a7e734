//! What holds for every session: a turn ends, no claim is doubled, a stored fold goes on.
//! Single situations stay out.

use proptest::prelude::*;

use super::*;

/// What can happen in a session, as data for the property tests.
#[derive(Debug, Clone)]
enum Happening {
    Prompt,
    Look,
    Write,
    Reply(Vec<u8>),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        1 => Just(Happening::Prompt),
        1 => Just(Happening::Look),
        1 => Just(Happening::Write),
        6 => proptest::collection::vec(10_u8..30, 0..4).prop_map(Happening::Reply),
    ]
}

proptest! {
    #[test]
    fn whatever_is_said_a_turn_ends(happenings in proptest::collection::vec(happening(), 0..60), strict: bool) {
        let mut play = Play::new();
        play.settings.untried_claim.strict = strict;
        play.prompt("go");
        let (mut refusals, mut number) = (0, 0);
        for happening in happenings {
            number += 1;
            match happening {
                Happening::Prompt => {
                    play.prompt("go on");
                    refusals = 0;
                }
                Happening::Look => play.look(&number.to_string(), "/srv/export"),
                Happening::Write => play.call(&number.to_string(), ToolKind::Mutates, "a.rs", Some(Ending::Succeeded)),
                Happening::Reply(claims) => {
                    let tags: Vec<String> = claims.iter().map(|n| tag(&format!("case {n} passes"))).collect();
                    let decision = play.stop(&tags.join(" "));
                    refusals += u32::from(decision.outcome == Outcome::Refuse);
                    prop_assert!(refusals <= MAX_REFUSALS);
                    prop_assert!(!claims.is_empty() || decision.outcome != Outcome::Refuse);
                }
            }
            let mut ids: Vec<&str> = play.book.claims().iter().map(|row| row.folded.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), play.book.claims().len(), "no claim is doubled");
        }
    }

    #[test]
    fn a_stream_stored_at_any_point_goes_on_as_if_it_never_was(kinds in proptest::collection::vec(0_u8..6, 0..60), cut in 0_usize..60) {
        let entry = |(at, kind): (usize, &u8)| {
            let id = (at / 2).to_string();
            match kind {
                0 => Entry::Prompt { row: id.clone(), turn: Some(id), text: "go".to_owned(), queued: at % 3 == 0 },
                1 => Entry::Text { row: id.clone(), text: id },
                2 => Entry::Call { row: String::new(), id, tool: "Bash".to_owned(), kind: ToolKind::Shell { command: "ls".to_owned() }, input: "ls".to_owned(), changes: Vec::new() },
                3 => Entry::Result { id, ending: Ending::Failed, exit: Some(1), output: "no".to_owned(), helper: None, turn: None },
                4 => Entry::Unreadable,
                _ => Entry::Origin { session: Some(id), client: true, cwd: None, by_harness: false },
            }
        };
        let entries: Vec<Entry> = kinds.iter().enumerate().map(entry).collect();
        let cut = cut.min(entries.len());
        let mut whole = Stream::default();
        let (mut pieces, mut resumed) = (Stream::default(), Stream::default());
        for (at, entry) in entries.into_iter().enumerate() {
            if at == cut {
                let stored = serde_json::to_string(&pieces).unwrap();
                let unstored = pieces.take_unstored();
                pieces = serde_json::from_str(&stored).unwrap();
                resumed = pieces.clone();
                resumed.give_back(unstored);
            }
            whole.fold(entry.clone());
            pieces.fold(entry.clone());
            resumed.fold(entry);
        }
        // A process that goes on with its own fold has lost nothing.
        prop_assert_eq!(&whole, &resumed);
        // Texts and outputs are not stored.
        for stream in [&mut whole, &mut pieces] {
            stream.turn.texts.clear();
            stream.turn.asked = None;
            stream.turn.calls.iter_mut().for_each(|call| call.output.clear());
        }
        prop_assert_eq!(whole, pieces);
    }
}
