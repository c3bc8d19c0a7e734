//! Places inside the workspace and outside of it, and how positions are counted.
//! Lines that move, and manifests, have tests of their own.

use std::os::unix::fs::symlink;

use tower_lsp::ls_types::Position;

use super::*;
use crate::lsp::testing::{World, cited_in, item};

const DOCUMENT: (&str, u32, u32, u32) = ("document.md", 2, 2, 5);

#[test]
fn only_what_lies_inside_the_workspace_is_a_place() {
    let world = World::new();
    world.write("work/src/a.rs", "one\n  two  \n");
    world.write("outside/b.rs", "x\n");
    symlink(world.path("outside/b.rs"), world.path("work/link.rs")).unwrap();
    symlink(world.path("outside"), world.path("work/dir")).unwrap();
    symlink(world.path("work/src/a.rs"), world.path("work/inner.rs")).unwrap();
    symlink(world.path("work/loop.rs"), world.path("work/loop.rs")).unwrap();
    symlink(world.path("work"), world.path("alias")).unwrap();
    let absolute = world.path("outside/b.rs").display().to_string();
    for (text, cwd, expected) in [
        ("src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("src/a.rs", None, ("work/src/a.rs", 1, 0, 3)),
        ("a.rs:1", Some("work/src"), ("work/src/a.rs", 1, 0, 3)),
        ("./src/../src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("inner.rs:1", None, ("work/src/a.rs", 1, 0, 3)),
        ("src/a.rs:3", None, ("work/src/a.rs", 3, 0, 0)),
        ("src/a.rs:4", None, DOCUMENT),
        ("src/a.rs:0", None, DOCUMENT),
        ("none.rs:1 src/a.rs:1", None, ("work/src/a.rs", 1, 0, 3)),
        ("src/a.rs:9 src/a.rs", None, ("work/src/a.rs", 1, 0, 3)),
        ("none.rs src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("inner.rs src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("link.rs:1", None, DOCUMENT),
        ("dir/b.rs:1", None, DOCUMENT),
        ("loop.rs:1", None, DOCUMENT),
        ("../outside/b.rs:1", None, DOCUMENT),
        ("b.rs:1", Some("outside"), DOCUMENT),
        (absolute.as_str(), None, DOCUMENT),
        ("src", None, DOCUMENT),
        ("", None, DOCUMENT),
    ] {
        let spot = world.spot(cwd, &item(text, cited_in(text), None));
        let (path, line, start, end) = world.told(&spot.place);
        assert_eq!((path.as_str(), line, start, end), expected, "{text}");
        assert_eq!(spot.report.is_none(), expected == DOCUMENT, "{text}");
        assert_eq!(spot.former, None, "{text}");
    }
    let one = item("alias", cited_in("src/a.rs:1"), None);
    let alias = world.spot_in(&[world.path("alias")], None, &one);
    assert_eq!(
        world.told(&alias.place).0,
        "alias/src/a.rs",
        "named as the editor names it"
    );
    let one = item("no folder", cited_in("src/a.rs:1"), None);
    let nowhere = world.spot_in(&[], Some(&world.path("work")), &one);
    assert_eq!(world.told(&nowhere.place).0, "document.md", "no folder, no workspace");
}

#[test]
fn positions_are_counted_as_negotiated() {
    let world = World::new();
    // Four bytes, two units of UTF-16, one character; then two bytes, one unit, one character.
    world.write("document.md", "- 𝄞ä x\n");
    let path = world.path("document.md").display().to_string();
    let (utf8, utf16, utf32) = (
        PositionEncodingKind::UTF8,
        PositionEncodingKind::UTF16,
        PositionEncodingKind::UTF32,
    );
    let other = PositionEncodingKind::new("utf-7");
    for (offered, expected, end) in [
        (Some(vec![utf16.clone(), utf8.clone()]), &utf8, 2 + 4 + 2 + 2),
        (Some(vec![utf32.clone(), utf16.clone()]), &utf32, 2 + 1 + 1 + 2),
        (Some(vec![utf16.clone(), utf32.clone()]), &utf16, 2 + 2 + 1 + 2),
        (Some(vec![other.clone(), utf32.clone()]), &utf32, 2 + 1 + 1 + 2),
        (Some(vec![other]), &utf16, 2 + 2 + 1 + 2),
        (Some(vec![]), &utf16, 2 + 2 + 1 + 2),
        (None, &utf16, 2 + 2 + 1 + 2),
    ] {
        let encoding = Encoding::negotiated(offered.as_deref());
        assert_eq!(encoding.kind(), *expected, "{offered:?}");
        let place = Workspace::new(&[], encoding).in_document(&path, 0).unwrap();
        let Range { start, end: at } = place.range;
        assert_eq!((start.character, at.character), (2, end), "{offered:?}");
    }
    let beyond = Workspace::new(&[], Encoding::Utf8).in_document(&path, 7).unwrap();
    assert_eq!(beyond.range.end, Position::new(7, 0));
}
