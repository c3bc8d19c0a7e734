//! Whether Python code that is handed to an interpreter only looks: it names nothing that could change anything.
//! Modules of a project stay out, and so does what the code shows.

use super::invoke::has_letter;
use super::word::Word;

/// Code that is longer is not read, in bytes.
const LONGEST: usize = 4096;

/// Modules that change nothing by being imported, and nothing by the calls below.
const MODULES: &str = "\
    argparse ast base64 collections csv datetime decimal difflib fractions functools glob hashlib inspect \
    itertools json keyword math operator os path pathlib platform pprint random re shlex statistics string \
    struct sys textwrap time tokenize tomllib typing unicodedata zlib Counter Path PurePath defaultdict date \
    timedelta";
/// What may be called, as a function or on anything.
const CALLS: &str = "\
    Counter Path abs all any append as_posix b64decode b64encode basename bin bool capitalize ceil chr count \
    date decode defaultdict dict dirname divmod dumps encode endswith enumerate exists expanduser extend filter \
    find findall finditer float floor format fromisoformat fromtimestamp get getcwd getsize glob group groups \
    hash hex hexdigest id index int is_dir is_file isalpha isdigit isdir isfile isinstance isoformat items \
    iterdir join keys len list listdir literal_eval ljust load loads log lower lstrip map match max md5 mean \
    median min most_common next now oct open ord parse partition pformat pow pprint print range read read_bytes \
    read_text reader readline readlines realpath repr reversed rglob rjust round rpartition rsplit rstrip search \
    set sha1 sha256 sort sorted split splitext splitlines sqrt startswith stat str strftime strip sub sum time \
    title today tuple type unparse update upper values version walk zfill zip";
/// What may be asked of something beside that.
const ATTRIBUTES: &str = "\
    argv body environ executable modules name parent parents parts sep stderr stdin stdout stem suffix \
    version_info";
/// Functions that may do anything with what they are given, also where others call them.
const MIGHTY: &str = "breakpoint compile delattr eval exec getattr globals input locals setattr vars";
/// Words behind which a bracket calls nothing.
const KEYWORDS: &str = "and assert elif else for if in is lambda not or return while yield";
/// How a file is opened that is only read.
const READS: &str = "r rb rt";

/// True for `python -c code`, and for code on standard input, that surely only looks. What is not known to look may do
/// anything: a module of the project, a call that stands in no list here, a name of the interpreter's own.
pub(super) fn looks(name: &str, args: &[Word], input: Option<&str>) -> bool {
    let version = name.strip_prefix("python").unwrap_or("x");
    if !version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return false;
    }
    let code = match args.iter().position(|word| has_letter(word, 'c')) {
        Some(at) => args.get(at + 1).and_then(Word::literal),
        None if args.iter().all(|word| word.text == "-") => input,
        None => None,
    };
    code.is_some_and(|code| code.len() <= LONGEST && only_looks(code))
}

/// One part of the code.
#[derive(Debug, PartialEq)]
enum Part {
    Name(String),
    Text(String),
    Sign(char),
    /// The end of a line or statement.
    End,
}

fn only_looks(code: &str) -> bool {
    let Some(parts) = parts(code) else { return false };
    let mut statement = 0;
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::End => statement = at + 1,
            Part::Name(name) if name.contains("__") || is_in(MIGHTY, name) => return false,
            Part::Name(name) if name == "open" && parts.get(at + 1) != Some(&Part::Sign('(')) => return false,
            Part::Name(name) if of_something(&parts, at) && !may_be_asked(name) => return false,
            Part::Name(name) if name == "import" => {
                let from = matches!(&parts[statement], Part::Name(first) if first == "from");
                let end = parts[at..]
                    .iter()
                    .position(|part| *part == Part::End)
                    .map_or(parts.len(), |end| at + end);
                let lead = if from { &parts[statement + 1..at] } else { &[] };
                if !lead.iter().chain(&parts[at + 1..end]).all(is_known_module) {
                    return false;
                }
            }
            Part::Name(name) if parts.get(at + 1) == Some(&Part::Sign('(')) => {
                let defines = at > 0 && matches!(&parts[at - 1], Part::Name(word) if word == "def" || word == "class");
                let known = is_in(CALLS, name) || is_in(KEYWORDS, name);
                if defines || !known || (name == "open" && !opens_to_read(&parts, at)) {
                    return false;
                }
            }
            // A call of what stands nowhere by name.
            Part::Sign('(') if at > 0 && matches!(parts[at - 1], Part::Sign(')' | ']') | Part::Text(_)) => {
                return false;
            }
            Part::Sign('@' | '`') => return false,
            _ => {}
        }
    }
    // A name that is given to something else may be called by another one, and what the interpreter runs on may change.
    !parts
        .windows(2)
        .any(|pair| matches!(pair, [Part::Name(name), Part::Sign('=')] if is_in(CALLS, name)))
}

fn is_in(list: &str, name: &str) -> bool {
    list.split(' ').any(|entry| entry == name)
}

/// Whether a name is asked of what stands before it: `os.remove`.
fn of_something(parts: &[Part], at: usize) -> bool {
    at > 0 && parts[at - 1] == Part::Sign('.')
}

