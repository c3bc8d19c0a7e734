//! JSON as records hold it: members whose shape varies, and texts that a program cut in the middle of a character.
//! What the members of any one harness mean stays out.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::value::RawValue;

/// Bytes as a text, what is no UTF-8 in it replaced. The library's own way looks at each byte alone, and a record is
/// hundreds of megabytes that are nearly always sound.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Reads a member whose shape varies; one of another shape says nothing.
pub(crate) fn look<'a, T: serde::Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// True when a member is there and reads so.
pub(crate) fn is(member: Option<&Text<'_>>, text: &str) -> bool {
    member.is_some_and(|member| member.0 == text)
}

/// The text of a member that is there and not empty.
pub(crate) fn owned(member: Option<&Text<'_>>) -> Option<String> {
    member
        .filter(|member| !member.0.is_empty())
        .map(|member| member.0.clone().into_owned())
}

/// A JSON string. Half a surrogate pair, which a harness leaves when it cuts text, becomes replacement characters.
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'a, 'de: 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes, because only so does serde_json take half a surrogate pair.
        deserializer.deserialize_bytes(TextVisitor)
    }
}

/// Reads a [`Text`].
pub(crate) struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
        Ok(Text(lossy(bytes)))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(lossy(bytes).into_owned())))
    }
}

/// An object, its members unread; what is no object has none.
pub(crate) struct Members<'a> {
    raw: &'a str,
    members: BTreeMap<String, &'a RawValue>,
}

impl<'a> Members<'a> {
    /// Reads the names of the members.
    pub(crate) fn read(raw: Option<&'a RawValue>) -> Self {
        Self {
            raw: raw.map_or("", RawValue::get),
            members: look(raw),
        }
    }

    /// As [`Members::read`], of JSON in a text; what is no JSON has no members.
    pub(crate) fn parse(text: &'a str) -> Self {
        Self {
            raw: text,
            members: serde_json::from_str(text).unwrap_or_default(),
        }
    }

    /// All of it, as it was written.
    pub(crate) fn whole(&self) -> &'a str {
        self.raw
    }

    /// The names of the members, in alphabetical order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }

    /// A member, unread.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.members.get(name).copied()
    }

    /// The text of a member; none when there is no such member, or no text in it.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let text: Option<Text<'_>> = look(self.raw(name));
        text.map(|text| text.0.into_owned()).filter(|text| !text.is_empty())
    }

    /// The members of a member.
    pub(crate) fn object(&self, name: &str) -> Members<'a> {
        Members::read(self.raw(name))
    }

    /// The elements of a member that is a list, unread.
    pub(crate) fn list(&self, name: &str) -> Vec<&'a RawValue> {
        look(self.raw(name))
    }

    /// The whole number in a member.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        look(self.raw(name))
    }

    /// True when a member is there and reads so.
    pub(crate) fn is(&self, name: &str, text: &str) -> bool {
        let member: Option<Text<'_>> = look(self.raw(name));
        is(member.as_ref(), text)
    }

    /// True when a member is there and says something.
    pub(crate) fn says(&self, name: &str) -> bool {
        self.raw(name).is_some_and(|raw| raw.get() != "null")
    }
}
