//! Time by length: whatever a text is made of, four times as much of it takes no more than about four times as long.
//! What comes out of a reader stays out; so do figures in seconds, which depend on the machine.

use std::hint::black_box;

use proofmark_protocol::Harness;
use proofmark_server::evidence::check::{Masked, Purpose, RUNNERS, Run, runs};
use proofmark_server::evidence::shell::{changes, effects};
use proofmark_server::evidence::verdict::{Outcome, each, excerpt};
use proofmark_server::harness::{Memory, Reader, Stream, spec};
use proofmark_server::judge::list;
use proofmark_server::session::{Entry, Stream as Fold};
use proofmark_server::text::{
    AskedLength, Prose, cited, contract, correction, drop_request, folded, is_foreign, length, names_claim,
    names_failed_test, orders_failure, owns_failure, pass_claims, quotable, quote, quoted, release, shares_subject,
    similarity, stated, tags, tells_trouble, terms, used_first, wanted_paths,
};
use rustix::time::{ClockId, clock_gettime};

/// A run that takes less tells nothing, in nanoseconds.
const ENOUGH: u64 = 1_000_000;
/// Four times the length may take so many times as long: what grows with the square takes 16 times.
const MOST: u64 = 8;
/// A time that is too long is taken anew so often: caches and page faults cost too.
const TRIES: usize = 5;

/// What this thread has worked, in nanoseconds: who else runs on the machine does not count.
fn worked() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

fn time(text: &str, read: &dyn Fn(&str)) -> u64 {
    let begun = worked();
    read(black_box(text));
    worked() - begun
}

/// Reads more and more of a text until that takes long enough to compare, at most `most` bytes; then a quarter of it.
fn grows_with_its_length(what: &str, make: &dyn Fn(usize) -> String, read: &dyn Fn(&str), most: usize) {
    let mut count = 64;
    let mut long = make(count * 4);
    while time(&long, read) < ENOUGH && long.len() * 2 <= most {
        count *= 2;
        long = make(count * 4);
    }
    let short = make(count);
    let (mut least, mut least_of_long) = (u64::MAX, u64::MAX);
    for _ in 0..TRIES {
        least = least.min(time(&short, read));
        least_of_long = least_of_long.min(time(&long, read));
        if least_of_long <= least * MOST + ENOUGH {
            return;
        }
    }
    panic!(
        "{what}: {} bytes take {least} ns, {} bytes {least_of_long} ns",
        short.len(),
        long.len()
    );
}

/// Pieces that texts are repeated from: each is nasty for somebody.
const PIECES: &[&str] = &[
    "`",
    "`a",
    "``` ",
    "```\n",
    "~~~\n",
    "> ",
    ">\n",
    "\n",
    "\r\n",
    "\r",
    "a\n\n",
    "* ",
    "- a\n",
    "  - ",
    "1. ",
    "# ",
    "*",
    "_a",
    "**a ",
    "[",
    "![",
    "](",
    "[a](",
    "[a]: b\n",
    "<",
    "<a ",
    "</a>",
    "<!--",
    "&",
    "\\",
    "|",
    "| a ",
    "|-|-|\n",
    "{",
    "}",
    "{{",
    "}}",
    "{{UNVERIFIED:",
    "{{CAT-UNVERIFIED: a -- cannot verify: b}}",
    "-- cannot verify:",
    "cannot ",
    "\"",
    "'",
    "“",
    "”",
    "‘",
    "’",
    "«",
    "(",
    ")",
    "a",
    "A",
    "é",
    "\u{301}",
    "\u{200d}",
    "\u{feff}",
    "\u{3042}",
    "a ",
    "a, ",
    "a. ",
    "a? ",
    "a-",
    "a/",
    "a.b/",
    "no ",
    "not ",
    "if ",
    "and ",
    "--",
    "1",
    "1 ",
    "all tests pass. ",
    "tests ",
    "pass ",
    "passed ",
    "failed, ",
    "the claim about ",
    "drop it, ",
    "only src/a, ",
    "don't touch a.rs; ",
    "SCOPE CONTRACT: a b\n",
    "SCOPE CONTRACT:",
    "src/a.rs:1 ",
    "a.rs line 1 ",
    "scope lock off\n",
    "/reflect and ",
    "you said ",
    "fixed ",
    "verified ",
    "because ",
    "\u{1b}",
    "\u{1b}[",
    "\u{1b}]",
    "\u{1b}[1;",
    "\u{9b}0",
    "\u{9b}0;\u{1b}]a",
    "<command-name>",
    "<system-reminder>",
    "$ a\n",
    "Traceback:\n",
    "\t",
    "\0",
];

