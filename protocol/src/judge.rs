//! `judgeReply`: one reply put to a small model, and what came of it.
//! How the question is worded, and who is asked, is the server's business.

use serde::{Deserialize, Serialize};

/// `judgeReply`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct JudgeReplyParams {
    /// The session's key: words that its person used first are no finding. Without one nobody has used any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The reply.
    pub reply: String,
    /// Only these lists, by name; all of them without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lists: Option<Vec<String>>,
    /// The working folder, for the project's own lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum JudgeVerdict {
    /// The reply holds wording of one of the lists.
    Hit,
    /// A runner answered that it holds none.
    Clean,
    /// Nobody answered in a way that counts.
    Unchecked,
}

/// A runner that was tried and brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeTry {
    /// The runner's name.
    pub runner: String,
    /// What was wrong, in a few words.
    pub why: String,
}

/// The answer to `judgeReply`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeReply {
    /// What came of it.
    pub verdict: JudgeVerdict,
    /// Why, in one sentence for the person.
    pub reason: String,
    /// The list that was hit; none where the runner named none of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// The wording, as it stands in the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The runner whose answer counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// The runners that were tried before it, or in vain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<JudgeTry>,
}

/// The notification that goes to whoever waits for the answer to a stop while the judge is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    /// From now on the answer may take so many seconds.
    pub seconds: u64,
}
