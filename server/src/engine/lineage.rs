//! What a session takes over from the one that it was forked from: the facts whose rows it copied.
//! How a record is read, and what the facts mean, stays out.

use std::collections::{BTreeMap, HashSet};

use super::live::Live;
use crate::ledger::{Ledger, LedgerError};
use crate::session::book::{claim_id, finding_id};
use crate::session::{Fact, FactBody, SessionKey};
use crate::text;

/// What a session takes over when it is first seen.
pub(super) struct Inheritance {
    /// The row that its record begins with, by which its own forks will find it.
    pub(super) first: String,
    pub(super) facts: Vec<Fact>,
}

impl Live {
    /// On first sight of a session's record: its first row, and the facts that it takes over from the session it was
    /// forked from. None at every later sight.
    pub(super) fn inherit(&mut self, ledger: &Ledger, key: &SessionKey) -> Result<Option<Inheritance>, LedgerError> {
        if self.lineage_known {
            self.settle_lineage();
            return Ok(None);
        }
        let Some(stream) = self.stream(None) else {
            return Ok(None);
        };
        let Some(first) = stream.lineage.first().filter(|row| !row.is_empty()) else {
            return Ok(None);
        };
        // A fork's rows carry the fork's own id: a file of another session, or of none, is no fork.
        if stream.session.as_deref() != Some(key.session.as_str()) {
            return Ok(None);
        }
        let family = ledger.lineage(key.harness, first)?;
        // Seen by a server before this one: the others may be its forks, and what they took over is settled here since.
        if family.contains(&key.session) {
            self.inherited();
            return Ok(None);
        }
        let copied: HashSet<&str> = stream.lineage.rows().iter().map(String::as_str).collect();
        let mut facts = Vec::new();
        for session in family {
            let parent = SessionKey {
                harness: key.harness,
                session,
            };
            let known = ledger.facts(&parent, 0)?.facts.into_iter().map(|stored| stored.fact);
            facts.extend(inherited(&parent, key, known, &copied));
        }
        Ok(Some(Inheritance {
            first: first.to_owned(),
            facts,
        }))
    }

    /// What there was to take over is on the ledger.
    pub(super) fn inherited(&mut self) {
        self.lineage_known = true;
        self.settle_lineage();
    }

    fn settle_lineage(&mut self) {
        if let Some(stream) = self.stream_mut(None) {
            stream.lineage.settle();
        }
    }
}

/// A parent's claims and kept findings whose turns were copied, and what its scope came to in them, as facts of the fork.
fn inherited(
    parent: &SessionKey,
    key: &SessionKey,
    facts: impl Iterator<Item = Fact>,
    copied: &HashSet<&str>,
) -> Vec<Fact> {
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut taken = Vec::new();
    for mut fact in facts {
        if !fact.anchor.as_deref().is_some_and(|anchor| copied.contains(anchor)) {
            continue;
        }
        match &mut fact.body {
            FactBody::ClaimTagged {
                claim, text, rewords, ..
            } => {
                let id = claim_id(key, fact.agent.as_deref(), &text::folded(text));
                ids.insert(std::mem::replace(claim, id.clone()), id);
                *rewords = rewords.as_ref().and_then(|old| ids.get(old).cloned());
            }
            FactBody::ClaimSettled { claim, .. } | FactBody::ClaimReopened { claim } => match ids.get(claim) {
                Some(id) => claim.clone_from(id),
                None => continue,
            },
            FactBody::Scope { .. } => {}
            FactBody::Noted { finding } => {
                let Some(old) = finding.id.clone() else { continue };
                let id = finding_id(key, fact.agent.as_deref(), &finding.code, &finding.subject);
                finding.id = Some(id.clone());
                ids.insert(old, id);
            }
            FactBody::FindingEnded { finding, .. }
            | FactBody::FindingReopened { finding }
            | FactBody::Told { finding } => match ids.get(finding) {
                Some(id) => finding.clone_from(id),
                None => continue,
            },
            _ => continue,
        }
        fact.key = format!("inherited:{}:{}", parent.session, fact.key);
        taken.push(fact);
    }
    taken
}
