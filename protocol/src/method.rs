//! The names of the methods, in one list.
//! What a method does stands in the server's handlers.

/// A session began, was resumed, forked, cleared or compacted.
pub const ON_SESSION_START: &str = "onSessionStart";
/// A prompt was submitted.
pub const ON_PROMPT: &str = "onPrompt";
/// A tool is about to run.
pub const ON_PRE_TOOL_USE: &str = "onPreToolUse";
/// A tool call ended.
pub const ON_POST_TOOL_USE: &str = "onPostToolUse";
/// The agent said something.
pub const ON_REPLY: &str = "onReply";
/// The main agent wants to end its turn.
pub const ON_STOP: &str = "onStop";
/// A helper agent began.
pub const ON_SUBAGENT_START: &str = "onSubagentStart";
/// A helper agent wants to end.
pub const ON_SUBAGENT_STOP: &str = "onSubagentStop";
/// A session ended.
pub const ON_SESSION_END: &str = "onSessionEnd";
/// The claims on the ledger.
pub const LIST_CLAIMS: &str = "listClaims";
/// The person retires a claim.
pub const RETIRE_CLAIM: &str = "retireClaim";
/// The person takes back that a claim was retired.
pub const REOPEN_CLAIM: &str = "reopenClaim";
/// The findings that the ledger keeps.
pub const LIST_FINDINGS: &str = "listFindings";
/// The person puts a kept finding aside.
pub const DISMISS_FINDING: &str = "dismissFinding";
/// The person takes that back.
pub const REOPEN_FINDING: &str = "reopenFinding";
/// The sessions on the ledger.
pub const LIST_SESSIONS: &str = "listSessions";
/// The server, its sessions and what is paused.
pub const STATUS: &str = "status";
/// A reply is put to the judge.
pub const JUDGE_REPLY: &str = "judgeReply";
/// Nothing refuses for a while.
pub const PAUSE: &str = "pause";
/// The person lifts a session's scope lock.
pub const RELEASE_SCOPE: &str = "releaseScope";
/// The person says what a session is to do, and what not.
pub const SET_SCOPE: &str = "setScope";
/// Who answers, without a look at anything else: a server that is busy answers too.
pub const PING: &str = "ping";
/// What was heard of each session, and what it took.
pub const DIAGNOSE: &str = "diagnose";
/// A session's document.
pub const SESSION_REPORT: &str = "sessionReport";
/// The places that editors may hold something of ours for.
pub const PUBLISHED_URIS: &str = "publishedUris";
/// What editors are shown, now and whenever it changes.
pub const SUBSCRIBE_FINDINGS: &str = "subscribeFindings";
/// No more of it.
pub const UNSUBSCRIBE_FINDINGS: &str = "unsubscribeFindings";
/// The server finishes what is in flight and exits.
pub const SHUTDOWN: &str = "shutdown";

/// The notification of a subscription to the findings; it is sent, not called.
pub const FINDINGS_CHANGED: &str = "findingsChanged";

/// The notification to whoever waits for the answer to a stop while the judge is asked; it is sent, not called.
pub const WAITING: &str = "waiting";

/// Every method a client may call.
pub const ALL: [&str; 28] = [
    ON_SESSION_START,
    ON_PROMPT,
    ON_PRE_TOOL_USE,
    ON_POST_TOOL_USE,
    ON_REPLY,
    ON_STOP,
    ON_SUBAGENT_START,
    ON_SUBAGENT_STOP,
    ON_SESSION_END,
    LIST_CLAIMS,
    RETIRE_CLAIM,
    REOPEN_CLAIM,
    LIST_FINDINGS,
    DISMISS_FINDING,
    REOPEN_FINDING,
    LIST_SESSIONS,
    STATUS,
    JUDGE_REPLY,
    PAUSE,
    RELEASE_SCOPE,
    SET_SCOPE,
    PING,
    DIAGNOSE,
    SESSION_REPORT,
    PUBLISHED_URIS,
    SUBSCRIBE_FINDINGS,
    UNSUBSCRIBE_FINDINGS,
    SHUTDOWN,
];
