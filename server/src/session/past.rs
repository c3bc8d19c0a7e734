//! What the agent did between one word of the person and the next, in short: whether it changed something, what it promised.
//! What a correction follows from it stays out, and so do calls themselves: the running turn keeps those.

use serde::{Deserialize, Serialize};

use super::entry::{CallId, Ending, RowId, ToolKind};
use super::stream::CallRecord;
use crate::evidence::call::Known;
use crate::text;

#[cfg(test)]
mod tests;

/// Stretches that are kept, the newest.
pub const MAX_STRETCHES: usize = 24;
/// Calls without a result that are kept; of more the oldest stay without one for ever.
const MAX_PENDING: usize = 256;
/// Helper agents of one stretch that are kept; of more nobody can tell what they did.
const MAX_HELPERS: usize = 16;
/// So much of either end of the person's words is kept, in characters.
const END: usize = 420;

/// How the person came to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spoken {
    /// With a prompt, when the agent had ended its turn: a run of the agent begins.
    Prompt,
    /// With a prompt, while the agent worked.
    Queued,
    /// In refusing a call.
    Remark,
}

/// The person's words, and what the agent did until their next ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The row of the words.
    pub row: RowId,
    /// The person's turn, counted from 1.
    pub turn: u64,
    /// How they were spoken.
    pub spoken: Spoken,
    /// The words: all of them, or both ends.
    pub said: String,
    /// How many calls the record showed before them, over all turns.
    pub after: u64,
    /// The scope contract that the agent stated last.
    pub contract: Option<String>,
    /// The helper agents that it delegated to.
    pub helpers: Vec<String>,
    /// True when the agent has spoken or called since.
    pub acted: bool,
    changed: bool,
    unsure: bool,
    pending: u32,
    unreadable: bool,
}

impl Stretch {
    /// A name that stays the same in a fork of the session, which copies rows.
    pub fn id(&self) -> String {
        if self.row.is_empty() {
            format!("#{}", self.turn)
        } else {
            self.row.clone()
        }
    }

    /// Whether the agent's own calls changed something. A line that can't be read may be the person's next word, so
    /// nothing is known of what surrounds it.
    fn own(&self) -> Known {
        match self {
            Self { unreadable: true, .. } => Known::Unknown,
            Self { changed: true, .. } => Known::Yes,
            Self {
                unsure: false,
                pending: 0,
                ..
            } => Known::No,
            _ => Known::Unknown,
        }
    }
}

/// The newest stretches of one agent's record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    stretches: Vec<Stretch>,
    /// How many are no longer kept.
    dropped: u64,
    dropped_changed: bool,
    dropped_unsure: bool,
    /// Calls without a result, each with the number of its stretch.
    pending: Vec<(CallId, u64)>,
}

impl Past {
    /// The person spoke, `after` so many calls.
    pub fn spoke(&mut self, row: RowId, turn: u64, spoken: Spoken, words: &str, after: u64) {
        if self.stretches.len() == MAX_STRETCHES {
            let oldest = self.stretches.remove(0);
            self.dropped += 1;
            self.dropped_changed |= oldest.own() == Known::Yes;
            self.dropped_unsure |= oldest.own() == Known::Unknown || !oldest.helpers.is_empty();
        }
        self.stretches.push(Stretch {
            row,
            turn,
            spoken,
            said: ends(words),
            after,
            contract: None,
            helpers: Vec::new(),
            acted: false,
            changed: false,
            unsure: false,
            pending: 0,
            unreadable: false,
        });
    }

