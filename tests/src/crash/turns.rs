//! Turns of scripted sessions, one after the other: what is put to the hook, and what is acknowledged of it.
//! Whether the ledger says the same is looked at when all is calm.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use proofmark_protocol::Harness;

use super::legal::Told;
use super::stage::{Stage, lock};
use super::talks::{Event, Talk};
use super::wishes::Wishes;
use crate::dice::Dice;

/// A decision that took less was no answer in place of one: the server's own limits are 110 ms and 1.9 s.
const DECIDED_STOP: Duration = Duration::from_millis(1_500);
const DECIDED_GATE: Duration = Duration::from_millis(100);
/// Deliveries that end so close together were one event to the server, whose own limit is 250 ms.
const TOGETHER: Duration = Duration::from_millis(200);
/// Turns of one session, at most: an editor shows 50 findings in a session's document.
const TURNS: usize = 7;
/// What a test run prints.
const PASSED: &str = "===== 3 passed in 0.12s =====";
const FAILED: &str = "===== 1 failed, 2 passed in 0.14s =====";

/// One agent at work: a session, and another one after some turns.
pub(crate) struct Lane<'a> {
    pub(crate) stage: &'a Stage<'a>,
    pub(crate) wishes: &'a Mutex<Wishes>,
    pub(crate) dice: Dice,
    pub(crate) harness: Harness,
    pub(crate) name: String,
    pub(crate) talk: Option<Talk>,
    pub(crate) sessions: usize,
    pub(crate) turns: usize,
}

/// An answer that came, and how long it took.
type Heard = Option<(Told, Duration)>;

