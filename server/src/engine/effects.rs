//! What the engine does to the world around a decision: ledger, record, folds, notes.
//! What is decided stays in the core.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use proofmark_protocol::query::Pause;
use proofmark_protocol::{Decision, Outcome};

use super::deadline::Deadline;
use super::lineage::Inheritance;
use super::live::{self, Live};
use super::settings::Effective;
use super::{Engine, Event, LEDGER_WAIT, now};
use crate::checks::Note;
use crate::harness;
use crate::ledger::{Durability, Ledger, LedgerError, Told};
use crate::session::decide::Outcomes;
use crate::session::{Fact, FactBody, SessionKey};
use crate::text::quote;

/// How long a stop waits for a ledger that somebody else writes to; then what it decided is kept in memory, and said.
const STOP_WAITS: Duration = Duration::from_millis(500);
/// What is wrong with a setting is told in so many characters at most.
const MAX_BAD: usize = 400;

impl Engine {
    /// Brings a session's book up to date. A ledger that fails leaves the book as it was, and the person is told.
    pub(super) fn refresh(&self, live: &mut Live, event: &Event<'_>) {
        live.on_ledger(self.renewals.load(Ordering::Acquire));
        if let Err(error) = live.refresh(&self.ledger(), &event.key, event.now) {
            self.ledger_failed(&error);
        }
    }

    /// Reads what is new in the main agent's record, where it matters only for what hangs on it.
    pub(super) fn read_own(&self, live: &mut Live, event: &Event<'_>, effective: &Effective, deadline: &Deadline) {
        let path = live::record_path(harness::spec(event.key.harness), event.at);
        // Not being able to read it is said at the stop, where it counts; a record may not exist before the first prompt.
        let read = live.read(
            &self.ledger(),
            &event.key,
            event.at.agent.as_deref(),
            path.as_deref(),
            &effective.settings,
            deadline,
        );
        // A record that was read in part does not tell all that was copied.
        if read.is_ok() && event.at.agent.is_none() && !deadline.is_over() {
            self.inherit(live, event);
        }
    }

    /// Takes over the facts of the session that this one was forked from, once.
    pub(super) fn inherit(&self, live: &mut Live, event: &Event<'_>) {
        let ledger = self.ledger();
        let inherited = live.inherit(&ledger, &event.key).and_then(|inheritance| {
            let Some(Inheritance { first, facts }) = inheritance else {
                return Ok(());
            };
            if !facts.is_empty() {
                let ids = ledger.append(&event.key, &facts, Durability::Process)?;
                live.take(new(&facts, &ids));
            }
            // Last: a server that dies before it leaves the inheritance to the next one.
            ledger.put_lineage(&event.key, &first, event.now)?;
            live.inherited();
            Ok(())
        });
        if let Err(error) = inherited {
            self.ledger_failed(&error);
        }
    }

    /// Writes down what was decided, then answers: what is not on the ledger is not acknowledged as kept.
    pub(super) fn commit(
        &self,
        live: &mut Live,
        event: &Event<'_>,
        turn: u64,
        anchor: Option<String>,
        outcomes: Outcomes,
    ) -> Decision {
        let Outcomes { decision, facts } = outcomes;
        let mut bodies = facts;
        if !decision.findings.is_empty() || (event.is_stop && !decision.is_silent()) {
            let answered = FactBody::Answered {
                event: event.id.clone(),
                decision: decision.clone(),
            };
            bodies.push((event.at.agent.clone(), answered));
        }
        let facts: Vec<Fact> = bodies
            .into_iter()
            .map(|(agent, body)| {
                let agent_turn = if agent == event.at.agent {
                    turn
                } else {
                    live.book.turn(agent.as_deref())
                };
                let key = match &body {
                    FactBody::TurnEnded => format!("turn:{}:{agent_turn}", agent.as_deref().unwrap_or_default()),
                    _ => format!("{}:{}:{}", event.id, body.kind(), body.subject()),
                };
                Fact {
                    at: event.now,
                    agent,
                    turn: agent_turn,
                    anchor: anchor.clone(),
                    key,
                    body,
                }
            })
            .collect();
        let durability = if decision.outcome == Outcome::Refuse {
            Durability::Disk
        } else {
            Durability::Process
        };
        self.write(live, event, &facts, durability);
        decision
    }

