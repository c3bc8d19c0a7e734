//! A settings file as a tree whose every part knows where it stands in the text, whatever the file's language.
//! What the parts mean to a harness, and how they are changed, stays out.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

/// A part of a settings file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Where it stands, in bytes. For a TOML table with a header of its own this is the header.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a part of a settings file is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Names with values, between braces.
    Object(Vec<Member>),
    /// A TOML table that is spread over lines: with a header, or made by dotted names or by the headers of others.
    Table(Vec<Member>),
    /// Values between brackets.
    Array(Vec<Node>),
    /// TOML tables under `[[name]]`.
    Tables(Vec<Node>),
    /// A text.
    Text(String),
    /// A number, as it is written.
    Number(String),
    /// `true` or `false`.
    Bool(bool),
    /// Nothing, or a TOML date, as it is written.
    Other(String),
}

/// One name with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// The name.
    pub(crate) name: String,
    /// Where name and value stand together.
    pub(crate) span: Range<usize>,
    /// The value.
    pub(crate) value: Node,
}

impl Node {
    /// The members, where this has any.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) | Kind::Table(members) => Some(members),
            _ => None,
        }
    }

    /// The elements, where this is a list.
    pub(crate) fn elements(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Array(elements) | Kind::Tables(elements) => Some(elements),
            _ => None,
        }
    }

    /// The value under a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        let member = self.members()?.iter().find(|member| member.name == name)?;
        Some(&member.value)
    }

    /// The value at the end of a path of names.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The text, where this is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, where this is a whole one that is not negative.
    pub(crate) fn whole(&self) -> Option<u64> {
        match &self.kind {
            Kind::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The number, where this is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match &self.kind {
            Kind::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// A name that stands twice among the members, with the place of its second member.
    pub(crate) fn doubled(&self) -> Option<(&str, usize)> {
        let mut seen = BTreeMap::new();
        self.members()?
            .iter()
            .find(|member| seen.insert(member.name.as_str(), ()).is_some())
            .map(|member| (member.name.as_str(), member.span.start))
    }

    /// What this says, without its place and its layout.
    pub(crate) fn meaning(&self) -> Value {
        match &self.kind {
            Kind::Object(members) | Kind::Table(members) => members
                .iter()
                .map(|member| (member.name.clone(), member.value.meaning()))
                .collect(),
            Kind::Array(elements) | Kind::Tables(elements) => elements.iter().map(Self::meaning).collect(),
            Kind::Text(text) => Value::from(text.as_str()),
            // As it is written: no number is changed by being read.
            Kind::Number(written) | Kind::Other(written) => serde_json::json!({ "written": written }),
            Kind::Bool(value) => Value::from(*value),
        }
    }
}

/// Why a text is no settings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub(crate) struct Unparsed {
    /// From 1.
    pub(crate) line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
    /// What is wrong there.
    pub(crate) what: String,
}

impl Unparsed {
    /// Something wrong at a place, given in bytes.
    pub(crate) fn at(text: &str, place: usize, what: impl Into<String>) -> Self {
        let (line, column) = position(text, place);
        Self {
            line,
            column,
            what: what.into(),
        }
    }
}

/// Line and column (in characters) of a place given in bytes, both from 1.
pub(crate) fn position(text: &str, place: usize) -> (usize, usize) {
    let before = text.get(..place).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
