//! The members of a transcript's row that are read, as 2.0.64 to 2.1.332 write them.
//! What they mean together stays out.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::harness::json::{Text, TextVisitor, is, owned};

/// A row. Members that are not named here are passed over; members whose shape may vary are kept unread.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) uuid: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) session_id: Option<Text<'a>>,
    /// The folder in which the agent works.
    #[serde(borrow)]
    pub(super) cwd: Option<Text<'a>>,
    /// The client's version.
    pub(super) version: Option<IgnoredAny>,
    /// The turn, since 2.1.76.
    #[serde(borrow)]
    pub(super) prompt_id: Option<Text<'a>>,
    pub(super) is_sidechain: Option<bool>,
    /// The helper agent that wrote the row.
    pub(super) agent_id: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
    /// [`Attachment`], on rows of that type, since 2.1.91.
    #[serde(borrow)]
    pub(super) attachment: Option<&'a RawValue>,
    pub(super) is_meta: Option<bool>,
    pub(super) is_compact_summary: Option<bool>,
    pub(super) is_visible_in_transcript_only: Option<bool>,
    pub(super) is_api_error_message: Option<bool>,
    #[serde(borrow)]
    pub(super) stacked_expansion: Option<&'a RawValue>,
    /// `local`, `recorded`, `hook`, `harness`; since some version after 2.1.218.
    #[serde(borrow)]
    pub(super) row_source: Option<Text<'a>>,
    /// `typed`, `sdk`, `system` and others, since 2.1.161.
    #[serde(borrow)]
    pub(super) prompt_source: Option<Text<'a>>,
    /// [`Origin`], since 2.1.150.
    #[serde(borrow)]
    pub(super) origin: Option<&'a RawValue>,
    /// [`ToolUseResult`] after a success, a text after a failure, nothing for successes of helper agents.
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    /// `user-rejected` or `permission-rule`.
    #[serde(borrow)]
    pub(super) tool_denial_kind: Option<Text<'a>>,
    /// [`PermissionDecision`].
    #[serde(borrow)]
    pub(super) permission_decision: Option<&'a RawValue>,
}

impl Row<'_> {
    /// The row's id; empty when it has none.
    pub(super) fn id(&self) -> String {
        owned(self.uuid.as_ref()).unwrap_or_default()
    }
}

/// The API's message in a row.
#[derive(serde::Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) model: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) content: Option<Content<'a>>,
}

/// One block of a message, of any type.
#[derive(serde::Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    pub(super) is_error: Option<bool>,
}

impl Block<'_> {
    pub(super) fn is(&self, kind: &str) -> bool {
        is(self.kind.as_ref(), kind)
    }
}

/// What the harness laid beside the conversation; one of its many types carries a person's words.
#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    /// In a `queued_command`: what was queued.
    #[serde(borrow)]
    pub(super) prompt: Option<Content<'a>>,
    /// In a `queued_command`: `prompt`, `task-notification` and others.
    #[serde(borrow)]
    pub(super) command_mode: Option<Text<'a>>,
    /// [`Origin`], since a version between 2.1.170 and 2.1.199.
    #[serde(borrow)]
    pub(super) origin: Option<&'a RawValue>,
    pub(super) is_meta: Option<bool>,
}

/// Who a prompt comes from.
#[derive(Default, serde::Deserialize)]
pub(super) struct Origin<'a> {
    /// `human`, `task-notification` and others.
    #[serde(borrow)]
    pub(super) kind: Option<Text<'a>>,
}

/// What a harness's rules or the person said about a call.
#[derive(Default, serde::Deserialize)]
pub(super) struct PermissionDecision<'a> {
    /// `accept` or `reject`.
    #[serde(borrow)]
    pub(super) decision: Option<Text<'a>>,
}

/// What a tool returned beside the text for the agent; each tool has its own members.
#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolUseResult<'a> {
    pub(super) interrupted: Option<bool>,
    /// Bash: the task that goes on.
    #[serde(borrow)]
    pub(super) background_task_id: Option<Text<'a>>,
    /// Bash, since 2.1.78: the harness moved the call to the background.
    pub(super) assistant_auto_backgrounded: Option<bool>,
    /// Agent: `completed` or `async_launched`.
    #[serde(borrow)]
    pub(super) status: Option<Text<'a>>,
    /// Agent, and a skill that a helper ran: the helper.
    #[serde(borrow)]
    pub(super) agent_id: Option<Text<'a>>,
    /// SendMessage (2.1.204, 2.1.268): the helper that had ended, and works on in the background.
    #[serde(borrow)]
    pub(super) resumed_agent_id: Option<Text<'a>>,
}

/// The content of a message or of a tool's result: a string, or blocks.
#[derive(Default)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
    /// There is none, or none that carries text.
    #[default]
    Other,
}

impl<'a> Content<'a> {
    /// All its text, blocks a line each.
    pub(super) fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            other => Cow::Owned(other.text().into_owned()),
        }
    }
}

impl Content<'_> {
    /// The texts in it: the string, or that of each text block.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let (string, blocks) = match self {
            Self::Text(text) => (Some(text.as_ref()), [].as_slice()),
            Self::Blocks(blocks) => (None, blocks.as_slice()),
            Self::Other => (None, [].as_slice()),
        };
        let blocks = blocks.iter().filter(|block| block.is("text"));
        string
            .into_iter()
            .chain(blocks.filter_map(|block| Some(block.text.as_ref()?.0.as_ref())))
    }

    /// The text in it, blocks a line each.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Blocks(blocks) => {
                let texts = blocks.iter().filter_map(|block| Some(block.text.as_ref()?.0.as_ref()));
                Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
            }
            Self::Other => Cow::Borrowed(""),
        }
    }
}

impl<'a, 'de: 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or blocks")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Content<'de>, E> {
        TextVisitor
            .visit_borrowed_bytes(bytes)
            .map(|text| Content::Text(text.0))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Content<'de>, E> {
        TextVisitor.visit_bytes(bytes).map(|text| Content::Text(text.0))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<Content<'de>, A::Error> {
        let mut read = Vec::new();
        while let Some(block) = blocks.next_element()? {
            read.push(block);
        }
        Ok(Content::Blocks(read))
    }
}
