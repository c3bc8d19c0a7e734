//! Threads that work beside each other: where one fails the rest are told to end, and every failure is told.
//! What they do stays out.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;

use anyhow::{Result, anyhow, ensure};

/// Does a thread's work; `over` is set when it fails or panics.
pub(crate) fn watched(over: &AtomicBool, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let done = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(anyhow!("a thread panicked")));
    if done.is_err() {
        over.store(true, Ordering::Relaxed);
    }
    done
}

/// Waits for all of them.
///
/// # Errors
/// What each failed by that did.
pub(crate) fn all_ended(crew: Vec<ScopedJoinHandle<'_, Result<()>>>) -> Result<()> {
    let ended = crew.into_iter().map(ScopedJoinHandle::join);
    let failures: Vec<String> = ended
        .filter_map(|one| one.unwrap_or_else(|_| Err(anyhow!("a thread panicked"))).err())
        .map(|failure| format!("{failure:#}"))
        .collect();
    ensure!(failures.is_empty(), "{}", failures.join("; "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn one_that_fails_ends_the_others_and_every_failure_is_told() {
        let over = &AtomicBool::new(false);
        let failed = thread::scope(|scope| {
            let patient = move || {
                while !over.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                Err(anyhow!("the second"))
            };
            all_ended(vec![
                scope.spawn(move || watched(over, patient)),
                scope.spawn(move || watched(over, || Err(anyhow!("the first").context("a lane")))),
                scope.spawn(move || watched(over, || Ok(()))),
            ])
        });
        assert_eq!(failed.unwrap_err().to_string(), "the second; a lane: the first");
    }
}
