//! How many long readings go on at once: each holds a core and some megabytes, and many sessions may be new together.
//! Which reading is a long one is decided where it begins.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// So many long readings go on at once in this process; others wait for one to end.
const AT_ONCE: usize = 4;
/// How often a reading that waits looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(10);

/// The places of this process.
pub(super) static PLACES: Places = Places::new(AT_ONCE);

/// A number of places that readings take and give back.
#[derive(Debug)]
pub(super) struct Places {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// One place; it is given back when this is dropped.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a Places);

impl Places {
    /// So many places, all of them free.
    pub(super) const fn new(count: usize) -> Self {
        Self {
            free: Mutex::new(count),
            given_back: Condvar::new(),
        }
    }

    /// Takes a place as soon as there is one; none when `go_on` says no before that.
    pub(super) fn take(&self, go_on: &dyn Fn() -> bool) -> Option<Place<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            if !go_on() {
                return None;
            }
            let waited = self.given_back.wait_timeout(free, LOOK);
            (free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Some(Place(self))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn no_more_go_on_at_once_than_there_are_places() {
        let places = Places::new(3);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    let _place = places.take(&|| true).unwrap();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        let most = most.into_inner();
        assert!((1..=3).contains(&most), "{most}");
        assert_eq!(*places.free.lock().unwrap(), 3);
    }

    #[test]
    fn who_is_no_longer_wanted_waits_no_longer() {
        let places = Places::new(1);
        let place = places.take(&|| false).unwrap();
        assert!(places.take(&|| false).is_none());
        drop(place);
        assert!(places.take(&|| false).is_some());
    }
}
