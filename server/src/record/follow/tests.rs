//! Lines as told against lines as written, and everything that can stand at a path.
//! Real transcripts are read in the harness's room.

use std::fs;
use std::io::Write;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

const SMALL: Limits = Limits {
    chunk: 16,
    line: 40,
    head: 8,
};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Line(Vec<u8>),
    TooLong(Vec<u8>, u64),
    Restarted,
}

impl From<Line<'_>> for Told {
    fn from(line: Line<'_>) -> Self {
        match line {
            Line::Complete(line) => Self::Line(line.to_vec()),
            Line::TooLong { head, len } => Self::TooLong(head.to_vec(), len),
            Line::Restarted => Self::Restarted,
        }
    }
}

fn line(text: &str) -> Told {
    Told::Line(text.as_bytes().to_vec())
}

struct File {
    _folder: TempDir,
    path: PathBuf,
    follower: Follower,
    limits: Limits,
}

impl File {
    fn new(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        Self {
            _folder: folder,
            follower: Follower::new(path.clone()),
            path,
            limits,
        }
    }

    fn append(&self, bytes: &[u8]) {
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .unwrap();
        file.write_all(bytes).unwrap();
    }

    fn read(&mut self) -> (Vec<Told>, Progress) {
        let mut told = Vec::new();
        let progress = self.follower.read_within(self.limits, &PLACES, &|| true, &mut |line| {
            told.push(line.into());
            ControlFlow::Continue(())
        });
        (told, progress.unwrap())
    }

