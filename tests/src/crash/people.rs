//! People beside the agents: commands in a terminal, and editors whose front ends are killed and started anew.
//! What agents do stays out.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use proofmark_server::engine::queries;
use proofmark_server::ledger::Ledger;
use serde_json::{Value, json};

use super::stage::{Stage, lock};
use super::wishes::{Person, Wishes};
use crate::dice::Dice;
use crate::lsp_client::Editor;

/// Lists that somebody may look at, at any moment.
const LISTS: [&[&str]; 5] = [
    &["claims", "--json"],
    &["findings", "--json"],
    &["status", "--json"],
    &["scope", "--json"],
    &["status", "--line"],
];
/// Between two looks of a person.
const PAUSE: Duration = Duration::from_millis(20);

/// What a person does next about something on the ledger.
enum Deed {
    Claim {
        session: String,
        words: String,
        id: String,
        aside: bool,
    },
    Finding {
        word: String,
        id: String,
        aside: bool,
    },
}

/// Something that an agent is done with; nobody else works on it until [`done`].
fn deed(stage: &Stage<'_>, wishes: &Mutex<Wishes>, dice: &mut Dice) -> Option<Deed> {
    // A ledger that can't be read just now is the calm's business.
    let ledger = Ledger::open_existing(&stage.world.state()).ok().flatten()?;
    let (claims, findings) = (
        queries::claims(&ledger, None).ok()?,
        queries::findings(&ledger, None).ok()?,
    );
    let mut wishes = lock(wishes);
    if dice.chance(70) {
        let free = |claim: &&proofmark_protocol::query::Claim| {
            let key = (claim.session.clone(), claim.claim.clone());
            wishes.claims.get(&key).is_some_and(|wish| wish.handed_on)
        };
        let free: Vec<_> = claims.iter().filter(free).collect();
        let claim = dice.pick(&free)?;
        let wish = wishes.claim(&claim.session, &claim.claim);
        wish.handed_on = false;
        return Some(Deed::Claim {
            session: claim.session.clone(),
            words: claim.claim.clone(),
            id: claim.id.clone(),
            aside: wish.retired != Person::Aside,
        });
    }
    let free: Vec<_> = wishes
        .flips
        .iter()
        .filter(|(_, flip)| flip.handed_on)
        .map(|(word, _)| word.clone())
        .collect();
    let word = dice.pick(&free)?.clone();
    let id = findings
        .iter()
        .find(|finding| finding.message.contains(&word))?
        .id
        .clone();
    let flip = wishes.flips.get_mut(&word)?;
    flip.handed_on = false;
    let aside = flip.dismissed != Person::Aside;
    Some(Deed::Finding { word, id, aside })
}

/// A deed is over; `done` is none when nobody said how.
fn done(wishes: &Mutex<Wishes>, deed: &Deed, done: Option<bool>) {
    let mut wishes = lock(wishes);
    match deed {
        Deed::Claim {
            session, words, aside, ..
        } => {
            let wish = wishes.claim(session, words);
            wish.retired = wish.retired.after(*aside, done);
            wish.handed_on = true;
        }
        Deed::Finding { word, aside, .. } => {
            let flip = wishes.flips.entry(word.clone()).or_default();
            flip.dismissed = flip.dismissed.after(*aside, done);
            flip.handed_on = true;
        }
    }
}

/// A person at a terminal, until the round is over.
///
/// # Errors
/// The machine fails, not the product.
pub(crate) fn at_a_terminal(stage: &Stage<'_>, wishes: &Mutex<Wishes>, dice: &mut Dice) -> Result<()> {
    while !stage.is_over() {
        thread::sleep(PAUSE);
        if dice.chance(40)
            && let Some(list) = dice.pick(&LISTS)
        {
            let shown = stage.proofmark(list)?;
            let is_list = |text: &str| !list.contains(&"--json") || serde_json::from_str::<Value>(text).is_ok();
            // One that was killed shows nothing.
            if let Some(done) = shown {
                let fine = done.code == Some(0) && is_list(&done.stdout);
                stage
                    .tally
                    .hold("lists are shown at any moment", fine, || format!("{list:?}: {done:?}"));
            }
            continue;
        }
        let Some(deed) = deed(stage, wishes, dice) else {
            continue;
        };
        let finished = match &deed {
            // Only an editor has a way to take it back.
            Deed::Claim { aside: false, .. } => {
                done(wishes, &deed, Some(false));
                continue;
            }
            Deed::Claim { id, .. } => stage.proofmark(&["claims", "retire", id])?,
            Deed::Finding { id, aside: true, .. } => stage.proofmark(&["dismiss", id])?,
            Deed::Finding { id, aside: false, .. } => stage.proofmark(&["dismiss", id, "--undo"])?,
        };
        done(wishes, &deed, finished.map(|finished| finished.code == Some(0)));
    }
    Ok(())
}

