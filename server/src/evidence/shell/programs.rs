//! What known programs do, and how their options change it, as data.
//! Programs that read their input or run another one stay out, and so does taking arguments apart.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::ShellEffects;
use crate::evidence::call::Known::{self, No, Unknown, Yes};

/// Programs by what they do: the program (none: the words are programs themselves), the words that it is called with,
/// comma between them, and whether it observes and mutates. `stash list` is two words, `branch ..` a word with
/// anything behind it; the longest fit counts. A program that stands nowhere observes, and nobody can tell whether it mutates.
///
/// A build's output is no change, so builds and tests do not mutate. A program that changes something and is silent
/// about the rest of the world (`mkdir`) does not observe; one that reports (`git push`, `npm install`) does.
pub(super) const COMMANDS: &[(&str, &str, Known, Known)] = &[
    (
        "",
        ":, alias, basename, bg, break, builtin, cd, clear, command, continue, declare, dirname, disown, echo, \
         exec, exit, export, expr, false, fg, getopts, history, let, local, nice, nohup, popd, printf, pushd, \
         readonly, reset, return, seq, set, setsid, shift, shopt, sleep, stdbuf, stty, sudo, time, timeout, \
         tput, trap, true, typeset, ulimit, umask, unalias, unset, usleep, wait, xargs, yes",
        No,
        No,
    ),
    (
        "",
        "arch, bandit, cloc, cmp, comm, curl, date, delta, df, diff, difft, dig, du, env, eslint, exa, eza, fd, ffprobe, file, \
         flake8, free, getconf, getent, gofmt, groups, hash, host, hostname, id, jest, jobs, join, last, ldd, ls, lsblk, lscpu, lsd, lsof, man, mdls, mypy, netstat, \
         nm, nproc, nslookup, objdump, otool, pgrep, phpunit, ping, prettier, printenv, ps, pwd, pylint, pyright, \
         pytest, readelf, readlink, realpath, rspec, rubocop, scc, shellcheck, ss, stat, stylelint, sw_vers, tldr, tokei, top, \
         traceroute, tree, tsc, tty, type, uname, unittest, uptime, vitest, vmstat, w, whereis, which, who, \
         whoami",
        Yes,
        No,
    ),
    (
        "",
        "apply_patch, applypatch, chgrp, chmod, chown, cp, dd, gunzip, gzip, install, ln, mkdir, mkfifo, mktemp, mv, patch, rename, rm, \
         rmdir, shred, split, tee, touch, truncate, unlink, unzip, zip",
        No,
        Yes,
    ),
    ("", "black, isort, rsync, rustfmt, scp, wget", Yes, Yes),
    ("", "kill, killall, pkill", No, Unknown),
    ("apt", "list, policy, search, show", Yes, No),
    ("apt", "install, purge, remove, update, upgrade", Yes, Yes),
    ("apt-get", "install, purge, remove, update, upgrade", Yes, Yes),
    ("brew", "info, list, outdated, search", Yes, No),
    ("brew", "install, uninstall, update, upgrade", Yes, Yes),
    ("bundle", "info, list, show", Yes, No),
    ("bun", "test", Yes, No),
    ("bun", "add, install, remove, update", Yes, Yes),
    (
        "cargo",
        "audit, b, bench, build, c, check, clean, clippy, deny, doc, machete, metadata, nextest, search, t, \
         test, tree",
        Yes,
        No,
    ),
    (
        "cargo",
        "add, audit fix, fix, fmt, init, install, new, publish, remove, rm, uninstall, update",
        Yes,
        Yes,
    ),
    (
        "docker",
        "images, info, inspect, logs, ps, stats, top, version",
        Yes,
        No,
    ),
    (
        "docker",
        "compose config, compose images, compose logs, compose ls, compose ps, compose top, container ls, diff, history, \
         image ls, network ls, port, volume ls",
        Yes,
        No,
    ),
    ("docker", "kill, pull, push, rm, rmi, start, stop, tag", Yes, Yes),
    ("dotnet", "build, list, test", Yes, No),
    ("gem", "list", Yes, No),
    (
        "gh",
        "api, auth status, cache list, gist list, gist view, issue list, issue status, issue view, pr checks, pr diff, pr list, pr status, pr view, release list, \
         release view, repo list, repo view, run list, run view, run watch, search code, search commits, search issues, \
         search prs, search repos, secret list, status, variable list, workflow list, \
         workflow view",
        Yes,
        No,
    ),
    (
        "gh",
        "issue close, issue comment, issue create, issue edit, pr checkout, pr close, pr comment, pr create, pr edit, \
         pr merge, pr ready, pr review, release create, repo clone, repo create, run rerun, secret set, workflow run",
        Yes,
        Yes,
    ),
    (
        "git",
        "annotate, bisect log, blame, branch, cat-file, check-ignore, cherry, count-objects, describe, diff, for-each-ref, grep, help, log, ls-files, \
         ls-remote, ls-tree, merge-base, name-rev, notes list, notes show, range-diff, reflog, remote, remote get-url, remote show, \
         rev-list, rev-parse, shortlog, show, show-ref, stash list, stash show, status, submodule status, tag, \
         var, version, whatchanged, worktree list",
        Yes,
        No,
    ),
    (
        "git",
        "add, init, mv, reflog delete, reflog expire, rm, tag ..",
        No,
        Yes,
    ),
    // With a value it writes, without it reads; which of its words is the value depends on options.
    ("git", "config", Unknown, Unknown),
    ("git", "branch ..", Yes, Yes),
    ("git", "remote ..", Yes, Unknown),
    (
        "git",
        "am, apply, checkout, cherry-pick, clean, clone, commit, fetch, merge, pull, push, rebase, reset, \
         restore, revert, stash, switch, worktree ..",
        Yes,
        Yes,
    ),
    ("go", "build, doc, env, list, test, version, vet", Yes, No),
    ("go", "mod graph, mod why", Yes, No),
    ("go", "fmt, generate, get, install, mod", Yes, Yes),
    (
        "gradle",
        "build, check, dependencies, projects, properties, tasks, test",
        Yes,
        No,
    ),
    ("helm", "get .., history, list, show .., status", Yes, No),
    (
        "kubectl",
        "api-resources, auth can-i, cluster-info, config current-context, config get-contexts, config view",
        Yes,
        No,
    ),
    ("kubectl", "describe, explain, get, logs, top, version", Yes, No),
    (
        "kubectl",
        "apply, create, delete, edit, patch, rollout, scale, set",
        Yes,
        Yes,
    ),
    ("mvn", "compile, dependency:tree, package, test, verify", Yes, No),
    (
        "npm",
        "audit, config get, config list, explain, info, list, ls, outdated, pkg get, run build, run lint, run test, t, test, view, why",
        Yes,
        No,
    ),
    (
        "npm",
        "add, audit fix, ci, i, install, link, publish, remove, rm, uninstall, update, version ..",
        Yes,
        Yes,
    ),
    ("pip", "check, freeze, list, show", Yes, No),
    ("pip", "install, uninstall", Yes, Yes),
    ("pip3", "check, freeze, list, show", Yes, No),
    ("pip3", "install, uninstall", Yes, Yes),
    (
        "pnpm",
        "audit, build, lint, list, ls, outdated, run build, run lint, run test, test, why",
        Yes,
        No,
    ),
    ("poetry", "show", Yes, No),
    ("pnpm", "add, i, install, publish, remove, update", Yes, Yes),
    ("ruff", "check", Yes, No),
    (
        "rustup",
        "component list, show, target list, toolchain list, which",
        Yes,
        No,
    ),
    ("ruff", "format", Yes, Yes),
    ("systemctl", "is-active, is-enabled, list-units, show, status", Yes, No),
    ("systemctl", "disable, enable, reload, restart, start, stop", Yes, Yes),
    (
        "terraform",
        "output, plan, providers, show, state list, state show, validate, version, workspace list",
        Yes,
        No,
    ),
    ("terraform", "apply, destroy, import", Yes, Yes),
    (
        "uv",
        "pip check, pip freeze, pip list, pip show, pip tree, tree",
        Yes,
        No,
    ),
    ("uv", "add, lock, pip install, remove, sync", Yes, Yes),
    (
        "yarn",
        "audit, build, lint, list, outdated, run build, run lint, run test, test, why",
        Yes,
        No,
    ),
    ("yarn", "add, install, publish, remove, upgrade", Yes, Yes),
];

