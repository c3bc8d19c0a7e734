//! Reading more and more of a text, and how long that takes of this thread's own time.
//! Which texts and which readers stays out.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

/// A run that takes less tells nothing, in nanoseconds.
const ENOUGH: u64 = 1_000_000;
/// Four times the length may take so many times as long: what grows with the square takes 16 times.
const MOST: u64 = 8;
/// A time that is too long is taken anew so often: caches and page faults cost too.
const TRIES: usize = 5;

/// What this thread has worked, in nanoseconds: who else runs on the machine does not count.
fn worked() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

fn time(text: &str, read: &dyn Fn(&str)) -> u64 {
    let begun = worked();
    read(black_box(text));
    worked() - begun
}

/// What a reader has found is of no interest here.
pub(crate) fn seen<T>(found: T) {
    black_box(found);
}

/// Reads more and more of a text until that takes long enough to compare, and a quarter of it. Where a bound lies between
/// the two, longer ones tell: at most `most` bytes.
pub(crate) fn grows_with_its_length(what: &str, make: &dyn Fn(usize) -> String, read: &dyn Fn(&str), most: usize) {
    let mut count = 64;
    let mut long = make(count * 4);
    while time(&long, read) < ENOUGH && long.len() * 2 <= most {
        count *= 2;
        long = make(count * 4);
    }
    loop {
        let short = make(count);
        let (mut least, mut least_of_long) = (u64::MAX, u64::MAX);
        for _ in 0..TRIES {
            least = least.min(time(&short, read));
            least_of_long = least_of_long.min(time(&long, read));
            if least_of_long <= least * MOST + ENOUGH {
                return;
            }
        }
        assert!(
            long.len() * 4 <= most,
            "{what}: {} bytes take {least} ns, {} bytes {least_of_long} ns",
            short.len(),
            long.len()
        );
        count *= 4;
        long = make(count * 4);
    }
}