fn texts(read: &dyn Fn(&str), what: &str) {
    for piece in PIECES {
        let lead = |count: usize| format!("x {}", piece.repeat(count));
        grows_with_its_length(&format!("{what} of {piece:?}"), &lead, read, 256 * 1024);
    }
}

#[test]
fn prose_tags_and_quotes() {
    texts(&|text| drop(black_box(Prose::of(text))), "prose");
    texts(&|text| drop(black_box(tags(text))), "tags");
    texts(&|text| drop(black_box(quote(text, 2_000))), "a quote");
    texts(&|text| drop(black_box(quote(text, usize::MAX))), "all as a quote");
}

#[test]
fn words_of_a_reply() {
    texts(&|text| drop(black_box(terms(text))), "terms");
    texts(&|text| drop(black_box(length(text))), "the length");
    texts(&|text| drop(black_box(is_foreign(text))), "the language");
    texts(&|text| drop(black_box(cited(text))), "cited places");
    texts(&|text| drop(black_box(AskedLength::of(text))), "the asked length");
}

#[test]
fn quotes_of_a_reply() {
    texts(
        &|text| drop(black_box(quoted(text, "x a no", &|_| false))),
        "a quoted text",
    );
    texts(
        &|text| drop(black_box(quoted("x a no", text, &|_| false))),
        "a text of a quote",
    );
    texts(&|text| drop(black_box(quotable(text, &|_| true))), "what can be quoted");
    texts(&|text| drop(black_box(used_first(text, &|_| true, 8))), "used first");
}

#[test]
fn claims_of_a_reply() {
    texts(&|text| drop(black_box(pass_claims(text))), "claims of a pass");
    texts(
        &|text| drop(black_box(owns_failure(text, &["pytest".to_owned()]))),
        "owned failures",
    );
    texts(&|text| drop(black_box(stated(text))), "statements");
}

#[test]
fn trouble_in_a_reply() {
    texts(&|text| drop(black_box(tells_trouble(text))), "trouble");
    texts(&|text| drop(black_box(orders_failure(text))), "ordered failures");
    texts(
        &|text| drop(black_box(names_failed_test(text, "FAILED a::b\n"))),
        "failed tests",
    );
    texts(
        &|text| drop(black_box(names_failed_test("a::b fails", text))),
        "an output with failed tests",
    );
}

#[test]
fn identities_of_claims() {
    texts(&|text| drop(black_box(folded(text))), "a folded claim");
    texts(
        &|text| drop(black_box(similarity(text, "the nightly export"))),
        "likeness",
    );
    texts(
        &|text| drop(black_box(shares_subject("the nightly export", text))),
        "a subject in a call",
    );
    texts(&|text| drop(black_box(shares_subject(text, "cat export"))), "a subject");
}

#[test]
fn prompts() {
    texts(&|text| drop(black_box(drop_request(text))), "a request");
    texts(
        &|text| drop(black_box(names_claim(text, "the nightly export finished"))),
        "a named claim",
    );
    texts(&|text| drop(black_box(correction(text, &[]))), "a correction");
    texts(&|text| drop(black_box(release(text))), "a release");
}

#[test]
fn contracts_and_wanted_paths() {
    texts(&|text| drop(black_box(contract(text))), "a contract");
    texts(&|text| drop(black_box(wanted_paths(text))), "wanted paths");
}

