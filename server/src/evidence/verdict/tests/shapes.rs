//! Summaries of runners that were not run here, by the shapes their sources print, and lines that only look like one.
//! How a summary and an exit status go together stays out.

use super::super::Verdict::{self, Fail, NothingChecked, Pass, Unknown};
use super::super::{Counts, summary};

const CASES: &[(&str, &str, Verdict)] = &[
    // A program's own prints at its end, in its runner's words.
    (
        "pytest",
        "===== short test summary info =====\nFAILED a.py::b - c\n1 failed in 0.1s\n9 passed in 0.1s",
        Fail,
    ),
    (
        "mocha",
        "  1 passing (1ms)\n  1 failing\n  1) adds:\n  9 passing (1ms)",
        Fail,
    ),
    (
        "rspec",
        "Finished in 0.1 seconds (files took 0.1 seconds to load)\n1 example, 1 failure\n9 examples, 0 failures",
        Fail,
    ),
    (
        "rspec",
        "9 examples, 9 failures\nFinished in 0.1 seconds\n1 example, 0 failures",
        Pass,
    ),
    ("rspec", "1 example, 0 failures", Pass),
    (
        "phpunit",
        "Time: 00:00.003, Memory: 4.00 MB\nFAILURES!\nTests: 1, Assertions: 1, Failures: 1.\nOK (9 tests, 9 assertions)",
        Fail,
    ),
    (
        "phpunit",
        "OK (9 tests, 9 assertions)\nTime: 00:00.003, Memory: 4.00 MB\nNo tests executed!",
        NothingChecked,
    ),
    (
        "biome",
        "a.js:1:1 lint/x ━━━━━\nChecked 2 files in 4ms. No fixes applied.\nFound 1 warning.",
        Pass,
    ),
    // Words of a runner that are not its own line.
    ("pytest", "3 passed in review", Unknown),
    ("tox", "  py36: commands succeeded\n  congratulations :)", Pass),
    ("tox", "  a: OK (0.50 seconds)", Unknown),
    (
        "tox",
        "4 passed in 0.10s\n  a: FAIL code 1 (0.50 seconds)\n  evaluation failed :( (0.60 seconds)",
        Fail,
    ),
    ("pytest", "0 passed", Unknown),
    ("pytest", "all 12 tests passed", Unknown),
    ("pytest", "FAILED to reach the cache, retrying", Unknown),
    ("pytest", "4 failed, 0 passed in 0.10s", Fail),
    ("pytest", "= 3 xfailed, 1 skipped in 61.20s (0:01:01) =", NothingChecked),
    ("pytest", "1 failed in 0.10s\n2 passed in 0.10s", Pass),
    (
        "pytest",
        "FAIL Required test coverage of 90% not reached. Total coverage: 12.00%\n4 passed in 1.00s",
        Fail,
    ),
    ("unittest", "OK", Unknown),
    ("unittest", "Ran 0 tests in 0.000s\n\nNO TESTS RAN", NothingChecked),
    (
        "unittest",
        "Ran 3 tests in 0.001s\n\nOK (skipped=1, expected failures=1)",
        Pass,
    ),
    (
        "unittest",
        "Ran 3 tests in 0.001s\n\nFAILED (unexpected successes=1)",
        Fail,
    ),
    ("unittest", "Ran 3 tests in 0.001s", Unknown),
    ("cargo-test", "test result: ok.", Unknown),
    ("cargo-test", "the test result: ok. 1 passed; 0 failed;", Unknown),
    (
        "cargo-nextest",
        "Summary [   0.1s] 3 tests run: 3 passed (1 slow, 1 leaky), 0 skipped",
        Pass,
    ),
    (
        "cargo-nextest",
        "Summary [   9.0s] 2/3 tests run: 1 passed, 1 timed out, 0 skipped",
        Fail,
    ),
    ("cargo-build", "Finished at last", Unknown),
    (
        "cargo-build",
        "    Finished `release` profile [optimized] target(s) in 3.10s",
        Pass,
    ),
    ("cargo-fmt", "Diff in src/lib.rs:4:", Fail),
    ("go-test", "ok", Unknown),
    ("go-test", "PASS", Unknown),
    ("go-test", "ok  \tx/y\t0.1s\tcoverage: 10% of statements", Pass),
    ("go-test", "FAIL\tx/y [setup failed]", Fail),
    ("go-test", "?   \tx/y\t[no test files]", NothingChecked),
    ("go-vet", "# x/y\nvet: ./a.go:3:2: undefined: b", Fail),
    ("jest", "Tests:       3 passed", Unknown),
    ("jest", "      Tests: 9 failed, 9 total", Unknown),
    ("jest", "Test Suites: 1 failed, 1 total\nTests:       0 total", Fail),
    (
        "jest",
        "Tests:       3 passed, 3 total\nJest: \"global\" coverage threshold for lines (90%) not met: 10%",
        Fail,
    ),
    (
        "vitest",
        " Test Files  1 passed (1)\n      Tests  2 passed (2)\n     Errors  1 error",
        Fail,
    ),
    ("vitest", " Test Files  1 failed (1)\n      Tests  no tests", Fail),
    ("vitest", "Tests  2 passed (2)", Unknown),
    ("mocha", "3 passing tests are enough", Unknown),
    ("mocha", "  3 passing (1m)\n  ✔ sums", Unknown),
    ("mocha", "  3 passing (1m)\n  1 failing", Fail),
    ("ava", "  3 tests passed", Unknown),
    ("ava", "  ─\n\n  3 tests passed\n  1 uncaught exception", Fail),
    (
        "playwright",
        "Running 3 tests using 1 worker\n\n  3 passed (2.1s)",
        Pass,
    ),
    (
        "playwright",
        "  1 failed\n    [chromium] › a.spec.ts:3:1 › opens ───\n  2 passed (4.0s)",
        Fail,
    ),
    ("playwright", "  3 skipped", NothingChecked),
    ("tap", "1..2\nok 1 - a\nok 2 - b", Pass),
    ("tap", "1..3\nok 1 - a\nok 2 - b", Unknown),
    ("tap", "1..2\nok 1 - a # SKIP\nnot ok 2 - b # TODO", NothingChecked),
    ("tap", "1..2\nok 1\nBail out! no disk", Fail),
    ("tap", "ok everything went well", Unknown),
    ("bats", "3 tests, 1 failure, 1 skipped", Fail),
    ("prove", "# Result: PASS", Unknown),
    ("maven", "[INFO] BUILD SUCCESS", Pass),
    (
        "maven",
        "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s - in A",
        Unknown,
    ),
    (
        "maven",
        "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n[INFO] BUILD SUCCESS",
        Pass,
    ),
    (
        "maven",
        "[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0\n[INFO] BUILD FAILURE",
        Fail,
    ),
    (
        "gradle",
        "> Task :test\n\nBUILD SUCCESSFUL in 4s\n3 actionable tasks: 3 executed",
        Pass,
    ),
    (
        "gradle",
        "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s",
        NothingChecked,
    ),
    (
        "gradle",
        "> Task :a:test NO-SOURCE\n> Task :b:test UP-TO-DATE\nBUILD SUCCESSFUL in 1s",
        Pass,
    ),
    (
        "gradle",
        "ATest > adds() FAILED\n\n3 tests completed, 1 failed\n\n> Task :test FAILED",
        Fail,
    ),
    (
        "gradle",
        "FAILURE: Build failed with an exception.\nTask 'tst' not found in root project 'a'.",
        NothingChecked,
    ),
    (
        "gradle",
        "> No tests found for given includes: [x](--tests filter)\nBUILD FAILED in 1s",
        NothingChecked,
    ),
    ("ctest", "100% of tests passed", Unknown),
    ("ctest", "0% tests passed, 3 tests failed out of 3", Fail),
    (
        "dotnet-test",
        "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - A.dll (net8.0)",
        Pass,
    ),
    (
        "dotnet-test",
        "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - A.dll",
        Fail,
    ),
    (
        "dotnet-test",
        "Skipped! - Failed:     0, Passed:     0, Skipped:     2, Total:     2, Duration: 5 ms - A.dll",
        NothingChecked,
    ),
    (
        "dotnet-test",
        "Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0, duration: 1.2s",
        Fail,
    ),
    (
        "dotnet-test",
        "Test Run Successful.\nTotal tests: 3\n     Passed: 3\n Total time: 1.1 Seconds",
        Pass,
    ),
    (
        "dotnet-test",
        "Test run summary: Failed!\n  total: 3\n  failed: 1\n  succeeded: 2\n  skipped: 0",
        Fail,
    ),
    ("dotnet-test", "A.cs(3,9): error CS1002: ; expected [/a/A.csproj]", Fail),
    (
        "dotnet-test",
        "No test matches the given testcase filter `x` in /a/A.dll",
        NothingChecked,
    ),
    (
        "swift-test",
        "\t Executed 3 tests, with 0 failures (0 unexpected) in 0.002 (0.003) seconds",
        Pass,
    ),
    (
        "swift-test",
        "\t Executed 3 tests, with 2 tests skipped and 1 failure (0 unexpected) in 0.1 (0.1) seconds",
        Fail,
    ),
    (
        "swift-test",
        "\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n✔ Test run with 2 tests passed after 0.001 seconds.",
        Pass,
    ),
    (
        "swift-test",
        "✘ Test run with 2 tests failed after 0.001 seconds with 1 issue.",
        Fail,
    ),
    (
        "bazel",
        "Executed 1 out of 2 tests: 1 test passes and 1 fails locally.",
        Fail,
    ),
    ("bazel", "Executed 0 out of 2 tests: 2 tests pass.", Pass),
    (
        "bazel",
        "ERROR: No test targets were found, yet testing was requested",
        NothingChecked,
    ),
    ("bazel", "//a:b    FAILED in 1 out of 1 in 0.3s", Fail),
    (
        "rspec",
        "{\"version\":\"3\",\"summary_line\":\"3 examples, 1 failure\"}",
        Fail,
    ),
    ("rspec", "2 examples, 2 failures, as an example", Unknown),
    (
        "minitest",
        "3 tests, 3 assertions, 0 failures, 0 errors, 0 pendings, 3 omissions, 0 notifications",
        NothingChecked,
    ),
    ("phpunit", "OK (3 tests, 3 assertions)", Pass),
    ("phpunit", "ERRORS!\nTests: 3, Assertions: 1, Errors: 1.", Fail),
    ("phpunit", "Tests: 3, Assertions: 1, Failures: 1", Unknown),
    (
        "tsc",
        "error TS18003: No inputs were found in config file 'tsconfig.json'.",
        NothingChecked,
    ),
    ("tsc", "see error TS2322 in the manual", Unknown),
    ("eslint", "✖ 2 problems (0 errors, 2 warnings)", Pass),
    (
        "eslint",
        "✖ 2 problems (0 errors, 2 warnings)\n\nESLint found too many warnings (maximum: 0).",
        Fail,
    ),
    ("biome", "Checked 0 files in 1ms. No fixes applied.", NothingChecked),
    (
        "prettier",
        "[error] src/a.ts: SyntaxError: Declaration or statement expected. (1:2)",
        Fail,
    ),
    (
        "prettier",
        "[error] No files matching the pattern were found: \"x\".",
        NothingChecked,
    ),
    (
        "ruff",
        "warning: No Python files found under the given path(s)\nAll checks passed!",
        NothingChecked,
    ),
    ("ruff", "Found 3 errors (1 fixed, 2 remaining).", Fail),
    ("ruff", "3 files already formatted", Pass),
    (
        "black",
        "No Python files are present to be formatted. Nothing to do 😴",
        NothingChecked,
    ),
    ("pyright", "0 errors, 1 warning, 0 informations", Pass),
    (
        "pyright",
        "No source files found.\n0 errors, 0 warnings, 0 informations",
        NothingChecked,
    ),
    ("shellcheck", "a.sh:2:1: warning: x [SC2034]", Fail),
    (
        "tox",
        "  py36: commands succeeded\nERROR:   py37: commands failed",
        Fail,
    ),
    ("nox", "nox > Session tests skipped.", NothingChecked),
    (
        "pre-commit",
        "ruff.......Passed\nmypy...(no files to check)Skipped",
        Pass,
    ),
    // What runs something else shows the other's summary.
    ("make", "./run\nTests:       1 failed, 2 passed, 3 total", Fail),
    (
        "npm-script",
        "> vitest run\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)",
        Pass,
    ),
    ("npm-script", "No test files found, exiting with code 0", NothingChecked),
    (
        "npm-script",
        "Tests:       3 passed, 3 total\nTests:       1 failed, 1 total",
        Fail,
    ),
    ("script", "all tests passed", Unknown),
    ("script", "ok  FAILED_runs", Unknown),
    ("script", "links ..... FAIL", Fail),
    ("script", "tests: FAILED", Fail),
    ("script", "nothing will FAIL", Unknown),
    ("make", "make: *** [Makefile:6: test] Error 3", Fail),
    ("make", "make: *** [Makefile:6: test] Error 127", Unknown),
    ("make", "[lint:go] a.go:4 is long\n[lint:go] ERROR task failed", Fail),
    ("make", "error: Recipe `test` failed on line 4 with exit code 1", Fail),
    (
        "make",
        "error: Recipe `test` failed on line 4 with exit code 127",
        Unknown,
    ),
    ("make", "task: Failed to run task \"test\": exit status 1", Fail),
    ("make", "task: [test] echo ERROR task failed", Unknown),
    // Bad input.
    ("pytest", "\u{1b}[32m\u{1b}[1m4 passed\u{1b}[0m in 0.02s\r\n", Pass),
    ("pytest", "collecting\rcollected\r4 passed in 0.02s", Pass),
    (
        "pytest",
        "\u{feff}4\0 \0p\0a\0s\0s\0e\0d\0 \0i\0n\0 \0\u{30}\0.\0\u{30}\0\u{32}\0s\0",
        Pass,
    ),
    ("pytest", "\u{1b}]0;title without an end\n4 passed in 0.02s", Pass),
    (
        "pytest",
        "\u{1b}]8;;file:a\u{7}4 passed\u{1b}]8;;\u{1b}\\ in 0.02s",
        Pass,
    ),
    ("pytest", "\u{fffd}\u{fffd}\u{0}\u{1}\u{2}", Unknown),
    ("pytest", "99999999999999999999999 passed in 0.1s", Unknown),
    ("no-such-runner", "4 passed in 0.02s", Pass),
];

