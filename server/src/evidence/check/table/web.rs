//! Runners of the web's languages, all of which a package manager may start.
//! The managers' own scripts stay out: they are named, not tabled.

use super::Operands::Ignored;
use super::Role::{Differs, Dry, Folder, FolderOf, Lists, Looks, Narrows, Needed, Picks, Watches};
use super::{Dashes, ROW, Role, Row};

const WATCH: (Role, &str) = (Watches, "--watch/-w --watchAll/--watch-all");

const VITEST: Row = Row {
    name: "vitest",
    calls: "vitest, vitest run, vitest related > related, vitest bench > bench, vitest typecheck > typecheck",
    options: &[
        (Narrows, "-t/--testNamePattern= --exclude= --changed=? --shard="),
        (Picks, "--project="),
        (Picks, "--dir="),
        (Differs, "--environment/--env= --browser=? --mode= --typecheck"),
        (Folder, "-r/--root="),
        (
            Looks,
            "-c/--config= --reporter= --outputFile= --pool= --testTimeout= --maxWorkers= --minWorkers= --bail= \
             --retry= --coverage.reporter= --coverage.provider= --silent=? --hideSkippedTests",
        ),
        (Watches, "--watch/-w --ui --standalone"),
    ],
    ..ROW
};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "jest",
        calls: "jest, react-scripts test > react-scripts",
        options: &[
            (
                Narrows,
                "-t/--testNamePattern= --testPathIgnorePatterns= -o/--onlyChanged -f/--onlyFailures --shard= \
                 --changedSince=",
            ),
            (Picks, "--selectProjects= --projects="),
            (
                Picks,
                "--findRelatedTests= --testPathPattern/--testPathPatterns= --runTestsByPath= --testMatch=",
            ),
            (Differs, "--env= -u/--updateSnapshot"),
            (Folder, "--rootDir="),
            (
                Looks,
                "-c/--config= --reporters= --testTimeout= --coverageReporters= --outputFile= -w/--maxWorkers= --bail=? \
                 --coverageDirectory= --collectCoverageFrom= --seed= --testEnvironment=",
            ),
            (Lists, "--listTests --showConfig --init --clearCache"),
            (Watches, "--watch --watchAll"),
        ],
        ..ROW
    },
    VITEST,
    Row {
        name: "vitest",
        calls: "vitest list",
        never: Some(Lists),
        ..VITEST
    },
    Row {
        name: "vitest",
        calls: "vitest watch, vitest dev",
        never: Some(Watches),
        ..VITEST
    },
    Row {
        name: "mocha",
        calls: "mocha, _mocha, nyc mocha, c8 mocha",
        options: &[
            (Narrows, "-g/--grep= -f/--fgrep= -i/--invert --ignore/--exclude="),
            (Picks, "--spec="),
            (
                Looks,
                "-R/--reporter= -O/--reporter-option/--reporter-options= -r/--require= -t/--timeout= -s/--slow= -u/--ui= \
                 --config= --package= -j/--jobs= --retries= --extension= --file= --import= --loader=",
            ),
            (Lists, "--list-files --list-interfaces --list-reporters -V"),
            (Dry, "--dry-run"),
            WATCH,
        ],
        ..ROW
    },
    Row {
        name: "ava",
        calls: "ava",
        options: &[
            (Narrows, "-m/--match="),
            (Looks, "-c/--concurrency= -T/--timeout= --config= --node-arguments="),
            WATCH,
        ],
        ..ROW
    },
    Row {
        name: "tap",
        calls: "tap, tap run, tape > tape",
        options: &[
            (Narrows, "-g/--grep= -o/--only"),
            (
                Looks,
                "-R/--reporter= -j/--jobs= -t/--timeout= --coverage-report= -r/--require=",
            ),
            (Lists, "--dump-config"),
            WATCH,
        ],
        ..ROW
    },
    Row {
        name: "node-test",
        calls: "node",
        options: &[
            (Needed, "--test"),
            (
                Narrows,
                "--test-name-pattern= --test-only --test-skip-pattern= --test-shard=",
            ),
            (Differs, "-C/--conditions="),
            (
                Looks,
                "--test-reporter= --test-reporter-destination= --test-concurrency= --test-timeout= -r/--require= \
                 --import= --loader/--experimental-loader= --env-file= --test-coverage-include= --test-isolation=",
            ),
            (Watches, "--watch"),
        ],
        ..ROW
    },
    Row {
        name: "bun-test",
        calls: "bun test",
        options: &[
            (Narrows, "-t/--test-name-pattern= --only"),
            (Differs, "-u/--update-snapshots"),
            (
                Looks,
                "--timeout= --preload/-r= --bail=? --rerun-each= --reporter= --reporter-outfile= --coverage-reporter=",
            ),
            (Folder, "--cwd="),
            (Watches, "--watch --hot"),
        ],
        ..ROW
    },
    Row {
        name: "deno-test",
        calls: "deno test, deno check > check, deno lint > lint",
        options: &[
            (Narrows, "--filter= --ignore="),
            (Looks, "-c/--config= --reporter= --junit-path= --import-map= --parallel"),
            (Dry, "--no-run"),
            (Watches, "--watch"),
        ],
        ..ROW
    },
    Row {
        name: "playwright",
        calls: "playwright test",
        options: &[
            (
                Narrows,
                "-g/--grep= --grep-invert= --last-failed --only-changed=? --shard=",
            ),
            (Picks, "--project="),
            (Differs, "--browser= -u/--update-snapshots=?"),
            (
                Looks,
                "-c/--config= -j/--workers= --reporter= --retries= --timeout= --repeat-each= --output= --trace= -x --max-failures=",
            ),
            (Lists, "--list"),
            (Watches, "--ui"),
        ],
        ..ROW
    },
    Row {
        name: "cypress",
        calls: "cypress run",
        options: &[
            (Picks, "-s/--spec="),
            (Differs, "-b/--browser= --component --e2e -e/--env= -c/--config="),
            (Folder, "-P/--project="),
            (
                Looks,
                "-r/--reporter= -o/--reporter-options= -C/--config-file= -k/--key= --tag=",
            ),
        ],
        ..ROW
    },
    Row {
        name: "tsc",
        calls: "tsc, vue-tsc > vue, svelte-check > svelte",
        everything: ".",
        dashes: Dashes::Single,
        options: &[
            (Picks, "-p/-project="),
            (
                Differs,
                "-strict -skipLibCheck -t/-target= -m/-module= -lib= -jsx= -moduleResolution=",
            ),
            (
                Looks,
                "-outDir= -rootDir= -declarationDir= -tsBuildInfoFile= -incremental=? -noEmit=? -pretty=?",
            ),
            (Lists, "-init -showConfig -listFilesOnly -v -all"),
            (Dry, "-d/-dry -clean"),
            (Watches, "-watch/-w"),
        ],
        ..ROW
    },
    Row {
        name: "eslint",
        calls: "eslint, eslint_d > eslint_d, xo > xo, oxlint > oxlint, standard > standard, tslint > tslint",
        options: &[
            (Narrows, "--ignore-pattern= --rule="),
            (
                Differs,
                "--max-warnings= -c/--config= --no-eslintrc --no-config-lookup --report-unused-disable-directives",
            ),
            (
                Looks,
                "-f/--format= -o/--output-file= --ext= --cache-location= --cache-strategy= --parser= --parser-options= \
                 --plugin= --env= --resolve-plugins-relative-to= --rulesdir= --concurrency=",
            ),
            (Lists, "--print-config= --init --inspect-config --env-info -v"),
        ],
        ..ROW
    },
    Row {
        name: "eslint",
        calls: "next lint > next, ng lint > ng",
        options: &[(Picks, "-d/--dir="), (Differs, "--max-warnings=")],
        ..ROW
    },
    Row {
        name: "stylelint",
        calls: "stylelint",
        options: &[
            (Differs, "--max-warnings/--mw= --config="),
            (Looks, "-f/--formatter= --custom-syntax= -o/--output-file="),
            (Lists, "--print-config"),
        ],
        ..ROW
    },
    Row {
        name: "prettier",
        calls: "prettier",
        options: &[
            (Needed, "-c/--check -l/--list-different"),
            (Differs, "--config= --parser= --print-width= --tab-width="),
            (Looks, "--ignore-path= --log-level= --plugin= --cache-location="),
        ],
        ..ROW
    },
    Row {
        name: "biome",
        calls: "biome check > check, biome lint > lint, biome ci > ci",
        options: &[
            (Narrows, "--only= --skip= --changed --staged --since="),
            (Differs, "--diagnostic-level= --error-on-warnings --unsafe"),
            (FolderOf, "--config-path="),
            (
                Looks,
                "--reporter= --max-diagnostics= --colors= --files-max-size= --log-level=",
            ),
        ],
        ..ROW
    },
    Row {
        name: "biome",
        calls: "biome format > format",
        options: &[
            // It reports what it would change, unless it is told to change it.
            (Lists, "--write --fix"),
            (Looks, "--reporter= --max-diagnostics= --colors= --log-level="),
        ],
        ..ROW
    },
    Row {
        name: "vite-build",
        calls: "vite build > vite, next build > next, webpack > webpack, rollup > rollup, esbuild > esbuild, ng build > ng",
        operands: Ignored,
        options: &[
            (Differs, "--mode= -m= -c/--config= --configuration="),
            (
                Looks,
                "--outDir= -o= -d= --outfile= --outdir= --format= --target= --platform=",
            ),
            (Watches, "--watch/-w"),
        ],
        ..ROW
    },
    Row {
        name: "ng-test",
        calls: "ng test, ng e2e > e2e",
        options: &[
            (Picks, "--include= --project="),
            (Looks, "--browsers= -c/--configuration="),
        ],
        ..ROW
    },
];
