//! Changes to a text that leave every other byte alone: members and elements put in and taken out.
//! What is put in, and why, stays out.

use std::ops::Range;

use super::tree::{Kind, Member, Node};

/// One change: these bytes become that text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes; empty where something is put in.
    pub(crate) span: Range<usize>,
    /// The new text; empty where something is taken out.
    pub(crate) text: String,
}

impl Edit {
    /// Puts a text in.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self {
            span: at..at,
            text: text.into(),
        }
    }

    /// Puts a text in the place of another.
    pub(crate) fn replace(span: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }
}

/// The text with the changes, which do not overlap.
pub(crate) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut changed = String::with_capacity(text.len());
    let mut read = 0;
    for edit in &edits {
        changed.push_str(text.get(read..edit.span.start).unwrap_or_default());
        changed.push_str(&edit.text);
        read = read.max(edit.span.end);
    }
    changed.push_str(text.get(read..).unwrap_or_default());
    changed
}

/// How a language's comments look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comments {
    /// `//` to the end of the line, and `/* */`.
    Slashes,
    /// `#` to the end of the line.
    Hash,
}

/// How a file is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// What ends a line.
    pub(crate) newline: &'static str,
    /// One step of indentation.
    pub(crate) indent: String,
    /// What stands between a name and its value.
    pub(crate) colon: &'static str,
    /// Everything on one line.
    pub(crate) packed: bool,
    /// How comments look.
    pub(crate) comments: Comments,
}

impl Layout {
    /// The layout of a text; an empty one gets two spaces and `\n`.
    pub(crate) fn of(text: &str, root: Option<&Node>, comments: Comments) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let members = root.and_then(Node::members).unwrap_or_default();
        let own = members.iter().find_map(|member| own_line(text, member.span.start));
        let indent = own.filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned();
        let enclosed = root.filter(|root| matches!(root.kind, Kind::Object(_)) && !members.is_empty());
        let packed = enclosed.is_some_and(|root| !text[root.span.clone()].contains('\n'));
        let colon = |member: &Member| text[member.span.start..member.value.span.start].ends_with(':');
        let tight = packed && members.first().is_some_and(colon);
        Self {
            newline,
            indent,
            colon: if tight { ":" } else { ": " },
            packed,
            comments,
        }
    }

    /// Line end and indentation of a line so many steps in.
    pub(crate) fn line(&self, base: &str, steps: usize) -> String {
        format!("{}{base}{}", self.newline, self.indent.repeat(steps))
    }
}

/// The white space before a place, where nothing else stands before it on its line.
pub(crate) fn own_line(text: &str, place: usize) -> Option<&str> {
    let start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[start..place];
    before.chars().all(|c| c == ' ' || c == '\t').then_some(before)
}

/// The white space at the start of a place's line.
pub(crate) fn indentation(text: &str, place: usize) -> &str {
    let start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..place];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Something between brackets or braces: where its inside begins and ends, and its parts.
struct Container {
    inside: Range<usize>,
    parts: Vec<Range<usize>>,
}

fn container(node: &Node) -> Option<Container> {
    let parts = match &node.kind {
        Kind::Object(members) => members.iter().map(|member| member.span.clone()).collect(),
        Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
        _ => return None,
    };
    Some(Container {
        inside: node.span.start + 1..node.span.end - 1,
        parts,
    })
}

/// What is put into a container: a text for a place with so much indentation, or for one line when there is none.
pub(crate) type Render<'a> = dyn Fn(Option<&str>) -> String + 'a;