/// Options that change whether a program mutates: the program, the option, and what it then does. With a value of
/// [`HARMLESS_VALUES`] an option changes nothing.
pub(super) const FLAGS: &[(&str, &str, Known)] = &[
    ("base64", "--output", Yes),
    ("base64", "-o", Yes),
    ("bat", "--pager", Unknown),
    ("black", "--check", No),
    ("black", "--diff", No),
    ("cargo audit", "--fix", Yes),
    ("cargo clippy", "--fix", Yes),
    ("cargo fmt", "--check", No),
    ("curl", "--config", Unknown),
    ("curl", "--cookie-jar", Yes),
    ("curl", "--data", Yes),
    ("curl", "--data-ascii", Yes),
    ("curl", "--data-binary", Yes),
    ("curl", "--data-raw", Yes),
    ("curl", "--data-urlencode", Yes),
    ("curl", "--dump-header", Yes),
    ("curl", "--etag-save", Yes),
    ("curl", "--form", Yes),
    ("curl", "--form-string", Yes),
    ("curl", "--hsts", Yes),
    ("curl", "--json", Yes),
    ("curl", "--libcurl", Yes),
    ("curl", "--output", Yes),
    ("curl", "--quote", Yes),
    ("curl", "--remote-name", Yes),
    ("curl", "--remote-name-all", Yes),
    ("curl", "--request", Yes),
    ("curl", "--stderr", Yes),
    ("curl", "--trace", Yes),
    ("curl", "--trace-ascii", Yes),
    ("curl", "--upload-file", Yes),
    ("curl", "-D", Yes),
    ("curl", "-F", Yes),
    ("curl", "-K", Unknown),
    ("curl", "-O", Yes),
    ("curl", "-Q", Yes),
    ("curl", "-T", Yes),
    ("curl", "-X", Yes),
    ("curl", "-c", Yes),
    ("curl", "-d", Yes),
    ("curl", "-o", Yes),
    ("date", "--set", Yes),
    ("date", "-s", Yes),
    ("eslint", "--fix", Yes),
    ("eslint", "--output-file", Yes),
    ("eslint", "-o", Yes),
    ("fd", "--exec", Unknown),
    ("fd", "--exec-batch", Unknown),
    ("fd", "-X", Unknown),
    ("fd", "-x", Unknown),
    ("file", "--compile", Yes),
    ("file", "-C", Yes),
    ("find", "-delete", Yes),
    ("find", "-fls", Yes),
    ("find", "-fprint", Yes),
    ("find", "-fprint0", Yes),
    ("find", "-fprintf", Yes),
    ("gh api", "--field", Yes),
    ("gh api", "--input", Yes),
    ("gh api", "--method", Yes),
    ("gh api", "--raw-field", Yes),
    ("gh api", "-F", Yes),
    ("gh api", "-X", Yes),
    ("gh api", "-f", Yes),
    ("git apply", "--check", No),
    ("git apply", "--numstat", No),
    ("git apply", "--stat", No),
    ("git branch", "--contains", No),
    ("git branch", "--copy", Yes),
    ("git branch", "--delete", Yes),
    ("git branch", "--edit-description", Yes),
    ("git branch", "--force", Yes),
    ("git branch", "--list", No),
    ("git branch", "--merged", No),
    ("git branch", "--move", Yes),
    ("git branch", "--no-contains", No),
    ("git branch", "--no-merged", No),
    ("git branch", "--points-at", No),
    ("git branch", "--set-upstream-to", Yes),
    ("git branch", "--unset-upstream", Yes),
    ("git branch", "-C", Yes),
    ("git branch", "-D", Yes),
    ("git branch", "-M", Yes),
    ("git branch", "-c", Yes),
    ("git branch", "-d", Yes),
    ("git branch", "-f", Yes),
    ("git branch", "-l", No),
    ("git branch", "-m", Yes),
    ("git branch", "-u", Yes),
    ("git clean", "--dry-run", No),
    ("git clean", "-n", No),
    ("git config", "--get", No),
    ("git config", "--list", No),
    ("git config", "-l", No),
    ("git diff", "--ext-diff", Unknown),
    ("git diff", "--output", Yes),
    ("git fetch", "--dry-run", No),
    ("git grep", "--open-files-in-pager", Unknown),
    ("git grep", "-O", Unknown),
    ("git log", "--ext-diff", Unknown),
    ("git log", "--output", Yes),
    ("git push", "--dry-run", No),
    ("git show", "--ext-diff", Unknown),
    ("git show", "--output", Yes),
    ("git tag", "--list", No),
    ("git tag", "-l", No),
    ("go env", "-u", Yes),
    ("go env", "-w", Yes),
    ("go test", "-update", Yes),
    ("gofmt", "-w", Yes),
    ("hostname", "--file", Yes),
    ("hostname", "-F", Yes),
    ("isort", "--check", No),
    ("isort", "--check-only", No),
    ("jest", "--updateSnapshot", Yes),
    ("jest", "-u", Yes),
    ("less", "--LOG-FILE", Yes),
    ("less", "--log-file", Yes),
    ("less", "-O", Yes),
    ("less", "-o", Yes),
    ("man", "--pager", Unknown),
    ("man", "-P", Unknown),
    ("mypy", "--install-types", Yes),
    ("npm audit", "--force", Yes),
    ("npm run", "--fix", Yes),
    ("npm test", "-u", Yes),
    ("pnpm audit", "--fix", Yes),
    ("pnpm lint", "--fix", Yes),
    ("pnpm run", "--fix", Yes),
    ("pnpm test", "-u", Yes),
    ("prettier", "--write", Yes),
    ("prettier", "-w", Yes),
    ("pylint", "--output", Yes),
    ("pytest", "--snapshot-update", Yes),
    ("rg", "--pre", Unknown),
    ("rsync", "--dry-run", No),
    ("rubocop", "--auto-correct", Yes),
    ("rubocop", "--auto-correct-all", Yes),
    ("rubocop", "--auto-gen-config", Yes),
    ("rubocop", "--autocorrect", Yes),
    ("rubocop", "--autocorrect-all", Yes),
    ("rubocop", "-A", Yes),
    ("rubocop", "-a", Yes),
    ("ruff check", "--add-noqa", Yes),
    ("ruff check", "--fix", Yes),
    ("ruff check", "--fix-only", Yes),
    ("ruff check", "--output-file", Yes),
    ("ruff check", "-o", Yes),
    ("ruff format", "--check", No),
    ("ruff format", "--diff", No),
    ("rustfmt", "--check", No),
    ("sed", "--in-place", Yes),
    ("sed", "-i", Yes),
    ("sort", "--output", Yes),
    ("sort", "-o", Yes),
    ("stylelint", "--fix", Yes),
    ("stylelint", "--output-file", Yes),
    ("time", "--output", Yes),
    ("time", "-o", Yes),
    ("tree", "--output", Yes),
    ("tree", "-o", Yes),
    ("tsc", "--init", Yes),
    ("unzip", "-l", No),
    ("vitest", "--update", Yes),
    ("vitest", "-u", Yes),
    ("wget", "--spider", No),
    ("wget", "-O-", No),
    ("wget", "-qO-", No),
    ("yarn lint", "--fix", Yes),
    ("yarn run", "--fix", Yes),
    ("yarn test", "-u", Yes),
    ("yq", "--inplace", Yes),
    ("yq", "-i", Yes),
];

