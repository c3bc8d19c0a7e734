//! Commands and outputs of any length.
//! What they mean stays out.

use proofmark_server::evidence::check::{Masked, Purpose, RUNNERS, Run, runs};
use proofmark_server::evidence::shell::{changes, effects};
use proofmark_server::evidence::verdict::{Outcome, each, excerpt};

use crate::measure::{grows_with_its_length, seen};

/// Longer commands are not read.
const LONGEST_COMMAND: usize = 64 * 1024;

#[test]
fn commands() {
    #[rustfmt::skip]
    let pieces = [
        "$(", "`", "'", "\"", "${", "((", "[[ ", "{ ", "( ", "if a; then ", "for i in a; do ", "case a in a) ",
        "a; ", "a\n", "a && ", "a || ", "a & ", "! ", "<<A ", "<<A\n", "<<'A'\n", "cat <<A\nb\nA\n", "> a ", "2>&1 ",
        "\\\n", "\\", "a=b ", "a ", "-", "#", "# a\n", "é", "*", "bash -c '", "eval ", "sed -i s/a/b/ f; ", "cd a; ",
        "cd .. && ", "x=$x; ", "f() { a; }; ", "function f { ", "python3 - <<'A'\nopen('f', 'w')\nA\n", "pytest; ",
        "$((1+", "<(", "~/", "a/../", "tee a | ",
    ];
    for piece in pieces {
        let make = |count: usize| piece.repeat(count.min(LONGEST_COMMAND / piece.len()));
        let of = |what: &str| format!("{what} of {piece:?}");
        let most = LONGEST_COMMAND;
        grows_with_its_length(&of("effects"), &make, &|text| seen(effects(text)), most);
        grows_with_its_length(&of("changes"), &make, &|text| seen(changes(text)), most);
        grows_with_its_length(&of("checks"), &make, &|text| seen(runs(text)), most);
    }
}

#[test]
fn outputs() {
    #[rustfmt::skip]
    let pieces = [
        "\n", "\r", "\r\n", "a\r", "a\n", " ", "é", "\u{1b}[", "\u{1b}[0m", "\u{1b}]", "\u{9b}", "\u{8}", "ok 1\n",
        "not ok 1\n", "1..1\n", "test result: ok. 1 passed; 0 failed; 0 ignored\n", "1 passed in 0.1s\n",
        "FAILED a.py::b - c\n", "FAIL\ta\n", "--- FAIL: a (0.00s)\n", "ok  \ta\t0.1s\n", "error[E1]: a\n",
        " --> a.rs:1:1\n", "a.py:1:1: E1 b\n", "Tests: 1 failed, 1 passed\n", "# pass 1\n", "✖ 1 problem\n",
        "[ERROR] a\n", "1) a\n", "Found 1 error\n", "=", "{\"a\":", "1", "1 ", "(", "::", "a:1:1:",
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
        let read = |text: &str| seen(each(&runs, &outcome, text));
        for piece in pieces {
            let make = |count: usize| piece.repeat(count);
            grows_with_its_length(&format!("{runner} of {piece:?}"), &make, &read, 64 * 1024);
        }
        if *runner == "pytest" || *runner == "cargo-test" {
            let read = |text: &str| seen(excerpt(&runs, &outcome, text));
            for piece in pieces {
                let make = |count: usize| piece.repeat(count);
                grows_with_its_length(&format!("an excerpt of {piece:?}"), &make, &read, 64 * 1024);
            }
        }
    }
}
