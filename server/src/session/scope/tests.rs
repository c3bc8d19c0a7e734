//! The table of transitions, and what holds after any sequence of facts.
//! When the checks make such facts is tested there.

use proptest::prelude::*;

use super::*;
use crate::session::fact::FactBody;

/// One fact in short: `c1` the correction of class c whose words are called 1, `d2` one of class d; `k` an agent's contract,
/// `K` the person's; `r` and `a` the two words; `o` a release; `y` the contract was kept.
fn fact(short: &str, at: u64) -> ScopeFact {
    let (kind, words) = short.split_at(1);
    let contract = format!("contract {at}");
    match kind {
        "k" => ScopeFact::Contracted {
            contract,
            by: By::Agent,
            turn: at,
        },
        "K" => ScopeFact::Contracted {
            contract,
            by: By::Command,
            turn: 0,
        },
        "r" => ScopeFact::Word {
            word: ReleaseWord::Reflect,
        },
        "a" => ScopeFact::Word {
            word: ReleaseWord::AutomateMe,
        },
        "o" => ScopeFact::Released { by: By::Words },
        "y" => ScopeFact::Kept,
        class => ScopeFact::Corrected {
            words: words.to_owned(),
            of: None,
            class: class.to_owned(),
            quote: format!("quote {words}"),
        },
    }
}

fn folded(facts: &[&str]) -> Scope {
    let mut scope = Scope::default();
    for (at, short) in (1..).zip(facts) {
        let scope_fact = fact(short, at);
        let whole = Fact {
            at,
            agent: None,
            turn: at,
            anchor: Some(format!("row {at}")),
            key: at.to_string(),
            body: FactBody::Scope {
                scope: scope_fact.clone(),
            },
        };
        scope.fold(&whole, &scope_fact);
    }
    scope
}

#[test]
fn every_transition() {
    use ScopePhase::{ContractRequired, HardStop, Locked, None, ReflectionAcknowledged};
    for (facts, expected) in [
        ("", None),
        ("c1", ContractRequired),
        ("c1 c1", ContractRequired),
        ("c1 k", Locked),
        ("k", None),
        ("K", Locked),
        ("c1 K", Locked),
        ("c1 c2", HardStop),
        ("c1 k c2", HardStop),
        ("c1 d2", ContractRequired),
        ("c1 k d2", ContractRequired),
        ("c1 d2 c3", HardStop),
        ("c1 c2 d3", HardStop),
        ("c1 c2 k", HardStop),
        ("c1 c2 K", Locked),
        ("c1 c2 K c3", ContractRequired),
        ("c1 r a", ContractRequired),
        ("c1 c2 r", HardStop),
        ("c1 c2 a r", ReflectionAcknowledged),
        ("c1 c2 r r", HardStop),
        ("c1 c2 r a c3", ContractRequired),
        ("c1 c2 r a c2", ReflectionAcknowledged),
        ("c1 c2 r a c3 c4 r", HardStop),
        ("c1 o", None),
        ("c1 k o", None),
        ("c1 c2 o", None),
        ("c1 o c2", ContractRequired),
        ("c1 k y", Locked),
        ("c1 k y c2", ContractRequired),
        ("c1 k c2 y", HardStop),
        ("c1 y c2", HardStop),
    ] {
        let list: Vec<&str> = facts.split_whitespace().collect();
        assert_eq!(folded(&list).phase(), expected, "{facts}");
    }
}

#[test]
fn what_others_see_of_it() {
    let shown = folded(&["c1", "k"]).shown();
    assert_eq!(
        (shown.contract.as_deref(), shown.since, shown.correction.as_deref()),
        (Some("contract 2"), Some(2), Some("quote 1"))
    );
    assert_eq!(
        folded(&["c1", "c2", "r", "d3"]).shown().since,
        Some(2),
        "it stands so since then"
    );
    assert_eq!(folded(&["c1", "o"]).shown(), query::Scope::default());
    let stopped = folded(&["c1", "c2", "a"]);
    assert_eq!(stopped.missing(), [ReleaseWord::Reflect]);
    assert_eq!(stopped.anchor(), Some("row 3"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_facts_leave_a_legal_phase_and_one_release_frees(
        facts in prop::collection::vec(
            prop::sample::select(vec!["c1", "c2", "c3", "d1", "d4", "e5", "k", "K", "r", "a", "o", "y"]),
            0..40,
        ),
    ) {
        let scope = folded(&facts);
        let shown = scope.shown();
        prop_assert_eq!(scope.holds(), shown.contract.is_none() && shown.correction.is_some());
        prop_assert_eq!(shown.contract.is_some(), scope.phase() == ScopePhase::Locked);
        prop_assert_eq!(scope.words.len() < 2 && (scope.words.is_empty() || scope.phase() == ScopePhase::HardStop), true);
        for release in ["o", "K"] {
            let freed = folded(&[facts.as_slice(), &[release]].concat());
            prop_assert!(!freed.holds(), "{:?}", freed);
            prop_assert!(freed.counts.is_empty());
        }
        let again = folded(&[facts.as_slice(), facts.as_slice()].concat());
        prop_assert!(again.known.len() == scope.known.len(), "a correction that comes again is none");
    }
}
