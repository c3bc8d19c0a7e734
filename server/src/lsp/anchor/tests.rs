//! Lines that move, change and go while a finding hangs on them.
//! Where a finding is put at first is `place`'s.

use std::fs;
use std::os::unix::fs::symlink;

use crate::lsp::place::Place;
use crate::lsp::testing::{World, cited_in, item};

#[test]
fn a_finding_goes_with_its_line_and_to_the_document_when_it_has_gone() {
    let lines = |from: u32, to: u32| (from..=to).map(|n| format!("x = {n}\n")).collect::<String>();
    let old = format!("{}    retry()\n{}", lines(1, 59), lines(61, 120));
    let brackets = old.replace("retry()", "}");
    let place = |line| Some(("work/a.py".to_owned(), line));
    // What the file was, what it is, where the finding is then, and where it was as related information.
    for (what, before, after, expected, former) in [
        ("as it was", &old, old.clone(), place(60), None),
        (
            "its indent alone",
            &old,
            old.replace("    retry", "retry"),
            place(60),
            None,
        ),
        (
            "lines above it",
            &old,
            format!("{}{old}", lines(900, 949)),
            place(110),
            None,
        ),
        (
            "too many above it",
            &old,
            format!("{}{old}", lines(900, 950)),
            None,
            place(60),
        ),
        (
            "fewer above it",
            &old,
            old.replacen(&lines(1, 50), "", 1),
            place(10),
            None,
        ),
        (
            "too few above it",
            &old,
            old.replacen(&lines(1, 51), "", 1),
            None,
            place(60),
        ),
        (
            "twice, the nearer",
            &old,
            format!("{}{}", lines(900, 909), old.replace("x = 30\n", "retry()\n")),
            place(70),
            None,
        ),
        ("its text", &old, old.replace("retry()", "retries()"), None, place(60)),
        ("all below it", &old, lines(1, 20), None, place(21)),
        ("everything", &old, String::new(), None, place(1)),
        (
            "a line that is not the only one",
            &brackets,
            format!("y\n{brackets}"),
            None,
            place(60),
        ),
        (
            "such a line stays",
            &brackets,
            format!("{brackets}y\n"),
            place(60),
            None,
        ),
    ] {
        let world = World::new();
        world.write("work/a.py", before);
        let one = item("f", cited_in("a.py:60"), None);
        assert_eq!(world.told(&world.put(&one).place).1, 60, "{what}");
        world.write("work/a.py", &after);
        let spot = world.put(&one);
        let told = |place: &Place| {
            let (path, line, ..) = world.told(place);
            (path, line)
        };
        let expected = expected.unwrap_or(("document.md".to_owned(), 2));
        assert_eq!(told(&spot.place), expected, "{what}");
        assert_eq!(spot.former.as_ref().map(told), former, "{what}");
        world.write("work/a.py", before);
        assert_eq!(world.told(&world.put(&one).place).1, 60, "{what}: back again");
    }
}

#[test]
fn a_file_that_goes_or_turns_into_a_way_out_is_no_place_any_more() {
    let world = World::new();
    world.write("work/a.py", "x = 1\n");
    world.write("outside/a.py", "x = 1\n");
    let one = item("f", cited_in("a.py:1"), None);
    assert_eq!(world.told(&world.put(&one).place).0, "work/a.py");
    fs::remove_file(world.path("work/a.py")).unwrap();
    let gone = world.put(&one);
    assert_eq!((world.told(&gone.place).0.as_str(), gone.former), ("document.md", None));
    symlink(world.path("outside/a.py"), world.path("work/a.py")).unwrap();
    let gone = world.put(&one);
    assert_eq!((world.told(&gone.place).0.as_str(), gone.former), ("document.md", None));
}

#[test]
fn a_finding_that_names_other_places_is_looked_up_anew_and_one_that_is_not_shown_is_forgotten() {
    let world = World::new();
    world.write("work/a.py", "x = 1\ny = 2\n");
    world.put(&item("f", cited_in("a.py:1"), None));
    world.write("work/a.py", "z = 1\ny = 2\n");
    let one = item("f", cited_in("a.py:1"), None);
    assert_eq!(world.told(&world.put(&one).place).0, "document.md");
    let other = item("f", cited_in("a.py:2"), None);
    assert_eq!(world.told(&world.put(&other).place), ("work/a.py".to_owned(), 2, 0, 5));
    let held = world.session(None);
    world.anchors.borrow_mut().keep_only([(&held, &other)].into_iter());
    world.write("work/a.py", "z = 1\nw = 2\n");
    assert_eq!(world.told(&world.put(&other).place).0, "document.md", "still held");
    world.anchors.borrow_mut().keep_only(std::iter::empty());
    assert_eq!(
        world.told(&world.put(&other).place).0,
        "work/a.py",
        "seen for the first time"
    );
}
