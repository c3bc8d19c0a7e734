//! Notes that a person or the system asks a running `try` to end, so that it can end in order.
//! What there is to put in order stays out.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};

/// Whether this process was asked to end since this was made.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From here on to the end of the process Ctrl-C, a closed terminal and a request to end are only noted.
    pub(super) fn noted() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let asked = Arc::new(AtomicBool::new(false));
        for kind in [SignalKind::interrupt(), SignalKind::hangup(), SignalKind::terminate()] {
            let mut signals = {
                let _inside = runtime.enter();
                signal(kind)?
            };
            let asked = Arc::clone(&asked);
            runtime.spawn(async move {
                while signals.recv().await.is_some() {
                    asked.store(true, Ordering::Relaxed);
                }
            });
        }
        std::thread::Builder::new().spawn(move || runtime.block_on(std::future::pending::<()>()))?;
        Ok(Self(asked))
    }

    /// True once it was asked.
    pub(super) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