/// Options before the first word of a program that take the next word as their value, space between them.
pub(in crate::evidence) const VALUES: &[(&str, &str)] = &[
    ("cargo", "--config --color -C -Z"),
    ("date", "--date -d -f -r"),
    ("docker", "--context -H"),
    ("git", "--git-dir --work-tree -C -c"),
    ("go", "-C"),
    ("kubectl", "--context --kubeconfig --namespace -n"),
    ("npm", "--prefix --workspace -w"),
    ("pnpm", "--dir --filter -C -F"),
    ("uv", "--directory --project"),
    ("yarn", "--cwd"),
];

/// Programs that tell their version by `-v` or `-version`.
pub(super) const VERSION_LETTER: &[&str] = &["java", "javac", "node", "npm", "perl", "php", "pnpm", "ruby", "yarn"];

/// Variables and settings of git (2.50) whose value is a program that is run.
const CHOOSES: &[&str] = &[
    "BASH_ENV",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LD_PRELOAD",
    "PAGER",
    "core.fsmonitor",
    "core.pager",
    "core.sshcommand",
    "diff.external",
];
/// Programs that only show what they are given.
const SHOWS: &[&str] = &["", ":", "cat", "delta", "less", "less -FRX", "less -R", "more", "true"];

/// Whether a value that is given for one command has another program run that may do anything.
pub(super) fn brings_a_program(name: &str, value: &str) -> bool {
    let chooses = CHOOSES.iter().any(|known| known.eq_ignore_ascii_case(name));
    let alias = name.starts_with("alias.") || name.starts_with("pager.");
    (chooses || alias) && !SHOWS.contains(&value.trim_matches(['"', '\'']))
}

