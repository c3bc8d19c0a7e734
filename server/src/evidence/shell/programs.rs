//! What is known of programs, as data: one table for each question.
//! How arguments are taken apart stays out.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::ShellEffects;
use super::word::Word;
use crate::evidence::call::Known::{self, No, Unknown, Yes};

/// Programs by what they do: the program (none: the words are programs themselves), the words that it is called with,
/// and whether it observes and mutates. `stash list` is two words, `branch ..` a word with anything behind it; the
/// longest fit counts. A program that stands nowhere observes, and nobody can tell whether it mutates.
///
/// A build's output is no change, so builds and tests do not mutate. A program that changes something and is silent
/// about the rest of the world (`mkdir`) does not observe; one that reports (`git push`, `npm install`) does.
pub(super) const COMMANDS: &[(&str, &[&str], Known, Known)] = &[
    (
        "",
        &[
            ":", "alias", "basename", "bg", "break", "builtin", "cd", "clear", "command", "continue",
            "declare", "dirname", "disown", "echo", "exec", "exit", "export", "expr", "false", "fg", "getopts",
            "history", "let", "local", "nice", "nohup", "popd", "printf", "pushd", "readonly", "reset", "return",
            "seq", "set", "setsid", "shift", "shopt", "sleep", "stdbuf", "stty", "sudo", "time", "timeout", "tput",
            "trap", "true", "typeset", "ulimit", "umask", "unalias", "unset", "usleep", "wait", "xargs", "yes",
        ],
        No,
        No,
    ),
    (
        "",
        &[
            "arch", "bandit", "cmp", "comm", "curl", "date", "df", "diff", "dig", "du", "env", "eslint", "fd",
            "file", "flake8", "free", "getent", "getconf", "groups", "hash", "host", "hostname", "id", "jest",
            "jobs", "last", "ldd", "ls", "lsblk", "lscpu", "lsof", "mypy", "netstat", "nm", "nproc",
            "nslookup", "objdump", "pgrep", "phpunit", "ping", "prettier", "printenv", "ps", "pwd", "pylint",
            "pyright", "pytest", "readelf", "readlink", "realpath", "rspec", "rubocop", "shellcheck", "ss", "stat",
            "stylelint", "tokei", "top", "traceroute", "tree", "tsc", "type", "tty", "uname", "unittest", "uptime",
            "vitest", "vmstat", "w", "whereis", "which", "who", "whoami",
        ],
        Yes,
        No,
    ),
    (
        "",
        &[
            "chgrp", "chmod", "chown", "cp", "dd", "gunzip", "gzip", "install", "ln", "mkdir", "mkfifo", "mktemp",
            "mv", "patch", "rename", "rm", "rmdir", "shred", "split", "tee", "touch", "truncate", "unlink", "unzip",
            "zip",
        ],
        No,
        Yes,
    ),
    ("", &["black", "isort", "rsync", "rustfmt", "scp", "wget"], Yes, Yes),
    ("", &["kill", "killall", "pkill"], No, Unknown),
    ("apt", &["list", "policy", "search", "show"], Yes, No),
    ("apt", &["install", "purge", "remove", "update", "upgrade"], Yes, Yes),
    ("apt-get", &["install", "purge", "remove", "update", "upgrade"], Yes, Yes),
    ("brew", &["info", "list", "outdated", "search"], Yes, No),
    ("brew", &["install", "uninstall", "update", "upgrade"], Yes, Yes),
    ("bun", &["test"], Yes, No),
    ("bun", &["add", "install", "remove", "update"], Yes, Yes),
    (
        "cargo",
        &[
            "audit", "b", "bench", "build", "c", "check", "clean", "clippy", "deny", "doc", "machete", "metadata",
            "nextest", "search", "t", "test", "tree",
        ],
        Yes,
        No,
    ),
    (
        "cargo",
        &["add", "fix", "fmt", "init", "install", "new", "publish", "remove", "rm", "uninstall", "update"],
        Yes,
        Yes,
    ),
    ("docker", &["images", "info", "inspect", "logs", "ps", "stats", "top", "version"], Yes, No),
    ("docker", &["kill", "pull", "push", "rm", "rmi", "start", "stop", "tag"], Yes, Yes),
    ("dotnet", &["build", "test"], Yes, No),
    (
        "git",
        &[
            "annotate", "blame", "branch", "cat-file", "check-ignore", "describe", "diff", "for-each-ref", "grep",
            "log", "ls-files", "ls-remote", "ls-tree", "merge-base", "name-rev", "notes list", "reflog", "remote",
            "remote get-url", "remote show", "rev-list", "rev-parse", "shortlog", "show", "show-ref",
            "stash list", "stash show", "status", "submodule status", "tag", "version", "whatchanged",
            "worktree list",
        ],
        Yes,
        No,
    ),
    ("git", &["add", "config", "init", "mv", "rm", "tag .."], No, Yes),
    ("git", &["branch ..", "remote .."], Yes, Unknown),
    (
        "git",
        &[
            "am", "apply", "checkout", "cherry-pick", "clean", "clone", "commit", "fetch", "merge", "pull", "push",
            "rebase", "reset", "restore", "revert", "stash", "switch", "worktree ..",
        ],
        Yes,
        Yes,
    ),
    ("go", &["build", "doc", "env", "list", "test", "version", "vet"], Yes, No),
    ("go", &["fmt", "generate", "get", "install", "mod"], Yes, Yes),
    ("gradle", &["build", "check", "test"], Yes, No),
    ("kubectl", &["describe", "explain", "get", "logs", "top", "version"], Yes, No),
    ("kubectl", &["apply", "create", "delete", "edit", "patch", "rollout", "scale", "set"], Yes, Yes),
    ("mvn", &["compile", "package", "test", "verify"], Yes, No),
    (
        "npm",
        &["audit", "info", "list", "ls", "outdated", "run build", "run lint", "run test", "t", "test", "view"],
        Yes,
        No,
    ),
    (
        "npm",
        &["add", "ci", "i", "install", "link", "publish", "remove", "rm", "uninstall", "update", "version .."],
        Yes,
        Yes,
    ),
    ("pip", &["check", "freeze", "list", "show"], Yes, No),
    ("pip", &["install", "uninstall"], Yes, Yes),
    ("pip3", &["check", "freeze", "list", "show"], Yes, No),
    ("pip3", &["install", "uninstall"], Yes, Yes),
    ("pnpm", &["audit", "build", "lint", "list", "ls", "outdated", "run build", "run lint", "run test", "test"], Yes, No),
    ("pnpm", &["add", "i", "install", "publish", "remove", "update"], Yes, Yes),
    ("ruff", &["check"], Yes, No),
    ("ruff", &["format"], Yes, Yes),
    ("systemctl", &["is-active", "is-enabled", "list-units", "show", "status"], Yes, No),
    ("systemctl", &["disable", "enable", "reload", "restart", "start", "stop"], Yes, Yes),
    ("terraform", &["output", "plan", "show", "validate"], Yes, No),
    ("terraform", &["apply", "destroy", "import"], Yes, Yes),
    ("uv", &["add", "lock", "pip install", "remove", "sync"], Yes, Yes),
    ("yarn", &["audit", "build", "lint", "list", "outdated", "run build", "run lint", "run test", "test", "why"], Yes, No),
    ("yarn", &["add", "install", "publish", "remove", "upgrade"], Yes, Yes),
];