impl Lane<'_> {
    /// Plays turns until the killer has done its work, and one at least.
    ///
    /// # Errors
    /// The machine fails, not the product.
    pub(crate) fn play(&mut self) -> Result<()> {
        loop {
            self.turn()?;
            if self.stage.is_over() {
                return Ok(());
            }
        }
    }

    fn turn(&mut self) -> Result<()> {
        let mut talk = match self.talk.take() {
            Some(talk) if self.turns < TURNS => talk,
            old => {
                if let Some(old) = old {
                    self.stage.hook(&old.end())?;
                }
                self.begin()?
            }
        };
        self.turns += 1;
        let again = self.turn_of(&mut talk)?;
        self.talk = again.then_some(talk);
        Ok(())
    }

    /// One turn of a session, of some kind; false when the session is not to be gone on with.
    ///
    /// # Errors
    /// The machine fails, not the product.
    pub(crate) fn turn_of(&mut self, talk: &mut Talk) -> Result<bool> {
        match self.dice.below(100) {
            0..40 => self.untried(talk),
            40..60 => self.tried(talk),
            60..80 => self.flipped(talk),
            80..90 if self.harness == Harness::ClaudeCode => self.corrected(talk),
            _ => self.plain(talk),
        }
    }

    /// The next session, which has begun.
    ///
    /// # Errors
    /// The machine fails, not the product.
    pub(crate) fn begin(&mut self) -> Result<Talk> {
        self.sessions += 1;
        self.turns = 0;
        let id = format!("{}-{}", self.name, self.sessions);
        let talk = Talk::new(&self.stage.world, self.harness, &id)?;
        self.stage.hook(&talk.start())?;
        Ok(talk)
    }

    fn prompt(&mut self, talk: &mut Talk, words: &str) -> Result<Heard> {
        let heard = self.stage.hook(&talk.prompt(words))?;
        talk.prompted(words)?;
        Ok(heard)
    }

    /// A prompt, and tool calls at the same time.
    fn opened(&mut self, talk: &mut Talk) -> Result<()> {
        self.prompt(talk, "Go on with the next part.")?;
        let gates: Vec<Event> = (0..=self.dice.below(3))
            .map(|nth| talk.gate(&format!("ls -{nth}")))
            .collect();
        let stage = self.stage;
        let heard: Vec<Heard> = thread::scope(|scope| {
            let running: Vec<_> = gates.iter().map(|gate| scope.spawn(|| stage.hook(gate))).collect();
            running.into_iter().map(joined).collect::<Result<_>>()
        })?;
        for (told, _) in heard.into_iter().flatten() {
            stage.tally.hold("calls that nothing holds up run", !told.refused, || {
                format!("{}: {told:?}", talk.id)
            });
        }
        Ok(())
    }

    fn ran(&mut self, talk: &mut Talk, command: &str, exit: i32, output: &str) -> Result<()> {
        for event in talk.ran(command, exit, output)? {
            self.stage.hook(&event)?;
        }
        Ok(())
    }

    /// The agent's last words and the stop, in one of the ways in which they come.
    fn stop(&mut self, talk: &mut Talk, reply: &str, rewrite: bool) -> Result<Heard> {
        let stage = self.stage;
        if self.harness == Harness::ClaudeCode && self.dice.chance(25) {
            // The record comes behind the event.
            let (event, behind) = (talk.stop(reply, rewrite), self.dice.millis(60));
            return thread::scope(|scope| {
                let hook = scope.spawn(|| stage.hook(&event));
                thread::sleep(behind);
                talk.replied(reply)?;
                joined(hook)
            });
        }
        talk.replied(reply)?;
        if let Some(event) = talk.reply(reply) {
            stage.hook(&event)?;
        }
        let event = talk.stop(reply, rewrite);
        if !self.dice.chance(20) {
            return stage.hook(&event);
        }
        let twin = Event {
            registered: Harness::ClaudeCode,
            ..event.clone()
        };
        let second = if self.harness == Harness::Cursor { &twin } else { &event };
        let apart = self.dice.millis(30);
        let deliver = |event: &Event| Ok::<_, anyhow::Error>((stage.hook(event)?, Instant::now()));
        let ((first, first_end), (second, second_end)) = thread::scope(|scope| {
            let first = scope.spawn(|| deliver(&event));
            thread::sleep(apart);
            let second = scope.spawn(|| deliver(second));
            Ok::<_, anyhow::Error>((joined(first)?, joined(second)?))
        })?;
        // On a machine that is too slow the second may come when the first was answered long ago: then it is a new event.
        let together = first_end.max(second_end) - first_end.min(second_end) < TOGETHER;
        let decided = |heard: &Heard| heard.clone().filter(|heard| is_decided(heard, DECIDED_STOP));
        if let (true, Some((one, _)), Some((other, _))) = (together, decided(&first), decided(&second)) {
            let same = one.refused == other.refused && one.agent == other.agent;
            stage.tally.hold("an event that comes twice has one answer", same, || {
                format!("{one:?} and {other:?}")
            });
        }
        // Either may be the one that was killed.
        Ok(decided(&first).or(second))
    }

    fn acknowledge(&self, talk: &Talk, words: &str, heard: &Heard) -> bool {
        let mut wishes = lock(self.wishes);
        let wish = wishes.claim(&talk.id, words);
        let Some((told, _)) = heard else { return false };
        let refused = told.refused && told.agent.contains(words);
        wish.refused |= refused;
        // Cursor has no way to say that its reply was never heard.
        let passed =
            self.harness != Harness::Cursor && heard.as_ref().is_some_and(|heard| is_decided(heard, DECIDED_STOP));
        wish.kept |= refused || passed;
        refused
    }

    /// A claim that nothing was tried for: it is sent back.
    fn untried(&mut self, talk: &mut Talk) -> Result<bool> {
        self.opened(talk)?;
        let words = self.claim(talk);
        let heard = self.stop(talk, &tagging(&words), false)?;
        if self.acknowledge(talk, &words, &heard)
            && let Some((told, _)) = heard
        {
            if let Some(event) = talk.sent_back(&told.agent)? {
                self.stage.hook(&event)?;
            }
            if self.dice.chance(50) {
                let again = self.stop(talk, &tagging(&words), true)?;
                if let Some((told, _)) = again {
                    self.stage
                        .tally
                        .hold("nothing is sent back twice for one thing", !told.refused, || {
                            format!("{}: {told:?}", talk.id)
                        });
                }
            } else {
                let place = self.dice.word();
                self.ran(talk, &format!("ls -l /srv/{place}"), 0, "total 0")?;
                self.stop(talk, "The folder is empty.", true)?;
            }
        }
        self.hand_on(talk, &words);
        Ok(true)
    }

    /// A claim that the agent tried to look after: it is kept.
    fn tried(&mut self, talk: &mut Talk) -> Result<bool> {
        self.opened(talk)?;
        let place = self.dice.word();
        self.ran(talk, &format!("ls -l /srv/{place}"), 0, "total 0")?;
        let words = self.claim(talk);
        let heard = self.stop(talk, &tagging(&words), false)?;
        self.acknowledge(talk, &words, &heard);
        self.hand_on(talk, &words);
        Ok(true)
    }

    fn claim(&mut self, talk: &Talk) -> String {
        let words = format!("the {} holds {}", self.dice.word(), self.dice.word());
        lock(self.wishes).claim(&talk.id, &words);
        words
    }

    fn hand_on(&self, talk: &Talk, words: &str) {
        lock(self.wishes).claim(&talk.id, words).handed_on = true;
    }

    /// A check that passed and then failed, and a reply that does not say so.
    fn flipped(&mut self, talk: &mut Talk) -> Result<bool> {
        self.opened(talk)?;
        let word = self.dice.word();
        lock(self.wishes)
            .flips
            .entry(word.clone())
            .or_default()
            .session
            .clone_from(&talk.id);
        let check = format!("pytest tests/test_{word}.py");
        self.ran(talk, &check, 0, PASSED)?;
        self.ran(talk, &check, 1, FAILED)?;
        let heard = self.stop(talk, "All finished, the branch is ready.", false)?;
        let kept = heard.is_some_and(|(told, _)| told.person.contains(&word));
        lock(self.wishes).flips.entry(word.clone()).or_default().kept |= kept;
        let repairs = self.dice.chance(50);
        if repairs {
            self.opened(talk)?;
            self.ran(talk, &check, 0, PASSED)?;
            let heard = self.stop(talk, "The branch is as it should be.", false)?;
            let right = heard.is_some_and(|heard| is_decided(&heard, DECIDED_STOP));
            let known = kept && right && self.harness != Harness::Cursor;
            lock(self.wishes).flips.entry(word.clone()).or_default().recovered = known.then_some(true);
        } else {
            let mut wishes = lock(self.wishes);
            let flip = wishes.flips.entry(word.clone()).or_default();
            flip.recovered = Some(false);
            flip.handed_on = true;
        }
        Ok(true)
    }

    /// The person corrects the direction: calls that change something are held up until the lock is lifted, whoever
    /// serves by then. The session is not gone on with.
    fn corrected(&mut self, talk: &mut Talk) -> Result<bool> {
        self.opened(talk)?;
        talk.edited("/p/other.rs")?;
        self.stop(talk, "I rewrote the loader as well.", false)?;
        let heard = self.prompt(talk, "what are you doing? I wanted the parser only")?;
        let locked = heard.is_some_and(|(told, _)| told.agent.contains("SCOPE CONTRACT"));
        let gates = |lane: &Self, talk: &mut Talk, wanted: bool| -> Result<()> {
            for _ in 0..3 {
                let heard = lane.stage.hook(&talk.edit_gate("/p/third.rs"))?;
                let Some(heard) = heard.filter(|heard| is_decided(heard, DECIDED_GATE)) else {
                    continue;
                };
                lane.stage
                    .tally
                    .hold("a lock holds, and its end too", heard.0.refused == wanted, || {
                        format!("{}, locked {wanted}: {:?}", talk.id, heard.0)
                    });
            }
            Ok(())
        };
        if !locked {
            return Ok(false);
        }
        gates(self, talk, true)?;
        let done = self.stage.proofmark(&["scope", "--session", &talk.id, "release"])?;
        if done.is_none_or(|done| done.code != Some(0)) {
            return Ok(false);
        }
        lock(self.wishes).scopes.insert(talk.id.clone(), None);
        gates(self, talk, false)?;
        if self.dice.chance(50) {
            let words = format!("only the {}", self.dice.word());
            let done = self.stage.proofmark(&["scope", "--session", &talk.id, "set", &words])?;
            let mut wishes = lock(self.wishes);
            match done.is_some_and(|done| done.code == Some(0)) {
                true => wishes.scopes.insert(talk.id.clone(), Some(words)),
                false => wishes.scopes.remove(&talk.id),
            };
        }
        Ok(false)
    }

    fn plain(&mut self, talk: &mut Talk) -> Result<bool> {
        self.opened(talk)?;
        self.ran(talk, "ls", 0, "a\nb")?;
        let heard = self.stop(talk, "There are two files.", false)?;
        if let Some((told, _)) = heard {
            self.stage
                .tally
                .hold("a turn without a finding ends", !told.refused, || {
                    format!("{}: {told:?}", talk.id)
                });
        }
        Ok(true)
    }
}

/// True when the server has decided, and nobody has let the event pass for want of time.
fn is_decided((told, took): &(Told, Duration), within: Duration) -> bool {
    !told.unchecked && *took < within
}

fn tagging(words: &str) -> String {
    format!("Done. {{{{CAT-UNVERIFIED: {words} -- cannot verify: no machine for it}}}}")
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread
        .join()
        .map_err(|_| anyhow::anyhow!("a thread that ran a hook panicked"))?
}