    /// The person has had facts of a session written through this process: its book and those who watch are told.
    pub fn written(&self, key: &SessionKey) {
        let slot = self.sessions.get(key).map(|slot| Arc::clone(&slot));
        if let Some(slot) = slot {
            slot.live.lock().unwrap_or_else(PoisonError::into_inner).outdate();
        }
        self.stir();
    }

    pub(super) fn write(&self, live: &mut Live, event: &Event<'_>, facts: &[Fact], durability: Durability) {
        let told = Told {
            transcript: event.at.transcript.as_deref(),
            cwd: event.at.cwd.as_deref(),
            at: event.now,
        };
        if facts.is_empty() && live.unwritten.is_empty() && live.is_told(told) {
            return self.store_later(&event.key, told);
        }
        let held = std::mem::take(&mut live.unwritten);
        let all = [held.as_slice(), facts].concat();
        let append = |ledger: &Ledger| ledger.record(&event.key, told, &all, durability);
        let mut written = append(&self.ledger());
        // A stop that passes in silence counts as kept, and it has some time.
        let give_up = Instant::now() + STOP_WAITS;
        while event.is_stop && matches!(written, Err(LedgerError::Busy)) && Instant::now() < give_up {
            written = append(&self.ledger());
        }
        if let Err(LedgerError::Broken { .. }) = written {
            written = self.reopen().and_then(|()| append(&self.ledger()));
        }
        match written {
            Ok(ids) => {
                live.on_ledger(self.renewals.load(Ordering::Acquire));
                live.was_told(told);
                let (old, new_ids) = ids.split_at(held.len().min(ids.len()));
                live.written(old);
                live.take(new(facts, new_ids));
                self.stir();
            }
            Err(error) => {
                // Budgets still have to count what was answered, or a refusal could repeat for ever.
                live.take(facts.iter().map(|fact| (fact, None)));
                live.hold_back(all);
                self.ledger_failed(&error);
            }
        }
    }

    /// Writes what could not be written before. It stays where it is when that fails again: the person was told.
    pub(super) fn write_held(&self, live: &mut Live, key: &SessionKey) {
        if !live.unwritten.is_empty()
            && let Ok(ids) = self.ledger().append(key, &live.unwritten, Durability::Disk)
        {
            live.unwritten.clear();
            live.written(&ids);
        }
    }

    /// Writes what could not be written before, of every session: the last chance before the process ends.
    pub fn close(&self) {
        self.store_what_waits();
        for slot in &self.sessions {
            self.write_held(
                &mut slot.live.lock().unwrap_or_else(PoisonError::into_inner),
                slot.key(),
            );
        }
        let kept = self.keep_counts();
        let handed_over = self.hand_over();
        // What is in the log goes to the file now, where others can read meanwhile: SQLite does it at the end with all others
        // locked out, and a process that is stopped just then would keep them out.
        let settled = self.ledger().settle_log();
        if let Err(error) = handed_over.and(kept).and(settled) {
            self.ledger_failed(&error);
        }
    }

    /// Opens the ledger anew after it broke: the broken file is set aside by the ledger itself.
    pub(super) fn reopen(&self) -> Result<(), LedgerError> {
        let opened = Ledger::reopen(&self.state_dir)?;
        opened.ledger.wait_at_most(LEDGER_WAIT)?;
        *self.ledger.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(opened.ledger);
        self.renewals.fetch_add(1, Ordering::AcqRel);
        for note in opened.notes {
            self.trouble(format!("ledger:{}", now()), note);
        }
        Ok(())
    }

