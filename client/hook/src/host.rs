//! Where a hook process finds itself: the state folder, the server's program, the deadlines.
//! Payloads and answers stay out.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use proofmark_protocol::paths;

use crate::guard;

/// How long an event is held up at most, counted from the moment the payload has been read.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// A gate while the server is up.
    pub gate: Duration,
    /// A gate when the server has to be started.
    pub gate_starting: Duration,
    /// A Stop, in either case.
    pub stop: Duration,
}

impl Deadlines {
    /// What keeps the promises of 150 ms for a gate, 1 s where the server has to be started, and 2.25 s for a Stop: the
    /// rest is for this process's own start, and for saying that the time was over. The server answers a Stop within 2 s.
    pub const PROMISED: Self = Self {
        gate: Duration::from_millis(130),
        gate_starting: Duration::from_millis(970),
        stop: Duration::from_millis(2_230),
    };
}

/// What a hook process takes from its surroundings.
#[derive(Debug, Clone)]
pub struct Host {
    /// The state folder; none when the environment names none.
    pub state_dir: Option<PathBuf>,
    /// The `proofmark` program; none: it is looked for beside this program, then on `PATH`.
    pub program: Option<PathBuf>,
    /// How long an event may take.
    pub deadlines: Deadlines,
    /// Is told, as soon as it is known, what stdout has to say should this process panic.
    pub on_panic: fn(&'static str),
}

impl Host {
    /// This process.
    pub fn this() -> Self {
        Self {
            state_dir: paths::state_dir(|name| std::env::var_os(name)),
            program: None,
            deadlines: Deadlines::PROMISED,
            on_panic: guard::install,
        }
    }
}

/// True when a judge's own agent runs this hook: checking the checker would never end.
pub(crate) fn is_judge_child() -> bool {
    std::env::var_os("PROOFMARK_JUDGE_CHILD") == Some(OsString::from("1"))
}
