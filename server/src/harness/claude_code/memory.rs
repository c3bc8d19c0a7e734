//! What is remembered of a transcript's earlier rows: where the agent works, and calls that later rows speak of.
//! What rows mean stays out.

use serde::{Deserialize, Serialize};

use crate::harness::recent::Recent;

/// A longer folder is not remembered, in bytes.
const MAX_FOLDER: usize = 4096;

/// What is remembered of one transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// The folder that was shown last.
    cwd: Option<String>,
    /// Tasks that go on in the background, by the harness's id of the task: the call that began each.
    pub(super) tasks: Recent<String>,
    /// Looks at a task that have no result yet, by their call: the task.
    pub(super) looks: Recent<String>,
}

impl Memory {
    /// Whether a folder is another one than the one that was shown last; it is then the one that was.
    pub(super) fn moves_to(&mut self, folder: &str) -> bool {
        let moves = self.cwd.as_deref() != Some(folder);
        if moves {
            self.cwd = (folder.len() <= MAX_FOLDER).then(|| folder.to_owned());
        }
        moves
    }
}
