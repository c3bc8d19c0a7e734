//! The guards: whatever an editor sends, the server answers the next good request, and ends when it is told to.
//! What a real process does is tested with the built programs.

mod told;

use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::RpcModule;
use proofmark_protocol::frame::MAX_FRAME;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinHandle;

use super::frames::{self, Frame};
use super::link::Link;
use super::*;

/// Nothing here takes so long.
const LIMIT: Duration = Duration::from_secs(20);

/// An editor and the server it talks to.
struct Client {
    input: DuplexStream,
    output: BufReader<DuplexStream>,
    server: JoinHandle<u8>,
    folder: TempDir,
}

impl Client {
    fn over(link: Link) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (input, theirs) = tokio::io::duplex(64 * 1024);
        let (ours, output) = tokio::io::duplex(64 * 1024);
        let server = tokio::spawn(run(theirs, ours, link, folder.path().to_owned()));
        Self {
            input,
            output: BufReader::new(output),
            server,
            folder,
        }
    }

    /// With the real methods on an empty ledger.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(engine(folder.path()).unwrap());
        let control = Arc::new(Control::default());
        let methods = registry::module(Context {
            engine,
            control: Arc::clone(&control),
        })
        .unwrap();
        let mut client = Self::over(Link::Here {
            methods: methods.into(),
            control,
        });
        client.folder = folder;
        client
    }

    async fn send(&mut self, message: Value) {
        let mut message = message;
        message["jsonrpc"] = json!("2.0");
        self.raw(&framed(message.to_string().as_bytes())).await;
    }

    async fn raw(&mut self, bytes: &[u8]) {
        let written = tokio::time::timeout(LIMIT, self.input.write_all(bytes));
        written.await.expect("the server reads no more").unwrap();
    }

    async fn read(&mut self) -> Value {
        let frame = tokio::time::timeout(LIMIT, frames::read(&mut self.output))
            .await
            .expect("no answer")
            .unwrap();
        let Frame::Message(body) = frame else {
            panic!("{frame:?}")
        };
        serde_json::from_slice(&body).unwrap()
    }

    /// The answer to a request; other messages are passed over.
    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn initialize(&mut self) -> Value {
        self.send(json!({"id": 0, "method": "initialize", "params": {"rootUri": null, "capabilities": {}}}))
            .await;
        let answer = self.answer(0).await;
        self.send(json!({"method": "initialized", "params": {}})).await;
        answer
    }

    async fn code(self) -> u8 {
        // Stdin stays open: the server has to go all the same.
        let Self {
            server,
            input: _input,
            output: _output,
            ..
        } = self;
        tokio::time::timeout(LIMIT, server)
            .await
            .expect("the server stays")
            .unwrap()
    }
}

