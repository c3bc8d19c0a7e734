//! About how many bytes a fold takes in memory, from what it counts anyway.
//! What is done with the figure stays out.

use super::Stream;

/// A call of the running turn, beside its texts.
const CALL: usize = 320;
/// What the person said at one end of a stretch, and what was done then.
const STRETCH: usize = 1_200;
/// A fold that has read nothing.
const EMPTY: usize = 2_048;

impl Stream {
    /// About how many bytes this takes.
    pub fn weight(&self) -> usize {
        let turn = &self.turn;
        let calls = turn
            .calls
            .iter()
            .map(|call| CALL + call.input.len() + call.output.len());
        let texts = turn.texts.iter().map(String::len);
        let rows = self.lineage.rows().iter().map(|row| row.len() + size_of::<String>());
        EMPTY
            + calls.sum::<usize>()
            + texts.sum::<usize>()
            + rows.sum::<usize>()
            + self.past.stretches().len() * STRETCH
            + self.board.weight()
            + self.vocabulary.weight()
            + self.shown.weight()
    }
}
