//! The registry on a connection in memory: subscriptions beside requests, and what a subscriber gets to see.
//! Single decisions are tested where they are made.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::Methods;
use proofmark_protocol::Harness;
use proofmark_protocol::query::ClaimState;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::lines;
use super::owner::Control;
use super::registry::{self, Context};
use crate::engine::{Engine, now};
use crate::ledger::{Durability, Ledger};
use crate::session::{Fact, FactBody, SessionKey};

/// A server in memory and one connection to it.
struct Served {
    folder: TempDir,
    engine: Arc<Engine>,
    methods: Methods,
    control: Arc<Control>,
    stream: BufReader<DuplexStream>,
}

impl Served {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(Engine::open(folder.path()).unwrap());
        let control = Arc::new(Control::default());
        let methods = registry::module(Context {
            engine: Arc::clone(&engine),
            control: Arc::clone(&control),
        })
        .unwrap();
        let stream = connect(&methods, &control);
        Self {
            folder,
            engine,
            methods: methods.into(),
            control,
            stream,
        }
    }

    /// From now on another connection is spoken on; the one before stays open as long as what is returned.
    fn reconnect(&mut self) -> BufReader<DuplexStream> {
        let stream = connect(&self.methods, &self.control);
        std::mem::replace(&mut self.stream, stream)
    }

    fn state(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    async fn send(&mut self, id: u64, method: &str, params: Value) {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n";
        self.stream.write_all(line.as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line);
        tokio::time::timeout(Duration::from_secs(20), read)
            .await
            .expect("nothing comes")
            .unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The next message of the subscription: whether it is everything, and the claims by session.
    async fn shown(&mut self) -> (bool, Vec<(String, Vec<String>)>) {
        let message = self.read().await;
        assert_eq!(message["method"], "findingsChanged", "{message}");
        let result = &message["params"]["result"];
        let claims = |session: &Value| {
            let items = session["items"].as_array().unwrap().iter();
            items.map(|item| item["claim"].as_str().unwrap().to_owned()).collect()
        };
        let sessions = result["sessions"].as_array().unwrap().iter();
        let sessions = sessions.map(|session| (session["session"].as_str().unwrap().to_owned(), claims(session)));
        (result["whole"] == true, sessions.collect())
    }
}

fn connect(methods: &Methods, control: &Arc<Control>) -> BufReader<DuplexStream> {
    // Small, so that a message does not fit into it.
    let (ours, theirs) = tokio::io::duplex(256);
    tokio::spawn(lines::serve(theirs, methods.clone(), Arc::clone(control)));
    BufReader::new(ours)
}

fn tag(ledger: &Ledger, session: &str, claim: &str) {
    tag_at(ledger, session, claim, now());
}

fn tag_at(ledger: &Ledger, session: &str, claim: &str, at: u64) {
    let body = FactBody::ClaimTagged {
        claim: claim.to_owned(),
        text: format!("it holds that {claim}"),
        reason: "no box".to_owned(),
        rewords: None,
        after_call: None,
    };
    write_at(ledger, session, &format!("tag {claim}"), body, at);
}

fn settle(ledger: &Ledger, session: &str, claim: &str) {
    let (claim, state) = (claim.to_owned(), ClaimState::Checked);
    let body = FactBody::ClaimSettled {
        claim,
        state,
        settled_by: None,
        matched: None,
        why: None,
    };
    write(ledger, session, &format!("settle {now}", now = now()), body);
}

fn write(ledger: &Ledger, session: &str, key: &str, body: FactBody) {
    write_at(ledger, session, key, body, now());
}

fn write_at(ledger: &Ledger, session: &str, key: &str, body: FactBody, at: u64) {
    let session = SessionKey {
        harness: Harness::ClaudeCode,
        session: session.to_owned(),
    };
    let fact = Fact {
        at,
        agent: None,
        turn: 1,
        anchor: None,
        key: key.to_owned(),
        body,
    };
    ledger.touch(&session, None, Some("/w"), at).unwrap();
    ledger.append(&session, &[fact], Durability::Process).unwrap();
}

fn one(session: &str, claims: &[&str]) -> (String, Vec<String>) {
    (
        session.to_owned(),
        claims.iter().map(|claim| (*claim).to_owned()).collect(),
    )
}

#[tokio::test]
async fn a_subscription_begins_with_everything_and_goes_on_with_what_changes() {
    let mut served = Served::new();
    tag(&served.engine.ledger(), "s", "a");
    served.send(1, "subscribeFindings", Value::Null).await;
    let accepted = served.read().await;
    assert!(accepted["result"].is_u64() && accepted["id"] == 1 && accepted["proofmark"]["build"].is_string());
    assert_eq!(served.shown().await, (true, vec![one("s", &["a"])]));
    // Another process writes: nobody tells this one.
    let other = Ledger::open_existing(&served.state()).unwrap().unwrap();
    tag(&other, "t", "b");
    assert_eq!(served.shown().await, (false, vec![one("t", &["b"])]));
    settle(&other, "s", "a");
    assert_eq!(served.shown().await, (false, vec![one("s", &[])]));
    // A session that has nothing to say, and never had, is not mentioned.
    write(&other, "u", "k", FactBody::Said { what: "x".to_owned() });
    tag(&other, "s", "c");
    assert_eq!(served.shown().await, (false, vec![one("s", &["c"])]));
}

#[tokio::test]
async fn a_session_of_long_ago_is_not_shown_until_it_is_heard_of_again() {
    const DAY: u64 = 24 * 60 * 60 * 1_000;
    let mut served = Served::new();
    let ledger = served.engine.ledger();
    tag_at(&ledger, "old", "a", now() - 8 * DAY);
    tag_at(&ledger, "new", "b", now() - 6 * DAY);
    served.send(1, "subscribeFindings", Value::Null).await;
    served.read().await;
    assert_eq!(served.shown().await, (true, vec![one("new", &["b"])]));
    tag(&ledger, "old", "c");
    assert_eq!(served.shown().await, (false, vec![one("old", &["a", "c"])]));
}

#[tokio::test]
async fn requests_are_answered_beside_a_subscription() {
    let mut served = Served::new();
    tag(&served.engine.ledger(), "s", "a");
    served.send(1, "subscribeFindings", Value::Null).await;
    let subscription = served.read().await["result"].clone();
    served.shown().await;
    served.send(2, "retireClaim", json!({"id": "a", "why": "no"})).await;
    let (mut answered, mut gone) = (false, false);
    for _ in 0..2 {
        let message = served.read().await;
        answered |= message["id"] == 2 && message["result"]["state"] == "retired";
        gone |= message["params"]["result"]["sessions"][0]["items"] == json!([]);
    }
    assert!(answered && gone);
    served.send(3, "subscribeFindings", Value::Null).await;
    assert_eq!(
        served.read().await["error"]["code"],
        -32600,
        "one subscription for each connection"
    );
    served.send(4, "unsubscribeFindings", json!([subscription])).await;
    assert_eq!(served.read().await["result"], true);
    tag(&served.engine.ledger(), "s", "b");
    served.engine.stir();
    served.send(5, "subscribeFindings", Value::Null).await;
    assert_eq!(
        served.read().await["id"],
        5,
        "nothing comes after the end of the first one"
    );
    assert_eq!(served.shown().await, (true, vec![one("s", &["b"])]));
}

#[tokio::test]
async fn a_subscription_is_its_connections_own() {
    let mut served = Served::new();
    served.send(1, "subscribeFindings", Value::Null).await;
    let subscription = served.read().await["result"].clone();
    let first = served.reconnect();
    served.send(1, "unsubscribeFindings", json!([subscription])).await;
    assert_eq!(served.read().await["result"], false);
    served.stream = first;
    assert_eq!(served.shown().await, (true, vec![]));
}

#[tokio::test]
async fn what_an_editor_retires_is_not_brought_up_again_and_what_it_takes_back_is() {
    let mut served = Served::new();
    tag(&served.engine.ledger(), "s", "a");
    for (id, method, reminded) in [
        (1, None, true),
        (3, Some("retireClaim"), false),
        (5, Some("reopenClaim"), true),
    ] {
        if let Some(method) = method {
            served.send(id, method, json!({"id": "a"})).await;
            assert!(served.read().await["error"].is_null());
        }
        // In words of its own: the same prompt again at once would be the same event.
        let prompt = json!({"harness": "claude-code", "session": "s", "prompt": format!("go on, {id}")});
        served.send(id + 1, "onPrompt", prompt).await;
        let answer = served.read().await;
        let told = answer["result"]["toAgent"]
            .as_str()
            .is_some_and(|text| text.contains("it holds that a"));
        assert_eq!(told, reminded, "{method:?}: {answer}");
    }
}

#[tokio::test]
async fn a_slow_reader_gets_what_holds_when_it_reads() {
    let mut served = Served::new();
    served.send(1, "subscribeFindings", Value::Null).await;
    served.read().await;
    assert_eq!(served.shown().await, (true, vec![]));
    let ledger = served.engine.ledger();
    for n in 0..200 {
        tag(&ledger, "s", &format!("c{n}"));
        served.engine.stir();
        tokio::task::yield_now().await;
    }
    let mut messages = 1;
    while served.shown().await.1[0].1.len() < 200 {
        messages += 1;
    }
    assert!(messages < 100, "{messages} messages for 200 changes");
}

#[tokio::test]
async fn the_document_is_there_before_it_is_named_and_only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let mut served = Served::new();
    tag(&served.engine.ledger(), "s", "a");
    served.send(1, "subscribeFindings", Value::Null).await;
    served.read().await;
    let message = served.read().await;
    let session = &message["params"]["result"]["sessions"][0];
    let document = Path::new(session["document"].as_str().unwrap());
    let text = std::fs::read_to_string(document).unwrap();
    assert!(text.contains("“it holds that a”"), "{text}");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(document), mode(document.parent().unwrap())), (0o600, 0o700));
    served.send(2, "sessionReport", json!({"session": "s"})).await;
    let report = served.read().await;
    assert_eq!(report["result"], json!({"document": document, "text": text}));
    served.send(3, "sessionReport", json!({"session": "none"})).await;
    assert_eq!(served.read().await["error"]["code"], -32052);
    let left: Vec<_> = std::fs::read_dir(document.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn only_what_the_person_retired_is_opened_again() {
    let mut served = Served::new();
    tag(&served.engine.ledger(), "s", "a");
    for (id, method, claim, expected) in [
        (1, "reopenClaim", "a", json!(-32052)),
        (2, "retireClaim", "a", json!("retired")),
        (3, "retireClaim", "a", json!(-32052)),
        (4, "reopenClaim", "a", json!("open")),
        (5, "reopenClaim", "none", json!(-32052)),
    ] {
        served.send(id, method, json!({"id": claim})).await;
        let answer = served.read().await;
        let found = if answer["error"].is_null() {
            &answer["result"]["state"]
        } else {
            &answer["error"]["code"]
        };
        assert_eq!(*found, expected, "{method} {claim}: {answer}");
    }
}

#[tokio::test]
async fn places_of_a_front_end_that_is_gone_are_told_until_somebody_empties_them() {
    // No system has process ids that high.
    const GONE: u32 = 0x7fff_ffff;
    let here = std::process::id();
    let mut served = Served::new();
    for (id, params, expected) in [
        (
            1,
            json!({"process": GONE, "add": ["file:///a", "file:///b"]}),
            json!([]),
        ),
        (
            2,
            json!({"process": here, "add": ["file:///b", "file:///c"]}),
            json!(["file:///a", "file:///b"]),
        ),
        // Of a process that runs, another one neither hears nor forgets anything.
        (
            3,
            json!({"process": 1, "remove": ["file:///c"]}),
            json!(["file:///a", "file:///b"]),
        ),
        (4, json!({"process": 1, "remove": ["file:///a"]}), json!(["file:///b"])),
        (5, json!({"process": here, "remove": ["file:///b"]}), json!([])),
    ] {
        served.send(id, "publishedUris", params.clone()).await;
        assert_eq!(served.read().await["result"], expected, "{params}");
    }
    let later = Engine::beside(&served.state()).unwrap();
    assert_eq!(later.ledger().published().unwrap(), [("file:///c".to_owned(), here)]);
}
