//! What no file of the repository may mention: the machine it was made on, and where packages come from.
//! How the rest is worded is not a program's to judge.

use super::files::Source;

/// Put together here, so that this file passes its own rule.
const FORBIDDEN: &[&str] = &[
    concat!("..", "/shared"),
    concat!("/wo", "rk/"),
    concat!(".lib", "rary"),
    concat!("crates", ".io"),
    concat!("npm", "js"),
    concat!("pypi", ".org"),
    concat!("proxy", ".golang"),
    concat!("/ro", "ot/"),
];
/// Where people's home folders are.
const HOMES: &[&str] = &[concat!("/ho", "me/"), concat!("/Us", "ers/")];
/// The person of the recorded sessions.
const RECORDED: &str = "dev";

/// Something in a file that leads away from it.
pub(crate) fn mention(file: &Source) -> Option<String> {
    // Written by cargo, which names the registry of every package.
    if file.path.ends_with("Cargo.lock") {
        return None;
    }
    let word = FORBIDDEN
        .iter()
        .find(|word| file.text.contains(**word))
        .map(|word| format!("mentions {word}"));
    word.or_else(|| home(file))
}

fn home(file: &Source) -> Option<String> {
    for base in HOMES {
        for (at, _) in file.text.match_indices(base) {
            let rest = &file.text[at + base.len()..];
            let name = rest
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
                .next()
                .unwrap_or_default();
            let allowed = name.is_empty() || (file.is_test() && name == RECORDED);
            if !allowed {
                return Some(format!("mentions {base}{name}"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_found_and_the_recorded_home_is_allowed_in_fixtures() {
        let told = |path: &str, text: &str| {
            mention(&Source {
                path: path.to_owned(),
                text: text.to_owned(),
            })
            .is_some()
        };
        for word in FORBIDDEN {
            assert!(told("docs/a.md", &format!("see {word}x")), "{word}");
        }
        for base in HOMES {
            assert!(told("docs/a.md", &format!("{base}ann/x")) && told("docs/a.md", &format!("{base}{RECORDED}/x")));
            assert!(told("fixtures/a.json", &format!("{base}{RECORDED}/x {base}devel/x")));
            assert!(!told("fixtures/a.json", &format!("{base}{RECORDED}/x")));
            assert!(!told("docs/a.md", &format!("the folder {base} itself")));
        }
    }
}
