//! The two languages of settings files: reading a text, and writing values as the file around them is laid out.
//! Which values are written where stays out.

use super::splice::{Comments, Layout};
use super::tree::{Node, Unparsed};
use super::{json, toml};

/// The language of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// JSON, with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
}

/// A value that is to be written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Out {
    /// A text.
    Text(String),
    /// A whole number.
    Number(u64),
    /// A list.
    List(Vec<Out>),
    /// Names with values, in this order.
    Object(Vec<(String, Out)>),
}

impl Language {
    /// Reads a text; none where nothing is in it.
    ///
    /// # Errors
    /// It is none of this language.
    pub(crate) fn parse(self, text: &str) -> Result<Option<Node>, Unparsed> {
        match self {
            Self::Json => json::parse(text),
            Self::Toml => toml::parse(text).map(Some),
        }
    }

    /// How its comments look.
    pub(crate) fn comments(self) -> Comments {
        match self {
            Self::Json => Comments::Slashes,
            Self::Toml => Comments::Hash,
        }
    }

    /// Whether a piece of a text has a comment in it; also true where that can't be told.
    pub(crate) fn has_comment(self, piece: &str) -> bool {
        match self {
            Self::Json => json::has_comment(piece),
            Self::Toml => piece.contains('#'),
        }
    }

    /// A value for a line with this indentation, which may take more lines; without one it stays on its line.
    pub(crate) fn write(self, out: &Out, indent: Option<&str>, layout: &Layout) -> String {
        match self {
            Self::Json => match indent {
                Some(indent) => spread(out, indent, layout),
                None => packed(out, layout),
            },
            Self::Toml => inline(out),
        }
    }

    /// A name with its value, to stand among others.
    pub(crate) fn member(self, name: &str, out: &Out, indent: Option<&str>, layout: &Layout) -> String {
        let value = self.write(out, indent, layout);
        match self {
            Self::Json => format!("{}{}{value}", literal(name), layout.colon),
            Self::Toml => format!("{name} = {value}"),
        }
    }
}

/// A text between double quotes. JSON's escapes are TOML's as well; TOML wants one character more escaped.
pub(crate) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// One thing on each line, as harnesses write their settings themselves.
fn spread(out: &Out, indent: &str, layout: &Layout) -> String {
    let (open, parts, close): (_, Vec<String>, _) = match out {
        Out::Text(text) => return literal(text),
        Out::Number(number) => return number.to_string(),
        Out::List(parts) if parts.is_empty() => return "[]".to_owned(),
        Out::Object(parts) if parts.is_empty() => return "{}".to_owned(),
        Out::List(parts) => {
            let inner = format!("{indent}{}", layout.indent);
            (
                '[',
                parts.iter().map(|part| spread(part, &inner, layout)).collect(),
                ']',
            )
        }
        Out::Object(parts) => {
            let inner = format!("{indent}{}", layout.indent);
            let member = |(name, part): &(String, Out)| format!("{}: {}", literal(name), spread(part, &inner, layout));
            ('{', parts.iter().map(member).collect(), '}')
        }
    };
    let line = layout.line(indent, 1);
    let parts = parts.join(&format!(",{line}"));
    format!("{open}{line}{parts}{}{close}", layout.line(indent, 0))
}

fn packed(out: &Out, layout: &Layout) -> String {
    let comma = if layout.colon == ":" { "," } else { ", " };
    match out {
        Out::Text(text) => literal(text),
        Out::Number(number) => number.to_string(),
        Out::List(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| packed(part, layout)).collect();
            format!("[{}]", parts.join(comma))
        }
        Out::Object(parts) => {
            let member =
                |(name, part): &(String, Out)| format!("{}{}{}", literal(name), layout.colon, packed(part, layout));
            let parts: Vec<String> = parts.iter().map(member).collect();
            format!("{{{}}}", parts.join(comma))
        }
    }
}

fn inline(out: &Out) -> String {
    match out {
        Out::Text(text) => literal(text),
        Out::Number(number) => number.to_string(),
        Out::List(parts) => format!("[{}]", parts.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Out::Object(parts) => {
            let member = |(name, part): &(String, Out)| format!("{name} = {}", inline(part));
            format!("{{ {} }}", parts.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}
