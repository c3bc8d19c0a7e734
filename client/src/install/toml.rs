//! TOML, read into a tree, and what only TOML has: tables that are spread over lines under headers of their own.
//! Which tables are whose stays out.

use std::ops::Range;

use toml_edit::{Document, Item, Key, Table, TableLike, Value};

use super::splice::{Edit, own_line};
use super::tree::{Kind, Member, Node, Unparsed};

/// Reads a text.
///
/// # Errors
/// It is no TOML; a name stands twice; it nests too deep.
pub(crate) fn parse(text: &str) -> Result<Node, Unparsed> {
    let document = Document::parse(text).map_err(|error| {
        let place = error.span().map_or(0, |span| span.start);
        Unparsed::at(text, place, error.message().lines().collect::<Vec<_>>().join("; "))
    })?;
    Ok(table(document.as_table()))
}

fn table(table: &Table) -> Node {
    Node {
        span: table.span().unwrap_or(0..0),
        kind: Kind::Table(members(table)),
    }
}

fn members(table: &dyn TableLike) -> Vec<Member> {
    let member = |(name, item): (&str, &Item)| {
        let value = item_node(item);
        let named = table.key(name).and_then(Key::span);
        let header = matches!(value.kind, Kind::Table(_) | Kind::Tables(_));
        let start = named.filter(|_| !header).map_or(value.span.start, |named| named.start);
        Member {
            name: name.to_owned(),
            span: start..value.span.end,
            value,
        }
    };
    table.iter().map(member).collect()
}

fn item_node(item: &Item) -> Node {
    match item {
        Item::Value(value) => value_node(value),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(tables) => Node {
            span: tables.span().unwrap_or(0..0),
            kind: Kind::Tables(tables.iter().map(table).collect()),
        },
        Item::None => Node {
            span: 0..0,
            kind: Kind::Other(String::new()),
        },
    }
}

fn value_node(value: &Value) -> Node {
    let kind = match value {
        Value::String(text) => Kind::Text(text.value().clone()),
        Value::Integer(number) => Kind::Number(number.value().to_string()),
        Value::Float(number) => Kind::Number(number.value().to_string()),
        Value::Boolean(value) => Kind::Bool(*value.value()),
        Value::Datetime(moment) => Kind::Other(moment.value().to_string()),
        Value::Array(array) => Kind::Array(array.iter().map(value_node).collect()),
        // By dotted names: nothing encloses it.
        Value::InlineTable(table) if table.is_dotted() => Kind::Table(members(table)),
        Value::InlineTable(table) => Kind::Object(members(table)),
    };
    Node {
        span: value.span().unwrap_or(0..0),
        kind,
    }
}

/// Takes a table out with its header, and every table below it that has a header of its own.
pub(crate) fn take_out(text: &str, node: &Node) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        edits.push(Edit::replace(block(text, node), ""));
        for member in node.members().unwrap_or_default() {
            match &member.value.kind {
                Kind::Table(_) => open.push(&member.value),
                Kind::Tables(tables) => open.extend(tables),
                _ => {}
            }
        }
    }
    edits
}

/// The lines of a table: its header and its own values, with one empty line before them.
fn block(text: &str, node: &Node) -> Range<usize> {
    let own = node.members().unwrap_or_default().iter();
    let own = own.filter(|member| !matches!(member.value.kind, Kind::Table(_) | Kind::Tables(_)));
    let end = own.map(|member| member.span.end).fold(node.span.end, usize::max);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let start = own_line(text, node.span.start).map_or(node.span.start, |indent| node.span.start - indent.len());
    let before = &text[..start];
    let empty = line_end(before);
    let is_empty = empty > 0 && line_end(&before[..before.len() - empty]) > 0;
    start - if is_empty { empty } else { 0 }..end
}

/// The length of the line end that a text ends with.
fn line_end(text: &str) -> usize {
    match text {
        _ if text.ends_with("\r\n") => 2,
        _ if text.ends_with('\n') => 1,
        _ => 0,
    }
}

/// The text after a change, without the line end that only came with what has been taken out of its end.
pub(crate) fn ended_as(text: &str, mut changed: String) -> String {
    if !text.ends_with('\n') {
        changed.truncate(changed.len() - line_end(&changed));
    }
    changed
}

/// Puts lines in at the end of a text, after an empty one. The text ends as it did, with a line end or without.
pub(crate) fn put_at_end(text: &str, newline: &str, blocks: &[String]) -> Edit {
    let ended = text.is_empty() || text.ends_with('\n');
    let mut added = String::new();
    for (nth, block) in blocks.iter().enumerate() {
        if !(text.is_empty() && nth == 0) {
            added.push_str(if !ended && nth == 0 { newline } else { "" });
            added.push_str(newline);
        }
        added.push_str(block);
        if ended || nth + 1 < blocks.len() {
            added.push_str(newline);
        }
    }
    Edit::insert(text.len(), added)
}

/// Puts a line in after the last value of a table.
pub(crate) fn put_line(text: &str, node: &Node, newline: &str, line: &str) -> Edit {
    let own = node.members().unwrap_or_default().iter();
    let own = own.filter(|member| !matches!(member.value.kind, Kind::Table(_) | Kind::Tables(_)));
    let end = own.map(|member| member.span.end).fold(node.span.end, usize::max);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let end = text[..end].trim_end_matches('\r').len();
    Edit::insert(end, format!("{newline}{line}"))
}
