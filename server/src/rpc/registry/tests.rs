//! Every method has a handler, one that panics answers, and events are counted.
//! What a method decides is tested where it is decided.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use super::*;
use crate::ledger::Ledger;
use crate::rpc::holder::Holder;
use crate::rpc::lines;

/// A client of every method there is and those that a test adds, with a state folder of its own.
struct Client {
    folder: tempfile::TempDir,
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Client {
    fn of(extra: impl FnOnce(&mut RpcModule<Context>)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(Engine::open(folder.path()).unwrap());
        let control = Arc::new(Control::of(Holder::this()));
        let mut methods = module(Context {
            engine,
            control: Arc::clone(&control),
        })
        .unwrap();
        extra(&mut methods);
        let (client, server) = tokio::io::duplex(1 << 16);
        let served = tokio::spawn(lines::serve(server, methods.into(), control));
        let (read, write) = tokio::io::split(client);
        Self {
            folder,
            read: BufReader::new(read).lines(),
            write,
            served,
        }
    }

    async fn ask(&mut self, message: &Value) -> Value {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        let line = self.read.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn leave(mut self) {
        self.write.shutdown().await.unwrap();
        self.served.await.unwrap().unwrap();
    }
}

/// What the lines are answered by every method there is and those that the test adds.
async fn answers(sent: &[Value], extra: impl FnOnce(&mut RpcModule<Context>)) -> Vec<Value> {
    let mut client = Client::of(extra);
    let mut answers = Vec::new();
    for message in sent {
        answers.push(client.ask(message).await);
    }
    client.leave().await;
    answers
}

fn somewhere() -> SessionRef {
    serde_json::from_value(json!({"harness": "claude-code", "session": "s1"})).unwrap()
}

fn request(id: u64, method: &str) -> Value {
    json!({"id": id, "method": method})
}

#[tokio::test]
async fn a_handler_that_panics_gets_its_caller_an_error_and_the_next_is_served() {
    let sent = ["panicsAtOnce", "panicsOnAnotherThread", "panicsInAQuery", "status"];
    let sent: Vec<Value> = sent.iter().zip(1..).map(|(method, id)| request(id, method)).collect();
    let answers = answers(&sent, |module| {
        add::<Ignored, (), _>(module, "panicsAtOnce", |_, _| async { panic!("at once") }).unwrap();
        add::<Ignored, Decision, _>(module, "panicsOnAnotherThread", |context, _| {
            gate(context, somewhere(), |_| panic!("on another thread"))
        })
        .unwrap();
        add::<Ignored, (), _>(module, "panicsInAQuery", |context, _| {
            query(context, |_| -> Result<(), QueryError> { panic!("in a query") })
        })
        .unwrap();
    })
    .await;
    for (answer, id) in answers.iter().zip(1..) {
        assert_eq!(answer["id"], id, "{answer}");
    }
    for answer in &answers[..3] {
        assert_eq!(answer["error"]["code"], INTERNAL_ERROR, "{answer}");
    }
    assert_eq!(answers[3]["result"]["server"]["running"], true, "{}", answers[3]);
}

#[tokio::test]
async fn events_are_counted_and_those_of_a_self_test_are_refused_and_forgotten() {
    let at = |session: &str| json!({"harness": "claude-code", "session": session});
    let call = json!({"tool": "Bash", "input": {"command": "true"}});
    let event = |id: u64, method: &str, session: &str| {
        json!({"id": id, "method": method, "params": {
            "harness": "claude-code", "session": session, "call": call, "at": at(session),
        }})
    };
    let tested = format!("{}1", proofmark_protocol::event::SELF_TEST);
    let answers = answers(
        &[
            event(1, method::ON_PRE_TOOL_USE, "s1"),
            event(2, method::ON_PRE_TOOL_USE, "s1"),
            event(3, method::ON_PRE_TOOL_USE, &tested),
            event(4, method::ON_STOP, &tested),
            event(5, method::ON_SESSION_END, &tested),
            request(6, method::DIAGNOSE),
            request(7, method::STATUS),
        ],
        |_| (),
    )
    .await;
    let outcomes: Vec<&str> = answers[..5]
        .iter()
        .map(|answer| answer["result"]["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["allow", "allow", "refuse", "refuse", "allow"]);
    let heard = answers[5]["result"]["heard"].as_array().unwrap();
    let told: Vec<_> = heard
        .iter()
        .map(|heard| (&heard["session"], &heard["event"], &heard["count"]))
        .collect();
    assert_eq!(told, [(&json!("s1"), &json!(method::ON_PRE_TOOL_USE), &json!(2))]);
    assert!(!answers[6].to_string().contains(&tested), "{}", answers[6]);
}

#[tokio::test]
async fn what_an_answer_leaves_to_store_is_stored_though_nobody_asks_again_and_the_connection_stays() {
    let mut client = Client::of(|_| ());
    let stop = json!({"id": 1, "method": method::ON_STOP, "params": {
        "harness": "claude-code", "session": "s1", "transcript": client.folder.path(), "reply": "Done.", "rewrite": false,
    }});
    let answer = client.ask(&stop).await;
    assert!(answer["result"]["outcome"].is_string(), "{answer}");
    // As another process sees it.
    let ledger = Ledger::open_existing(client.folder.path()).unwrap().unwrap();
    let stored = async {
        while ledger.heard().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), stored).await.unwrap();
    client.leave().await;
}

#[tokio::test]
async fn every_method_of_the_protocol_has_a_handler() {
    let sent: Vec<Value> = method::ALL
        .iter()
        .zip(1..)
        .map(|(method, id)| request(id, method))
        .collect();
    for (answer, method) in answers(&sent, |_| ()).await.iter().zip(method::ALL) {
        assert_ne!(
            answer["error"]["code"],
            proofmark_protocol::frame::METHOD_NOT_FOUND,
            "{method}"
        );
    }
}