/// A person in an editor.
#[derive(Default)]
pub(crate) struct Desk {
    editor: Option<Editor>,
}

impl Desk {
    /// The editor, whose front end is started where none runs; none when that one was killed meanwhile.
    pub(crate) fn editor(&mut self, stage: &Stage<'_>) -> Option<&mut Editor> {
        if self.editor.is_none() {
            let capabilities = json!({"textDocument": {"publishDiagnostics": {"relatedInformation": true}}});
            let mut editor = stage.tally.well("front ends start", stage.attach())?;
            let pid = editor.pid();
            let greeted = editor.greet(&stage.world.project(), &capabilities, &serde_json::Value::Null);
            stage.tally.event("editors attached");
            let killed = greeted.is_err() && stage.detached(pid);
            stage
                .tally
                .hold("front ends greet", greeted.is_ok() || killed, || format!("{greeted:?}"));
            if greeted.is_err() {
                return None;
            }
            self.editor = Some(editor);
        }
        self.editor.as_mut()
    }

    /// Works until the round is over.
    pub(crate) fn work(&mut self, stage: &Stage<'_>, wishes: &Mutex<Wishes>, dice: &mut Dice) {
        while !stage.is_over() {
            thread::sleep(PAUSE);
            if self.editor(stage).is_none() {
                continue;
            }
            let Some(deed) = deed(stage, wishes, dice) else {
                continue;
            };
            let (command, id) = match &deed {
                Deed::Claim { id, aside: true, .. } => ("proofmark.retireClaim", id),
                Deed::Claim { id, aside: false, .. } => ("proofmark.undoRetire", id),
                Deed::Finding { id, aside: true, .. } => ("proofmark.dismissFinding", id),
                Deed::Finding { id, aside: false, .. } => ("proofmark.undoDismiss", id),
            };
            let params = json!({"command": command, "arguments": [id]});
            let answer = self.ask(stage, "workspace/executeCommand", &params);
            // An error may be one that came after the deed: the server was killed before it could say so.
            let how = answer.map(|answer| answer["error"].is_null()).filter(|well| *well);
            done(wishes, &deed, how);
        }
    }

    /// Asks the front end; none when it was killed.
    pub(crate) fn ask(&mut self, stage: &Stage<'_>, method: &str, params: &Value) -> Option<Value> {
        let editor = self.editor(stage)?;
        let pid = editor.pid();
        let answer = editor.ask(method, params.clone());
        stage.tally.event("requests of editors");
        if answer.is_err() {
            self.editor = None;
            let killed = stage.detached(pid);
            stage
                .tally
                .hold("editors are answered", killed, || format!("{method}: {answer:?}"));
        } else {
            stage.tally.hold("editors are answered", true, String::new);
        }
        answer.ok()
    }

    /// Sees that a front end is attached: one that was killed while nobody asked it anything gives way to a new one. One that
    /// was told to end may still answer for a moment.
    pub(crate) fn look(&mut self, stage: &Stage<'_>) {
        let killed = |editor: &Editor| stage.is_killed(editor.pid());
        if let Some(editor) = self.editor.take_if(|editor| killed(editor)) {
            stage.detached(editor.pid());
        }
        self.ask(stage, "ping", &json!({}));
    }

    /// Says goodbye.
    pub(crate) fn leave(&mut self, stage: &Stage<'_>) {
        let Some(editor) = self.editor.take() else { return };
        let pid = editor.pid();
        let left = editor.close();
        let killed = stage.detached(pid);
        let fine = killed || matches!(left, Ok(Some(0)));
        stage
            .tally
            .hold("front ends leave with exit code 0", fine, || format!("{left:?}"));
    }
}