fn framed(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// Something bad: what, its bytes, and the errors that answer it by id.
type Bad = (&'static str, Vec<u8>, Vec<(Value, i32)>);

#[tokio::test]
async fn whatever_comes_the_next_request_is_answered() {
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"status","params":{nested}}}"#);
    let too_long = {
        let mut frame = format!("Content-Length: {}\r\n\r\n", MAX_FRAME + 1).into_bytes();
        frame.resize(frame.len() + MAX_FRAME + 1, b' ');
        frame
    };
    let cases: Vec<Bad> = vec![
        ("no JSON", framed(b"{\"jsonrpc\":"), vec![(Value::Null, -32700)]),
        ("no UTF-8", framed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"), vec![(json!(1), -32700)]),
        ("no object", framed(b"7"), vec![(Value::Null, -32600)]),
        ("another version", framed(br#"{"jsonrpc":"1.0","id":7,"method":"status"}"#), vec![(json!(7), -32600)]),
        ("a method that is no text", framed(br#"{"jsonrpc":"2.0","id":7,"method":7}"#), vec![(json!(7), -32600)]),
        ("no method", framed(br#"{"jsonrpc":"2.0"}"#), vec![(Value::Null, -32600)]),
        ("an id of another kind", framed(br#"{"jsonrpc":"2.0","id":{},"method":"status"}"#), vec![(Value::Null, -32600)]),
        ("too deep", framed(deep.as_bytes()), vec![(json!(7), -32700)]),
        ("a response to nothing", framed(br#"{"jsonrpc":"2.0","id":7,"result":null}"#), vec![]),
        ("a broken response", framed(br#"{"jsonrpc":"2.0","id":7,"error":"x"}"#), vec![]),
        ("an empty batch", framed(b"[]"), vec![(Value::Null, -32600)]),
        ("a broken batch", framed(b"[{]"), vec![(Value::Null, -32700)]),
        (
            "a batch",
            framed(br#"[{"jsonrpc":"2.0","id":7,"method":"none"}, 3, {"jsonrpc":"2.0","method":"initialized","params":{}}]"#),
            vec![(Value::Null, -32600), (json!(7), -32601)],
        ),
        ("an unknown method", framed(br#"{"jsonrpc":"2.0","id":7,"method":"none"}"#), vec![(json!(7), -32601)]),
        ("an unknown notification", framed(br#"{"jsonrpc":"2.0","method":"none"}"#), vec![]),
        ("nothing", framed(b""), vec![(Value::Null, -32700)]),
        ("rubbish", b"rubbish\r\n\r\n".to_vec(), vec![(Value::Null, -32700)]),
        ("a length that is none", b"Content-Length: many\r\n\r\n".to_vec(), vec![(Value::Null, -32700)]),
        ("too long", too_long, vec![(Value::Null, -32600)]),
    ];
    let mut client = Client::new();
    client.initialize().await;
    for (id, (what, bytes, expected)) in (100_u64..).zip(cases) {
        client.raw(&bytes).await;
        client.send(json!({"id": id, "method": "listSessions"})).await;
        let mut errors = Vec::new();
        // Answers of the guard and of the server come in any order.
        let mut answered = false;
        while !answered || errors.len() < expected.len() {
            let message = client.read().await;
            if message["id"] == id {
                assert_eq!(message["result"], json!([]), "{what}");
                answered = true;
            } else {
                errors.push((
                    message["id"].clone(),
                    i32::try_from(message["error"]["code"].as_i64().unwrap()).unwrap(),
                ));
            }
        }
        errors.sort_by_key(|(id, _)| id.to_string().len());
        let mut expected = expected;
        expected.sort_by_key(|(id, _)| id.to_string().len());
        assert_eq!(errors, expected, "{what}");
    }
}

#[tokio::test]
async fn a_panic_is_an_error_and_the_next_request_is_answered() {
    let mut module = RpcModule::new(());
    module
        .register_async_method("status", |_, _, _| async {
            if std::env::args().count() > 0 {
                panic!("on purpose");
            }
        })
        .unwrap();
    module.register_method("listClaims", |_, _, _| "fine").unwrap();
    let mut client = Client::over(Link::Here {
        methods: module.into(),
        control: Arc::default(),
    });
    client.initialize().await;
    client.send(json!({"id": 1, "method": "status"})).await;
    assert_eq!(client.answer(1).await["error"]["code"], -32603);
    client.send(json!({"id": 2, "method": "listClaims"})).await;
    assert_eq!(client.answer(2).await["result"], "fine");
}

#[tokio::test]
async fn an_owner_that_cannot_be_started_is_an_error_and_the_editor_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let start: Starter = Box::new(|| panic!("on purpose"));
    let mut client = Client::over(Link::to_owner(folder.path().join("none.sock"), start));
    client.initialize().await;
    for id in 1..3 {
        client.send(json!({"id": id, "method": "status"})).await;
        assert_eq!(client.answer(id).await["error"]["code"], -32603);
    }
    client.send(json!({"id": 3, "method": "shutdown"})).await;
    client.answer(3).await;
    client.send(json!({"method": "exit"})).await;
    assert_eq!(client.code().await, 0);
}

#[tokio::test]
async fn exit_ends_it_with_stdin_open_and_says_whether_shutdown_came_first() {
    for (before, expected) in [
        (vec![], 1),
        (vec![json!({"id": 1, "method": "shutdown"})], 0),
        (vec![json!({"id": 1, "method": "status"})], 1),
    ] {
        let mut client = Client::new();
        client.initialize().await;
        for message in before {
            client.send(message).await;
        }
        client.send(json!({"method": "exit"})).await;
        assert_eq!(client.code().await, expected);
    }
    let mut client = Client::new();
    client.send(json!({"method": "exit"})).await;
    assert_eq!(client.code().await, 1, "also before initialize");
}

#[tokio::test]
async fn exit_does_not_wait_for_a_handler_that_hangs() {
    let mut module = RpcModule::new(());
    module
        .register_async_method("onStop", |_, _, _| std::future::pending::<()>())
        .unwrap();
    let mut client = Client::over(Link::Here {
        methods: module.into(),
        control: Arc::default(),
    });
    client.initialize().await;
    client.send(json!({"id": 1, "method": "onStop", "params": {}})).await;
    client.send(json!({"method": "exit"})).await;
    let told = std::time::Instant::now();
    assert_eq!(client.code().await, 1);
    assert!(told.elapsed() < FINISH, "{:?}", told.elapsed());
}

#[tokio::test]
async fn a_closed_stdin_ends_it_once_everything_is_answered() {
    let mut client = Client::new();
    client.initialize().await;
    for id in 1..=20 {
        client.send(json!({"id": id, "method": "status"})).await;
    }
    client.input.shutdown().await.unwrap();
    for id in 1..=20 {
        assert!(client.answer(id).await["result"].is_object());
    }
    assert_eq!(client.code().await, 0);
    let mut silent = Client::new();
    silent.input.shutdown().await.unwrap();
    let closed = std::time::Instant::now();
    assert_eq!(silent.code().await, 0);
    assert!(closed.elapsed() < FINISH, "{:?}", closed.elapsed());
}

#[tokio::test]
async fn a_hundred_and_fifty_requests_at_once_are_all_answered() {
    let mut client = Client::new();
    client.initialize().await;
    for id in 1..=150 {
        let (method, params) = match id % 3 {
            0 => ("status", Value::Null),
            1 => (
                "workspace/executeCommand",
                json!({"command": "proofmark.retireClaim", "arguments": ["none"]}),
            ),
            _ => (
                "onPrompt",
                json!({"harness": "claude-code", "session": "s", "prompt": "go on"}),
            ),
        };
        client.send(json!({"id": id, "method": method, "params": params})).await;
    }
    let mut open: std::collections::BTreeSet<u64> = (1..=150).collect();
    while !open.is_empty() {
        let message = client.read().await;
        if let Some(id) = message["id"].as_u64() {
            assert!(open.remove(&id), "{message}");
        }
    }
}

#[tokio::test]
async fn methods_are_answered_in_their_order_and_standard_requests_meanwhile() {
    let mut module = RpcModule::new(());
    module
        .register_async_method("onStop", |_, _, _| async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            "slow"
        })
        .unwrap();
    module.register_method("onPrompt", |_, _, _| "quick").unwrap();
    let mut client = Client::over(Link::Here {
        methods: module.into(),
        control: Arc::default(),
    });
    client.initialize().await;
    client.send(json!({"id": 1, "method": "onStop", "params": {}})).await;
    client.send(json!({"id": 2, "method": "onPrompt", "params": {}})).await;
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    let action = json!({"textDocument": {"uri": "file:///a"}, "range": range, "context": {"diagnostics": []}});
    client
        .send(json!({"id": 3, "method": "textDocument/codeAction", "params": action}))
        .await;
    let order = [client.read().await, client.read().await, client.read().await];
    assert_eq!(
        order.each_ref().map(|answer| answer["id"].as_u64()),
        [Some(3), Some(1), Some(2)]
    );
}

#[tokio::test]
async fn a_client_learns_what_the_server_can_and_only_what_it_asked_for() {
    let mut client = Client::new();
    client.send(json!({"id": 9, "method": "status"})).await;
    assert_eq!(
        client.answer(9).await["error"]["code"],
        -32002,
        "nothing is served before initialize"
    );
    let answer = client.initialize().await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["textDocumentSync"]["change"], 0);
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(answer["result"]["serverInfo"]["name"], "proofmark");
    assert!(client.folder.path().join("ledger.sqlite").exists());
    client.send(json!({"id": 1, "method": "subscribeFindings"})).await;
    assert_eq!(
        client.answer(1).await["error"]["code"],
        -32601,
        "findings come as diagnostics"
    );
}
