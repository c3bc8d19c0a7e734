//! What the editor is asked: requests of ours, whose answers nobody waits for.
//! Whether it can do what is asked is looked up by whoever asks.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

/// Requests that this process has sent to its editor.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// A request to the editor. Its answer, an error too, is read and put aside: no handler waits for the editor.
pub(super) fn editor(method: &str, params: Option<Value>) -> Value {
    let nth = ASKED.fetch_add(1, Ordering::Relaxed);
    let mut request = json!({ "jsonrpc": "2.0", "id": format!("proofmark-{nth}"), "method": method });
    if let (Some(params), Some(members)) = (params, request.as_object_mut()) {
        members.insert("params".to_owned(), params);
    }
    request
}
