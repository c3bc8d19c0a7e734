//! What Cursor makes possible, as told of its editor (2.7 to 3.24) and of its command line of 2026.
//! What Proofmark makes of it stays out.

use proofmark_protocol::Harness;

use crate::harness::limits::Limits;
use crate::harness::limits::Reach::{Full, Nothing, Part};

/// Cursor's row.
pub(crate) static LIMITS: Limits = Limits {
    harness: Harness::Cursor,
    seen_in: "2.7 to 3.24 and the command line of 2026, as told by others",
    reach: [
        (
            Part,
            "The turn ends; `stop` sends the agent another message, three in a turn at most.",
        ),
        (Full, "`preToolUse` and the `before…` events are denied."),
        (
            Nothing,
            "Prompts carry no context; only `sessionStart` does, where a conversation begins.",
        ),
        (Nothing, "It waits for the next message of `stop`."),
        (
            Nothing,
            "Only the editor's diagnostics and the session's document say it.",
        ),
        (
            Part,
            "Events alone bring results, and of a failed command no exit code on the command line; the transcript has none.",
        ),
        (
            Part,
            "`afterAgentResponse` brings it; `cursor-agent -p` raises no such event.",
        ),
        (
            Part,
            "Their transcripts show what was called; their results belong to other conversations.",
        ),
        (
            Part,
            "`cursor-agent -p` raises no prompt, no reply and no stop: it is judged at its end, and only reported.",
        ),
        (
            Nothing,
            "`stop` says that a turn was broken off; its reply is not judged.",
        ),
        (
            Nothing,
            "One wrong entry in `hooks.json` switches off every hook in it without a word: `proofmark doctor` looks.",
        ),
    ],
};
