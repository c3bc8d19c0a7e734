//! What arrives on stdin: one JSON object, of which only the members named here are looked at.
//! What an event means for Proofmark is the dialects' business.

use std::fmt;
use std::io::{self, Read};

use proofmark_protocol::frame::MAX_FRAME;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, Visitor};
use serde_json::value::RawValue;

/// Why a payload could not be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// Reading stdin failed.
    Io(io::Error),
    /// It is longer than [`MAX_FRAME`].
    TooLong,
    /// There is nothing.
    Empty,
    /// It is JSON of another kind, or no JSON at all.
    NotAnObject,
    /// The JSON breaks off or is wrong. The parser's own message may quote the payload, so only the place is kept.
    Broken { line: usize, column: usize },
    /// The event lacks the member that it is about.
    Lacks(&'static str),
    /// The request could not be written as JSON.
    Unwritable,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "stdin could not be read: {error}"),
            Self::TooLong => write!(f, "the payload is longer than {} MiB", MAX_FRAME / (1024 * 1024)),
            Self::Empty => f.write_str("the payload is empty"),
            Self::NotAnObject => f.write_str("the payload is no JSON object"),
            Self::Broken { line, column } => write!(f, "the payload is broken JSON (line {line}, column {column})"),
            Self::Lacks(member) => write!(f, "the payload has no usable `{member}`"),
            Self::Unwritable => f.write_str("the payload could not be passed on"),
        }
    }
}

/// The members that any dialect looks at, each unread: one member of a wrong type must not cost the whole event.
///
/// Names as captured from Claude Code 2.1.197 and 2.1.332, most of which Codex 0.171.0 uses as well; those from
/// `conversation_id` on are Cursor's (2.7 to 3.24, and its command line of 2026).
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Payload<'a> {
    #[serde(borrow)]
    hook_event_name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) session_id: Option<&'a RawValue>,
    /// Other programs that speak Claude Code's dialect spell it this way.
    #[serde(borrow, rename = "sessionId")]
    pub(crate) session_id_camel: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) cwd: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) prompt_id: Option<&'a RawValue>,
    /// Codex's name for the turn.
    #[serde(borrow)]
    pub(crate) turn_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) agent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) agent_type: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) agent_transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) source: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) stop_hook_active: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) last_assistant_message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) background_tasks: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) reason: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) conversation_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) generation_id: Option<&'a RawValue>,
    pub(crate) cursor_version: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(crate) workspace_roots: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) parent_conversation_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) subagent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) status: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) loop_count: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) text: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) summary: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) command: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) duration: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) error_message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) failure_type: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) is_interrupt: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) result_json: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) file_path: Option<&'a RawValue>,
    /// As older builds spell it.
    #[serde(borrow, rename = "filePath")]
    pub(crate) file_path_camel: Option<&'a RawValue>,
}

impl<'a> Payload<'a> {
    /// The payload in `bytes`, which may begin with a byte order mark (Cursor on Windows writes one).
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii();
        match bytes.first() {
            None => Err(Unreadable::Empty),
            // A list would be read as the members in their order.
            Some(b'{') => serde_json::from_slice(bytes).map_err(|error| Unreadable::Broken {
                line: error.line(),
                column: error.column(),
            }),
            Some(_) => Err(Unreadable::NotAnObject),
        }
    }

    /// The event's name; empty when there is none.
    pub(crate) fn event(&self) -> String {
        text(self.hook_event_name).unwrap_or_default()
    }
}

/// All of stdin, or why not; never more than [`MAX_FRAME`] bytes and one are kept.
pub(crate) fn take(stdin: impl Read) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    stdin
        .take(MAX_FRAME as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(Unreadable::Io)?;
    if bytes.len() > MAX_FRAME {
        Err(Unreadable::TooLong)
    } else {
        Ok(bytes)
    }
}

/// The text of a member; none when it is absent or no text.
pub(crate) fn text(member: Option<&RawValue>) -> Option<String> {
    serde_json::from_str::<Text>(member?.get()).ok().map(|text| text.0)
}

/// As [`text`], where an empty one says as little as none.
pub(crate) fn name(member: Option<&RawValue>) -> Option<String> {
    text(member).filter(|text| !text.is_empty())
}

/// True only when the member is `true`.
pub(crate) fn flag(member: Option<&RawValue>) -> bool {
    member.is_some_and(|raw| raw.get() == "true")
}

/// The number of a member; Cursor writes durations with fractions.
pub(crate) fn number(member: Option<&RawValue>) -> Option<f64> {
    serde_json::from_str(member?.get()).ok()
}

/// How many elements a list has; 0 when it is none.
pub(crate) fn count(member: Option<&RawValue>) -> u32 {
    let elements = member.and_then(|raw| serde_json::from_str::<Vec<IgnoredAny>>(raw.get()).ok());
    elements.map_or(0, |elements| u32::try_from(elements.len()).unwrap_or(u32::MAX))
}

/// A JSON string that may hold half a surrogate pair, as a JavaScript program writes it after cutting a text.
/// Read as a `String` it would be an error and the text be lost.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
        Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn members_are_read_by_their_type() {
        for (json, expected) in [
            (r#""a\u00e4\n""#, Some("a\u{e4}\n")),
            (r#""cut \ud83d""#, Some("cut \u{fffd}\u{fffd}\u{fffd}")),
            (r#""\ud83d\ude00""#, Some("\u{1f600}")),
            ("7", None),
            ("[104, 105]", None),
            ("{}", None),
        ] {
            assert_eq!(text(Some(&raw(json))).as_deref(), expected, "{json}");
        }
        assert_eq!(name(Some(&raw("\"\""))), None);
        assert!(flag(Some(&raw("true"))));
        assert!(!flag(Some(&raw("\"true\""))));
        assert_eq!(number(Some(&raw("5788.364"))), Some(5788.364));
        assert_eq!(number(Some(&raw("3"))), Some(3.0));
        assert_eq!(number(Some(&raw("\"3\""))), None);
        assert_eq!(count(Some(&raw(r#"[{"id": 1}, "x", []]"#))), 3);
        assert_eq!(count(Some(&raw("{}"))), 0);
    }

    #[test]
    fn one_member_of_a_wrong_type_does_not_cost_the_event() {
        let payload =
            Payload::read(br#"{"hook_event_name": "Stop", "cwd": 5, "prompt": {}, "session_id": null}"#).unwrap();
        assert_eq!(payload.event(), "Stop");
        assert_eq!(text(payload.cwd), None);
        assert!(payload.session_id.is_none());
    }
}