    pub(super) fn ledger_failed(&self, error: &LedgerError) {
        let text = format!(
            "Proofmark can't use its ledger ({error}); what is decided now is kept in memory until it can be written."
        );
        self.trouble("ledger".to_owned(), text);
    }

    fn trouble(&self, name: String, text: String) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        if !troubles.iter().any(|(known, _)| *known == name) {
            troubles.push((name, text));
        }
    }

    /// What the person is to be told beside a decision, once a session.
    pub(super) fn notes(&self, effective: &Effective) -> Vec<Note> {
        // A project's file says whatever it likes.
        let bad = effective.bad.iter().map(|bad| quote(bad, MAX_BAD)).map(|bad| Note {
            text: format!("Proofmark settings, {bad}."),
            once: Some(format!("setting:{bad}")),
        });
        let troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let troubles = troubles.iter().map(|(name, text)| Note {
            text: text.clone(),
            once: Some(name.clone()),
        });
        bad.chain(troubles).collect()
    }

    /// Whether the person has paused this session or all of them.
    pub(super) fn is_paused(&self, key: &SessionKey, now: u64) -> bool {
        let pauses = self.ledger().pauses(now);
        let covers = |session: &Option<String>| session.as_ref().is_none_or(|session| *session == key.session);
        let holds = |pause: &Pause| covers(&pause.session) && self.pauses.holds(pause, now, Instant::now());
        match pauses {
            Ok(pauses) => pauses.iter().any(holds),
            Err(error) => {
                self.ledger_failed(&error);
                false
            }
        }
    }

    /// The folder of this engine's files.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }
}

/// The facts that were new to the ledger, with their ids.
fn new<'a>(facts: &'a [Fact], ids: &'a [Option<i64>]) -> impl Iterator<Item = (&'a Fact, Option<i64>)> {
    facts
        .iter()
        .zip(ids)
        .filter(|(_, id)| id.is_some())
        .map(|(fact, id)| (fact, *id))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use proofmark_protocol::{method, paths};
    use serde_json::json;

    use super::super::queries;
    use super::*;

    #[tokio::test]
    async fn what_a_stop_has_answered_is_on_the_ledger_though_another_process_was_writing() {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("s.jsonl");
        let reply = "Done. {{CAT-UNVERIFIED: the lid holds -- cannot verify: no box}}";
        let rows = [
            json!({"type": "user", "uuid": "p", "sessionId": "s", "message": {"role": "user", "content": "go on"}}),
            json!({"type": "assistant", "uuid": "a", "sessionId": "s",
                "message": {"role": "assistant", "content": [{"type": "text", "text": reply}]}}),
        ];
        fs::write(&transcript, rows.map(|row| format!("{row}\n")).concat()).unwrap();
        let engine = Arc::new(Engine::open(folder.path()).unwrap());
        let other = rusqlite::Connection::open(paths::ledger(folder.path())).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let writing = thread::spawn(move || {
            // Some times as long as one call waits, and a quarter of what a stop does.
            thread::sleep(8 * LEDGER_WAIT);
            other.execute_batch("ROLLBACK").unwrap();
        });
        let stop = json!({"harness": "claude-code", "session": "s", "transcript": transcript, "cwd": "/w",
            "reply": reply, "rewrite": false});
        let stop = serde_json::from_value(stop).unwrap();
        let patience = Box::new(|_: Duration| {});
        let decision = engine.on_stop(method::ON_STOP, stop, patience).await;
        writing.join().unwrap();
        assert_eq!(decision.outcome, Outcome::Refuse, "{decision:?}");
        // As another process sees it, should this one be killed now.
        let seen = Ledger::open_existing(folder.path()).unwrap().unwrap();
        assert_eq!(queries::claims(&seen, None).unwrap().len(), 1);
    }
}
