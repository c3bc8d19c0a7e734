//! A cheap look at a row's type, so that most rows need not be parsed.
//! It may know less than a parser, never something else.

use memchr::memchr2;
use memchr::memmem::rfind;

/// What stands before a row's type, as every client writes it. Quotes within a text are escaped, so it is never found there.
const TYPE: &[u8] = b"\"type\":\"";
/// So much of a row's end is looked at for its type, in bytes.
const END: usize = 2048;

/// The row's `type` as it stands in the line, when it stands before the row's `message`; none when it does not, when
/// the look fails, or when an escape would have to be resolved. Rows with a message are parsed anyway, and every other
/// key's value is passed over as a whole: text inside it is never taken for a key.
pub(crate) fn row_type(line: &[u8]) -> Option<&[u8]> {
    let (kind, _) = string(member(line, |key| key == b"type")?.1)?;
    Some(kind).filter(|kind| !kind.contains(&b'\\'))
}

/// The `type` of the row's `attachment`, found in the same way; the line may break off after it.
pub(crate) fn attachment_type(line: &[u8]) -> Option<&[u8]> {
    row_type(member(line, |key| key == b"attachment")?.1)
}

/// What a row begins with, of the members that tell what it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum First<'a> {
    /// Its type.
    Type(&'a [u8]),
    /// An attachment, and its type where a look finds it.
    Attachment(Option<&'a [u8]>),
    /// A message.
    Message,
}

/// The first of those members; none when there is none, the look fails, or an escape would have to be resolved.
pub(crate) fn first(line: &[u8]) -> Option<First<'_>> {
    let (key, value) = member(line, |key| matches!(key, b"type" | b"attachment" | b"message"))?;
    match key {
        b"type" => string(value)
            .map(|(kind, _)| kind)
            .filter(|kind| !kind.contains(&b'\\'))
            .map(First::Type),
        b"attachment" => Some(First::Attachment(row_type(value))),
        _ => Some(First::Message),
    }
}

/// The row's `type` when it stands near its end with nothing behind it but members that are no objects and no lists: what
/// stands before it is not looked at. None when it does not, or when an escape would have to be resolved.
pub(crate) fn last_type(line: &[u8]) -> Option<&[u8]> {
    let end = &line[line.len().saturating_sub(END)..];
    let (kind, mut rest) = string(&end[rfind(end, TYPE)? + TYPE.len() - 1..])?;
    loop {
        rest = rest.trim_ascii_start();
        if rest.trim_ascii_end() == b"}" {
            return Some(kind).filter(|kind| !kind.contains(&b'\\'));
        }
        let (_, after) = string(rest.strip_prefix(b",")?.trim_ascii_start())?;
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        if value.starts_with(b"{") || value.starts_with(b"[") {
            return None;
        }
        rest = after_value(value)?;
    }
}

/// The first member with a key that is wanted: the key, and the object from its value on. None behind a `message`.
fn member(object: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Option<(&[u8], &[u8])> {
    let mut rest = object.trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (key, after) = string(rest.trim_ascii_start())?;
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        if is_wanted(key) {
            return Some((key, value));
        }
        if key == b"message" || key.contains(&b'\\') {
            return None;
        }
        rest = after_value(value)?.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// The inside of the string that `bytes` begin with, escapes unresolved, and what follows it.
fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = bytes.strip_prefix(b"\"")?;
    let mut from = 0;
    loop {
        let at = from + memchr2(b'"', b'\\', inside.get(from..)?)?;
        if inside[at] == b'"' {
            return Some((&inside[..at], &inside[at + 1..]));
        }
        from = at + 2;
    }
}

/// What follows the value that `bytes` begin with.
fn after_value(bytes: &[u8]) -> Option<&[u8]> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => {
                let (_, rest) = string(&bytes[at..])?;
                at = bytes.len() - rest.len();
                if depth == 0 {
                    return Some(rest);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 1 => depth -= 1,
            b'}' | b']' if depth == 1 => return Some(&bytes[at + 1..]),
            // A number, `true`, `false` or `null` ends here; so does the row.
            b',' | b'}' | b']' if depth == 0 => return Some(&bytes[at..]),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_found_where_a_parser_finds_it() {
        let cases: [(&str, Option<&str>); 16] = [
            (r#"{"type":"progress"}"#, Some("progress")),
            (
                r#" { "a" : -1.5e3 , "b":null, "type" : "user", "message":{} }"#,
                Some("user"),
            ),
            (r#"{"a":{"type":"x","b":["}",{"type":"y"}]},"type":"z"}"#, Some("z")),
            (r#"{"a":"\",\"type\":\"x\\","type":"z"}"#, Some("z")),
            (r#"{"a":[],"b":{},"c":"","type":"z"}"#, Some("z")),
            (r#"{"message":{"type":"x"},"type":"z"}"#, None),
            (r#"{"message":"\"type\":\"progress\"","type":"user"}"#, None),
            (r#"{"t\u0079pe":"x","type":"z"}"#, None),
            (r#"{"type":"\u0078"}"#, None),
            (r#"{"type":7}"#, None),
            (r#"{"a":1}"#, None),
            (r#"{}"#, None),
            (r#"["type","x"]"#, None),
            (r#"{"a":{"type":"x""#, None),
            (r#"{"a":"type":"x"}"#, None),
            ("", None),
        ];
        for (line, kind) in cases {
            assert_eq!(row_type(line.as_bytes()), kind.map(str::as_bytes), "{line}");
        }
    }

    #[test]
    fn the_type_at_the_end_is_the_rows_own() {
        let long = format!(r#"{{"a":"{}","type":"z","n":-1,"b":null}}"#, "x".repeat(3 * END));
        let cases: [(&str, Option<&str>); 12] = [
            (&long, Some("z")),
            (r#"{"a":{"type":"x"},"type":"z"}"#, Some("z")),
            (r#"{"a":{"type":"x"},"type":"z" , "b" : "}" } "#, Some("z")),
            (r#"{"type":"z","a":{"type":"x"}}"#, None),
            (r#"{"type":"z","a":{}}"#, None),
            (r#"{"type":"z","a":[1]}"#, None),
            (r#"{"type":"z","a":"\",\"type\":\"x\",\"b\":1}"}"#, Some("z")),
            (r#"{"type":"\u0078"}"#, None),
            (r#"{"type":"z","a":1"#, None),
            (r#"{"type":"z"}}"#, None),
            (r#"{"type":7}"#, None),
            ("", None),
        ];
        for (line, kind) in cases {
            assert_eq!(last_type(line.as_bytes()), kind.map(str::as_bytes), "{line}");
        }
    }

    #[test]
    fn the_first_telling_member_is_told() {
        let cases: [(&str, Option<First<'_>>); 7] = [
            (r#"{"a":1,"type":"z","message":{}}"#, Some(First::Type(b"z"))),
            (
                r#"{"a":{"type":"x"},"message":{"type":"y"},"type":"z"}"#,
                Some(First::Message),
            ),
            (
                r#"{"attachment":{"type":"y"},"type":"z"}"#,
                Some(First::Attachment(Some(b"y"))),
            ),
            (r#"{"attachment":7,"type":"z"}"#, Some(First::Attachment(None))),
            (r#"{"type":"\u0078"}"#, None),
            (r#"{"t\u0079pe":"x","type":"z"}"#, None),
            (r#"{"a":1}"#, None),
        ];
        for (line, expected) in cases {
            assert_eq!(first(line.as_bytes()), expected, "{line}");
        }
    }
}