    /// The agent wrote something that the person can read.
    pub fn wrote(&mut self, words: &str) {
        let contract = text::contract(words);
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.acted = true;
            stretch.contract = contract.or_else(|| stretch.contract.take());
        }
    }

    /// A call began.
    pub fn called(&mut self, id: &str) {
        let number = self.dropped + self.stretches.len() as u64;
        let Some(stretch) = self.stretches.last_mut() else {
            return;
        };
        stretch.acted = true;
        stretch.pending += 1;
        if self.pending.len() == MAX_PENDING {
            self.pending.remove(0);
        }
        self.pending.push((id.to_owned(), number));
    }

    /// A call ended. One that goes on in the background has changed what it is to change.
    pub fn ended(&mut self, call: &CallRecord) {
        let Some(at) = self.pending.iter().rposition(|(id, _)| *id == call.id) else {
            return;
        };
        let (_, number) = self.pending.remove(at);
        let at = number
            .checked_sub(self.dropped + 1)
            .and_then(|at| usize::try_from(at).ok());
        let Some(stretch) = at.and_then(|at| self.stretches.get_mut(at)) else {
            return;
        };
        stretch.pending -= 1;
        if call.kind == ToolKind::Delegates && call.ending != Some(Ending::Denied) {
            match &call.helper {
                Some(helper) if stretch.helpers.contains(helper) => {}
                Some(helper) if stretch.helpers.len() < MAX_HELPERS => stretch.helpers.push(helper.clone()),
                _ => stretch.unsure = true,
            }
            return;
        }
        stretch.changed |= call.facts.mutated == Known::Yes;
        stretch.unsure |= call.facts.mutated == Known::Unknown;
    }

    /// A line can't be read.
    pub fn unreadable(&mut self) {
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.unreadable = true;
        }
    }

    /// The stretches that are kept, oldest first.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Where the words of a prompt that is being submitted stand among the stretches: a harness writes the prompt's row
    /// before or after it raises the event. Beyond the last one when they are not there yet.
    pub fn place_of(&self, prompt: &str) -> usize {
        let same = |stretch: &Stretch| !stretch.acted && squeezed(&stretch.said) == squeezed(&ends(prompt));
        match self.stretches.last() {
            Some(last) if last.spoken != Spoken::Remark && same(last) => self.stretches.len() - 1,
            _ => self.stretches.len(),
        }
    }

    /// The stretches that words at `place` look back on: the run of the agent that was going on or had ended, and
    /// `window - 1` runs before it.
    pub fn before(&self, place: usize, window: u64) -> &[Stretch] {
        let earlier = self.stretches.get(..place).unwrap_or(&self.stretches);
        let begins = earlier.iter().enumerate().rev();
        let mut begins = begins.filter(|(_, stretch)| stretch.spoken == Spoken::Prompt);
        let window = usize::try_from(window.max(1)).unwrap_or(usize::MAX);
        let start = begins.nth(window - 1).map_or(0, |(at, _)| at);
        &earlier[start..]
    }

    /// Where the agent's last run begins among the first `place` stretches.
    pub fn run_before(&self, place: usize) -> usize {
        place.min(self.stretches.len()) - self.before(place, 1).len()
    }

    /// What tells words apart from all others: what they say, and what they look back on. Delivered twice, or found in the
    /// record later, they are the same.
    pub fn name_of(&self, place: usize, words: &str) -> String {
        let before = place.checked_sub(1).and_then(|at| self.stretches.get(at));
        let before = before.map_or_else(String::new, Stretch::id);
        super::book::short_hash(&[&before, &squeezed(&ends(words))])
    }

    /// Whether the agent changed something in all of its record, its own calls alone.
    pub fn whole(&self) -> Known {
        let mut whole = if self.dropped_unsure { Known::Unknown } else { Known::No };
        for stretch in &self.stretches {
            match (stretch.own(), stretch.helpers.is_empty()) {
                (Known::Yes, _) => return Known::Yes,
                (Known::No, true) => {}
                _ => whole = Known::Unknown,
            }
        }
        if self.dropped_changed { Known::Yes } else { whole }
    }

    /// The helper agents of the last two runs: the running one may have just begun.
    pub fn recent_helpers(&self) -> impl Iterator<Item = &String> {
        let recent = self.before(self.stretches.len(), 2).iter();
        recent.flat_map(|stretch| &stretch.helpers)
    }
}

/// Whether the agent changed something in these stretches; `helper` answers for a helper agent's own record.
pub fn changed(stretches: &[Stretch], helper: &dyn Fn(&str) -> Known) -> Known {
    if stretches.iter().any(|stretch| stretch.unreadable) {
        return Known::Unknown;
    }
    let helpers = stretches.iter().flat_map(|stretch| &stretch.helpers);
    let all = stretches
        .iter()
        .map(Stretch::own)
        .chain(helpers.map(|name| helper(name)));
    let mut changed = Known::No;
    for one in all {
        match one {
            Known::Yes => return Known::Yes,
            Known::Unknown => changed = Known::Unknown,
            Known::No => {}
        }
    }
    changed
}

/// A text, or both of its ends when it is long.
fn ends(text: &str) -> String {
    let long = text.char_indices().nth(2 * END).is_some();
    let head = text.char_indices().nth(END);
    let tail = text.char_indices().rev().nth(END - 1);
    match (long, head, tail) {
        (true, Some((head, _)), Some((tail, _))) => format!("{}\n\n{}", &text[..head], &text[tail..]),
        _ => text.to_owned(),
    }
}

/// A text without the spaces that a harness may lay out anew.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
