//! What single steps of the core cost, on captured rows and recorded runs: folding, shell commands, verdicts, tags.
//! Whole events and processes stay out: `tests/run bench` times those.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot read its input has nothing to time"
)]

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use proofmark_server::evidence::verdict::{Outcome, verdict};
use proofmark_server::evidence::{check, shell};
use proofmark_server::harness::{HARNESSES, Memory, Reader, Stream as Whose};
use proofmark_server::session::{Entry, Stream};
use proofmark_server::text;
use serde::Deserialize;

/// Counts what a step asks of the allocator, beside its time.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler = divan::AllocProfiler::system();

/// Captured sessions with calls of all kinds.
const SESSIONS: [&str; 2] = [
    "claude-code/2.1.332/transcript-tools.jsonl",
    "codex/0.171.0/rollout-parallel.jsonl",
];

fn main() {
    divan::main();
}

fn fixture(path: &str) -> String {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    fs::read_to_string(fixtures.join(path)).unwrap()
}

fn entries(text: &str) -> Vec<Entry> {
    let first = text.lines().next().unwrap().as_bytes();
    let spec = HARNESSES.iter().find(|spec| (spec.knows)(first)).unwrap();
    let (mut memory, mut entries) = (Memory::default(), Vec::new());
    for line in text.lines() {
        let mut reader = Reader {
            stream: Whose::Main,
            tools: &|_| None,
            memory: &mut memory,
        };
        (spec.entries)(line.as_bytes(), &mut reader, &mut entries);
    }
    entries
}

#[divan::bench(args = SESSIONS)]
fn read_lines(bencher: Bencher<'_, '_>, path: &str) {
    let text = fixture(path);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| entries(black_box(&text)));
}

#[divan::bench(args = SESSIONS)]
fn fold(bencher: Bencher<'_, '_>, path: &str) {
    let entries = entries(&fixture(path));
    bencher
        .counter(ItemsCount::new(entries.len()))
        .with_inputs(|| entries.clone())
        .bench_values(|entries| {
            let mut stream = Stream::default();
            entries.into_iter().for_each(|entry| stream.fold(entry));
            stream
        });
}

/// The commands of a table, one a row; the first row names the columns.
fn commands() -> Vec<String> {
    let table = fixture("shell/commands.tsv");
    let rows = table.lines().skip(1).filter_map(|row| row.split('\t').next());
    rows.map(|command| command.replace("\\n", "\n")).collect()
}

#[divan::bench]
fn what_commands_do(bencher: Bencher<'_, '_>) {
    let commands = commands();
    let each = || commands.iter().map(|command| shell::effects(black_box(command)));
    bencher
        .counter(ItemsCount::new(commands.len()))
        .bench(|| each().count());
}

#[divan::bench]
fn which_checks_commands_run(bencher: Bencher<'_, '_>) {
    let commands = commands();
    let each = || commands.iter().filter_map(|command| check::runs(black_box(command)));
    bencher
        .counter(ItemsCount::new(commands.len()))
        .bench(|| each().count());
}

/// A recorded run of a real runner.
#[derive(Deserialize)]
struct Recorded {
    command: String,
    output: String,
    exit_code: Option<i32>,
}

#[divan::bench]
fn what_came_of_checks(bencher: Bencher<'_, '_>) {
    let recorded: Vec<Recorded> = fixture("verdicts/corpus.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    bencher.counter(ItemsCount::new(recorded.len())).bench(|| {
        for run in &recorded {
            let runs = check::runs(&run.command).unwrap_or_default();
            let outcome = Outcome {
                exit: run.exit_code,
                error: None,
            };
            black_box(verdict(&runs, &outcome, &run.output));
        }
    });
}

#[divan::bench]
fn tags_in_a_reply(bencher: Bencher<'_, '_>) {
    let reply = format!(
        "{}\nDone. {{{{CAT-UNVERIFIED: the tile cache holds -- cannot verify: no GPU here}}}}\n",
        fixture("verdicts/README.md")
    );
    bencher
        .counter(BytesCount::of_str(&reply))
        .bench(|| text::tags(black_box(&reply)));
}

#[divan::bench]
fn pass_claims_in_a_reply(bencher: Bencher<'_, '_>) {
    let reply = fixture("verdicts/README.md");
    bencher
        .counter(BytesCount::of_str(&reply))
        .bench(|| text::pass_claims(black_box(&reply)));
}
