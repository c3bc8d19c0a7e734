//! A server whose ledger could not be opened: it works on one in memory, looks for the real one, and gives way to a server
//! that has it. What the ledger holds stays out.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Engine, now};
use crate::ledger::{Durability, Ledger, LedgerError};

/// Whether the ledger in use is one in memory for want of the real one, and whether that has been found since.
#[derive(Default)]
pub(super) struct Makeshift {
    is_it: bool,
    found: AtomicBool,
}

impl Makeshift {
    pub(super) fn new(is_it: bool) -> Self {
        Self {
            is_it,
            found: AtomicBool::new(false),
        }
    }
}

impl Engine {
    /// Looks whether the ledger can be opened by now, where it could not be when the server began.
    pub fn look_for_ledger(&self) {
        if self.makeshift.is_it && Ledger::open(&self.state_dir).is_ok() {
            self.makeshift.found.store(true, Ordering::Relaxed);
        }
    }

    /// True when this server should give way to one that works on the real ledger.
    pub fn has_found_its_ledger(&self) -> bool {
        self.makeshift.found.load(Ordering::Relaxed)
    }

    /// Has what was kept in memory for want of the ledger go there, where it can be opened by now: the last chance.
    ///
    /// # Errors
    /// The ledger's.
    pub(super) fn hand_over(&self) -> Result<(), LedgerError> {
        if !self.makeshift.is_it {
            return Ok(());
        }
        let (memory, ledger) = match Ledger::open(&self.state_dir) {
            Ok(opened) => (self.ledger(), opened.ledger),
            // As the person was told when the server began.
            Err(_) => return Ok(()),
        };
        for row in memory.sessions()? {
            let facts: Vec<_> = memory
                .facts(&row.key, 0)?
                .facts
                .into_iter()
                .map(|stored| stored.fact)
                .collect();
            ledger.append(&row.key, &facts, Durability::Process)?;
            ledger.touch(&row.key, row.transcript.as_deref(), row.cwd.as_deref(), row.last_seen)?;
        }
        for pause in memory.pauses(now())? {
            ledger.pause(pause.session.as_deref(), pause.until, now())?;
        }
        let tallies = memory.tallies()?;
        ledger.add_heard(tallies.iter().map(|(key, event, tally)| (key, event.as_str(), tally)))?;
        ledger.sync()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proofmark_protocol::{Harness, paths};

    use super::*;
    use crate::session::{Fact, FactBody, SessionKey};

    #[test]
    fn what_was_kept_in_memory_reaches_the_ledger_once_that_can_be_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = paths::ledger(folder.path());
        drop(Ledger::open(folder.path()).unwrap());
        let later = rusqlite::Connection::open(&path).unwrap();
        later.execute_batch("PRAGMA user_version = 99").unwrap();
        drop(later);
        let engine = Engine::open(folder.path()).unwrap();
        let key = SessionKey {
            harness: Harness::ClaudeCode,
            session: "s".to_owned(),
        };
        let fact = Fact {
            at: now(),
            agent: None,
            turn: 1,
            anchor: None,
            key: "k".to_owned(),
            body: FactBody::Said { what: "x".to_owned() },
        };
        let memory = engine.ledger();
        memory.touch(&key, None, Some("/w"), now()).unwrap();
        memory
            .append(&key, std::slice::from_ref(&fact), Durability::Process)
            .unwrap();
        memory.pause(Some("s"), now() + 60_000, now()).unwrap();
        engine.count(key.clone(), "onStop", Duration::from_millis(3));
        engine.look_for_ledger();
        assert!(
            !engine.has_found_its_ledger(),
            "a later build's ledger is left as it is"
        );
        std::fs::remove_file(&path).unwrap();
        engine.look_for_ledger();
        assert!(engine.has_found_its_ledger());
        engine.close();
        let found = Ledger::open(folder.path()).unwrap().ledger;
        assert_eq!(found.facts(&key, 0).unwrap().facts[0].fact, fact);
        assert_eq!(found.session(&key).unwrap().unwrap().cwd.as_deref(), Some("/w"));
        assert_eq!(found.pauses(now()).unwrap()[0].session.as_deref(), Some("s"));
        let heard = found.heard().unwrap();
        assert_eq!((heard.len(), heard[0].event.as_str(), heard[0].count), (1, "onStop", 1));
    }
}
