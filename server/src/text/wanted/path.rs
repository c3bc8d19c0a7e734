//! Which words of a prose text name a path, a file, a glob or a tool.
//! What is said of them stays out.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// No name is longer, in bytes.
const MAX_NAME: usize = 200;
/// What may stand around a name in prose; a star may belong to a glob.
const AROUND: &[char] = &[
    '"', '\'', '“', '”', '‘', '’', '«', '»', '(', ')', '[', ']', '{', '}', ',', ';', ':', '!', '?', '…',
];

/// Endings of files: after any other a dot may as well part an object from its method.
const ENDINGS: &[&str] = &[
    "rs",
    "toml",
    "lock",
    "md",
    "mdx",
    "txt",
    "rst",
    "py",
    "pyi",
    "ipynb",
    "js",
    "jsx",
    "mjs",
    "cjs",
    "ts",
    "tsx",
    "mts",
    "json",
    "jsonl",
    "json5",
    "yaml",
    "yml",
    "go",
    "mod",
    "sum",
    "java",
    "kt",
    "kts",
    "scala",
    "swift",
    "c",
    "h",
    "cc",
    "cpp",
    "hpp",
    "cxx",
    "cs",
    "fs",
    "rb",
    "erb",
    "php",
    "pl",
    "lua",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "mli",
    "clj",
    "dart",
    "zig",
    "nim",
    "r",
    "jl",
    "vue",
    "svelte",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "svg",
    "png",
    "jpg",
    "gif",
    "sql",
    "sqlite",
    "db",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmake",
    "gradle",
    "xml",
    "ini",
    "cfg",
    "conf",
    "env",
    "properties",
    "proto",
    "graphql",
    "tf",
    "tfvars",
    "hcl",
    "nix",
    "bzl",
    "csv",
    "tsv",
    "log",
    "tex",
    "bib",
    "snap",
    "patch",
    "diff",
    "plist",
    "vim",
    "el",
    "wasm",
    "pdf",
];
/// Files without an ending.
const FILES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "Justfile",
    "justfile",
    "Rakefile",
    "Gemfile",
    "Procfile",
    "Jenkinsfile",
    "Vagrantfile",
    "LICENSE",
    "README",
    "CHANGELOG",
    "CODEOWNERS",
    "BUILD",
    "WORKSPACE",
];
static FINDERS: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| FILES.iter().map(Finder::new).collect());
/// Pairs of words that a slash joins.
const PAIRS: &[&str] = &[
    "and/or",
    "either/or",
    "he/she",
    "she/he",
    "his/her",
    "him/her",
    "s/he",
    "yes/no",
    "y/n",
    "true/false",
    "on/off",
    "in/out",
    "input/output",
    "i/o",
    "read/write",
    "r/w",
    "client/server",
    "request/response",
    "try/catch",
    "start/stop",
    "push/pull",
    "up/down",
    "left/right",
    "before/after",
    "n/a",
    "w/o",
    "w/",
    "tcp/ip",
    "ci/cd",
    "key/value",
    "get/set",
    "add/remove",
    "pass/fail",
    "success/failure",
    "frontend/backend",
    "if/else",
    "open/close",
    "a/b",
    "24/7",
];

/// What a word of a text names: a path, a file name, a glob, code of one word, or an MCP tool (`mcp__server__tool`).
pub(super) fn named(chunk: &str) -> Option<String> {
    let chunk = chunk
        .trim_matches(AROUND)
        .trim_end_matches('.')
        .trim_end_matches(AROUND);
    if let Some(inside) = code(chunk) {
        return (fits(inside) && inside.contains(char::is_alphanumeric)).then(|| inside.to_owned());
    }
    let bare = without_emphasis(chunk);
    let bare = code(bare).unwrap_or(bare);
    let bare = bare.strip_prefix('@').unwrap_or(bare);
    (fits(bare) && is_name(bare)).then(|| bare.to_owned())
}