fn may_be_asked(name: &str) -> bool {
    [CALLS, MODULES, ATTRIBUTES].iter().any(|list| is_in(list, name))
}

/// A module, or what is taken from one under its own name.
fn is_known_module(part: &Part) -> bool {
    match part {
        Part::Name(name) => is_in(MODULES, name),
        Part::Sign(sign) => matches!(sign, ',' | '.'),
        Part::Text(_) | Part::End => false,
    }
}

/// Whether what is handed to `open` is one file, and no way to write it.
fn opens_to_read(parts: &[Part], open: usize) -> bool {
    let (by_path, parts) = (of_something(parts, open), &parts[open + 2..]);
    if by_path {
        // `Path('a').open('w')`, `os.open('a', flags)`: the first value may be how it is opened.
        return parts.first() == Some(&Part::Sign(')'));
    }
    let mut depth = 0_usize;
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Sign('(' | '[' | '{') => depth += 1,
            Part::Sign(')' | ']' | '}') if depth == 0 => return true,
            Part::Sign(')' | ']' | '}') => depth -= 1,
            Part::Sign('*') if depth == 0 => return false,
            Part::Sign(',') if depth == 0 => {
                let reads = match &parts[at + 1..] {
                    [Part::Text(mode), Part::Sign(',' | ')'), ..] => is_in(READS, mode),
                    [
                        Part::Name(name),
                        Part::Sign('='),
                        Part::Text(mode),
                        Part::Sign(',' | ')'),
                        ..,
                    ] => name == "encoding" || name == "errors" || (name == "mode" && is_in(READS, mode)),
                    _ => false,
                };
                if !reads {
                    return false;
                }
            }
            _ => {}
        }
    }
    false
}

/// The code in parts; none where a text does not end, or is one that may hold code.
fn parts(code: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let mut text = String::new();
                loop {
                    match letters.next()? {
                        '\\' => text.extend(letters.next()),
                        end if end == letter => break,
                        other => text.push(other),
                    }
                }
                parts.push(Part::Text(text));
            }
            '#' => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '\n' | ';' => parts.push(Part::End),
            _ if letter.is_alphabetic() || letter == '_' => {
                let mut name = String::from(letter);
                while let Some(more) = letters.next_if(|more| more.is_alphanumeric() || *more == '_') {
                    name.push(more);
                }
                let prefix = matches!(letters.peek(), Some('\'' | '"')) && name.len() <= 2;
                match (prefix, name.to_ascii_lowercase().contains(['f', 't'])) {
                    // What stands in its braces is code.
                    (true, true) => return None,
                    (true, false) => {}
                    _ => parts.push(Part::Name(name)),
                }
            }
            _ if letter.is_whitespace() => {}
            _ => parts.push(Part::Sign(letter)),
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn code_that_only_looks() {
        for (code, expected) in [
            ("print(1 + 1)", true),
            ("import sys; print(sys.path)", true),
            ("import json; print(json.load(open('a.json'))['x'])", true),
            (
                "import json,sys\nfor line in sys.stdin:\n    print(json.loads(line)['a'])",
                true,
            ),
            ("from pathlib import Path; print(Path('a').read_text())", true),
            (
                "from collections import Counter\nprint(Counter(open('a', 'r').read()).most_common(3))",
                true,
            ),
            ("print(open('a', encoding='utf-8').read())", true),
            ("import os.path; print(os.path.exists('a'))", true),
            ("print('os.remove(1)') # open('a', 'w')", true),
            ("print([x for x in range(3) if (x > 1)])", true),
            ("open('a','w').write('')", false),
            ("open('a', 'w')", false),
            ("open('a', mode='w')", false),
            ("open('a', m)", false),
            ("open(*a)", false),
            ("from pathlib import Path; print(Path('a').open().read())", true),
            ("from pathlib import Path; Path('a').open('w')", false),
            ("import os; os.open('a', 64)", false),
            ("print(list(map(open, ['a'], ['w'])))", false),
            ("print(list(map(exec, ['x'])))", false),
            ("import os\nfor print in [os.remove]: print('a')", false),
            ("import sys; print(sys.version_info, sys.argv[1])", true),
            ("import os; os.remove('a')", false),
            ("import shutil", false),
            ("import subprocess as json", false),
            ("from os import remove as print; print('a')", false),
            ("from os import system", false),
            ("import setup; print(1)", false),
            ("import json as j, app", false),
            ("exec('x')", false),
            ("__import__('os').system('x')", false),
            ("getattr(x, 'y')('z')", false),
            ("print = x; print(1)", false),
            ("import os; os.getcwd = 1; len = os.remove; len('a')", false),
            ("[x][0]('a')", false),
            ("print(f'{x()}')", false),
            ("from pathlib import Path; Path('a').write_text('x')", false),
            ("from pathlib import Path; Path('a').unlink()", false),
            ("class A(x): pass", false),
            ("print('a", false),
            ("", true),
        ] {
            assert_eq!(only_looks(code), expected, "{code}");
        }
    }

    proptest! {
        #[test]
        fn any_code_is_read(code in "(?s).{0,300}|[a-z_ ='\"()\\[\\],;.#\\n*f@]{0,300}") {
            only_looks(&code);
        }
    }
}
