//! The older form of a transcript: text in blocks of `user:` and `assistant:`, as found until about February 2026.
//! What it does not tell stays unknown: no call has an ending, and where thinking begins nothing ends it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::person::{self, Said};
use super::record::injected;
use super::tools::Asked;
use crate::harness::ToolSettings;
use crate::session::{Entry, Injection};

const USER: &str = "user:";
const ASSISTANT: &str = "assistant:";
const OPENS: &str = "<user_query>";
const CLOSES: &str = "</user_query>";
const CALL: &str = "[Tool call] ";
const RESULT: &str = "[Tool result] ";
const THINKING: &str = "[Thinking]";
/// What is kept of a prompt, and of each argument of a call, in bytes.
const LONGEST: usize = 16 * 1024;
/// Arguments of one call that are kept.
const ARGUMENTS: usize = 32;

/// What is being read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Block {
    part: Part,
    /// The line before was empty: only then a block begins.
    blank: bool,
    /// Inside a fence of code: what stands there is shown, not said.
    fenced: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
enum Part {
    /// A block of the person's, before and after their words.
    #[default]
    Person,
    /// The person's words so far.
    Query(String),
    /// The agent's prose.
    Prose,
    /// Thinking, which runs straight into prose, or a result, which is empty.
    Hidden,
    /// A call and its arguments so far.
    Call {
        row: String,
        tool: String,
        arguments: BTreeMap<String, String>,
        open: Option<String>,
    },
}

/// True for the line that a block begins with.
pub(super) fn begins(line: &str) -> bool {
    matches!(line.trim_end(), USER | ASSISTANT)
}

/// Adds what one line shows.
pub(super) fn line(line: &str, row: String, block: &mut Block, tools: &ToolSettings<'_>, out: &mut Vec<Entry>) {
    let line = line.trim_end_matches('\r');
    let blank = std::mem::replace(&mut block.blank, line.trim().is_empty());
    if let Part::Query(query) = &mut block.part {
        if let Some(last) = line.trim_end().strip_suffix(CLOSES) {
            grow(query, last);
            let query = std::mem::take(query);
            block.part = Part::Person;
            prompt(&query, row, out);
        } else {
            grow(query, line);
        }
        return;
    }
    let starts = begins(line) && (blank || row == "row-1");
    let marked = block.part != Part::Person && [CALL, RESULT, THINKING].iter().any(|mark| line.starts_with(mark));
    if starts || marked {
        end_call(block, tools, out);
        block.fenced &= !starts;
        block.part = match line.strip_prefix(CALL) {
            Some(tool) => Part::Call {
                row,
                tool: tool.trim().to_owned(),
                arguments: BTreeMap::new(),
                open: None,
            },
            None if line.trim_end() == USER => Part::Person,
            None if starts => Part::Prose,
            None => Part::Hidden,
        };
        return;
    }
    match &mut block.part {
        Part::Person => {
            if let Some(first) = line.strip_prefix(OPENS) {
                block.part = Part::Query(String::new());
                self::line(first, row, block, tools, out);
            }
        }
        Part::Prose if line.trim_start().starts_with("```") => block.fenced = !block.fenced,
        Part::Prose if !block.fenced && !line.trim().is_empty() => out.push(Entry::Text {
            row,
            text: line.to_owned(),
        }),
        Part::Call { arguments, open, .. } => argument(line, arguments, open),
        Part::Prose | Part::Query(_) | Part::Hidden => {}
    }
}

fn prompt(query: &str, row: String, out: &mut Vec<Entry>) {
    match person::said(query) {
        Said::Prompt(text) => out.push(Entry::Prompt {
            row,
            turn: None,
            text: text.to_owned(),
            queued: false,
        }),
        Said::Ours => out.push(injected(Injection::HookFeedback)),
        Said::Harness | Said::Nothing => {}
    }
}

/// `  name: value`; any other line goes on with the value before it.
fn argument(line: &str, arguments: &mut BTreeMap<String, String>, open: &mut Option<String>) {
    let named = line.strip_prefix("  ").and_then(|line| line.split_once(": "));
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if let Some((name, value)) = named.filter(|(name, _)| is_name(name)) {
        if arguments.len() < ARGUMENTS {
            grow(arguments.entry(name.to_owned()).or_default(), value);
            *open = Some(name.to_owned());
        }
    } else if let Some(value) = open.as_ref().and_then(|name| arguments.get_mut(name)) {
        grow(value, line);
    }
}

fn end_call(block: &mut Block, tools: &ToolSettings<'_>, out: &mut Vec<Entry>) {
    let Part::Call {
        row, tool, arguments, ..
    } = std::mem::take(&mut block.part)
    else {
        return;
    };
    let trimmed: BTreeMap<&str, &str> = arguments
        .iter()
        .map(|(name, value)| (name.as_str(), value.trim_end()))
        .collect();
    // A map of texts is always JSON.
    let input = serde_json::value::to_raw_value(&trimmed).ok();
    let asked = Asked::of(&tool, input.as_deref() as Option<&RawValue>, tools);
    out.push(Entry::Call {
        id: row.clone(),
        row,
        tool: asked.tool,
        kind: asked.kind,
        input: asked.input,
        changes: asked.changes,
    });
}

/// Adds a line to a text, as long as there is room for it.
fn grow(text: &mut String, line: &str) {
    if text.len() + line.len() < LONGEST {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
}