/// Longer commands are not read.
const LONGEST_COMMAND: usize = 64 * 1024;

#[test]
fn commands() {
    let pieces = [
        "$(",
        "`",
        "'",
        "\"",
        "${",
        "((",
        "[[ ",
        "{ ",
        "( ",
        "if a; then ",
        "for i in a; do ",
        "case a in a) ",
        "a; ",
        "a\n",
        "a && ",
        "a || ",
        "a & ",
        "! ",
        "<<A ",
        "<<A\n",
        "<<'A'\n",
        "cat <<A\nb\nA\n",
        "> a ",
        "2>&1 ",
        "\\\n",
        "\\",
        "a=b ",
        "a ",
        "-",
        "#",
        "# a\n",
        "é",
        "*",
        "bash -c '",
        "eval ",
        "sed -i s/a/b/ f; ",
        "cd a; ",
        "cd .. && ",
        "x=$x; ",
        "f() { a; }; ",
        "function f { ",
        "python3 - <<'A'\nopen('f', 'w')\nA\n",
        "pytest; ",
        "$((1+",
        "<(",
        "~/",
        "a/../",
        "tee a | ",
    ];
    for piece in pieces {
        let make = |count: usize| piece.repeat(count.min(LONGEST_COMMAND / piece.len()));
        let of = |what: &str| format!("{what} of {piece:?}");
        let most = LONGEST_COMMAND;
        grows_with_its_length(&of("effects"), &make, &|text| drop(black_box(effects(text))), most);
        grows_with_its_length(&of("changes"), &make, &|text| drop(black_box(changes(text))), most);
        grows_with_its_length(&of("checks"), &make, &|text| drop(black_box(runs(text))), most);
    }
}

#[test]
fn outputs() {
    let pieces = [
        "\n",
        "\r",
        "\r\n",
        "a\r",
        "a\n",
        " ",
        "é",
        "\u{1b}[",
        "\u{1b}[0m",
        "\u{1b}]",
        "\u{9b}",
        "\u{8}",
        "ok 1\n",
        "not ok 1\n",
        "1..1\n",
        "test result: ok. 1 passed; 0 failed; 0 ignored\n",
        "1 passed in 0.1s\n",
        "FAILED a.py::b - c\n",
        "FAIL\ta\n",
        "--- FAIL: a (0.00s)\n",
        "ok  \ta\t0.1s\n",
        "error[E1]: a\n",
        " --> a.rs:1:1\n",
        "a.py:1:1: E1 b\n",
        "Tests: 1 failed, 1 passed\n",
        "# pass 1\n",
        "✖ 1 problem\n",
        "[ERROR] a\n",
        "1) a\n",
        "Found 1 error\n",
        "=",
        "{\"a\":",
        "1",
        "1 ",
        "(",
        "::",
        "a:1:1:",
    ];
    let outcome = Outcome {
        exit: Some(1),
        error: Some(true),
    };
    for runner in RUNNERS {
        let run = Run {
            runner: (*runner).to_owned(),
            folder: String::new(),
            selection: Vec::new(),
            purpose: Purpose::Check,
            masked: Masked::By("| cat".to_owned()),
        };
        let runs = [run];
        // An output is read up to 512 KiB.
        let read = |text: &str| drop(black_box(each(&runs, &outcome, text)));
        for piece in pieces {
            let make = |count: usize| piece.repeat(count);
            grows_with_its_length(&format!("{runner} of {piece:?}"), &make, &read, 64 * 1024);
        }
        if *runner == "pytest" || *runner == "cargo-test" {
            let read = |text: &str| drop(black_box(excerpt(&runs, &outcome, text)));
            for piece in pieces {
                let make = |count: usize| piece.repeat(count);
                grows_with_its_length(&format!("an excerpt of {piece:?}"), &make, &read, 64 * 1024);
            }
        }
    }
}

