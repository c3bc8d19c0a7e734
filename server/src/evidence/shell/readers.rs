//! Programs whose effect comes from elsewhere, as data: filters from their input, wrappers from the command they run.
//! Programs that do something of their own stay out.

use super::word::Word;

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
    /// A second operand is the file that it writes.
    pub(super) writes_second: bool,
}

const fn filter_row(
    name: &'static str,
    takes: usize,
    instead: &'static str,
    values: &'static str,
    folder: Folder,
) -> Filter {
    Filter {
        name,
        takes,
        instead,
        values,
        folder,
        writes_second: false,
    }
}

/// A filter whose second operand is the file that it writes.
const fn from_to(row: Filter) -> Filter {
    Filter {
        writes_second: true,
        ..row
    }
}

const GREP_VALUES: &str = "-A -B -C -D -d -e -f -m --after-context --before-context --color --context --max-count";
const RG_VALUES: &str = "-A -B -C -E -M -T -d -e -f -g -j -m -r -t --glob --max-count --max-depth --type";

/// Programs that see only what they are given when no file is named.
pub(super) const FILTERS: &[Filter] = &[
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
    from_to(filter_row("json.tool", 0, "", "--indent", Folder::Never)),
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
    from_to(filter_row("uniq", 0, "", "-f -s -w", Folder::Never)),
    filter_row("wc", 0, "", "", Folder::Never),
    from_to(filter_row("xxd", 0, "", "-c -l -s", Folder::Never)),
    filter_row("yq", 1, "", "", Folder::Never),
    filter_row("zcat", 0, "", "", Folder::Never),
];

/// A program that runs the command in its arguments.
#[derive(Debug)]
pub(in crate::evidence) struct Wrapper {
    /// Its name, with a first argument where that makes it one.
    pub(in crate::evidence) name: &'static str,
    /// How many operands stand before the command.
    pub(super) skips: usize,
    /// Options whose value is the next word, space between them.
    pub(super) values: &'static str,
}

const fn wrapper_row(name: &'static str, skips: usize, values: &'static str) -> Wrapper {
    Wrapper { name, skips, values }
}

/// Programs that run another one.
pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper_row("builtin", 0, ""),
    wrapper_row("bun x", 0, ""),
    wrapper_row("bundle exec", 0, ""),
    wrapper_row("bunx", 0, "-p"),
    wrapper_row("c8", 0, "-r --reporter"),
    wrapper_row("chronic", 0, ""),
    wrapper_row("command", 0, ""),
    wrapper_row("conda run", 0, "-n -p --cwd --name --prefix"),
    wrapper_row("coproc", 0, ""),
    wrapper_row("cross-env", 0, ""),
    wrapper_row("doas", 0, "-u"),
    wrapper_row("dotenv", 0, "-e -f"),
    wrapper_row("env", 0, "-C -S -u"),
    wrapper_row("exec", 0, "-a"),
    wrapper_row("flock", 1, "-w"),
    wrapper_row("hatch run", 0, ""),
    wrapper_row("ionice", 0, "-c -n"),
    wrapper_row("micromamba run", 0, "-n -p --name --prefix"),
    wrapper_row("mise exec", 0, ""),
    wrapper_row("nice", 0, "-n"),
    wrapper_row("nohup", 0, ""),
    wrapper_row("npm exec", 0, "-p --package"),
    wrapper_row("npx", 0, "-p --package"),
    wrapper_row("nyc", 0, "-r --reporter"),
    wrapper_row("pdm run", 0, ""),
    wrapper_row("pipenv run", 0, ""),
    wrapper_row("pipx run", 0, "--python --spec"),
    wrapper_row("pixi run", 0, "-e --environment"),
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
    wrapper_row("unbuffer", 0, ""),
    wrapper_row(
        "uv run",
        0,
        "-p --directory --env-file --extra --group --index-url --package --project --python --with --with-requirements",
    ),
    wrapper_row("uvx", 0, "-p --directory --from --python --with"),
    wrapper_row("watch", 0, "-n"),
    wrapper_row("xargs", 0, "-E -I -L -P -a -d -n -s"),
    wrapper_row("xvfb-run", 0, "-e -n -s"),
    wrapper_row("yarn exec", 0, ""),
];

impl Wrapper {
    /// Where the command that it runs begins in its arguments, or none when it runs none.
    pub(in crate::evidence) fn inner(&self, args: &[Word]) -> Option<usize> {
        let mut left = self.skips;
        let mut at = self.name.split(' ').count() - 1;
        while let Some(word) = args.get(at) {
            if word.is_option() {
                at += if takes_value(word, self.values) { 2 } else { 1 };
            } else if is_assignment(word) {
                at += 1;
            } else if left > 0 {
                left -= 1;
                at += 1;
            } else {
                return Some(at);
            }
        }
        None
    }
}

/// Whether a word sets a variable for the command behind it.
fn is_assignment(word: &Word) -> bool {
    word.text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
    })
}

/// Whether the word after an option belongs to it.
pub(in crate::evidence) fn takes_value(word: &Word, values: &str) -> bool {
    values.split(' ').any(|option| match option.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => !word.text.starts_with("--") && word.text.ends_with(letter),
        _ => !option.is_empty() && word.text == option,
    })
}

/// The filter of this name.
pub(super) fn filter(name: &str) -> Option<&'static Filter> {
    FILTERS
        .binary_search_by(|row| row.name.cmp(name))
        .ok()
        .map(|at| &FILTERS[at])
}

/// The wrapper that a command starts with.
pub(in crate::evidence) fn wrapper(name: &str, args: &[Word]) -> Option<&'static Wrapper> {
    let find = |key: &str| {
        WRAPPERS
            .binary_search_by(|row| row.name.cmp(key))
            .ok()
            .map(|at| &WRAPPERS[at])
    };
    find(name).or_else(|| args.first().and_then(|first| find(&format!("{name} {}", first.text))))
}