/// Options that change whether a program mutates: the program, the option, and what it then does. With a value of
/// [`HARMLESS_VALUES`] an option changes nothing.
pub(super) const FLAGS: &[(&str, &str, Known)] = &[
    ("black", "--check", No),
    ("black", "--diff", No),
    ("cargo clippy", "--fix", Yes),
    ("cargo fmt", "--check", No),
    ("curl", "--data", Yes),
    ("curl", "--data-binary", Yes),
    ("curl", "--data-raw", Yes),
    ("curl", "--form", Yes),
    ("curl", "--json", Yes),
    ("curl", "--output", Yes),
    ("curl", "--remote-name", Yes),
    ("curl", "--request", Yes),
    ("curl", "--upload-file", Yes),
    ("curl", "-F", Yes),
    ("curl", "-O", Yes),
    ("curl", "-T", Yes),
    ("curl", "-X", Yes),
    ("curl", "-d", Yes),
    ("curl", "-o", Yes),
    ("eslint", "--fix", Yes),
    ("fd", "-X", Unknown),
    ("fd", "-x", Unknown),
    ("find", "-delete", Yes),
    ("find", "-fls", Yes),
    ("find", "-fprint", Yes),
    ("find", "-fprintf", Yes),
    ("git branch", "-D", Yes),
    ("git branch", "-M", Yes),
    ("git branch", "-d", Yes),
    ("git branch", "-m", Yes),
    ("git clean", "--dry-run", No),
    ("git clean", "-n", No),
    ("git config", "--get", No),
    ("git config", "--list", No),
    ("git config", "-l", No),
    ("git tag", "--list", No),
    ("git tag", "-l", No),
    ("isort", "--check", No),
    ("isort", "--check-only", No),
    ("npm audit", "--force", Yes),
    ("prettier", "--write", Yes),
    ("prettier", "-w", Yes),
    ("rsync", "--dry-run", No),
    ("rubocop", "--autocorrect", Yes),
    ("rubocop", "-A", Yes),
    ("rubocop", "-a", Yes),
    ("ruff check", "--fix", Yes),
    ("ruff format", "--check", No),
    ("ruff format", "--diff", No),
    ("rustfmt", "--check", No),
    ("sed", "--in-place", Yes),
    ("sed", "-i", Yes),
    ("shellcheck", "-o", No),
    ("sort", "--output", Yes),
    ("sort", "-o", Yes),
    ("stylelint", "--fix", Yes),
    ("unzip", "-l", No),
    ("wget", "--spider", No),
    ("wget", "-O-", No),
    ("wget", "-qO-", No),
    ("yq", "--inplace", Yes),
    ("yq", "-i", Yes),
];