/// Puts parts in at the end of what stands between brackets or braces; nothing where `node` is something else.
pub(crate) fn put_in(text: &str, node: &Node, layout: &Layout, parts: &[Box<Render<'_>>]) -> Vec<Edit> {
    let Some(inside) = container(node) else {
        return Vec::new();
    };
    let close = inside.inside.end;
    let last = inside.parts.last();
    let from = last.map_or(inside.inside.start, |last| last.end);
    let tail = tail(text, from..close, layout.comments);
    let broken = text[from..close].contains('\n');
    let outer = indentation(text, node.span.start);
    // A TOML table between braces stays on its line: before TOML 1.1 it may not leave it.
    let one_line = (layout.comments == Comments::Hash || layout.packed || last.is_some()) && !broken;
    if one_line {
        let written: Vec<String> = parts.iter().map(|part| part(None)).collect();
        let space = if layout.packed && layout.colon == ":" { "" } else { " " };
        return match (last, tail.comma) {
            (None, _) => vec![Edit::insert(tail.end, written.join(&format!(",{space}")))],
            (Some(last), None) => {
                let written: String = written.iter().map(|part| format!(",{space}{part}")).collect();
                vec![Edit::insert(last.end, written)]
            }
            (Some(_), Some(comma)) => {
                let written: String = written.iter().map(|part| format!("{space}{part},")).collect();
                vec![Edit::insert(comma + 1, written)]
            }
        };
    }
    let own = last.and_then(|last| own_line(text, last.start));
    let indent = own.map_or_else(|| format!("{outer}{}", layout.indent), str::to_owned);
    let written: Vec<String> = parts
        .iter()
        .map(|part| format!("{}{indent}{}", layout.newline, part(Some(&indent))))
        .collect();
    let closing = if broken { String::new() } else { layout.line(outer, 0) };
    match (last, tail.comma) {
        (Some(last), None) if tail.end == last.end => {
            vec![Edit::insert(last.end, format!(",{}{closing}", written.join(",")))]
        }
        (Some(last), None) => vec![
            Edit::insert(last.end, ","),
            Edit::insert(tail.end, format!("{}{closing}", written.join(","))),
        ],
        (Some(_), Some(_)) => vec![Edit::insert(tail.end, format!("{},{closing}", written.join(",")))],
        (None, _) => vec![Edit::insert(tail.end, format!("{}{closing}", written.join(",")))],
    }
}

/// Takes parts out of what stands between brackets or braces, each with its comma. Comments beside them stay.
pub(crate) fn take_out(text: &str, node: &Node, comments: Comments, which: &[usize]) -> Vec<Edit> {
    let Some(Container { inside, parts }) = container(node) else {
        return Vec::new();
    };
    let gone = |index: usize| which.contains(&index);
    if parts.iter().enumerate().all(|(index, _)| gone(index)) {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return Vec::new();
        };
        if is_plain(text, inside.clone(), &parts) {
            return vec![Edit::replace(inside, "")];
        }
        let start = tail(text, inside.start..first.start, comments).end;
        let comma = tail(text, last.end..inside.end, comments).comma;
        return vec![Edit::replace(start..comma.map_or(last.end, |comma| comma + 1), "")];
    }
    let mut edits = Vec::new();
    let mut first = 0;
    while first < parts.len() {
        if !gone(first) {
            first += 1;
            continue;
        }
        let mut last = first;
        while last + 1 < parts.len() && gone(last + 1) {
            last += 1;
        }
        let before = if first == 0 { inside.start } else { parts[first - 1].end };
        let start = tail(text, before..parts[first].start, comments);
        let after = parts.get(last + 1).map_or(inside.end, |next| next.start);
        let comma = tail(text, parts[last].end..after, comments).comma;
        let end = comma.map_or(parts[last].end, |comma| comma + 1);
        match start.comma {
            // What was last stays without a comma, as it was.
            Some(lone) if comma.is_none() && lone + 1 < start.end => {
                edits.push(Edit::replace(lone..lone + 1, ""));
                edits.push(Edit::replace(start.end..end, ""));
            }
            Some(lone) if comma.is_none() => edits.push(Edit::replace(lone..end, "")),
            _ => edits.push(Edit::replace(start.end..end, "")),
        }
        first = last + 1;
    }
    edits
}

/// True when nothing but parts, commas and white space is inside.
fn is_plain(text: &str, inside: Range<usize>, parts: &[Range<usize>]) -> bool {
    let starts = parts.iter().map(|part| part.start).chain([inside.end]);
    let ends = [inside.start].into_iter().chain(parts.iter().map(|part| part.end));
    ends.zip(starts)
        .all(|(from, to)| text[from..to].chars().all(|c| c.is_whitespace() || c == ','))
}

/// What stands between two parts: the comma, and where the last thing that is no white space ends.
struct Tail {
    comma: Option<usize>,
    end: usize,
}

fn tail(text: &str, span: Range<usize>, comments: Comments) -> Tail {
    let mut found = Tail {
        comma: None,
        end: span.start,
    };
    let bytes = text.as_bytes();
    let mut at = span.start;
    while at < span.end {
        let rest = &text[at..span.end];
        let length = match (bytes[at], comments) {
            (b',', _) => {
                found.comma = Some(at);
                1
            }
            (b'#', Comments::Hash) => line_length(rest),
            (b'/', Comments::Slashes) if rest.starts_with("//") => line_length(rest),
            (b'/', Comments::Slashes) if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => {
                at += 1;
                continue;
            }
        };
        at += length;
        found.end = at;
    }
    found
}

/// The length of a comment that goes to the end of its line, without the line's end.
fn line_length(rest: &str) -> usize {
    rest.find('\n')
        .map_or(rest, |end| &rest[..end])
        .trim_end_matches('\r')
        .len()
}