#[test]
fn summaries_are_read_by_their_runners_own_shapes() {
    let mut wrong = Vec::new();
    for (runner, output, expected) in CASES {
        let given = summary(runner, output).verdict;
        if given != *expected {
            wrong.push(format!("{runner}: {output:?} is {given:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn numbers_and_places_are_kept() {
    let output =
        "src/a.py:12: AssertionError\nFAILED tests/test_a.py::test_b - x\n1 failed, 3 passed, 2 skipped in 0.04s";
    let read = summary("pytest", output);
    assert_eq!(
        read.counts,
        Counts {
            passed: Some(3),
            failed: Some(1),
            skipped: Some(2)
        }
    );
    assert_eq!(
        read.places,
        [("src/a.py".to_owned(), Some(12)), ("tests/test_a.py".to_owned(), None)]
    );

    let results = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let twice = summary("cargo-test", &results.repeat(2));
    assert_eq!(
        twice.counts,
        Counts {
            passed: Some(6),
            failed: Some(0),
            skipped: Some(2)
        }
    );
    assert!(twice.places.is_empty(), "a pass has no places");

    let foreign = summary(
        "jest",
        "at node_modules/x/y.js:3:1\nat src/z.js:4:2\nTests:       1 failed, 1 total",
    );
    assert_eq!(foreign.places, [("src/z.js".to_owned(), Some(4))]);
}