fn entries(harness: Harness, record: &str) -> Vec<Entry> {
    let spec = spec(harness).unwrap();
    let (tools, mut memory) = (|_: &str| None, Memory::default());
    let mut entries = Vec::new();
    for line in record.split('\n') {
        let mut reader = Reader {
            stream: Stream::Main,
            tools: &tools,
            memory: &mut memory,
        };
        (spec.entries)(line.as_bytes(), &mut reader, &mut entries);
    }
    entries
}

#[test]
fn single_lines_of_records() {
    let pieces = [
        "[",
        "{",
        "{\"a\":",
        "\"",
        "\\\"",
        "\\u0041",
        "\\ud83d",
        "[1,",
        "{\"type\":\"user\",",
        "\"a\":1,",
        "<system-reminder>",
        "<a>",
        "é",
    ];
    for harness in Harness::ALL {
        for head in [
            "",
            "{\"type\":\"user\",\"message\":{\"content\":\"",
            "{\"type\":\"response_item\",\"payload\":",
            "{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"",
            "{\"a\":",
        ] {
            for piece in pieces {
                let make = |count: usize| format!("{head}{}", piece.repeat(count));
                let read = |text: &str| drop(black_box(entries(harness, text)));
                grows_with_its_length(&format!("{harness}: {head} and {piece:?}"), &make, &read, 256 * 1024);
            }
        }
        let spec = spec(harness).unwrap();
        let read = |text: &str| {
            black_box(((spec.own_words)(text), (spec.is_persons)(text)));
            (spec.too_long)(text.as_bytes(), &mut Vec::new());
        };
        texts(&read, "a prompt and a reply");
    }
}

/// A turn with a call of its own command, which ends, and a sentence of its own.
fn turn(nth: usize, command: &str, output: &str) -> [Entry; 4] {
    let (row, id) = (format!("r{nth}"), format!("c{nth}"));
    let command = command.replace('@', &nth.to_string());
    [
        Entry::Prompt {
            row: row.clone(),
            turn: None,
            text: format!("go on with {nth}"),
            queued: false,
        },
        Entry::Call {
            row: row.clone(),
            id: id.clone(),
            tool: "Bash".to_owned(),
            kind: proofmark_server::session::ToolKind::Shell {
                command: command.clone(),
            },
            input: command,
            changes: Vec::new(),
        },
        Entry::Result {
            id,
            ending: proofmark_server::session::Ending::Succeeded,
            exit: None,
            output: output.replace('@', &nth.to_string()),
            helper: None,
            turn: None,
        },
        Entry::Text {
            row,
            text: format!("All tests pass in tests/test_{nth}.py."),
        },
    ]
}

#[test]
fn sessions() {
    for (command, output) in [
        ("ls", "a"),
        ("pytest tests/test_@.py", "@ passed in 0.1s"),
        ("sed -i s/a/b/ src/a@.rs", ""),
        (
            "cd d@ && cargo test -p c@ > log@; cat log@",
            "test result: ok. @ passed; 0 failed; 0 ignored",
        ),
    ] {
        for prompts in [true, false] {
            let fold = |text: &str| {
                let mut fold = Fold::default();
                for nth in 0..text.len() {
                    let entries = turn(nth, command, output).into_iter();
                    entries
                        .skip(usize::from(!prompts && nth > 0))
                        .for_each(|entry| fold.fold(entry));
                }
                drop(black_box(fold));
            };
            let what = format!("a session of {command:?}, each in its turn: {prompts}");
            grows_with_its_length(&what, &|count| "x".repeat(count), &fold, 4_096);
        }
    }
}

#[test]
fn word_lists() {
    texts(&|text| drop(black_box(list::parse(text))), "word lists");
    for piece in [
        "[[list]]\n",
        "a = 1\n",
        "a.b.c = 1\n",
        "[a]\n",
        "[a.b]\n",
        "\"\"\"",
        "'''",
        "{a=",
        "[[",
        "# a\n",
    ] {
        let read = |text: &str| drop(black_box(list::parse(text)));
        grows_with_its_length(
            &format!("TOML of {piece:?}"),
            &|count| piece.repeat(count),
            &read,
            64 * 1024,
        );
    }
}
