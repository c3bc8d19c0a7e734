//! What an editor is told of sessions beside diagnostics, by an owner that says what a test wants.
//! Which sessions are shown is tested by itself.

use jsonrpsee::core::SubscriptionError;
use tokio::sync::Mutex;

use super::*;
use crate::engine::now;

/// An owner that passes on what it is given; null breaks the subscription off.
fn owner() -> (Link, mpsc::Sender<Value>) {
    let (findings, given) = mpsc::channel::<Value>(16);
    let given = Arc::new(Mutex::new(given));
    let mut module = RpcModule::new(());
    module.register_method("publishedUris", |_, _, _| json!([])).unwrap();
    module.register_method("ping", |_, _, _| "here").unwrap();
    module
        .register_subscription(
            "subscribeFindings",
            "findingsChanged",
            "unsubscribeFindings",
            move |_, pending, _, _| {
                let given = Arc::clone(&given);
                async move {
                    let sink = pending.accept().await?;
                    while let Some(next) = given.lock().await.recv().await {
                        if next.is_null() {
                            return Err(SubscriptionError::from("broken off on purpose"));
                        }
                        sink.send(serde_json::value::to_raw_value(&next)?).await?;
                    }
                    Ok(())
                }
            },
        )
        .unwrap();
    let link = Link::Here {
        methods: module.into(),
        control: Arc::default(),
    };
    (link, findings)
}

/// A session with one finding of each of these codes.
fn session(name: &str, cwd: Option<&str>, codes: &[&str]) -> Value {
    let item = |code: &&str| {
        json!({
            "id": format!("finding:{code}"), "code": code, "severity": "warning", "message": format!("{code} of {name}."),
            "subject": "", "finding": code, "turn": 1, "line": 4,
        })
    };
    json!({
        "harness": "codex", "session": name, "cwd": cwd, "lastSeen": now(), "document": format!("/none/{name}.md"),
        "items": codes.iter().map(item).collect::<Vec<_>>(),
    })
}

fn all(sessions: &[Value]) -> Value {
    json!({"whole": true, "sessions": sessions})
}

fn changed(session: Value) -> Value {
    json!({"whole": false, "sessions": [session]})
}

/// A message as a test compares it: of diagnostics the document and severities, of sessions which and whether whole.
fn short(message: &Value) -> String {
    let params = &message["params"];
    match message["method"].as_str() {
        Some("textDocument/publishDiagnostics") => {
            let shown = params["diagnostics"].as_array().unwrap().iter();
            let severities: Vec<String> = shown.map(|one| one["severity"].to_string()).collect();
            let uri = params["uri"].as_str().unwrap();
            format!("{} {}", uri.rsplit('/').next().unwrap(), severities.join(","))
        }
        Some("findingsChanged") => {
            let sessions = params["sessions"].as_array().unwrap().iter();
            let sessions: Vec<String> = sessions
                .map(|one| {
                    format!(
                        " {}:{}",
                        one["session"].as_str().unwrap(),
                        one["items"].as_array().unwrap().len()
                    )
                })
                .collect();
            let which = if params["whole"] == true { "whole" } else { "changed" };
            format!("{which}{}", sessions.concat())
        }
        Some(other) => other.to_owned(),
        None => format!("answer {}", message["id"]),
    }
}

impl Client {
    async fn start(link: Link, folder: Option<&str>, options: Value, capabilities: Value) -> Self {
        let mut client = Self::over(link);
        let folders = folder.map(|folder| json!([{"uri": format!("file://{folder}"), "name": "w"}]));
        let params = json!({
            "rootUri": null, "workspaceFolders": folders, "capabilities": capabilities, "initializationOptions": options,
        });
        client
            .send(json!({"id": 0, "method": "initialize", "params": params}))
            .await;
        client.answer(0).await;
        client.send(json!({"method": "initialized", "params": {}})).await;
        client
    }

    async fn expect(&mut self, expected: &[&str]) {
        for message in expected {
            assert_eq!(short(&self.read().await), *message, "of {expected:?}");
        }
    }

    async fn set(&mut self, settings: Value) {
        let params = json!({"settings": settings});
        self.send(json!({"method": "workspace/didChangeConfiguration", "params": params}))
            .await;
    }

