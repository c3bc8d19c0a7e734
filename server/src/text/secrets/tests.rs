//! What is taken for a secret and what is not, as data; any text; growth.
//! Where texts are redacted is tested where they are stored.

use proptest::prelude::*;

use super::*;
use crate::text::words::fixture_in;

/// A field of the table: `\n` stands for a line end.
fn field(text: &str) -> String {
    text.replace("\\n", "\n")
}

#[test]
fn the_table_holds() {
    let table = fixture_in("text", "secrets.tsv");
    let mut wrong = Vec::new();
    let (mut hidden, mut kept) = (0, 0);
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (text, expected) = line.split_once('\t').unwrap_or((line, "="));
        let text = field(text);
        let expected = if expected == "=" { text.clone() } else { field(expected) };
        if expected == text {
            kept += 1;
        } else {
            hidden += 1;
        }
        let found = redact(&text);
        if found != expected {
            wrong.push(format!("{text:?}\n  is       {found:?}\n  expected {expected:?}"));
        }
        assert_eq!(redact(&found), found, "again: {text:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(hidden >= 60 && kept >= 60, "the table is whole: {hidden} and {kept}");
}

/// Pieces of which texts are made that come near to holding a secret.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "password",
        "token=",
        "--token ",
        "--password ",
        "secret: ",
        "Authorization: ",
        "Bearer ",
        "Basic ",
        "curl -u ",
        "https://",
        "a:b@",
        "@",
        ":",
        "=",
        "\"",
        "'",
        "\\\"",
        " ",
        "\n",
        ".",
        "/",
        "-----BEGIN ",
        "RSA PRIVATE KEY-----",
        "-----END ",
        "-----",
        "ghp_",
        "sk-ant-",
        "AKIA",
        "eyJhbGciOi",
        "xoxb-",
        "[redacted]",
        "[",
        "]",
        "$",
        "(",
        "{",
        "é",
        "\u{202e}",
        "sha256-",
        "…",
    ];
    prop_oneof![
        4 => prop::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        2 => "[A-Za-z0-9]{1,44}",
        1 => "[0-9a-f]{30,66}",
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn what_was_redacted_stays_as_it_is(pieces in prop::collection::vec(piece(), 0..24)) {
        let text = pieces.concat();
        let once = redact(&text);
        prop_assert_eq!(&redact(&once), &once, "{:?}", text);
    }

    #[test]
    fn a_key_is_found_wherever_it_stands(before in "[ a-z(\"'=:]{0,12}", behind in "[ .,;)\"']", after in "\\PC{0,12}") {
        let key = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        let before = if before.ends_with(|c: char| c.is_alphanumeric()) { format!("{before} ") } else { before };
        let text = format!("{before}{key}{behind}{after}");
        prop_assert!(!redact(&text).contains(key), "{:?}", text);
    }
}