/// False for a text of which no word names anything. It looks at characters alone, so it is quick.
pub(super) fn may_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let inside = |at: usize| {
        bytes
            .get(at + 1)
            .is_some_and(|next| next.is_ascii_alphanumeric() || !next.is_ascii())
    };
    memchr::memchr3_iter(b'/', b'\\', b'*', bytes).next().is_some()
        || memchr::memchr(b'`', bytes).is_some()
        || memchr::memchr_iter(b'.', bytes).any(inside)
        || text.contains("mcp__")
        || FINDERS.iter().any(|name| name.find(bytes).is_some())
}

/// The content of a code span of one word, with emphasis around it or none.
fn code(chunk: &str) -> Option<&str> {
    let chunk = chunk.trim_matches(['*', '_']);
    let inside = chunk.strip_prefix('`')?.split('`').next()?;
    chunk[1..].contains('`').then_some(inside)
}

/// The word without the stars or lines of emphasis around it.
fn without_emphasis(word: &str) -> &str {
    for mark in ["**", "__", "*", "_"] {
        if let Some(inside) = word.strip_prefix(mark).and_then(|word| word.strip_suffix(mark))
            && inside.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '`'))
        {
            return inside;
        }
    }
    word
}

fn fits(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && !name.contains(|c: char| c.is_control() || c == '\u{fffc}')
}

fn is_name(word: &str) -> bool {
    let clean = !word.contains("://") && !word.contains(['`', '<', '>', '=', '"', '$', '|', '&']);
    clean && (is_path(word) || is_glob(word) || is_file(word) || word.starts_with("mcp__"))
}

fn is_path(word: &str) -> bool {
    let word = word.replace('\\', "/");
    let lower = word.to_lowercase();
    let part = |part: &str| {
        part.is_empty()
            || part
                .chars()
                .all(|c| c.is_alphanumeric() || "._-*?@+~[]{},:".contains(c))
    };
    let letters = word.chars().any(char::is_alphabetic);
    let numbers = word.split('/').all(|part| part.chars().all(|c| c.is_ascii_digit()));
    // `/reflect` is a command.
    let command = word.starts_with('/') && word.matches('/').count() == 1;
    word.contains('/')
        && letters
        && !numbers
        && !command
        && !PAIRS.contains(&lower.as_str())
        && word.split('/').all(part)
}

fn is_glob(word: &str) -> bool {
    let ending = word.rsplit_once("*.").map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric() || "{},.*".contains(c))
    })
}

fn is_file(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_alphanumeric() || "._-+[]".contains(c));
    let hidden = word
        .strip_prefix('.')
        .is_some_and(|name| name.len() > 1 && name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let ending = || {
        word.rsplit_once('.')
            .filter(|(stem, _)| !stem.is_empty())
            .map(|(_, ending)| ending.to_lowercase())
    };
    plain && (hidden || FILES.contains(&word) || ending().is_some_and(|ending| ENDINGS.contains(&ending.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        for (word, expected) in [
            ("src/retry,", Some("src/retry")),
            ("docs/", Some("docs/")),
            ("./a/b.rs.", Some("./a/b.rs")),
            ("../up", Some("../up")),
            ("src\\a.rs", Some("src\\a.rs")),
            ("parser.rs", Some("parser.rs")),
            ("(Cargo.toml)", Some("Cargo.toml")),
            (".gitignore", Some(".gitignore")),
            ("Makefile", Some("Makefile")),
            ("*.rs", Some("*.rs")),
            ("**/*.ts", Some("**/*.ts")),
            ("src/**", Some("src/**")),
            ("**parser.rs**", Some("parser.rs")),
            ("`Bash`", Some("Bash")),
            ("`a`,", Some("a")),
            ("**`a`**", Some("a")),
            ("@src/a.rs", Some("src/a.rs")),
            ("mcp__tracker__create", Some("mcp__tracker__create")),
            ("Loader", None),
            ("and/or", None),
            ("1/2", None),
            ("e.g.", None),
            ("i.e", None),
            ("parser.parse", None),
            ("v1.2.3", None),
            ("https://example.org/a", None),
            ("/reflect", None),
            ("``", None),
            ("`", None),
            ("**", None),
            ("/", None),
            ("...", None),
            ("", None),
        ] {
            assert_eq!(named(word).as_deref(), expected, "{word:?}");
            assert!(expected.is_none() || may_name(word), "{word:?}");
        }
    }
}