    /// Nothing was told since: what is asked now is answered first, after everything that waits was looked at.
    async fn expect_nothing(&mut self) {
        // A look that was asked for is over within far less.
        tokio::time::sleep(Duration::from_millis(300)).await;
        self.send(json!({"id": 77, "method": "ping"})).await;
        self.expect(&["answer 77"]).await;
    }
}

#[tokio::test]
async fn sessions_are_told_only_to_those_who_ask_for_them_and_after_their_diagnostics() {
    for (options, asked) in [
        (Value::Null, false),
        (json!({"sessions": false}), false),
        (json!({"sessions": "yes"}), false),
        (json!("sessions"), false),
        (json!({"sessions": true, "of": "a later build", "codeLens": 7}), true),
    ] {
        let (link, findings) = owner();
        let mut client = Client::start(link, None, options.clone(), json!({})).await;
        findings.send(all(&[session("a", None, &["x"])])).await.unwrap();
        let expected = |places: &'static str, told: &'static str| if asked { vec![places, told] } else { vec![places] };
        client.expect(&expected("a.md 2", "whole a:1")).await;
        findings.send(changed(session("b", None, &["x", "y"]))).await.unwrap();
        client.expect(&expected("b.md 2,2", "changed b:2")).await;
        findings.send(changed(session("a", None, &[]))).await.unwrap();
        client.expect(&expected("a.md ", "changed a:0")).await;
        client.expect_nothing().await;
    }
}

#[tokio::test]
async fn everything_is_told_anew_after_a_reconnect() {
    let (link, findings) = owner();
    let mut client = Client::start(link, None, json!({"sessions": true}), json!({})).await;
    let (a, b) = (session("a", None, &["x"]), session("b", None, &["x"]));
    findings.send(all(&[])).await.unwrap();
    client.expect(&["whole"]).await;
    findings.send(changed(a.clone())).await.unwrap();
    findings.send(changed(b.clone())).await.unwrap();
    client.expect(&["a.md 2", "changed a:1", "b.md 2", "changed b:1"]).await;
    findings.send(Value::Null).await.unwrap();
    findings.send(all(&[b])).await.unwrap();
    client.expect(&["a.md ", "b.md 2", "whole b:1"]).await;
}

#[tokio::test]
async fn a_session_of_another_workspace_is_not_told_of_until_its_folder_joins() {
    let (link, findings) = owner();
    let mut client = Client::start(link, Some("/none/one"), json!({"sessions": true}), json!({})).await;
    let of = |cwd| session("s", Some(cwd), &["x"]);
    findings
        .send(all(&[of("/none/two"), session("t", Some("/none"), &["x"])]))
        .await
        .unwrap();
    client.expect(&["t.md 2", "whole t:1"]).await;
    let folders = |added: &[&str], removed: &[&str]| {
        let named = |folders: &[&str]| -> Vec<Value> {
            folders
                .iter()
                .map(|folder| json!({"uri": format!("file://{folder}"), "name": "w"}))
                .collect()
        };
        let event = json!({"added": named(added), "removed": named(removed)});
        json!({"method": "workspace/didChangeWorkspaceFolders", "params": {"event": event}})
    };
    client.send(folders(&["/none/two"], &[])).await;
    client.expect(&["s.md 2", "whole s:1 t:1"]).await;
    client.send(folders(&[], &["/none/two"])).await;
    client.expect(&["s.md ", "whole t:1"]).await;
    // The session itself goes into the workspace, and out of it.
    findings.send(changed(of("/none/one/sub"))).await.unwrap();
    client.expect(&["s.md 2", "changed s:1"]).await;
    findings.send(changed(of("/none/two"))).await.unwrap();
    client.expect(&["s.md ", "whole t:1"]).await;
    client.send(folders(&["/none/three"], &[])).await;
    client.expect_nothing().await;
}

