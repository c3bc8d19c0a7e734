//! Follows the findings and tells the editor: what there is, what has changed, what is gone.
//! What a diagnostic looks like stays out.

use std::sync::Arc;
use std::time::Duration;

use proofmark_protocol::method;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::ask;
use super::editor::Editor;
use super::link::{Link, LinkError, Subscription};

/// Requests to the publisher that wait.
pub(super) const WAITING: usize = 8;
/// The first pause before another try at the owner, and the longest.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// What the publisher is asked for.
pub(super) enum Ask {
    /// To look at the cited files again.
    Again,
    /// To get everything up to now and publish it, then to say so.
    Settle(oneshot::Sender<()>),
}

/// Waits until the editor was told everything up to now.
pub(super) async fn settle(asks: &mpsc::Sender<Ask>) {
    let (done, settled) = oneshot::channel();
    if asks.send(Ask::Settle(done)).await.is_ok() {
        // Dropped unsaid where the findings can't be had; then there is nothing to wait for.
        let _settled = settled.await;
    }
}

/// The one who tells the editor.
pub(super) struct Publisher {
    editor: Arc<Editor>,
    link: Arc<Link>,
    out: mpsc::Sender<Vec<u8>>,
    remembered: bool,
}

impl Publisher {
    /// A publisher that has told nothing yet. It writes to the editor itself: the server's own queue to the editor is
    /// dropped when its input ends, with what is in it.
    pub(super) fn new(editor: Arc<Editor>, link: Arc<Link>, out: mpsc::Sender<Vec<u8>>) -> Self {
        Self {
            editor,
            link,
            out,
            remembered: false,
        }
    }

    /// Publishes as long as somebody asks, from the moment at which `ready` turns true.
    pub(super) async fn run(mut self, mut asked: mpsc::Receiver<Ask>, mut ready: watch::Receiver<bool>) {
        if ready.wait_for(|ready| *ready).await.is_err() {
            return;
        }
        let mut pause = BACK_OFF.0;
        let mut may_start = true;
        loop {
            // An owner that can't be reached is no news for the editor: what it shows is still what is on record.
            let mut gives_way = false;
            match self.begin(may_start).await {
                Ok(subscription) => {
                    pause = BACK_OFF.0;
                    match self.follow(subscription, &mut asked).await {
                        Ok(()) => return,
                        Err(_lost) => self.editor.forget_published(),
                    }
                }
                Err(error) => gives_way = error.is_superseded(),
            }
            let ask = tokio::select! {
                () = tokio::time::sleep(pause) => Some(Ask::Again),
                ask = asked.recv() => ask,
            };
            // One that was asked to stop is not started again behind the person's back; one that was killed is, also one
            // that came and went within the pause, and one that makes room for this build.
            may_start = gives_way || self.link.was_killed();
            match ask {
                Some(Ask::Settle(done)) => self.settle(done, may_start).await,
                Some(Ask::Again) => {}
                None => return,
            }
            pause = (pause * 2).min(BACK_OFF.1);
        }
    }

    /// Subscribes; the first time, what an earlier process may have left in the editor is asked for.
    async fn begin(&mut self, may_start: bool) -> Result<Subscription, LinkError> {
        let subscription = self.link.subscribe(may_start).await?;
        if !self.remembered {
            let uris = self
                .link
                .call(method::PUBLISHED_URIS, json!({ "process": std::process::id() }))
                .await?;
            let uris: Vec<String> = serde_json::from_value(uris)?;
            self.editor.may_hold(&uris);
            self.remembered = true;
        }
        Ok(subscription)
    }

    /// Publishes what comes until nobody asks any more.
    async fn follow(&self, mut subscription: Subscription, asked: &mut mpsc::Receiver<Ask>) -> Result<(), LinkError> {
        // Before the first message nothing is known, and nothing may be taken back.
        let (mut known, mut again_at) = (false, None);
        loop {
            let aged = async {
                match again_at {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = subscription.next() => {
                    self.editor.take(changed?);
                    known = true;
                }
                () = aged => {}
                ask = asked.recv() => match ask {
                    None => return Ok(()),
                    Some(Ask::Again) if known => {}
                    Some(Ask::Again) => continue,
                    Some(Ask::Settle(done)) => {
                        // Its owner runs; one that is told to stop just now is not started again for a last look.
                        self.settle(done, false).await;
                        continue;
                    }
                }
            }
            again_at = self.publish().await?.map(|left| Instant::now() + left);
        }
    }

    /// Publishes what holds now: a subscription of its own begins with everything that was written before it.
    async fn settle(&self, done: oneshot::Sender<()>, may_start: bool) {
        let fresh = async {
            let mut subscription = self.link.subscribe(may_start).await?;
            self.editor.take(subscription.next().await?);
            self.publish().await
        };
        if fresh.await.is_ok() {
            // Whoever waited may have given up.
            let _told = done.send(());
        }
    }

    /// Tells the editor what has changed, places first, then sessions; answers when to look again, though nothing happens.
    /// A place is on the ledger before it is filled and until it was emptied, so that it can be emptied after a crash too.
    async fn publish(&self) -> Result<Option<Duration>, LinkError> {
        let editor = Arc::clone(&self.editor);
        let changes = tokio::task::spawn_blocking(move || editor.changes())
            .await
            .map_err(std::io::Error::other)?;
        let named = |empty: bool| -> Vec<&str> {
            let places = changes.places.iter();
            places
                .filter(|(_, shown)| shown.is_empty() == empty)
                .map(|(uri, _)| uri.as_str())
                .collect()
        };
        let (filled, emptied) = (named(false), named(true));
        let remove = (!emptied.is_empty()).then(|| json!({ "process": std::process::id(), "remove": emptied }));
        if !filled.is_empty() {
            let add = json!({ "process": std::process::id(), "add": filled });
            self.link.call(method::PUBLISHED_URIS, add).await?;
        }
        let (setup, mut other_lenses) = (self.editor.setup(), changes.lenses);
        for change in changes.places {
            let (uri, diagnostics) = &change;
            self.send(&json!({
                "jsonrpc": "2.0",
                "method": "textDocument/publishDiagnostics",
                "params": { "uri": uri, "diagnostics": diagnostics },
            }))
            .await?;
            other_lenses |= self.editor.told(change) && setup.options.code_lens;
        }
        if other_lenses && setup.refreshes_lenses {
            self.send(&ask::editor("workspace/codeLens/refresh", None)).await?;
        }
        if let Some(sessions) = changes.sessions {
            self.send(&json!({ "jsonrpc": "2.0", "method": method::FINDINGS_CHANGED, "params": sessions }))
                .await?;
            self.editor.told_sessions(&sessions);
        }
        if let Some(params) = remove {
            self.link.call(method::PUBLISHED_URIS, params).await?;
        }
        Ok(changes.again_in)
    }

    async fn send(&self, message: &Value) -> Result<(), LinkError> {
        let sent = self.out.send(serde_json::to_vec(message)?).await;
        Ok(sent.map_err(std::io::Error::other)?)
    }
}
