//! The names of all invariants, so that a run can tell which of them it has not looked at.
//! What each of them means stands where it is held.

use std::time::Duration;

/// A run that is as long has looked at everything.
pub(crate) const LONG_ENOUGH: Duration = Duration::from_secs(60);

/// What holds wherever agents are at work.
pub(crate) const AT_WORK: [&str; 20] = [
    "a lock holds, and its end too",
    "a turn without a finding ends",
    "an event that comes twice has one answer",
    "answers have their harness's form",
    "calls that nothing holds up run",
    "claims are on the ledger as acknowledged, once",
    "commands end in time",
    "commands end, with an exit code",
    "every fact can be read",
    "findings are on the ledger as acknowledged, once",
    "hooks end within their limit",
    "no file is left over",
    "no process is left over",
    "nothing holds the pipes of what has ended",
    "nothing is sent back twice for one thing",
    "one owner, and no process beside it",
    "scopes are on the ledger as acknowledged",
    "the ledger can be read",
    "the server stops when it is told to",
    "what is served is the fold of the ledger",
];

/// What holds besides in a crash test.
pub(crate) const AMONG_KILLS: [&str; 12] = [
    "a new owner comes",
    "a new owner is there within a second",
    "editors are answered",
    "editors show what is open, and nothing else",
    "front ends greet",
    "front ends leave with exit code 0",
    "front ends start",
    "hooks after the kills are answered",
    "lists are shown at any moment",
    "prompts after the kills are answered",
    "the live session knows its open claims",
    "the next hook is answered by a new owner",
];

/// What holds besides in a load test.
pub(crate) const UNDER_LOAD: [&str; 6] = [
    "a server that is lost comes back under load",
    "clients among strangers are served nearly as before",
    "every session was at work",
    "strangers get through to the server",
    "the cases of an event that comes twice hold",
    "there is a server to lose",
];
