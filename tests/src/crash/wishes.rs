//! What was put to the hook and what was acknowledged, held against what the ledger says.
//! Nobody is asked here: both sides are arguments.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_protocol::query::{Claim, ClaimState, KeptFinding, KeptState, ScopePhase, SessionStatus};

/// What is known of one claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    /// It was acknowledged: it has to be there.
    pub(crate) kept: bool,
    /// A refusal for it was acknowledged.
    pub(crate) refused: bool,
    /// Its session does nothing more about it.
    pub(crate) handed_on: bool,
    pub(crate) retired: Person,
}

/// What the person did about something, as far as that was acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Person {
    /// Nothing.
    #[default]
    Nothing,
    /// Put it aside.
    Aside,
    /// Somebody was killed over it: either.
    Unknown,
}

impl Person {
    /// What is known after a try; `done` is none when nobody said how it ended.
    pub(crate) fn after(self, aside: bool, done: Option<bool>) -> Self {
        match (done, aside) {
            (Some(true), true) => Self::Aside,
            (Some(true), false) => Self::Nothing,
            (Some(false), _) => self,
            (None, _) => Self::Unknown,
        }
    }

    fn allows(self, is_aside: bool) -> bool {
        match self {
            Self::Nothing => !is_aside,
            Self::Aside => is_aside,
            Self::Unknown => true,
        }
    }
}

/// What is known of one kept finding, by the word that only its check has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flip {
    pub(crate) session: String,
    pub(crate) kept: bool,
    /// The check was right again, and the agent's stop after it was answered.
    pub(crate) recovered: Option<bool>,
    pub(crate) handed_on: bool,
    pub(crate) dismissed: Person,
}

/// Everything that is known.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    /// By session and words.
    pub(crate) claims: BTreeMap<(String, String), Wish>,
    pub(crate) flips: BTreeMap<String, Flip>,
    /// The contract of a session, where that is known.
    pub(crate) scopes: BTreeMap<String, Option<String>>,
}

impl Wishes {
    /// A claim's wish.
    pub(crate) fn claim(&mut self, session: &str, words: &str) -> &mut Wish {
        self.claims.entry((session.to_owned(), words.to_owned())).or_default()
    }

    /// What the ledger's claims lack, or have too much.
    pub(crate) fn amiss_in_claims(&self, listed: &[Claim]) -> Vec<String> {
        let mut bad = Vec::new();
        let mut seen = BTreeSet::new();
        for claim in listed {
            let key = (claim.session.clone(), claim.claim.clone());
            let Some(wish) = self.claims.get(&key) else {
                bad.push(format!("nobody has put it: {claim:?}"));
                continue;
            };
            let is_retired = claim.state == ClaimState::Retired;
            if !wish.retired.allows(is_retired) {
                bad.push(format!("the person's word does not count ({wish:?}): {claim:?}"));
            }
            if claim.refusals > 1 || (wish.refused && claim.refusals != 1) {
                bad.push(format!("not refused once ({wish:?}): {claim:?}"));
            }
            if !seen.insert(key) {
                bad.push(format!("doubled: {claim:?}"));
            }
        }
        for ((session, words), wish) in &self.claims {
            if wish.kept && !seen.contains(&(session.clone(), words.clone())) {
                bad.push(format!("acknowledged and lost: {words} of {session}: {wish:?}"));
            }
        }
        bad
    }

    /// What the ledger's findings lack, or have too much.
    pub(crate) fn amiss_in_findings(&self, listed: &[KeptFinding]) -> Vec<String> {
        let mut bad = Vec::new();
        let mut seen = BTreeSet::new();
        for finding in listed {
            let about = |word: &&String| finding.subject.contains(*word) || finding.message.contains(*word);
            let Some((word, flip)) = self
                .flips
                .keys()
                .find(about)
                .and_then(|word| self.flips.get_key_value(word))
            else {
                bad.push(format!("nobody has put it: {finding:?}"));
                continue;
            };
            let is_dismissed = finding.state == KeptState::Dismissed;
            let is_recovered = finding.state == KeptState::Recovered;
            if !flip.dismissed.allows(is_dismissed) || flip.recovered.is_some_and(|wanted| wanted != is_recovered) {
                bad.push(format!("it stands otherwise than {flip:?}: {finding:?}"));
            }
            if flip.session != finding.session || !seen.insert(word) {
                bad.push(format!("doubled, or elsewhere: {finding:?}"));
            }
        }
        for (word, flip) in &self.flips {
            if flip.kept && !seen.contains(word) {
                bad.push(format!("acknowledged and lost: {word}: {flip:?}"));
            }
        }
        bad
    }