    fn read_some(&mut self, count: usize) -> Vec<Told> {
        let mut told = Vec::new();
        let stop = self.follower.read_within(self.limits, &PLACES, &|| true, &mut |line| {
            told.push(line.into());
            if told.len() == count {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert!(!stop.unwrap().torn);
        told
    }
}

/// What a reader with no bounds would tell.
fn expected(bytes: &[u8], limits: Limits) -> Vec<Told> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    lines.pop();
    let tell = |line: &[u8]| match line.len() > limits.line {
        true => Told::TooLong(line[..limits.head].to_vec(), line.len() as u64),
        false => Told::Line(line.to_vec()),
    };
    lines.into_iter().map(tell).collect()
}

#[test]
fn a_torn_line_waits_for_its_line_feed() {
    let mut file = File::new(LIMITS);
    file.append(b"one\ntw");
    assert_eq!(
        file.read(),
        (
            vec![line("one")],
            Progress {
                bytes: 4,
                torn: true,
                len: 6
            }
        )
    );
    assert_eq!(
        file.read(),
        (
            vec![],
            Progress {
                bytes: 0,
                torn: true,
                len: 6
            }
        )
    );
    assert_eq!(file.follower.offset(), 4);
    file.append(b"o\n");
    assert_eq!(
        file.read(),
        (
            vec![line("two")],
            Progress {
                bytes: 4,
                torn: false,
                len: 8
            }
        )
    );
    assert_eq!(
        file.read(),
        (
            vec![],
            Progress {
                bytes: 0,
                torn: false,
                len: 8
            }
        )
    );
}

#[test]
fn the_longest_line_is_whole_and_one_byte_more_is_not_kept() {
    let mut file = File::new(LIMITS);
    let mut bytes = vec![b'a'; MAX_LINE];
    bytes.extend(b"\nb");
    bytes.extend(vec![b'c'; MAX_LINE]);
    bytes.extend(b"\nlast\n");
    file.append(&bytes);
    let (told, progress) = file.read();
    assert_eq!(told, expected(&bytes, LIMITS));
    assert!(matches!(&told[1], Told::TooLong(head, len) if head.len() == 4096 && *len == MAX_LINE as u64 + 1));
    assert_eq!(progress.bytes, bytes.len() as u64);
}

#[test]
fn a_line_that_never_ends_is_read_for_as_long_as_there_is_time() {
    let mut file = File::new(SMALL);
    file.append(b"one\n");
    file.append(&[0; 200]);
    let pieces = std::cell::Cell::new(0);
    let mut read = |time: usize| {
        pieces.set(time);
        let go_on = || pieces.replace(pieces.get().saturating_sub(1)) > 0;
        let mut told = Vec::new();
        let progress = file.follower.read_within(SMALL, &PLACES, &go_on, &mut |line| {
            told.push(Told::from(line));
            ControlFlow::Continue(())
        });
        (told, progress.unwrap(), file.follower.place())
    };
    assert_eq!(
        read(0),
        (
            vec![],
            Progress {
                bytes: 0,
                torn: false,
                len: 204
            },
            0
        )
    );
    let (told, progress, place) = read(6);
    assert_eq!((told, progress.torn), (vec![line("one")], false));
    assert!((40..204).contains(&place), "{place}");
    let (told, progress, place) = read(100);
    assert_eq!(
        (told, progress.torn, place),
        (vec![], true, 204),
        "and goes on where it was"
    );
}

#[test]
fn a_line_that_is_too_long_is_not_looked_at_twice() {
    let mut file = File::new(SMALL);
    file.append(&[b'x'; 100]);
    assert_eq!(
        file.read(),
        (
            vec![],
            Progress {
                bytes: 0,
                torn: true,
                len: 100
            }
        )
    );
    assert_eq!(file.follower.place(), 100);
    file.append(b"yy\nz\n");
    let long = Told::TooLong(vec![b'x'; 8], 102);
    assert_eq!(
        file.read(),
        (
            vec![long, line("z")],
            Progress {
                bytes: 105,
                torn: false,
                len: 105
            }
        )
    );
}

#[test]
fn a_stored_follower_goes_on_where_it_was() {
    let mut file = File::new(SMALL);
    file.append(b"one\ntwo\n");
    file.read();
    let stored = serde_json::to_string(&file.follower).unwrap();
    file.follower = serde_json::from_str(&stored).unwrap();
    file.append(b"three\n");
    assert_eq!(file.read().0, [line("three")]);
}

#[test]
fn another_file_is_told_from_its_beginning() {
    let long = "0123456789\n".repeat(60);
    // Each case: what was read, and what then stands in the same file.
    let cases: [(&str, &str); 6] = [
        ("one\ntwo\n", "one\n"),
        ("one\ntwo\n", ""),
        ("one\ntwo\n", "uno\ntwo\nthree\n"),
        ("one\ntwo\n", "one\ntow\nthree\n"),
        (&long, &long.replacen('0', "X", 1)),
        (&long, &format!("{}X\nmore\n", &long[..long.len() - 2])),
    ];
    for (before, after) in cases {
        let mut file = File::new(SMALL);
        file.append(before.as_bytes());
        file.read();
        fs::write(&file.path, after).unwrap();
        let (told, progress) = file.read();
        let mut all = vec![Told::Restarted];
        all.extend(expected(after.as_bytes(), SMALL));
        assert_eq!(told, all, "{before:?} became {after:?}");
        assert_eq!(
            (progress.bytes, file.follower.offset()),
            (after.len() as u64, after.len() as u64)
        );
        assert_eq!(file.read().0, []);
    }
}

#[test]
fn a_file_put_in_its_place_is_another_one_even_with_the_same_text() {
    let mut file = File::new(SMALL);
    file.append(b"one\n");
    file.read();
    fs::write(file.path.with_extension("new"), "one\n").unwrap();
    fs::rename(file.path.with_extension("new"), &file.path).unwrap();
    assert_eq!(file.read().0, [Told::Restarted, line("one")]);
}

#[test]
fn a_torn_line_that_is_taken_back_voids_nothing() {
    let mut file = File::new(SMALL);
    file.append(b"one\nhalf a li");
    file.read();
    fs::File::options()
        .write(true)
        .open(&file.path)
        .unwrap()
        .set_len(4)
        .unwrap();
    file.append(b"two\n");
    assert_eq!(file.read().0, [line("two")]);
}

#[test]
fn a_stop_after_any_line_loses_and_repeats_nothing() {
    let mut file = File::new(SMALL);
    let bytes = [b"a\n\nbb\n".as_slice(), &[b'x'; 90], b"\nlast\ntorn"].concat();
    file.append(&bytes);
    let mut told = Vec::new();
    for count in [1, 2, 1, 1] {
        told.extend(file.read_some(count));
    }
    assert_eq!(told, expected(&bytes, SMALL));
    fs::write(&file.path, "new\n").unwrap();
    assert_eq!(file.read_some(1), [Told::Restarted]);
    assert_eq!(file.read().0, [line("new")]);
}

#[test]
fn what_is_no_readable_file_is_a_typed_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "x\n").unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(at("fifo"))
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink(at("fifo"), at("link-to-fifo")).unwrap();
    std::os::unix::fs::symlink(at("loop"), at("loop")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    type Fits = fn(&RecordError) -> bool;
    let cases: [(PathBuf, Fits); 10] = [
        (PathBuf::new(), |e| matches!(e, RecordError::NoPath)),
        (at("missing"), |e| matches!(e, RecordError::Missing(_))),
        (at("file/below"), |e| matches!(e, RecordError::Missing(_))),
        (at(""), |e| matches!(e, RecordError::NotAFile(_))),
        (at("fifo"), |e| matches!(e, RecordError::NotAFile(_))),
        (at("link-to-fifo"), |e| matches!(e, RecordError::NotAFile(_))),
        (at("socket"), |e| matches!(e, RecordError::NotAFile(_))),
        ("/dev/null".into(), |e| matches!(e, RecordError::NotAFile(_))),
        (at("loop"), |e| matches!(e, RecordError::Unreadable { .. })),
        (at("nul\0byte"), |e| matches!(e, RecordError::Unreadable { .. })),
    ];
    for (path, fits) in cases {
        let error = Follower::new(path.clone())
            .read_new(&|| true, &mut |_| ControlFlow::Continue(()))
            .unwrap_err();
        assert!(fits(&error), "{path:?}: {error}");
    }
}

#[test]
fn a_link_to_a_record_is_followed_and_a_lost_record_may_come_back() {
    let mut file = File::new(SMALL);
    file.append(b"one\n");
    let link = file.path.with_extension("link");
    std::os::unix::fs::symlink(&file.path, &link).unwrap();
    file.follower = Follower::new(link);
    assert_eq!(file.read().0, [line("one")]);
    let aside = file.path.with_extension("aside");
    fs::rename(&file.path, &aside).unwrap();
    assert!(
        file.follower
            .read_new(&|| true, &mut |_| ControlFlow::Continue(()))
            .is_err()
    );
    fs::rename(&aside, &file.path).unwrap();
    file.append(b"two\n");
    assert_eq!(file.read().0, [line("two")]);
}

/// Bytes in which line feeds, parts of characters and lines over the small limit are all likely.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![3 => Just(b'\n'), 3 => any::<u8>(), 30 => b'a'..b'f'];
    prop_oneof![9 => proptest::collection::vec(byte, 0..60), 1 => Just("é€😀".repeat(9).into_bytes())]
}

