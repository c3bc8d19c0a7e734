//! What the server shows of Codex sessions while one runs, and what of it is new.
//! Which sessions are this run's, and how it is told, stays out.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

use jsonrpsee::core::client::{Client, Error, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::ArrayParams;
use proofmark_protocol::findings::{FindingsChanged, Item};
use proofmark_protocol::{Harness, method};

use super::link;
use super::sessions::Started;

/// Pause before the server is looked for again: the first hook starts it.
const RETRY: Duration = Duration::from_millis(100);
/// How long the server may take for its last word.
const LAST: Duration = Duration::from_secs(3);

/// What the server shows of Codex sessions, by their keys.
pub(super) struct Findings {
    socket: PathBuf,
    /// As each was seen first: what a session that was resumed had before.
    first: HashMap<String, Vec<Item>>,
    now: HashMap<String, Vec<Item>>,
}

impl Findings {
    /// Nothing yet.
    pub(super) fn behind(socket: PathBuf) -> Self {
        Self {
            socket,
            first: HashMap::new(),
            now: HashMap::new(),
        }
    }

    /// Follows the server for as long as this is waited for, also to the next one where one ends.
    pub(super) async fn follow(&mut self) -> Infallible {
        loop {
            if let Ok((_client, mut subscription)) = self.subscribe().await {
                while let Some(Ok(changed)) = subscription.next().await {
                    self.take(changed);
                }
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Asks for everything once more: what was decided last may still have been on its way. A server that is gone by now
    /// leaves what it said before, and the answer is false.
    pub(super) async fn settle(&mut self) -> bool {
        let last = async {
            let (_client, mut subscription) = self.subscribe().await.ok()?;
            subscription.next().await?.ok()
        };
        let Ok(Some(changed)) = tokio::time::timeout(LAST, last).await else {
            return false;
        };
        self.take(changed);
        true
    }

    /// A subscription, and the client that has to live as long.
    async fn subscribe(&self) -> Result<(Client, Subscription<FindingsChanged>), Error> {
        let client = link::connect(&self.socket)
            .await
            .map_err(|error| Error::Transport(error.into()))?;
        let subscription = client
            .subscribe(
                method::SUBSCRIBE_FINDINGS,
                ArrayParams::new(),
                method::UNSUBSCRIBE_FINDINGS,
            )
            .await?;
        Ok((client, subscription))
    }

    fn take(&mut self, changed: FindingsChanged) {
        if changed.whole {
            self.now.clear();
        }
        for session in changed.sessions {
            if session.harness == Harness::Codex {
                self.first
                    .entry(session.session.clone())
                    .or_insert_with(|| session.items.clone());
                self.now.insert(session.session, session.items);
            }
        }
    }

    /// What is shown of a session, and was not before this run.
    pub(super) fn of(&self, session: &Started) -> Vec<Item> {
        let before = match session.is_new() {
            true => None,
            false => self.first.get(&session.session_id),
        };
        let is_old = |item: &Item| {
            before
                .into_iter()
                .flatten()
                // A turn that was sent back once more says so in its message.
                .any(|old| old.id == item.id && old.message == item.message)
        };
        let now = self.now.get(&session.session_id).into_iter().flatten();
        now.filter(|item| !is_old(item)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::UnixListener;

    use super::*;

    fn changed(whole: bool, sessions: &[(&str, &[(&str, &str)])]) -> FindingsChanged {
        let item = |(id, message): &(&str, &str)| {
            json!({
                "id": id, "code": "untried-claim", "severity": "information", "message": message, "subject": "",
                "turn": 1, "line": 1,
            })
        };
        let session = |(key, items): &(&str, &[(&str, &str)])| {
            let (harness, session) = key.split_once(':').unwrap_or(("codex", key));
            json!({
                "harness": harness, "session": session, "document": "",
                "items": items.iter().map(item).collect::<Vec<_>>(),
            })
        };
        let sessions: Vec<_> = sessions.iter().map(session).collect();
        serde_json::from_value(json!({"whole": whole, "sessions": sessions})).unwrap()
    }

    fn started(session: &str, source: &str) -> Started {
        serde_json::from_value(json!({"session_id": session, "source": source})).unwrap()
    }

    fn ids(findings: &Findings, session: &Started) -> Vec<String> {
        findings.of(session).into_iter().map(|item| item.id).collect()
    }

    #[test]
    fn only_what_came_in_this_run_counts() {
        let mut findings = Findings::behind(PathBuf::new());
        let (new, old) = (started("new", "startup"), started("old", "resume"));
        findings.take(changed(
            true,
            &[("old", &[("a", "1"), ("b", "1")]), ("other", &[("x", "1")])],
        ));
        assert_eq!(ids(&findings, &old), Vec::<String>::new());
        findings.take(changed(
            false,
            &[("new", &[("c", "1")]), ("claude-code:old", &[("d", "1")])],
        ));
        findings.take(changed(false, &[("old", &[("a", "1"), ("b", "2"), ("e", "1")])]));
        assert_eq!(ids(&findings, &new), ["c"]);
        assert_eq!(ids(&findings, &old), ["b", "e"], "what has changed is new");
        // Another server's whole word: a session that is not in it has nothing to say.
        findings.take(changed(true, &[("old", &[("e", "1")])]));
        assert_eq!(ids(&findings, &new), Vec::<String>::new());
        assert_eq!(ids(&findings, &old), ["e"]);
    }

    #[test]
    fn a_new_session_has_no_past_whenever_it_was_heard_of() {
        let mut findings = Findings::behind(PathBuf::new());
        findings.take(changed(true, &[("new", &[("a", "1")])]));
        assert_eq!(ids(&findings, &started("new", "startup")), ["a"]);
        assert_eq!(ids(&findings, &started("new", "resume")), Vec::<String>::new());
    }

    /// Answers one subscription as a server does, with one message, and is gone.
    async fn say_once(listener: &UnixListener, changed: &FindingsChanged) {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        let asked: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(asked["method"], method::SUBSCRIBE_FINDINGS);
        let speaker = json!({"protocol": 1, "build": "0.1.0"});
        let params = json!({"subscription": 7, "result": changed});
        for message in [
            json!({"jsonrpc": "2.0", "id": asked["id"], "result": 7, "proofmark": speaker}),
            json!({"jsonrpc": "2.0", "method": method::FINDINGS_CHANGED, "params": params, "proofmark": speaker}),
        ] {
            stream.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn what_a_server_said_is_kept_when_it_is_gone_and_the_next_one_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let mut findings = Findings::behind(socket.clone());
        assert!(!findings.settle().await, "nobody is there");
        let listener = UnixListener::bind(&socket).unwrap();
        let servers = async {
            say_once(&listener, &changed(true, &[("a", &[("1", "1")])])).await;
            say_once(&listener, &changed(true, &[("a", &[("2", "1")]), ("b", &[("3", "1")])])).await;
            // Whoever comes again has heard the second one to its end.
            listener.accept().await.unwrap();
        };
        tokio::select! {
            () = servers => {}
            never = findings.follow() => match never {},
        }
        drop(listener);
        std::fs::remove_file(&socket).unwrap();
        assert!(!findings.settle().await, "nobody is there any more");
        assert_eq!(ids(&findings, &started("a", "startup")), ["2"]);
        assert_eq!(ids(&findings, &started("b", "startup")), ["3"]);
    }

    #[tokio::test]
    async fn the_last_word_is_the_servers_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let mut findings = Findings::behind(socket.clone());
        findings.take(changed(true, &[("a", &[("1", "1")])]));
        let listener = UnixListener::bind(&socket).unwrap();
        let last = changed(true, &[("a", &[("1", "1"), ("2", "1")])]);
        let ((), heard) = tokio::join!(say_once(&listener, &last), findings.settle());
        assert!(heard);
        assert_eq!(ids(&findings, &started("a", "startup")), ["1", "2"]);
    }
}
