//! JSON with comments and trailing commas, read into a tree.
//! Which harness takes which of its liberties stays out.

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::tree::{Kind, Member, Node, Unparsed};

/// Reads a text; none where it holds nothing but white space and comments.
///
/// # Errors
/// It is no JSON, even with comments and trailing commas; it nests deeper than 512.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Unparsed> {
    read(text, true, true).map_err(|error| unparsed(text, &error))
}

/// What in a text that [`parse`] reads is no plain JSON: its first comment or trailing comma. None where nothing is.
pub(crate) fn liberty(text: &str) -> Option<Unparsed> {
    read(text, false, false).err().map(|error| unparsed(text, &error))
}

/// Whether the text of a value, or of a name with its value, has a comment in it.
pub(crate) fn has_comment(piece: &str) -> bool {
    read(piece, false, true).is_err() && read(&format!("{{{piece}}}"), false, true).is_err()
}

fn read(text: &str, comments: bool, commas: bool) -> Result<Option<Node>, ParseError> {
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options)?;
    Ok(parsed.value.map(node))
}

fn unparsed(text: &str, error: &ParseError) -> Unparsed {
    Unparsed::at(text, error.range().start, error.kind().to_string())
}

fn node(value: Value<'_>) -> Node {
    let range = value.range();
    let kind = match value {
        Value::StringLit(text) => Kind::Text(text.value.into_owned()),
        Value::NumberLit(number) => Kind::Number(number.value.to_owned()),
        Value::BooleanLit(value) => Kind::Bool(value.value),
        Value::Object(object) => Kind::Object(object.properties.into_iter().map(member).collect()),
        Value::Array(array) => Kind::Array(array.elements.into_iter().map(node).collect()),
        Value::NullKeyword(_) => Kind::Other("null".to_owned()),
    };
    Node {
        span: range.start..range.end,
        kind,
    }
}

fn member(property: ObjectProp<'_>) -> Member {
    Member {
        span: property.range.start..property.range.end,
        name: property.name.into_string(),
        value: node(property.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read_and_told() {
        for (text, liberty_at) in [
            ("{}", None),
            ("{ // c\n}", Some((1, 3))),
            ("{\"a\": 1,\n \"é\": [1,]}", Some((2, 9))),
        ] {
            assert!(parse(text).unwrap().is_some(), "{text}");
            let told = liberty(text).map(|told| (told.line, told.column));
            assert_eq!(told, liberty_at, "{text}");
        }
        for empty in ["", " \r\n", "// only\n/* this */"] {
            assert_eq!(parse(empty), Ok(None), "{empty}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_with_its_place() {
        for (text, line) in [
            ("{", 1),
            ("{\n\"a\": 1\n \"b\": 2}", 2),
            ("{'a': 1}", 1),
            ("{a: 1}", 1),
            ("{}\n{}", 2),
            ("nonsense", 1),
            ("[0x1]", 1),
        ] {
            assert_eq!(parse(text).unwrap_err().line, line, "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