proptest! {
    #[test]
    fn a_file_read_in_pieces_tells_what_it_tells_at_once(pieces in proptest::collection::vec(piece(), 0..12)) {
        let mut file = File::new(SMALL);
        file.append(b"");
        let mut told = Vec::new();
        let mut bytes = 0;
        for piece in &pieces {
            file.append(piece);
            let (more, progress) = file.read();
            told.extend(more);
            bytes += progress.bytes;
        }
        let whole = pieces.concat();
        prop_assert_eq!(told, expected(&whole, SMALL));
        prop_assert_eq!(bytes, file.follower.offset());
        prop_assert_eq!(whole.len() as u64 > bytes, file.read().1.torn);
    }

    #[test]
    fn cut_or_replaced_at_any_place_it_is_told_again(
        before in proptest::collection::vec(piece(), 1..6),
        keep in 0_usize..200,
        after in piece(),
    ) {
        let mut file = File::new(SMALL);
        let before = before.concat();
        file.append(&before);
        file.read();
        let read = file.follower.place() as usize;
        let mut now = before[..keep.min(before.len())].to_vec();
        now.extend(&after);
        fs::write(&file.path, &now).unwrap();
        let (told, _) = file.read();
        let kept = now.len() >= read && now[..read] == before[..read];
        prop_assert_eq!(told.first() == Some(&Told::Restarted), !kept);
        if !kept {
            prop_assert_eq!(&told[1..], &expected(&now, SMALL)[..]);
        }
    }
}

#[test]
fn a_long_reading_waits_for_a_place_and_a_short_one_does_not() {
    let (none, one) = (Places::new(0), Places::new(1));
    let wanted = std::cell::Cell::new(3);
    let go_on = || wanted.replace(wanted.get() - 1) > 0;
    let mut file = File::new(LIMITS);
    file.append(b"{}\n");
    let read = |follower: &mut Follower, places| {
        let lines = &mut |_: Line<'_>| ControlFlow::Continue(());
        follower.read_within(LIMITS, places, &go_on, lines).unwrap().bytes
    };
    assert_eq!(read(&mut file.follower, &none), 3);
    file.append(&b"{}\n".repeat(LONG as usize / 3 + 1));
    wanted.set(3);
    assert_eq!((read(&mut file.follower, &none), file.follower.offset()), (0, 3));
    assert!(wanted.get() < 0, "it was not asked whether it is still wanted");
    wanted.set(i32::MAX);
    assert!(read(&mut file.follower, &one) > LONG);
}
