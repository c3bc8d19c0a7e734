//! What of a fold is not stored, taken out and given back by a process that goes on with the same fold.
//! Where the rest of the fold is kept meanwhile stays out.

use super::Stream;

/// What the agent said and was asked in the running turn, and what its calls showed: texts that belong to no file of ours.
#[derive(Debug, Default)]
pub struct Unstored {
    outputs: Vec<String>,
    texts: Vec<String>,
    asked: Option<String>,
}

impl Stream {
    /// Takes out what a stored fold lacks.
    pub fn take_unstored(&mut self) -> Unstored {
        let turn = &mut self.turn;
        Unstored {
            outputs: turn
                .calls
                .iter_mut()
                .map(|call| std::mem::take(&mut call.output))
                .collect(),
            texts: std::mem::take(&mut turn.texts),
            asked: turn.asked.take(),
        }
    }

    /// Gives back to a stored fold what was taken out when it was stored.
    pub fn give_back(&mut self, unstored: Unstored) {
        let turn = &mut self.turn;
        for (call, output) in turn.calls.iter_mut().zip(unstored.outputs) {
            call.output = output;
        }
        (turn.texts, turn.asked) = (unstored.texts, unstored.asked);
    }
}
