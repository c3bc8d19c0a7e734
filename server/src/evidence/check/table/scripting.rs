//! Runners for Python, Ruby, PHP and Perl, and for shell scripts.
//! Compiled languages and the web's tools stay out.

use super::Operands::{Names, Only, Parts, Paths};
use super::Role::{Differs, Dry, Folder, FolderOf, Lists, Looks, Masks, Narrows, Needed, Picks, Watches, Widens};
use super::{ROW, Row};

/// Names under which tasks that check are called, wherever a project names its own.
pub(super) const TASKS: &str = "build check checks ci clippy compile coverage default e2e eslint format-check integration jest \
    lint linter mypy pytest preflight qa ruff smoke spec specs test tests tsc typecheck types typing unit \
    validate verify vitest";

const RUBOCOP: Row = Row {
    name: "rubocop",
    calls: "rubocop, standardrb > standard",
    options: &[
        (Narrows, "--only= --except= -l/--lint"),
        (Differs, "--fail-level= -c/--config="),
        (Looks, "-f/--format= -o/--out= --cache= --require="),
        (Lists, "-L/--list-target-files --show-cops -V"),
    ],
    ..ROW
};

const LINTER_LOOKS: &str = "--format= --output-file= -j/--jobs= -f --output-format=";

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "pytest",
        calls: "pytest, py.test",
        options: &[
            (
                Narrows,
                "-k= -m= --deselect= --ignore= --ignore-glob= --lf/--last-failed --nf/--new-first --sw/--stepwise \
                 --testmon --picked",
            ),
            (Picks, "--pyargs"),
            (
                Differs,
                "-W/--pythonwarnings= --runslow --run-slow --doctest-modules --strict-markers",
            ),
            (Folder, "--rootdir="),
            (
                Looks,
                "-n/--numprocesses= -c= -o/--override-ini= -p= -r= --tb= --maxfail= --color= --durations= --cov=? \
                 --cov-report= --cov-config= --cov-fail-under= --timeout= --junitxml/--junit-xml= --log-level= \
                 --log-cli-level= --dist= --confcutdir= --basetemp= --import-mode= --html= --json-report-file= \
                 --capture= --show-capture= --verbosity= --reruns= --randomly-seed= --log-file= --report-log= --count=",
            ),
            (
                Lists,
                "--collect-only/--co --fixtures --funcargs --fixtures-per-test --markers -V --cache-show=? \
                 --setup-plan",
            ),
            (Watches, "-f/--looponfail"),
        ],
        ..ROW
    },
    Row {
        name: "unittest",
        calls: "unittest",
        operands: Names,
        options: &[
            (Narrows, "-k="),
            (Picks, "-s/--start-directory="),
            (Picks, "-p/--pattern="),
            (Looks, "-t/--top-level-directory= --durations="),
        ],
        ..ROW
    },
    Row {
        name: "unittest",
        calls: "unittest discover",
        operands: Paths,
        options: &[
            (Narrows, "-k="),
            (Picks, "-s/--start-directory="),
            (Picks, "-p/--pattern="),
            (Looks, "-t/--top-level-directory= --durations="),
        ],
        ..ROW
    },
    Row {
        name: "unittest",
        calls: "manage.py test > django, django-admin test > django",
        operands: Names,
        options: &[
            (Narrows, "-k= --tag= --exclude-tag="),
            (Differs, "--settings="),
            (Looks, "--parallel=? -v/--verbosity= --testrunner= -p/--pattern="),
        ],
        ..ROW
    },
    Row {
        name: "nose2",
        calls: "nose2, nosetests > nose",
        operands: Names,
        options: &[
            (Narrows, "-A/--attribute= -E/--eval-attribute="),
            (Picks, "-s/--start-dir="),
            (
                Looks,
                "-t/--top-level-directory= -c/--config= --log-level= -N/--processes=",
            ),
            (Lists, "--collect-only --plugins"),
        ],
        ..ROW
    },
    Row {
        name: "tox",
        calls: "tox, tox run, tox run-parallel, tox p, tox r",
        options: &[
            (Picks, "-e/--env= -f= -m="),
            (Narrows, "--skip-env="),
            (FolderOf, "-c/--conf="),
            (Looks, "-p/--parallel=? --result-json= -x/--override= --workdir= -o"),
            (Lists, "-l/--listenvs -a/--listenvs-all --showconfig"),
            (Dry, "-n/--notest"),
        ],
        ..ROW
    },
    Row {
        name: "nox",
        calls: "nox",
        options: &[
            (Picks, "-s/--session/--sessions/-e="),
            (Picks, "-t/--tags="),
            (Narrows, "-k/--keywords= -p/--pythons="),
            (FolderOf, "-f/--noxfile="),
            (Looks, "--report= --envdir= -db/--default-venv-backend="),
            (Lists, "--list/-l --list-sessions"),
            (Dry, "--install-only"),
        ],
        ..ROW
    },
    Row {
        name: "ruff",
        calls: "ruff check > check, ruff > check",
        options: &[
            (Narrows, "--select= --ignore= --exclude= --extend-exclude="),
            (Widens, "--extend-select="),
            (Differs, "--preview --unsafe-fixes --config="),
            (
                Looks,
                "--output-format= -o/--output-file= --fixable= --unfixable= --target-version= --line-length=",
            ),
            (Lists, "--show-files --show-settings"),
            (Watches, "--watch/-w"),
            (Masks, "--exit-zero/-e"),
        ],
        ..ROW
    },
    Row {
        name: "ruff",
        calls: "ruff format > format",
        options: &[
            (Needed, "--check --diff"),
            (Narrows, "--exclude="),
            (Differs, "--preview --config= --line-length="),
        ],
        ..ROW
    },
    Row {
        name: "black",
        calls: "black",
        options: &[
            (Needed, "--check"),
            (Narrows, "--exclude= --include= --extend-exclude= --force-exclude="),
            (Differs, "-l/--line-length= -t/--target-version= --config= --preview"),
            (Looks, "-W/--workers="),
        ],
        ..ROW
    },
    Row {
        name: "isort",
        calls: "isort",
        options: &[
            (Needed, "-c/--check-only/--check"),
            (Narrows, "-s/--skip= --skip-glob="),
            (Differs, "--profile= --sp/--settings-path="),
        ],
        ..ROW
    },
    Row {
        name: "flake8",
        calls: "flake8",
        options: &[
            (Narrows, "--select= --ignore= --exclude= --per-file-ignores="),
            (Widens, "--extend-select="),
            (Differs, "--max-line-length= --max-complexity= --config="),
            (Looks, LINTER_LOOKS),
            (Masks, "--exit-zero"),
        ],
        ..ROW
    },
    Row {
        name: "pylint",
        calls: "pylint",
        options: &[
            (Narrows, "-d/--disable= --ignore= --ignore-paths= -E/--errors-only"),
            (
                Differs,
                "-e/--enable= --rcfile= --fail-under= --fail-on= --max-line-length=",
            ),
            (Looks, LINTER_LOOKS),
            (Lists, "--list-msgs --help-msg="),
            (Masks, "--exit-zero"),
        ],
        ..ROW
    },
    Row {
        name: "mypy",
        calls: "mypy, dmypy run",
        passes_on: true,
        options: &[
            (Picks, "-p/--package= -m/--module= -c/--command="),
            (Narrows, "--exclude="),
            (
                Differs,
                "--strict --config-file= --python-version= --platform= --disable-error-code= --enable-error-code= \
                 --ignore-missing-imports --check-untyped-defs --disallow-untyped-defs --follow-imports= \
                 --explicit-package-bases --namespace-packages",
            ),
            (
                Looks,
                "--cache-dir= --junit-xml= --html-report= -O/--output= --python-executable=",
            ),
            (Dry, "--install-types"),
        ],
        ..ROW
    },
    Row {
        name: "pyright",
        calls: "pyright, basedpyright > basedpyright",
        options: &[
            (
                Differs,
                "--level= --pythonversion= --pythonplatform= --warnings --verifytypes=",
            ),
            (FolderOf, "-p/--project="),
            (Looks, "--pythonpath= -v/--venvpath= -t/--typeshedpath= --threads=?"),
            (Lists, "--createstub="),
            (Watches, "--watch/-w"),
        ],
        ..ROW
    },
    Row {
        name: "pre-commit",
        calls: "pre-commit run, prek run > prek",
        operands: Parts,
        everything: "staged",
        options: &[
            (Widens, "--all-files/-a"),
            (Picks, "--files="),
            (
                Differs,
                "--hook-stage= --from-ref/-s/--source= --to-ref/-o/--origin= -c/--config=",
            ),
            (Looks, "--color="),
        ],
        ..ROW
    },
    Row {
        name: "rspec",
        calls: "rspec, spring rspec, turbo_tests, parallel_rspec",
        options: &[
            (
                Narrows,
                "-e/--example= -t/--tag= -E/--example-matches= --only-failures -n/--next-failure",
            ),
            (Picks, "-P/--pattern="),
            (
                Looks,
                "-f/--format= -o/--out= -r/--require= -I= --seed= --order= -O/--options= --default-path= \
                 --fail-fast= --failure-exit-code=",
            ),
            (Dry, "--dry-run"),
        ],
        ..ROW
    },
    Row {
        name: "minitest",
        calls: "rails test, rails test:all > all, rails test:system > system, m",
        options: &[
            (Narrows, "-n/--name= -e/--exclude= -i/--include="),
            (Differs, "--environment="),
            (Looks, "-s/--seed= -j/--jobs="),
        ],
        ..ROW
    },
    Row {
        name: "rake",
        calls: "rake, rails spec > spec",
        operands: Only(TASKS),
        everything: "default",
        options: &[
            (FolderOf, "-f/--rakefile="),
            (Folder, "-C/--directory="),
            (Looks, "-j/--jobs= -I= -r="),
            (Lists, "-T/--tasks -P/--prereqs -W/--where -D/--describe -A/--all"),
            (Dry, "-n/--dry-run"),
        ],
        ..ROW
    },
    RUBOCOP,
    Row {
        name: "phpunit",
        calls: "phpunit, simple-phpunit, paratest, artisan test > artisan, pest > pest",
        options: &[
            (
                Narrows,
                "--filter= --testsuite= --group= --exclude-group= --exclude-filter= --exclude-testsuite=",
            ),
            (
                Differs,
                "--fail-on-warning --fail-on-risky --fail-on-skipped --fail-on-deprecation --strict-coverage",
            ),
            (
                Looks,
                "-c/--configuration= --bootstrap= --coverage-html= --coverage-text=? --coverage-clover= \
                 --log-junit= --colors=? --order-by= --columns= -d= -p/--processes=",
            ),
            (
                Lists,
                "--list-tests --list-suites --list-groups --list-tests-xml= --list-test-files",
            ),
        ],
        ..ROW
    },
    Row {
        name: "phpstan",
        calls: "phpstan analyse, phpstan analyze, psalm > psalm",
        options: &[
            (Differs, "-l/--level= -c/--configuration="),
            (Looks, "--memory-limit= --error-format= -a/--autoload-file= --threads="),
        ],
        ..ROW
    },
    Row {
        name: "prove",
        calls: "prove",
        options: &[
            (Differs, "-I= -e/--exec="),
            (
                Looks,
                "-j/--jobs= --formatter= -a/--archive= --harness= --source= -P= -M=",
            ),
            (Picks, "--state= --ext="),
            (Dry, "-D/--dry"),
            (Lists, "-H/--man -V"),
        ],
        ..ROW
    },
    Row {
        name: "bats",
        calls: "bats",
        options: &[
            (Narrows, "-f/--filter= --filter-tags= --filter-status="),
            (Looks, "-j/--jobs= -F/--formatter= -o/--output= --report-formatter="),
            (Lists, "--count/-c"),
        ],
        ..ROW
    },
    Row {
        name: "shellcheck",
        calls: "shellcheck",
        options: &[
            (Narrows, "-e/--exclude= -i/--include="),
            (Differs, "-S/--severity= -o/--enable= -s/--shell="),
            (
                Looks,
                "-f/--format= -C/--color=? -P/--source-path= -W/--wiki-link-count= --rcfile=",
            ),
            (Lists, "-V --list-optional"),
        ],
        ..ROW
    },
    Row {
        name: "shfmt",
        calls: "shfmt",
        options: &[
            (Needed, "-d/--diff -l/--list"),
            (Differs, "-i/--indent= -ln/--language-dialect="),
        ],
        ..ROW
    },
];