/// Programs that set, with an operand, what they tell without one.
pub(super) const SETS: &[&str] = &["date", "hostname"];

/// Files that keep nothing of what is written to them. `/dev/tcp/…` and the like reach out.
const DEVICES: &[&str] = &[
    "full", "null", "ptmx", "random", "stderr", "stdin", "stdout", "tty", "urandom", "zero",
];

/// Whether a file is one that keeps nothing of what is written to it.
pub(super) fn keeps_nothing(path: &str) -> bool {
    let number = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
    path.strip_prefix("/dev/")
        .is_some_and(|name| DEVICES.contains(&name) || name.strip_prefix("fd/").is_some_and(number))
}

/// Values with which an option writes to no file and sends nothing.
pub(super) const HARMLESS_VALUES: &[&str] = &["-", "/dev/null", "/dev/stdout", "GET", "HEAD", "OPTIONS"];

/// Options of `find` that run a command.
pub(in crate::evidence) const FIND_RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Words that are no programs: where the grammar takes one for a program, the command is broken.
pub(in crate::evidence) const RESERVED: &[&str] = &[
    "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while", "}",
];

/// Operators of `test` that look at files.
pub(super) const FILE_TESTS: &[&str] = &[
    "-G", "-L", "-N", "-O", "-S", "-b", "-c", "-d", "-e", "-ef", "-f", "-g", "-h", "-k", "-nt", "-ot", "-p", "-r",
    "-s", "-u", "-w", "-x",
];

type Uses = HashMap<&'static str, ShellEffects>;

static BY_PROGRAM: LazyLock<HashMap<&'static str, Uses>> = LazyLock::new(|| {
    let mut programs: HashMap<&'static str, Uses> = HashMap::new();
    for &(program, words, observes, mutates) in COMMANDS {
        for word in words.split(", ") {
            let (program, used) = if program.is_empty() {
                (word, "")
            } else {
                (program, word)
            };
            programs
                .entry(program)
                .or_default()
                .insert(used, ShellEffects::new(observes, mutates));
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

/// Whether an operator of `test` looks at files.
pub(super) fn asks_about_file(operator: &str) -> bool {
    FILE_TESTS.binary_search(&operator).is_ok()
}
