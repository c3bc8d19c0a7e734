//! How long a connection is kept that says nothing, or says it too slowly.
//! What is answered is tested with the registry, and on the built programs.

use jsonrpsee::RpcModule;
use tokio::io::DuplexStream;

use super::*;

const LIMIT: Duration = Duration::from_millis(100);
/// Long after the limit, for a machine that is busy.
const LONG: Duration = Duration::from_secs(20);

fn connect() -> DuplexStream {
    let mut module = RpcModule::new(());
    module.register_method("hello", |_, (), _| "hello").unwrap();
    module
        .register_subscription("follow", "followed", "unfollow", |_, pending, _, _| async move {
            if let Ok(sink) = pending.accept().await {
                sink.closed().await;
            }
        })
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(4096);
    tokio::spawn(serve_within(LIMIT, theirs, module.into(), Arc::new(Control::default())));
    ours
}

async fn ends(stream: &mut DuplexStream) -> bool {
    let mut rest = Vec::new();
    tokio::time::timeout(LONG, stream.read_to_end(&mut rest)).await.is_ok()
}

#[tokio::test]
async fn a_connection_that_says_nothing_ends() {
    assert!(ends(&mut connect()).await);
}

#[tokio::test]
async fn a_message_that_does_not_come_to_its_end_ends_its_connection() {
    let mut stream = connect();
    let drip = async {
        // As long as it is taken, a byte now and then.
        while stream.write_all(b" ").await.is_ok() {
            tokio::time::sleep(LIMIT / 10).await;
        }
    };
    assert!(tokio::time::timeout(LONG, drip).await.is_ok());
}

#[tokio::test]
async fn a_connection_with_a_subscription_may_be_silent() {
    let mut stream = connect();
    let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"follow\"}\n";
    stream.write_all(line.as_bytes()).await.unwrap();
    let mut stream = BufReader::new(stream);
    let mut answer = String::new();
    stream.read_line(&mut answer).await.unwrap();
    assert!(answer.contains("result"), "{answer}");
    tokio::time::sleep(LIMIT * 3).await;
    stream
        .write_all(line.replace("follow", "hello").as_bytes())
        .await
        .unwrap();
    answer.clear();
    stream.read_line(&mut answer).await.unwrap();
    assert!(answer.contains("\"hello\""), "{answer}");
}
