//! A file that grows: its lines are told in pieces as at once, whatever the limits, and each line once.
//! What a line means stands in `transcript`.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use proofmark_server::record::fuzzing::read_within;
use proofmark_server::record::{Follower, Line};

use crate::input::Input;

/// What was told, as owned values.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Line(Vec<u8>),
    TooLong(Vec<u8>, u64),
    Restarted,
}

/// Limits by a byte each, then the length of the pieces and how often the reader stops, then the file.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let limits = {
        let line = usize::from(input.byte() % 64) + 1;
        let chunk = usize::from(input.byte() % 32) + 1;
        [chunk, line, usize::from(input.byte()) % line + 1]
    };
    let piece = usize::from(input.byte()) + 1;
    let stops_after = usize::from(input.byte() % 4);
    let bytes = input.rest();

    let path = std::env::temp_dir().join(format!("proofmark-fuzz-record-{}", std::process::id()));
    File::create(&path).expect("a file can be made");
    let mut follower = Follower::new(path.clone());
    let mut told = Vec::new();
    for piece in bytes.chunks(piece) {
        let mut file = OpenOptions::new().append(true).open(&path).expect("it can be opened");
        file.write_all(piece).expect("it can be written");
        told.extend(read(&mut follower, limits, stops_after));
        let stored = serde_json::to_string(&follower).expect("a follower can be stored");
        let loaded: Follower = serde_json::from_str(&stored).expect("and loaded");
        assert_eq!(loaded, follower);
        follower = loaded;
    }
    // What a reader that stops has left over.
    while let more = read(&mut follower, limits, stops_after)
        && !more.is_empty()
    {
        told.extend(more);
    }
    assert_eq!(told, expected(bytes, limits));
    let mut at_once = Follower::new(PathBuf::from(&path));
    assert_eq!(read(&mut at_once, limits, 0), told);
    assert_eq!(at_once.offset(), follower.offset());
    std::fs::remove_file(&path).expect("it can be removed");
}

/// Reads once; with a number the listener stops after so many lines.
fn read(follower: &mut Follower, limits: [usize; 3], stops_after: usize) -> Vec<Told> {
    let mut told = Vec::new();
    let before = follower.offset();
    let mut tell = |line: Line<'_>| {
        told.push(match line {
            Line::Complete(line) => Told::Line(line.to_vec()),
            Line::TooLong { head, len } => Told::TooLong(head.to_vec(), len),
            Line::Restarted => Told::Restarted,
        });
        if stops_after > 0 && told.len() >= stops_after {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let progress = read_within(follower, limits, &mut tell).expect("a file can be read");
    assert_eq!(before + progress.bytes, follower.offset());
    told
}

fn expected(bytes: &[u8], [_, longest, head]: [usize; 3]) -> Vec<Told> {
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = bytes[..complete].split_inclusive(|byte| *byte == b'\n').map(|line| &line[..line.len() - 1]);
    let told = |line: &[u8]| match line.len() > longest {
        true => Told::TooLong(line[..head].to_vec(), line.len() as u64),
        false => Told::Line(line.to_vec()),
    };
    lines.map(told).collect()
}
