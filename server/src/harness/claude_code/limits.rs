//! What Claude Code makes possible, as its versions 2.1.197 and 2.1.332 were seen to behave.
//! What Proofmark makes of it stays out.

use proofmark_protocol::Harness;

use crate::harness::limits::Limits;
use crate::harness::limits::Reach::{Full, Nothing};

/// Claude Code's row.
pub(crate) static LIMITS: Limits = Limits {
    harness: Harness::ClaudeCode,
    seen_in: "2.1.197 and 2.1.332",
    reach: [
        (
            Full,
            "`Stop` and `SubagentStop` are refused, three times in a turn at most; Claude Code itself ends a turn after eight refusals without a tool call between them.",
        ),
        (
            Full,
            "`PreToolUse` is refused. A call that Claude Code itself turns down first raises no event.",
        ),
        (
            Full,
            "`UserPromptSubmit` and `SessionStart` take context for the agent.",
        ),
        (
            Nothing,
            "Context on `Stop` makes the turn go on, so it would be a refusal; it waits for the next prompt.",
        ),
        (Full, "`systemMessage` is shown."),
        (
            Full,
            "The transcript has every result; a failed command's exit code stands in its text. Of the long output of a failed one the end is missing.",
        ),
        (
            Full,
            "`Stop` brings the last piece of text, the transcript the pieces before it.",
        ),
        (
            Full,
            "Each helper agent has a transcript of its own, and its end can be refused.",
        ),
        (Full, "`claude -p` runs the same hooks, a project's without asking."),
        (
            Nothing,
            "No `Stop` comes after an interrupt, an error of the model or `--max-turns`.",
        ),
        (
            Nothing,
            "`disableAllHooks`, `--bare` and, in some versions, one invalid hook in the file switch all of them off without a word: `proofmark doctor` looks.",
        ),
    ],
};
