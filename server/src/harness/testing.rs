//! What the tests of all readers share: reading a record to its end, and entries as short lines.
//! What any of it should be stands with the tests.

use std::fmt::Write;

use super::{HarnessSpec, Memory, Reader, Stream};
use crate::evidence::call::Known;
use crate::session::{Entry, Ran, Stream as Folded, ToolKind};

/// The entries of one line, read after others.
pub(crate) fn read_line(spec: &HarnessSpec, line: &[u8], stream: Stream, memory: &mut Memory) -> Vec<Entry> {
    let mut out = Vec::new();
    let tools = |_: &str| None;
    let mut reader = Reader {
        stream,
        tools: &tools,
        memory,
    };
    (spec.entries)(line, &mut reader, &mut out);
    out
}

/// The entries of a whole record.
pub(crate) fn read_all(spec: &HarnessSpec, record: &[u8], stream: Stream) -> Vec<Entry> {
    let mut memory = Memory::default();
    let lines = record.split(|byte| *byte == b'\n');
    lines
        .flat_map(|line| read_line(spec, line, stream, &mut memory))
        .collect()
}

/// One short line for each entry; ids stay in, so that joins can be followed by eye.
pub(crate) fn short(entries: &[Entry]) -> String {
    let mut out = String::new();
    let brief = |text: &str| text.chars().take(90).collect::<String>().replace('\n', "\\n");
    for entry in entries {
        let line = match entry {
            Entry::Prompt {
                row,
                turn,
                text,
                queued,
            } => {
                let kind = if *queued { "queued" } else { "prompt" };
                format!("{kind}    {row} {turn:?} {}", brief(text))
            }
            Entry::Remark { row, text } => format!("remark    {row} {}", brief(text)),
            Entry::Origin {
                session: None,
                cwd: Some(folder),
                by_harness: false,
                ..
            } => format!("folder    {folder}"),
            Entry::Origin {
                session, by_harness, ..
            } => {
                let whose = if *by_harness { " by the harness" } else { "" };
                format!("origin    {session:?}{whose}")
            }
            Entry::Text { row, text } => format!("text      {row} {}", brief(text)),
            Entry::Call {
                row,
                id,
                tool,
                kind,
                input,
                changes,
            } => {
                let kind = if let ToolKind::Shell { command } = kind {
                    assert!(command.starts_with(input.as_str()));
                    "Shell".to_owned()
                } else {
                    format!("{kind:?}")
                };
                let changes = match &changes[..] {
                    [] => String::new(),
                    named => format!(" changes {named:?}"),
                };
                format!("call      {row} {id} {tool} {kind} {}{changes}", brief(input))
            }
            Entry::Result {
                id,
                ending,
                exit,
                output,
                helper,
                turn: _,
            } => {
                let exit = exit.map_or(String::new(), |exit| format!(" exit={exit}"));
                format!("result    {id} {ending:?}{exit} {helper:?} {}", brief(output))
            }
            other => format!("{other:?}"),
        };
        writeln!(out, "{line}").unwrap();
    }
    out
}

/// The entries of a whole record, and what its checks came to.
pub(crate) fn short_with_board(spec: &HarnessSpec, record: &[u8], stream: Stream) -> String {
    let entries = read_all(spec, record, stream);
    let mut shown = short(&entries);
    shown.push_str(&board(&folded(entries)));
    shown
}

/// The fold of entries.
pub(crate) fn folded(entries: impl IntoIterator<Item = Entry>) -> Folded {
    let mut folded = Folded::default();
    entries.into_iter().for_each(|entry| folded.fold(entry));
    folded
}

/// Reads a record in pieces, all that is known stored and loaded behind each, and says whether that ends as if it was
/// read at once. What the agent said is not stored, so what stands in the turn's texts does not count.
#[track_caller]
pub(crate) fn goes_on_when_stored(spec: &HarnessSpec, record: &[u8], stream: Stream, lines: usize) {
    let (mut memory, mut fold) = (Memory::default(), Folded::default());
    for (at, line) in record.split(|byte| *byte == b'\n').enumerate() {
        if at % lines == 0 {
            let stored = serde_json::to_string(&(&memory, &fold)).unwrap();
            (memory, fold) = serde_json::from_str(&stored).unwrap();
        }
        for entry in read_line(spec, line, stream, &mut memory) {
            fold.fold(entry);
        }
    }
    let whole = folded(read_all(spec, record, stream));
    assert_eq!(fold.board, whole.board);
    assert_eq!(
        (fold.turns, &fold.lineage, &fold.cwd),
        (whole.turns, &whole.lineage, &whole.cwd)
    );
    assert_eq!(
        (&fold.turn.passes, &fold.turn.trouble),
        (&whole.turn.passes, &whole.turn.trouble)
    );
}

/// One short line for each run, each change, each sentence, and a gap; nothing where there is none.
pub(crate) fn board(folded: &Folded) -> String {
    let board = &folded.board;
    let run = |key: &str, ran: &Ran| format!("check     {} {key} {:?}: {}", ran.nth, ran.verdict, ran.because);
    let mut lines: Vec<String> = Vec::new();
    for (row, ran) in board.ended() {
        lines.push(run(&row.key, ran));
    }
    for ran in &board.running {
        lines.push(run(&ran.run.key(), ran).replacen("check", "runs ", 1));
    }
    for change in &board.changes {
        let sure = if change.happened == Known::Yes { "" } else { "?" };
        lines.push(format!(
            "changed   {} {}{sure}",
            change.nth,
            change.path.as_deref().unwrap_or("-")
        ));
    }
    for used in &board.used {
        lines.push(format!(
            "used      after {} in turn {}: {}",
            used.after, used.turn, used.sentence
        ));
    }
    lines.extend(board.gap.map(|gap| format!("gap       {gap}")));
    lines.into_iter().map(|line| line + "\n").collect()
}

/// The rows' names in the first column of the table that says what must come of them.
pub(crate) fn told(readme: &str) -> Vec<&str> {
    readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect()
}
