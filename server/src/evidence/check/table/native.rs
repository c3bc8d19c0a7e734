//! Runners for compiled languages, and tools that build.
//! Scripting languages and the web's tools stay out.

use super::Dashes::Single;
use super::Operands::{Except, Filters, Ignored, Only, Packages};
use super::Role::{
    Differs, Dry, Folder, FolderOf, Lists, Looks, Masks, Narrows, Needed, Picks, Reports, Watches, Widens,
};
use super::scripting::TASKS;
use super::{ROW, Role, Row};

const CARGO_PACKAGES: (Role, &str) = (Picks, "-p/--package=");
const CARGO_TARGETS: (Role, &str) = (
    Picks,
    "--lib --bins --bin= --tests --test= --examples --example= --benches --bench= --doc",
);
const CARGO_WIDER: (Role, &str) = (Widens, "--workspace/--all --all-targets");
const CARGO_BUILDS: (Role, &str) = (
    Differs,
    "-F/--features= --all-features --no-default-features --release/-r --profile/--cargo-profile= --target=",
);
const CARGO_LOOKS: (Role, &str) = (
    Looks,
    "-j/--jobs= --color= --message-format= --target-dir= --config= -Z= --test-threads= --format= --logfile= \
     --shuffle-seed= --retries= --build-jobs= --no-tests= --status-level= --final-status-level= --failure-output= \
     --success-output=",
);
const CARGO_FOLDER: (Role, &str) = (FolderOf, "--manifest-path=");
const CARGO_LEAVES: &str = "--exclude= --skip= --exact --ignored";

/// Names of things to make that check nothing.
const NO_CHECKS: &str = "clean clobber deploy dev distclean docs doc down fix fmt format help init install logs migrate mrproper \
    publish push release restart run seed serve setup shell start stop tags uninstall up update upgrade venv watch";

