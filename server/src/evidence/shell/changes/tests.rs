//! Which files commands name and change.
//! Whether they change anything at all is tested by the table of commands.

use proptest::prelude::*;

use super::*;

/// The files, `?` behind one that is not sure, and at the end `+` for a change that names no file or `+?` for one
/// that nobody can tell.
fn short(command: &str) -> String {
    let Changes { files, others } = written(command);
    let files = files
        .into_iter()
        .map(|file| file.path + if file.sure { "" } else { "?" });
    let others = match others {
        Known::Yes => Some("+".to_owned()),
        Known::No => None,
        Known::Unknown => Some("+?".to_owned()),
    };
    files.chain(others).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_command_names_what_it_changes() {
    for (command, expected) in [
        ("ls", ""),
        ("cargo test 2>&1 | tail -5", ""),
        ("echo hi > out.txt", "out.txt"),
        ("echo hi >> 'a b.txt' 2>/dev/null", "a b.txt"),
        ("cat <<'EOF' > src/a.rs\nrm b\nEOF", "src/a.rs"),
        ("cat > src/a.rs <<EOF\n$(rm b)\nEOF", "src/a.rs b"),
        ("pytest > log 2>&1", "log"),
        ("echo a > \"$f\"", "+"),
        ("sed -i 's/a/b/' a.rs b.rs", "a.rs b.rs"),
        ("sed -i '' 's/a/b/' a.rs", "a.rs"),
        ("sed -i.bak -e 's/a/b/' a.rs", "a.rs"),
        ("sed -n 1,5p a.rs", ""),
        ("sed -i 's/a/b/' *.rs", "+"),
        ("grep -rl a src | xargs sed -i 's/a/b/'", "+"),
        ("find . -name '*.rs' -exec sed -i s/a/b/ {} \\;", "+"),
        ("find . -name '*.pyc' -delete", "+"),
        ("cat a | tee b c", "b c"),
        ("cat a | tee -a b > /dev/null", "b"),
        ("touch -d yesterday a", "a"),
        ("rm -rf build old.rs", "build old.rs"),
        ("rm -- -f", "-f"),
        ("mv a.rs b.rs", "a.rs b.rs"),
        ("mv a.rs b.rs src", "a.rs b.rs src/a.rs src/b.rs"),
        ("cp x/a.rs src/", "src/a.rs"),
        ("cp a.rs b.rs", "b.rs"),
        ("sudo cp a /etc/b", "/etc/b"),
        ("cd api && rm a && cd ../web && touch b", "api/a web/b"),
        ("(cd api && rm a); touch b", "api/a b"),
        ("cd \"$d\" && rm a; rm /b", "/b +"),
        ("cd a | cat; rm b", "b"),
        ("bash -c 'cd x && rm y'; rm z", "x/y z"),
        ("git rm old.rs", "old.rs"),
        ("git mv a b", "a b"),
        ("git checkout .", "+"),
        ("git rm -r .", "+"),
        ("rm -r ./ a", "a +"),
        ("cd api && rm -r ..", "+"),
        ("pytest 2>&. | tail -20", "+"),
        ("git commit -am x && git push", ""),
        ("mkdir -p a && chmod +x b && kill 1", ""),
        ("gh pr create --fill", "+"),
        ("npm install x", "+"),
        ("cargo fmt", "+"),
        ("python gen.py", "+?"),
        ("./build.sh && rm a", "a +?"),
        ("curl -o f https://a.example", "f"),
        ("sort --output=f g", "f"),
        ("wget -O f https://a.example", "f"),
        // What hangs on something is not sure.
        ("[ -f a ] && rm a", "a?"),
        ("grep -q x a && sed -i s/x/y/ a", "a?"),
        ("cargo build && rm a", "a"),
        ("cargo build || rm a", "a?"),
        ("if true; then rm a; fi", "a"),
        ("if [ -f a ]; then rm a; else touch b; fi", "a? b?"),
        ("while read f; do rm a; done", "a?"),
        ("case x in x) rm a;; esac", "a?"),
        ("rm a; [ -f a ] || rm a", "a"),
        ("true || rm a", ""),
        ("exit 0; rm a", ""),
        // A function that nobody calls changes nothing; of one that is called the files are not named.
        ("f() { rm a; }", ""),
        ("f() { rm a; }; f", "+"),
        // A patch that is typed into the shell.
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n*** End Patch\nEOF",
            "a.rs b.rs",
        ),
        (
            "apply_patch '*** Begin Patch\n*** Add File: a b.rs\n+x\n*** End Patch'",
            "a b.rs",
        ),
        (
            "cd src && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.rs\n*** End Patch\nEOF",
            "src/a.rs",
        ),
        ("apply_patch < f", "+"),
        ("rm 'ü.rs' é/a", "ü.rs é/a"),
        ("rm _c3_bc.rs # ü", "_c3_bc.rs"),
        // What cannot be read.
        ("rm 'a", "+"),
        ("eval \"$x\"", "+?"),
        ("source ./x.sh", "+?"),
        ("", ""),
    ] {
        assert_eq!(short(command), expected, "{command}");
    }
    assert_eq!(changes("rm a; touch b/../c"), ["a", "c"]);
    let many: String = (0..100).map(|n| format!("rm f{n};")).collect();
    assert_eq!(
        (written(&many).files.len(), written(&many).others),
        (MAX_FILES, Known::Yes)
    );
}

proptest! {
    #[test]
    fn no_command_panics(command in "(rm|sed -i|cd|>|&&|\\|\\||;|\\(|\\)|f\\(\\)|\\{|\\}|'|\"|\\$a| |é|_c3|/|-e|--|a|tee|\n){0,40}") {
        let found = written(&command);
        prop_assert!(found.files.len() <= MAX_FILES);
    }

    #[test]
    fn what_changes_nothing_names_no_file(command in "((rm|cp|touch|cd|echo|python|git commit|sed -i) (a|b/c|\\$x|x y)( && | \\|\\| |; | \\| )){0,6}ls") {
        if super::super::effects(&command).mutates == Known::No {
            prop_assert_eq!(written(&command), Changes { files: Vec::new(), others: Known::No });
        }
    }
}
