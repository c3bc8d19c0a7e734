//! The stretches of small records, and that folding any record keeps them bounded.
//! How entries come about is the readers' business.

use proptest::prelude::*;

use super::*;
use crate::session::{Entry, Stream};

/// A record in short: `p` a prompt, `q` a queued one, `r` a remark, `w` a change, `l` a look, `d` a refused change, `f` a
/// failed one, `n` a change without a result, `h` a helper, `x` a line that can't be read, `t` a text, `c` a contract.
fn record(letters: &str) -> Stream {
    let mut stream = Stream::default();
    for (at, letter) in letters.chars().enumerate() {
        let id = format!("c{at}");
        let row = format!("r{at}");
        let text = match letter {
            'c' => "SCOPE CONTRACT: parser.rs only; nothing else".to_owned(),
            _ => format!("words {at}"),
        };
        let call = |kind| Entry::Call {
            row: row.clone(),
            id: id.clone(),
            tool: "Tool".to_owned(),
            kind,
            input: String::new(),
            changes: Vec::new(),
        };
        let result = |ending, helper: Option<&str>| Entry::Result {
            id: id.clone(),
            ending,
            exit: None,
            output: String::new(),
            helper: helper.map(str::to_owned),
            turn: None,
        };
        let entries = match letter {
            'p' | 'q' => vec![Entry::Prompt {
                row: row.clone(),
                turn: None,
                text,
                queued: letter == 'q',
            }],
            'r' => vec![Entry::Remark { row: row.clone(), text }],
            't' | 'c' => vec![Entry::Text { row: row.clone(), text }],
            'w' => vec![call(ToolKind::Mutates), result(Ending::Succeeded, None)],
            'l' => vec![call(ToolKind::Observes), result(Ending::Succeeded, None)],
            'd' => vec![call(ToolKind::Mutates), result(Ending::Denied, None)],
            'f' => vec![call(ToolKind::Mutates), result(Ending::Failed, None)],
            'n' => vec![call(ToolKind::Mutates)],
            'h' => vec![call(ToolKind::Delegates), result(Ending::Succeeded, Some("helper"))],
            _ => vec![Entry::Unreadable],
        };
        for entry in entries {
            stream.fold(entry);
        }
    }
    stream
}

/// What words behind the record look back on.
fn seen(letters: &str, window: u64, helper: Known) -> Known {
    let past = record(letters).past;
    changed(past.before(past.stretches().len(), window), &|_| helper)
}

#[test]
fn what_words_look_back_on() {
    for (letters, window, expected, why) in [
        ("", 1, Known::No, "nothing was on record"),
        ("pw", 1, Known::Yes, "a change that happened"),
        ("plt", 1, Known::No, "looks change nothing"),
        ("pd", 1, Known::No, "refused: it never ran"),
        ("pf", 1, Known::Unknown, "failed: it may have begun"),
        ("pn", 1, Known::Unknown, "no result is on record"),
        ("pnw", 1, Known::Yes, "one is certain, whatever the other did"),
        ("pwx", 1, Known::Unknown, "the line may have been the person's"),
        ("pwxpw", 1, Known::Yes, "the line lies further back"),
        ("pwpl", 1, Known::No, "the change lies further back than the last run"),
        ("pwpl", 2, Known::Yes, "a wider window reaches it"),
        ("pwpl", 99, Known::Yes, "a window wider than the record"),
        ("pwqlt", 1, Known::Yes, "a queued prompt goes on with the same run"),
        ("pwrl", 1, Known::Yes, "so does a remark"),
        ("pwp", 1, Known::No, "the run has just begun"),
    ] {
        assert_eq!(seen(letters, window, Known::Unknown), expected, "{letters}: {why}");
    }
}

#[test]
fn a_helper_answers_for_itself() {
    for helper in [Known::Yes, Known::No, Known::Unknown] {
        assert_eq!(seen("phl", 1, helper), helper);
        assert_eq!(seen("phw", 1, helper), Known::Yes);
    }
    assert_eq!(record("pw").past.whole(), Known::Yes);
    assert_eq!(record("plpl").past.whole(), Known::No);
    assert_eq!(record("ph").past.whole(), Known::Unknown, "a helper of a helper");
    let long = format!("pw{}", "pl".repeat(MAX_STRETCHES));
    assert_eq!(
        record(&long).past.whole(),
        Known::Yes,
        "what is no longer kept still counts"
    );
}

#[test]
fn a_prompt_is_found_on_record_or_comes_behind_it() {
    let past = record("pwtp").past;
    assert_eq!(past.place_of("words  3\n"), 1, "its row was written first");
    assert_eq!(past.place_of("words 0"), 2, "said before, and answered since");
    assert_eq!(past.name_of(1, "words 3"), record("pwt").past.name_of(1, "words 3"));
    assert_ne!(past.name_of(1, "words 3"), past.name_of(2, "words 3"));
    assert_eq!(record("pwr").past.place_of("words 2"), 2, "a remark is no prompt");
}

#[test]
fn a_result_belongs_to_the_stretch_of_its_call() {
    let mut stream = record("p");
    let call = |id: &str| Entry::Call {
        row: String::new(),
        id: id.to_owned(),
        tool: "Tool".to_owned(),
        kind: ToolKind::Mutates,
        input: String::new(),
        changes: Vec::new(),
    };
    stream.fold(call("a"));
    stream.fold(Entry::Prompt {
        row: "q".to_owned(),
        turn: None,
        text: "wait".to_owned(),
        queued: true,
    });
    stream.fold(Entry::Result {
        id: "a".to_owned(),
        ending: Ending::Succeeded,
        exit: None,
        output: String::new(),
        helper: None,
        turn: None,
    });
    let [first, second] = stream.past.stretches() else {
        panic!("{:?}", stream.past)
    };
    assert_eq!((first.own(), second.own()), (Known::Yes, Known::No));
}

#[test]
fn a_contract_is_kept_where_it_was_stated() {
    let past = record("pctwpt").past;
    let contracts: Vec<bool> = past.stretches().iter().map(|one| one.contract.is_some()).collect();
    assert_eq!(contracts, [true, false]);
    assert!(
        record("pcr").past.stretches()[1].contract.is_none(),
        "the remark came after it"
    );
}

#[test]
fn of_long_words_both_ends_are_kept() {
    let long = format!("{}é{}", "a".repeat(5_000), "z".repeat(5_000));
    let kept = ends(&long);
    assert!(kept.starts_with("aaa") && kept.ends_with("zzz"), "{kept}");
    assert_eq!(kept.chars().count(), 2 * END + 2);
    assert_eq!(ends(&"é".repeat(2 * END)), "é".repeat(2 * END));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_record_is_bounded_and_goes_on_after_it_was_stored(letters in "[pqrwldfnhxtc]{0,300}", cut in 0usize..300) {
        let stream = record(&letters);
        prop_assert!(stream.past.stretches().len() <= MAX_STRETCHES);
        prop_assert!(stream.past.pending.len() <= MAX_PENDING);
        let open: u64 = stream.past.stretches().iter().map(|one| u64::from(one.pending)).sum();
        prop_assert!(open >= stream.past.pending.iter().filter(|(_, number)| *number > stream.past.dropped).count() as u64);
        for place in [0, cut, usize::MAX] {
            changed(stream.past.before(place, 1), &|_| Known::Unknown);
            stream.past.name_of(place, &letters);
            prop_assert!(stream.past.run_before(place) <= stream.past.stretches().len());
        }
        let stored = serde_json::to_string(&stream.past).unwrap();
        prop_assert_eq!(serde_json::from_str::<Past>(&stored).unwrap(), stream.past);
    }
}