/// Options before the first word of a program that take the next word as their value, space between them.
pub(super) const VALUES: &[(&str, &str)] = &[
    ("cargo", "--config --color -C -Z"),
    ("docker", "--context -H"),
    ("git", "--git-dir --work-tree -C -c"),
    ("go", "-C"),
    ("kubectl", "--context --kubeconfig --namespace -n"),
    ("npm", "--prefix --workspace -w"),
    ("pnpm", "--dir --filter -C -F"),
    ("uv", "--directory --project"),
    ("yarn", "--cwd"),
];

/// Values with which an option writes to no file and sends nothing.
pub(super) const HARMLESS_VALUES: &[&str] = &["-", "/dev/null", "/dev/stdout", "GET", "HEAD", "OPTIONS"];

/// When a filter without file operands goes through the folder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Folder {
    /// It reads its input.
    Never,
    /// When `-r` or `-R` is given.
    WhenRecursive,
    /// When nothing is piped into it.
    WithoutPipe,
}

/// A program that reads files, and its input when none is named.
#[derive(Debug)]
pub(super) struct Filter {
    /// Its name.
    pub(super) name: &'static str,
    /// How many operands stand before the files.
    pub(super) takes: usize,
    /// Options that take the place of those operands, space between them.
    pub(super) instead: &'static str,
    /// Options whose value is the next word, space between them.
    pub(super) values: &'static str,
    /// When it goes through the folder.
    pub(super) folder: Folder,
}

const fn filter_row(
    name: &'static str,
    takes: usize,
    instead: &'static str,
    values: &'static str,
    folder: Folder,
) -> Filter {
    Filter { name, takes, instead, values, folder }
}

const GREP_VALUES: &str = "-A -B -C -D -d -e -f -m --after-context --before-context --color --context --max-count";
const RG_VALUES: &str = "-A -B -C -E -M -T -d -e -f -g -j -m -r -t --glob --max-count --max-depth --type";

