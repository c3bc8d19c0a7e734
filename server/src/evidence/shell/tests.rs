//! The table of commands, and promises that hold for every command.
//! Single functions are tested through them.

use proptest::prelude::*;

use super::grammar::MAX_COMMAND;
use super::*;

const TABLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/shell/commands.tsv"));

fn known(cell: &str) -> Known {
    match cell {
        "yes" => Known::Yes,
        "no" => Known::No,
        "unknown" => Known::Unknown,
        other => panic!("no such answer: {other}"),
    }
}

/// A cell with `\n`, `\t` and `\\` read back.
fn unescape(cell: &str) -> String {
    let mut out = String::new();
    let mut chars = cell.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some(next)) => {
                chars.next();
                out.push(match next {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
            }
            _ => out.push(c),
        }
    }
    out
}

fn table() -> Vec<(String, ShellEffects, &'static str)> {
    TABLE
        .lines()
        .skip(1)
        .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [command, observes, mutates, note] => (
                unescape(command),
                ShellEffects::new(known(observes), known(mutates)),
                note,
            ),
            _ => panic!("not four cells: {line}"),
        })
        .collect()
}

#[test]
fn commands_of_the_table() {
    let rows = table();
    assert!(rows.len() >= 90, "{}", rows.len());
    let wrong: Vec<String> = rows
        .into_iter()
        .filter(|(command, expected, _)| effects(command) != *expected)
        .map(|(command, expected, note)| format!("{command:?} ({note}): {:?}, not {expected:?}", effects(&command)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn longer_than_the_cap_is_unknown() {
    let fits = format!("ls{}", " ".repeat(MAX_COMMAND - 2));
    assert_eq!(effects(&fits), ShellEffects::LOOKS);
    assert_eq!(effects(&format!("{fits} ")), ShellEffects::UNKNOWN);
}

#[test]
fn characters_beyond_ascii_are_letters() {
    assert_eq!(effects("echo {\u{10ffff} $é \\é 'ü' \"日\""), ShellEffects::NOTHING);
    assert_eq!(effects("cat ü"), ShellEffects::LOOKS);
    assert_eq!(effects("éd"), ShellEffects::RUNS_CODE);
    assert_eq!(effects("echo a\0"), ShellEffects::UNKNOWN);
    assert_eq!(effects("echo a\u{1}"), ShellEffects::UNKNOWN);
}

#[test]
fn deeper_than_the_cap_is_unknown() {
    let nested = |levels: usize| format!("{}echo a{}", "( ".repeat(levels), " )".repeat(levels));
    assert_eq!(effects(&nested(30)), ShellEffects::NOTHING);
    assert_eq!(effects(&nested(walk::MAX_DEPTH + 1)), ShellEffects::UNKNOWN);
    assert_eq!(
        effects(&format!("{}echo a", "env ".repeat(walk::MAX_DEPTH + 1))),
        ShellEffects::UNKNOWN
    );
    assert_eq!(effects(&format!("{}echo a", "eval ".repeat(10))), ShellEffects::UNKNOWN);
    let piped = |bars: usize| format!("echo a{}", " | cat".repeat(bars));
    assert_eq!(effects(&piped(grammar::MAX_BARS)), ShellEffects::NOTHING);
    assert_eq!(effects(&piped(grammar::MAX_BARS + 1)), ShellEffects::UNKNOWN);
    assert_eq!(
        effects(&format!("echo a{}", " && echo a".repeat(5_000))),
        ShellEffects::NOTHING
    );
}

/// Commands of one shape that grow with `n`.
fn pathological(n: usize) -> Vec<(&'static str, String)> {
    let documents = |n: usize| (0..n).map(|i| format!("cat <<E{i}\nx\nE{i}\n")).collect::<String>();
    vec![
        ("open parens", "(".repeat(n)),
        ("closed parens", format!("{}ls{}", "(".repeat(n / 2), ")".repeat(n / 2))),
        ("pipes", "a|".repeat(n / 2)),
        ("closed pipes", format!("a{}", "|a".repeat(n / 2 - 1))),
        ("and", format!("a{}", "&&a".repeat(n / 3 - 1))),
        ("single quotes", "'".repeat(n - 1)),
        ("double quotes", "\"".repeat(n - 1)),
        ("quote and words", format!("'{}", "a ".repeat(n / 2 - 1))),
        ("documents", documents(n / 16)),
        ("open documents", "cat <<E\n".repeat(n / 8)),
        ("documents on a line", format!("cat{}\n", " <<E".repeat(n / 4 - 2))),
        ("open substitutions", "$(".repeat(n / 2)),
        ("substitutions in strings", "\"$(".repeat(n / 3)),
        (
            "closed substitutions",
            format!("{}ls{}", "$(".repeat(n / 3), ")".repeat(n / 3)),
        ),
        ("backticks", "`".repeat(n)),
        ("braces", "{".repeat(n)),
        ("expansions", "${a:-".repeat(n / 5)),
        ("arithmetic", "$((".repeat(n / 3)),
        ("tests", "[[ ".repeat(n / 3)),
        ("conditions", "if a; then ".repeat(n / 11)),
        ("cases", "case a in b) ".repeat(n / 13)),
        ("functions", "f() { ".repeat(n / 6)),
        ("evals", "eval ".repeat(n / 5)),
        ("wrappers", "env ".repeat(n / 4)),
        ("redirections", format!("ls{}", ">a".repeat(n / 2 - 1))),
        ("process substitutions", "<(".repeat(n / 2)),
        ("statements", "ls;".repeat(n / 3)),
        ("backslashes", "\\".repeat(n)),
        ("newlines", "\n".repeat(n)),
        ("nul", "\0".repeat(n)),
        ("wide", "é".repeat(n / 2)),
    ]
}

#[test]
fn work_grows_with_length_and_no_faster() {
    let small = pathological(MAX_COMMAND / 4);
    let large = pathological(MAX_COMMAND);
    let grown: Vec<String> = small
        .iter()
        .zip(&large)
        .filter_map(|((name, small), (_, large))| {
            let (before, after) = (measured(small).1, measured(large).1);
            // Four times the length; the rest is for fixed parts.
            (after > 6 * before + 10_000 || after > grammar::MAX_WORK + MAX_COMMAND)
                .then(|| format!("{name}: {before} -> {after}"))
        })
        .collect();
    assert!(grown.is_empty(), "{}", grown.join("\n"));
}

/// Rows that stand out of order or twice.
fn unsorted() -> Vec<String> {
    fn check(table: &str, keys: Vec<String>, found: &mut Vec<String>) {
        let wrong = keys.windows(2).filter(|pair| pair[0] >= pair[1]);
        found.extend(wrong.map(|pair| format!("{table}: {} before {}", pair[0], pair[1])));
    }
    let mut found = Vec::new();
    let mut uses = Vec::new();
    for (program, words, ..) in programs::COMMANDS {
        check(program, words.split(", ").map(str::to_owned).collect(), &mut found);
        uses.extend(words.split(", ").map(|word| format!("{program} {word}")));
    }
    uses.sort();
    check("COMMANDS", uses, &mut found);
    check(
        "FLAGS",
        programs::FLAGS
            .iter()
            .map(|(program, flag, _)| format!("{program} {flag}"))
            .collect(),
        &mut found,
    );
    check(
        "FILTERS",
        readers::FILTERS.iter().map(|row| row.name.to_owned()).collect(),
        &mut found,
    );
    check(
        "WRAPPERS",
        readers::WRAPPERS.iter().map(|row| row.name.to_owned()).collect(),
        &mut found,
    );
    check(
        "FILE_TESTS",
        programs::FILE_TESTS.iter().map(|&row| row.to_owned()).collect(),
        &mut found,
    );
    found
}

#[test]
fn tables_are_sorted_and_name_nothing_twice() {
    assert_eq!(unsorted(), Vec::<String>::new());
}

/// Commands of the table that are one plain command each.
fn simple() -> Vec<String> {
    let plain = |command: &str| command.chars().all(|c| c.is_ascii_alphanumeric() || " -./".contains(c));
    let commands = table().into_iter().map(|(command, ..)| command);
    commands
        .filter(|command| plain(command) && !command.trim().is_empty() && command != "fi")
        .collect()
}

/// Bits of shell, so that random commands get past the first token.
fn shellish() -> impl Strategy<Value = String> {
    let bits = prop::sample::select(vec![
        "cat", "echo", " ", "\n", ";", "&&", "||", "|", "&", "$(", ")", "(", "`", "'", "\"", "<<EOF", "\nEOF\n", "<<<",
        ">", "<", "f", "{", "}", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "[[", "]]", "$x", "${",
        "\\", "=", "-c", "bash", "eval", "é", "#", "\0", "*", "!", "2>&1", "<(",
    ]);
    prop::collection::vec(bits, 0..60).prop_map(|bits| bits.concat())
}

/// A line's end behind a command is nothing: what is sure with it is not sure to be otherwise without.
fn ends_alike(command: &str) {
    if command.ends_with('\\') {
        return;
    }
    let (one, other) = (effects(command), effects(&format!("{command}\n")));
    for (one, other) in [(one.observes, other.observes), (one.mutates, other.mutates)] {
        assert!(
            one == other || one == Known::Unknown || other == Known::Unknown,
            "{command:?}: {one:?}, with a line's end {other:?}"
        );
    }
}

#[test]
fn a_here_document_without_an_end_tells_nothing() {
    for command in [
        "cd<<O\n&p",
        "git commit -m \"$(cat <<F\nx\n)\"",
        "x (cat<<F\n)",
        "cat <<EOF\nrm a",
        "cat <<EOF > a.rs\nx",
        "cat <<A <<B\nx\nA\ny",
    ] {
        ends_alike(command);
        assert_eq!(effects(command), ShellEffects::UNKNOWN, "{command:?}");
    }
    assert_ne!(effects("cat <<A <<B\nx\nA\ny\nB"), ShellEffects::UNKNOWN);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bits_of_shell_are_read_alike_with_a_line_end(command in shellish()) {
        ends_alike(&command);
    }

    #[test]
    fn any_text_is_read(command in "(?s).{0,1024}|[ -~\\n]{0,4096}") {
        effects(&command);
    }

    #[test]
    fn any_bits_of_shell_are_read(command in shellish()) {
        effects(&command);
    }

    #[test]
    fn two_commands_do_what_each_does(
        a in prop::sample::select(simple()),
        b in prop::sample::select(simple()),
    ) {
        prop_assert_eq!(effects(&format!("{a}; {b}")), effects(&a).join(effects(&b)));
    }
}