#[tokio::test]
async fn what_the_person_sets_later_counts_at_once() {
    let (link, findings) = owner();
    let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    let mut client = Client::start(link, None, Value::Null, capabilities).await;
    // Before anything is known nothing is told, and nothing taken back.
    client.set(json!({"proofmark": {"sessions": true}})).await;
    client.expect_nothing().await;
    findings
        .send(all(&[session("a", None, &["stale-verdict", "y"])]))
        .await
        .unwrap();
    client
        .expect(&["a.md 2,2", "workspace/codeLens/refresh", "whole a:2"])
        .await;
    client
        .set(json!({"proofmark": {"severity": {"stale-verdict": "error", "y": "loud"}}}))
        .await;
    client
        .expect(&["a.md 1,2", "workspace/codeLens/refresh", "whole a:2"])
        .await;
    for other in [
        json!({}),
        Value::Null,
        json!({"proofmark": null}),
        json!({"proofmark": {"severity": 7, "sessions": 1}}),
    ] {
        client.set(other).await;
        client.expect_nothing().await;
    }
    client.set(json!({"proofmark": {"codeLens": false}})).await;
    client.expect(&["workspace/codeLens/refresh"]).await;
    let lens = json!({"textDocument": {"uri": "file:///none/a.md"}});
    client
        .send(json!({"id": 5, "method": "textDocument/codeLens", "params": lens}))
        .await;
    assert_eq!(client.answer(5).await["result"], json!([]));
    client.set(json!({"proofmark": {"severity": null}})).await;
    client.expect(&["a.md 2,2", "whole a:2"]).await;
}

#[tokio::test]
async fn a_session_that_grows_too_old_is_taken_back_though_nothing_happens() {
    let (link, findings) = owner();
    let options = json!({"sessions": true, "maxAgeHours": 1});
    let mut client = Client::start(link, None, options, json!({})).await;
    let mut old = session("old", None, &["x"]);
    old["lastSeen"] = json!(now() - 60 * 60 * 1_000 + 3_000);
    let mut older = session("older", None, &["x"]);
    older["lastSeen"] = json!(now() - 60 * 60 * 1_000 - 1);
    findings.send(all(&[old, older])).await.unwrap();
    client.expect(&["old.md 2", "whole old:1", "old.md ", "whole"]).await;
    client.set(json!({"proofmark": {"maxAgeHours": 2}})).await;
    client.expect(&["old.md 2", "older.md 2", "whole old:1 older:1"]).await;
}

#[tokio::test]
async fn a_finding_leaves_a_long_file_that_is_deleted_and_follows_its_line_before() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().canonicalize().unwrap();
    let file = work.join("long.py");
    let uri = format!("file://{}", file.display());
    let rows = |before: usize| -> String {
        let rows = (0..before).map(|nth| format!("new = {nth}\n"));
        rows.chain((0..100_000).map(|nth| format!("x = {nth}\n"))).collect()
    };
    std::fs::write(&file, rows(0)).unwrap();
    let (link, findings) = owner();
    let mut client = Client::start(link, work.to_str(), Value::Null, json!({})).await;
    let mut one = session("s", work.to_str(), &["x"]);
    one["items"][0]["cited"] = json!([{"path": "long.py", "line": 100_000}]);
    findings.send(all(&[one])).await.unwrap();
    let shown = client.read().await;
    let line = |shown: &Value| shown["params"]["diagnostics"][0]["range"]["start"]["line"].as_u64();
    assert_eq!((short(&shown), line(&shown)), ("long.py 2".to_owned(), Some(99_999)));
    std::fs::write(&file, rows(30)).unwrap();
    let saved = json!({"textDocument": {"uri": uri}});
    client
        .send(json!({"method": "textDocument/didSave", "params": saved}))
        .await;
    assert_eq!(line(&client.read().await), Some(100_029));
    std::fs::remove_file(&file).unwrap();
    let deleted = json!({"files": [{"uri": uri}]});
    client
        .send(json!({"method": "workspace/didDeleteFiles", "params": deleted}))
        .await;
    client.expect(&["s.md 2", "long.py "]).await;
    std::fs::write(&file, rows(30)).unwrap();
    let renamed = json!({"files": [{"oldUri": format!("{uri}.old"), "newUri": uri}]});
    client
        .send(json!({"method": "workspace/didRenameFiles", "params": renamed}))
        .await;
    client.expect(&["s.md ", "long.py 2"]).await;
}
