//! A cheap look at a row's type, so that most rows need not be parsed.
//! It may know less than a parser, never something else.

use memchr::memchr2;
use memchr::memmem::rfind;

/// What stands before a row's type, as every client writes it. Quotes within a text are escaped, so it is never found there.
const TYPE: &[u8] = b"\"type\":\"";
/// So much of a row's end is looked at for its type, in bytes.
const END: usize = 2048;
/// So much of its beginning is looked at for an attachment, in bytes.
const BEGINNING: usize = 512;

/// The row's `type` as it stands in the line, when it stands before the row's `message`; none when it does not, when
/// the look fails, or when an escape would have to be resolved. Rows with a message are parsed anyway, and every other
/// key's value is passed over as a whole: text inside it is never taken for a key.
pub(crate) fn row_type(line: &[u8]) -> Option<&[u8]> {
    let (kind, _) = string(member(line, b"type")?)?;
    Some(kind).filter(|kind| !kind.contains(&b'\\'))
}

/// The `type` of the row's `attachment`, found in the same way; the line may break off after it.
pub(crate) fn attachment_type(line: &[u8]) -> Option<&[u8]> {
    row_type(member(line, b"attachment")?)
}

/// As [`attachment_type`], when nothing stands before the attachment but short members: the look ends where a longer one
/// would have to be passed over.
pub(crate) fn begins_with_attachment(line: &[u8]) -> Option<&[u8]> {
    attachment_type(&line[..line.len().min(BEGINNING)])
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

/// The object from the value of a key on; none behind a `message`.
fn member<'a>(object: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let mut rest = object.trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (key, after) = string(rest.trim_ascii_start())?;
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        if key == wanted {
            return Some(value);
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
            (r#"{"type":"z","a":"","type":"x","b":1}"}"#, Some("z")),
            (r#"{"type":"x"}"#, None),
            (r#"{"type":"z","a":1"#, None),
            (r#"{"type":"z"}}"#, None),
            (r#"{"type":7}"#, None),
            ("", None),
        ];
        for (line, kind) in cases {
            assert_eq!(last_type(line.as_bytes()), kind.map(str::as_bytes), "{line}");
        }
    }
}