/// Programs that see only what they are given when no file is named.
const FILTERS: &[Filter] = &[
    filter_row("ack", 1, "", "-A -B -C -m", Folder::WithoutPipe),
    filter_row("ag", 1, "", "-A -B -C -G -m", Folder::WithoutPipe),
    filter_row("awk", 1, "-f", "-F -f -v", Folder::Never),
    filter_row("base64", 0, "", "-w", Folder::Never),
    filter_row("bat", 0, "", "-l -r -H", Folder::Never),
    filter_row("batcat", 0, "", "-l -r -H", Folder::Never),
    filter_row("cat", 0, "", "", Folder::Never),
    filter_row("column", 0, "", "-c -o -s", Folder::Never),
    filter_row("cut", 0, "", "-b -c -d -f", Folder::Never),
    filter_row("egrep", 1, "-e -f", GREP_VALUES, Folder::WhenRecursive),
    filter_row("fgrep", 1, "-e -f", GREP_VALUES, Folder::WhenRecursive),
    filter_row("fold", 0, "", "-w", Folder::Never),
    filter_row("gawk", 1, "-f", "-F -f -v", Folder::Never),
    filter_row("grep", 1, "-e -f --regexp --file", GREP_VALUES, Folder::WhenRecursive),
    filter_row("head", 0, "", "-c -n --bytes --lines", Folder::Never),
    filter_row("hexdump", 0, "", "-e -n -s", Folder::Never),
    filter_row("jq", 1, "-f", "-L --indent --tab", Folder::Never),
    filter_row("json.tool", 0, "", "--indent", Folder::Never),
    filter_row("less", 0, "", "", Folder::Never),
    filter_row("mapfile", 9, "", "", Folder::Never),
    filter_row("md5sum", 0, "", "", Folder::Never),
    filter_row("more", 0, "", "", Folder::Never),
    filter_row("nl", 0, "", "-b -s -v -w", Folder::Never),
    filter_row("od", 0, "", "-A -N -j -t -w", Folder::Never),
    filter_row("paste", 0, "", "-d", Folder::Never),
    filter_row("read", 9, "", "", Folder::Never),
    filter_row("readarray", 9, "", "", Folder::Never),
    filter_row("rev", 0, "", "", Folder::Never),
    filter_row("rg", 1, "-e -f --files --regexp", RG_VALUES, Folder::WithoutPipe),
    filter_row("sed", 1, "-e -f --expression", "-e -f", Folder::Never),
    filter_row("sha256sum", 0, "", "", Folder::Never),
    filter_row("shasum", 0, "", "-a", Folder::Never),
    filter_row("sort", 0, "", "-S -T -k -o -t", Folder::Never),
    filter_row("strings", 0, "", "-n -t", Folder::Never),
    filter_row("tac", 0, "", "", Folder::Never),
    filter_row("tail", 0, "", "-c -n --bytes --lines", Folder::Never),
    filter_row("tr", 9, "", "", Folder::Never),
    filter_row("uniq", 0, "", "-f -s -w", Folder::Never),
    filter_row("wc", 0, "", "", Folder::Never),
    filter_row("xxd", 0, "", "-c -l -s", Folder::Never),
    filter_row("yq", 1, "", "", Folder::Never),
    filter_row("zcat", 0, "", "", Folder::Never),
];

/// A program that runs the command in its arguments.
#[derive(Debug)]
pub(super) struct Wrapper {
    /// Its name, with a first argument where that makes it one.
    pub(super) name: &'static str,
    /// How many operands stand before the command.
    pub(super) skips: usize,
    /// Options whose value is the next word, space between them.
    pub(super) values: &'static str,
}

const fn wrapper_row(name: &'static str, skips: usize, values: &'static str) -> Wrapper {
    Wrapper { name, skips, values }
}

/// Programs that run another one.
const WRAPPERS: &[Wrapper] = &[
    wrapper_row("builtin", 0, ""),
    wrapper_row("bundle exec", 0, ""),
    wrapper_row("bunx", 0, "-p"),
    wrapper_row("command", 0, ""),
    wrapper_row("coproc", 0, ""),
    wrapper_row("doas", 0, "-u"),
    wrapper_row("env", 0, "-C -S -u"),
    wrapper_row("exec", 0, "-a"),
    wrapper_row("flock", 1, "-w"),
    wrapper_row("hatch run", 0, ""),
    wrapper_row("ionice", 0, "-c -n"),
    wrapper_row("nice", 0, "-n"),
    wrapper_row("nohup", 0, ""),
    wrapper_row("npx", 0, "-p --package"),
    wrapper_row("pdm run", 0, ""),
    wrapper_row("pipenv run", 0, ""),
    wrapper_row("pnpm dlx", 0, ""),
    wrapper_row("pnpm exec", 0, ""),
    wrapper_row("poetry run", 0, ""),
    wrapper_row("python -m", 0, ""),
    wrapper_row("python3 -m", 0, ""),
    wrapper_row("rye run", 0, ""),
    wrapper_row("setsid", 0, ""),
    wrapper_row("stdbuf", 0, "-e -i -o"),
    wrapper_row("sudo", 0, "-C -g -h -p -u"),
    wrapper_row("time", 0, "-f -o"),
    wrapper_row("timeout", 1, "-k -s --kill-after --signal"),
    wrapper_row("uv run", 0, "-p --extra --group --package --project --python --with"),
    wrapper_row("uvx", 0, "-p --from --python --with"),
    wrapper_row("watch", 0, "-n"),
    wrapper_row("xargs", 0, "-E -I -L -P -a -d -n -s"),
    wrapper_row("yarn exec", 0, ""),
];

