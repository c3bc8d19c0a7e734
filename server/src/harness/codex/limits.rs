//! What Codex makes possible, as its version 0.171.0 was seen to behave.
//! What Proofmark makes of it stays out.

use proofmark_protocol::Harness;

use crate::harness::limits::Limits;
use crate::harness::limits::Reach::{Full, Nothing, Part};

/// Codex's row.
pub(crate) static LIMITS: Limits = Limits {
    harness: Harness::Codex,
    seen_in: "0.171.0",
    reach: [
        (
            Full,
            "`Stop` and `SubagentStop` are blocked, three times in a turn at most; Codex itself would never end it.",
        ),
        (
            Part,
            "`PreToolUse` is denied, also for what a script in code mode calls. Hosted web search, input to a running command and unknown tools raise no event.",
        ),
        (
            Full,
            "`UserPromptSubmit` and `SessionStart` take context for the agent.",
        ),
        (
            Nothing,
            "On `Stop` there is only a block; advice waits for the next prompt.",
        ),
        (
            Part,
            "`systemMessage` is shown in the terminal interface; `codex exec` prints it nowhere.",
        ),
        (
            Full,
            "The rollout has every result with its exit code; a command that was left running has none.",
        ),
        (Full, "`Stop` brings it."),
        (
            Full,
            "Each helper agent has a rollout of its own, and its end can be blocked; its events are known from 0.145 on.",
        ),
        (
            Part,
            "`codex exec` runs the hooks, but for the versions 0.136 to 0.139.",
        ),
        (
            Nothing,
            "No `Stop` comes after an interrupt, a signal or an error of the model.",
        ),
        (
            Nothing,
            "A hook that is not trusted, or was changed since, is skipped without a word: `proofmark doctor` asks Codex.",
        ),
    ],
};