    /// What the sessions' scopes lack.
    pub(crate) fn amiss_in_scopes(&self, listed: &[SessionStatus]) -> Vec<String> {
        let mut bad = Vec::new();
        for (session, contract) in &self.scopes {
            let found: Vec<_> = listed.iter().filter(|status| status.session == *session).collect();
            let fits = |status: &&SessionStatus| {
                let free = contract.is_none() && status.scope.phase == ScopePhase::None;
                free || (contract.is_some() && status.scope.contract == *contract)
            };
            if found.len() != 1 || !found.iter().all(fits) {
                bad.push(format!("{session} is not held to {contract:?}: {found:?}"));
            }
        }
        bad
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claim(words: &str, state: &str, refusals: u64) -> Claim {
        serde_json::from_value(json!({
            "id": words, "harness": "codex", "session": "s", "claim": words, "reason": "no box", "state": state,
            "turns": 0, "turn": 1, "first_seen": 1, "changed": 1, "refusals": refusals,
        }))
        .unwrap()
    }

    fn wished(words: &str, change: impl FnOnce(&mut Wish)) -> Wishes {
        let mut wishes = Wishes::default();
        change(wishes.claim("s", words));
        wishes
    }

    #[test]
    fn claims_that_are_lost_doubled_strange_or_taken_back_are_told() {
        let kept = wished("a", |wish| wish.kept = true);
        assert!(kept.amiss_in_claims(&[claim("a", "open", 0)]).is_empty());
        assert!(kept.amiss_in_claims(&[])[0].contains("lost"));
        let twice = [claim("a", "open", 0), claim("a", "open", 0)];
        assert!(kept.amiss_in_claims(&twice)[0].contains("doubled"));
        assert!(kept.amiss_in_claims(&[claim("a", "open", 2)])[0].contains("not refused once"));
        assert!(kept.amiss_in_claims(&[claim("a", "retired", 0)])[0].contains("word"));
        let strange = kept.amiss_in_claims(&[claim("a", "open", 0), claim("b", "open", 0)]);
        assert!(strange[0].contains("nobody"), "{strange:?}");
        // One that was put and never acknowledged may be there or not.
        let put = wished("a", |_| {});
        assert!(put.amiss_in_claims(&[]).is_empty() && put.amiss_in_claims(&[claim("a", "open", 1)]).is_empty());
        let refused = wished("a", |wish| wish.refused = true);
        assert_eq!(refused.amiss_in_claims(&[claim("a", "open", 0)]).len(), 1);
        let aside = wished("a", |wish| wish.retired = Person::Aside);
        assert_eq!(aside.amiss_in_claims(&[claim("a", "checked", 0)]).len(), 1);
        assert!(aside.amiss_in_claims(&[claim("a", "retired", 0)]).is_empty());
        let unknown = wished("a", |wish| wish.retired = Person::Unknown);
        assert!(unknown.amiss_in_claims(&[claim("a", "retired", 0)]).is_empty());
    }

    #[test]
    fn findings_that_are_lost_doubled_or_stand_otherwise_are_told() {
        let finding = |state: &str| -> KeptFinding {
            serde_json::from_value(json!({
                "id": "f", "harness": "codex", "session": "s", "code": "stale-verdict", "severity": "error",
                "subject": "pytest tests/test_w1.py", "message": "It failed.", "state": state, "turn": 1, "first_seen": 1,
                "changed": 1,
            }))
            .unwrap()
        };
        let flip = |flip: Flip| Wishes {
            flips: BTreeMap::from([(
                "w1".to_owned(),
                Flip {
                    session: "s".to_owned(),
                    ..flip
                },
            )]),
            ..Wishes::default()
        };
        let kept = flip(Flip {
            kept: true,
            ..Flip::default()
        });
        assert!(kept.amiss_in_findings(&[finding("open")]).is_empty());
        assert!(kept.amiss_in_findings(&[])[0].contains("lost"));
        assert!(kept.amiss_in_findings(&[finding("open"), finding("open")])[0].contains("doubled"));
        assert_eq!(kept.amiss_in_findings(&[finding("dismissed")]).len(), 1);
        let right = flip(Flip {
            recovered: Some(true),
            ..Flip::default()
        });
        assert_eq!(right.amiss_in_findings(&[finding("open")]).len(), 1);
        assert!(right.amiss_in_findings(&[finding("recovered")]).is_empty());
        assert_eq!(Wishes::default().amiss_in_findings(&[finding("open")]).len(), 1);
    }

    #[test]
    fn what_the_person_did_is_known_only_where_it_was_said() {
        let known = Person::Nothing;
        assert_eq!(known.after(true, Some(true)), Person::Aside);
        assert_eq!(known.after(true, Some(false)), Person::Nothing);
        assert_eq!(Person::Aside.after(false, Some(true)), Person::Nothing);
        assert_eq!(Person::Aside.after(false, None), Person::Unknown);
    }
}