/// Options of `find` that run a command.
pub(super) const FIND_RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Operators of `test` that look at files.
const FILE_TESTS: &[&str] = &[
    "-G", "-L", "-N", "-O", "-S", "-b", "-c", "-d", "-e", "-ef", "-f", "-g", "-h", "-k", "-nt", "-ot", "-p", "-r",
    "-s", "-u", "-w", "-x",
];

type Uses = HashMap<&'static str, ShellEffects>;

static BY_PROGRAM: LazyLock<HashMap<&'static str, Uses>> = LazyLock::new(|| {
    let mut programs: HashMap<&'static str, Uses> = HashMap::new();
    for &(program, words, observes, mutates) in COMMANDS {
        for &word in words {
            let (program, used) = if program.is_empty() { (word, "") } else { (program, word) };
            programs.entry(program).or_default().insert(used, ShellEffects::new(observes, mutates));
        }
    }
    programs
});

/// What a program does with these operands, or none when no table says so.
pub(super) fn command(name: &str, operands: &[&str]) -> Option<ShellEffects> {
    let uses = BY_PROGRAM.get(name)?;
    let mut keys = Vec::new();
    if let [first, second, ..] = operands {
        keys.push(format!("{first} {second}"));
        keys.push(format!("{first} .."));
    }
    keys.extend(operands.first().map(|first| (*first).to_owned()));
    keys.push(String::new());
    keys.iter().find_map(|key| uses.get(key.as_str()).copied())
}

/// The filter of this name.
pub(super) fn filter(name: &str) -> Option<&'static Filter> {
    FILTERS.binary_search_by(|row| row.name.cmp(name)).ok().map(|at| &FILTERS[at])
}

/// The wrapper that a command starts with.
pub(super) fn wrapper(name: &str, args: &[Word]) -> Option<&'static Wrapper> {
    let find = |key: &str| WRAPPERS.binary_search_by(|row| row.name.cmp(key)).ok().map(|at| &WRAPPERS[at]);
    find(name).or_else(|| args.first().and_then(|first| find(&format!("{name} {}", first.text))))
}

/// Whether an operator of `test` looks at files.
pub(super) fn asks_about_file(operator: &str) -> bool {
    FILE_TESTS.binary_search(&operator).is_ok()
}

/// Rows that stand out of order or twice, for the test that guards the searches.
#[cfg(test)]
pub(super) fn unsorted() -> Vec<String> {
    fn check(table: &str, keys: Vec<String>, found: &mut Vec<String>) {
        let wrong = keys.windows(2).filter(|pair| pair[0] >= pair[1]);
        found.extend(wrong.map(|pair| format!("{table}: {} before {}", pair[0], pair[1])));
    }
    let mut found = Vec::new();
    let mut uses = Vec::new();
    for (program, words, ..) in COMMANDS {
        check(program, words.iter().map(|&word| word.to_owned()).collect(), &mut found);
        uses.extend(words.iter().map(|word| format!("{program} {word}")));
    }
    uses.sort();
    check("COMMANDS", uses, &mut found);
    check("FLAGS", FLAGS.iter().map(|(program, flag, _)| format!("{program} {flag}")).collect(), &mut found);
    check("FILTERS", FILTERS.iter().map(|row| row.name.to_owned()).collect(), &mut found);
    check("WRAPPERS", WRAPPERS.iter().map(|row| row.name.to_owned()).collect(), &mut found);
    check("FILE_TESTS", FILE_TESTS.iter().map(|&row| row.to_owned()).collect(), &mut found);
    found
}