const CARGO: Row = Row {
    operands: Ignored,
    everything: "workspace",
    passes_on: true,
    options: &[
        CARGO_PACKAGES,
        CARGO_TARGETS,
        CARGO_WIDER,
        CARGO_BUILDS,
        CARGO_LOOKS,
        CARGO_FOLDER,
        (Narrows, "--exclude="),
        (Differs, "-D/--deny= -W/--warn= -A/--allow= --forbid= --no-deps"),
        (Lists, "--explain="),
    ],
    ..ROW
};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "cargo-test",
        calls: "cargo test, cargo t",
        operands: Filters,
        options: &[
            CARGO_PACKAGES,
            CARGO_TARGETS,
            CARGO_WIDER,
            (Widens, "--include-ignored"),
            CARGO_BUILDS,
            CARGO_LOOKS,
            CARGO_FOLDER,
            (Narrows, CARGO_LEAVES),
            (Lists, "--list"),
            (Dry, "--no-run"),
        ],
        ..CARGO
    },
    Row {
        name: "cargo-nextest",
        calls: "cargo nextest run, cargo nextest r",
        operands: Filters,
        options: &[
            CARGO_PACKAGES,
            CARGO_TARGETS,
            CARGO_WIDER,
            CARGO_BUILDS,
            CARGO_LOOKS,
            CARGO_FOLDER,
            (Narrows, "-E/--filterset/--filter-expr= --partition= --run-ignored="),
            (Narrows, CARGO_LEAVES),
            (Differs, "-P="),
            (Dry, "--no-run"),
        ],
        ..CARGO
    },
    Row {
        name: "cargo-build",
        calls: "cargo build, cargo b",
        ..CARGO
    },
    Row {
        name: "cargo-check",
        calls: "cargo check, cargo c",
        ..CARGO
    },
    Row {
        name: "cargo-clippy",
        calls: "cargo clippy",
        ..CARGO
    },
    Row {
        name: "cargo-doc",
        calls: "cargo doc, cargo d, cargo rustdoc",
        ..CARGO
    },
    Row {
        name: "cargo-fmt",
        calls: "cargo fmt",
        options: &[
            (Needed, "--check"),
            CARGO_PACKAGES,
            CARGO_WIDER,
            CARGO_FOLDER,
            (Looks, "--message-format= --color= --config= --edition="),
        ],
        ..CARGO
    },
    Row {
        name: "rustfmt",
        calls: "rustfmt",
        options: &[
            (Needed, "--check"),
            (Looks, "--config= --config-path= --edition= --color="),
        ],
        ..ROW
    },
    Row {
        name: "go-test",
        calls: "go test, gotest, gotestsum",
        operands: Packages,
        everything: ".",
        dashes: Single,
        options: &[
            (Narrows, "-run= -skip= -short"),
            (Differs, "-race -tags= -bench= -fuzz= -mod= -gcflags= -ldflags="),
            (
                Looks,
                "-count= -timeout= -cover -coverprofile= -covermode= -coverpkg= -p= -parallel= -cpu= -o= -exec= \
                 -cpuprofile= -memprofile= -benchtime= -fuzztime= -shuffle= -vet= -outputdir= --format= --junitfile=",
            ),
            (Folder, "-C="),
            (Lists, "-list="),
            (Dry, "-c -n"),
        ],
        ..ROW
    },
    Row {
        name: "go-build",
        calls: "go build, go install > install",
        operands: Packages,
        everything: ".",
        dashes: Single,
        options: &[
            (Differs, "-race -tags= -mod= -gcflags= -ldflags="),
            (Looks, "-o= -p="),
            (Folder, "-C="),
            (Dry, "-n"),
        ],
        ..ROW
    },
    Row {
        name: "go-vet",
        calls: "go vet",
        operands: Packages,
        everything: ".",
        dashes: Single,
        options: &[(Differs, "-tags= -vettool= -mod="), (Folder, "-C="), (Dry, "-n")],
        ..ROW
    },
    Row {
        name: "gofmt",
        calls: "gofmt, goimports > imports, gofumpt > gofumpt",
        dashes: Single,
        options: &[(Reports, "-l -d"), (Differs, "-s -local=")],
        ..ROW
    },
    Row {
        name: "golangci-lint",
        calls: "golangci-lint run, staticcheck > staticcheck",
        operands: Packages,
        options: &[
            (Narrows, "-D/--disable= --enable-only= --new --new-from-rev="),
            (Differs, "-E/--enable= -c/--config= --build-tags= --default="),
            (Looks, "--timeout= --out-format= --color= -j/--concurrency="),
        ],
        ..ROW
    },
    Row {
        name: "make",
        calls: "make, gmake, mingw32-make, ninja > ninja, just > just, task > task, mise run > mise, mise r > mise",
        operands: Except(NO_CHECKS),
        everything: "default",
        options: &[
            (Folder, "-C/--directory/-d/--working-directory="),
            (FolderOf, "-f/--file/--makefile/--justfile="),
            (
                Looks,
                "-j/--jobs=? -I/--include-dir= -o/--old-file= -W/--what-if= -O/--output-sync=? -l/--load-average=?",
            ),
            (Lists, "-p/--print-data-base -v --list/-l --summary"),
            (Dry, "-n/--dry-run/--just-print/--recon -q/--question -t/--touch"),
            (Masks, "-i/--ignore-errors"),
        ],
        ..ROW
    },
    Row {
        name: "cmake",
        calls: "cmake",
        operands: Ignored,
        options: &[
            (Needed, "--build="),
            (Picks, "-t/--target="),
            (Differs, "--config="),
            (Looks, "-j/--parallel=? --preset="),
        ],
        ..ROW
    },
    Row {
        name: "ctest",
        calls: "ctest",
        operands: Ignored,
        options: &[
            (
                Narrows,
                "-R/--tests-regex= -E/--exclude-regex= -L/--label-regex= -LE/--label-exclude= -I/--tests-information= \
                 --rerun-failed",
            ),
            (Differs, "-C/--build-config= --preset="),
            (Folder, "--test-dir="),
            (
                Looks,
                "-j/--parallel=? --timeout= --repeat= -O/--output-log= --output-junit= --test-output-size-passed=",
            ),
            (Lists, "-N/--show-only --print-labels"),
        ],
        ..ROW
    },
    Row {
        name: "bazel",
        calls: "bazel test > test, bazelisk test > test, bazel build > build, bazelisk build > build",
        operands: Packages,
        options: &[
            (Narrows, "--test_filter= --test_tag_filters= --test_size_filters="),
            (Differs, "-c/--compilation_mode= --config= --platforms="),
            (
                Looks,
                "--test_output= --jobs= --runs_per_test= --test_arg= --test_env= --bazelrc=",
            ),
            (Dry, "--nobuild --build_tests_only=false"),
        ],
        ..ROW
    },
    Row {
        name: "maven",
        calls: "mvn, mvnw, mvnd",
        operands: Only(
            "compile install integration-test package site test test-compile verify checkstyle:check spotless:check",
        ),
        everything: "default",
        dashes: Single,
        options: &[
            (Narrows, "-Dtest= -Dit.test= -Dgroups= -DexcludedGroups="),
            (Picks, "-pl/-projects="),
            (Widens, "-am/-also-make -amd"),
            (Differs, "-P/-activate-profiles="),
            (FolderOf, "-f/-file="),
            (Looks, "-T/-threads= -s/-settings= -l/-log-file= -rf/-resume-from="),
            (Lists, "-v -V/-show-version"),
            (Dry, "-DskipTests -Dmaven.test.skip"),
            (Masks, "-Dmaven.test.failure.ignore -fn/-fail-never"),
        ],
        ..ROW
    },
    Row {
        name: "gradle",
        calls: "gradle, gradlew, gradlew.bat",
        operands: Only("assemble build check classes compile lint spotlessCheck test verify detekt ktlintCheck"),
        everything: "default",
        options: &[
            (Narrows, "--tests="),
            (Differs, "-x/--exclude-task= -P/--project-prop= -D/--system-prop="),
            (Folder, "-p/--project-dir="),
            (
                Looks,
                "--console= --max-workers= -I/--init-script= -g/--gradle-user-home= --warning-mode=",
            ),
            (Lists, "--tasks -v"),
            (Dry, "-m/--dry-run"),
            (Watches, "-t/--continuous"),
        ],
        ..ROW
    },
    Row {
        name: "dotnet-test",
        calls: "dotnet test, dotnet build > build",
        options: &[
            (Narrows, "--filter="),
            (Differs, "-c/--configuration= -f/--framework= -r/--runtime= -p="),
            (
                Looks,
                "-l/--logger= -v/--verbosity= --settings/-s= -o/--output= --collect= --results-directory= -a=",
            ),
            (Lists, "-t/--list-tests"),
        ],
        ..ROW
    },
    Row {
        name: "dotnet-format",
        calls: "dotnet format",
        options: &[(Needed, "--verify-no-changes"), (Looks, "-v/--verbosity= --severity=")],
        ..ROW
    },
    Row {
        name: "swift-test",
        calls: "swift test, swift build > build",
        operands: Ignored,
        options: &[
            (Narrows, "--filter= --skip= -s/--specifier="),
            (Picks, "--test-product= --target= --product="),
            (Differs, "-c/--configuration="),
            (Folder, "--package-path="),
            (
                Looks,
                "-j/--jobs= --num-workers= --build-path= --scratch-path= --xunit-output=",
            ),
            (Lists, "-l/--list-tests"),
        ],
        ..ROW
    },
    Row {
        name: "mix-test",
        calls: "mix test",
        options: &[
            (Narrows, "--only= --exclude= --failed --stale"),
            (Widens, "--include="),
            (Differs, "--warnings-as-errors"),
            (Looks, "--seed= --max-failures= --formatter= --timeout="),
            (Watches, "--listen-on-stdin"),
        ],
        ..ROW
    },
    Row {
        name: "flutter-test",
        calls: "flutter test, dart test > dart, flutter analyze > analyze, dart analyze > dart-analyze",
        options: &[
            (Narrows, "-n/--name= -N/--plain-name= -t/--tags= -x/--exclude-tags="),
            (Looks, "-j/--concurrency= -r/--reporter= --timeout= -p/--platform="),
        ],
        ..ROW
    },
    Row {
        name: "sbt",
        calls: "sbt",
        operands: Only(TASKS),
        ..ROW
    },
    Row {
        name: "zig",
        calls: "zig build > build, zig test > test",
        ..ROW
    },
    Row {
        name: "terraform",
        calls: "terraform validate > validate, terraform fmt > fmt, tofu validate > validate",
        dashes: Single,
        options: &[(Folder, "-chdir=")],
        ..ROW
    },
];
