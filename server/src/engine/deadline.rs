//! Work that may wait for files and locks: until when it is wanted, and on which thread it runs.
//! What the work is, and what is said of an event that is late, stays out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, RuntimeFlavor};

/// Until when work is wanted.
#[derive(Debug)]
pub(crate) struct Deadline {
    /// None where nobody waits for it.
    end: Option<Instant>,
    over: AtomicBool,
}

/// Why work came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missed {
    /// Its time was up.
    Late,
    /// The process is about to end, and did not begin it.
    NotBegun,
}

impl Missed {
    /// As people are told.
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::Late => "reading the session's record took too long",
            Self::NotBegun => "the server was shutting down",
        }
    }
}

impl Deadline {
    /// So long from now.
    pub(super) fn after(limit: Duration) -> Self {
        Self {
            end: Instant::now().checked_add(limit),
            over: AtomicBool::new(false),
        }
    }

    /// Work that takes as long as it takes.
    pub(super) fn never() -> Self {
        Self {
            end: None,
            over: AtomicBool::new(false),
        }
    }

    /// Looks at the clock. Whoever was told that the time is up gives up, and what comes of the work does not count.
    pub(super) fn is_over(&self) -> bool {
        let over = self.was_over() || self.end.is_some_and(|end| Instant::now() >= end);
        if over {
            self.over.store(true, Ordering::Relaxed);
        }
        over
    }

    /// What [`Deadline::is_over`] last said: asked for every line, a clock would be dear.
    pub(super) fn was_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// Runs work that may wait, and needs this lock. It runs on the thread that asks, unless somebody holds the lock: to wake
/// another thread, and to be woken by it, takes longer than most work. The runtime has its other tasks go on elsewhere.
pub(super) async fn run<L, T: Send + 'static>(
    lock: &Mutex<L>,
    deadline: &Deadline,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Missed> {
    let is_free = !matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
    // A runtime of one thread has no elsewhere.
    let has_others = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    let done = if is_free && has_others {
        tokio::task::block_in_place(work)
    } else {
        let elsewhere = tokio::task::spawn_blocking(work);
        let ended = match deadline.end {
            Some(end) => tokio::time::timeout_at(end.into(), elsewhere).await,
            None => Ok(elsewhere.await),
        };
        match ended {
            Ok(Ok(done)) => done,
            Ok(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Ok(Err(_)) => return Err(Missed::NotBegun),
            Err(_) => {
                deadline.over.store(true, Ordering::Relaxed);
                return Err(Missed::Late);
            }
        }
    };
    if deadline.was_over() {
        Err(Missed::Late)
    } else {
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, PoisonError, mpsc};
    use std::thread::{self, ThreadId};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    async fn on_which_thread(lock: &Mutex<()>) -> ThreadId {
        let ran = run(lock, &Deadline::after(LONG), || thread::current().id()).await;
        ran.unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn work_runs_where_it_is_asked_for_and_other_tasks_go_on() {
        let (lock, (said, hears)) = (Arc::new(Mutex::new(())), mpsc::channel());
        let at_work = tokio::spawn(async move {
            let here = thread::current().id();
            assert_eq!(on_which_thread(&lock).await, here);
            // Ends only when another task of this runtime, which has one thread for tasks, has run meanwhile.
            run(&lock, &Deadline::after(LONG), move || hears.recv_timeout(LONG)).await
        });
        let other = tokio::spawn(async move { said.send(7).unwrap() });
        assert_eq!(at_work.await.unwrap(), Ok(Ok(7)));
        other.await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn work_that_has_to_wait_for_its_lock_is_waited_for_no_longer_than_its_time() {
        let lock = Arc::new(Mutex::new(()));
        let at_work = {
            let lock = Arc::clone(&lock);
            let held = Arc::clone(&lock);
            let waits = move || drop(held.lock().unwrap_or_else(PoisonError::into_inner));
            async move { run(&lock, &Deadline::after(Duration::from_millis(20)), waits).await }
        };
        let (holds, free) = (mpsc::channel(), mpsc::channel::<()>());
        let holder = thread::spawn(move || {
            let _held = lock.lock().unwrap();
            holds.0.send(()).unwrap();
            // An error: it is free when the test is over, whether it was well or not.
            let _over = free.1.recv();
        });
        holds.1.recv().unwrap();
        let ended = tokio::time::timeout(LONG, tokio::spawn(at_work)).await;
        assert_eq!(ended.expect("it waits for its lock").unwrap(), Err(Missed::Late));
        drop(free.0);
        holder.join().unwrap();
    }

    #[tokio::test]
    async fn a_runtime_of_one_thread_stays_free() {
        assert_ne!(on_which_thread(&Mutex::new(())).await, thread::current().id());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_gave_up_does_not_count_and_what_is_only_late_does() {
        for (deadline, given_up) in [
            (Deadline::after(Duration::ZERO), true),
            (Deadline::after(Duration::ZERO), false),
            (Deadline::never(), true),
        ] {
            let deadline = Arc::new(deadline);
            let asked = Arc::clone(&deadline);
            let work = move || given_up && asked.is_over();
            let expected = match (deadline.end, given_up) {
                (Some(_), true) => Err(Missed::Late),
                _ => Ok(false),
            };
            let lock = Mutex::new(());
            let ran = tokio::spawn(async move { run(&lock, &deadline, work).await });
            assert_eq!(ran.await.unwrap(), expected);
        }
    }
}
