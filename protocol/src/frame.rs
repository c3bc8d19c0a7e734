//! One JSON-RPC 2.0 message a line, with protocol and build version on each.
//! Reading from and writing to a socket is left to the transports.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Version of this protocol; a change that an older side cannot read raises it.
pub const PROTOCOL: u32 = 1;
/// Build version, `MAJOR.MINOR.PATCH`: a newer client makes an older server give way.
pub const BUILD: &str = env!("CARGO_PKG_VERSION");
/// A message, its line end included, is refused when it is longer, in bytes.
pub const MAX_FRAME: usize = 16 * 1024 * 1024;

/// JSON-RPC: the message is no JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: the message is no request.
pub const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: there is no such method.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// JSON-RPC: the params do not fit the method.
pub const INVALID_PARAMS: i32 = -32602;
/// JSON-RPC: the handler failed.
pub const INTERNAL_ERROR: i32 = -32603;
/// Ours: the client is newer than the server, which exits; the client starts its own.
pub const SUPERSEDED: i32 = -32050;
/// Ours: the request's deadline has passed.
pub const DEADLINE: i32 = -32051;
/// Ours: nothing on the ledger has this id.
pub const NOT_FOUND: i32 = -32052;

/// Who speaks: it stands as member `proofmark` on every line, in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Speaker {
    /// [`PROTOCOL`] of the speaker.
    pub protocol: u32,
    /// [`BUILD`] of the speaker.
    pub build: String,
}

impl Speaker {
    /// This program.
    pub fn this() -> Self {
        Self {
            protocol: PROTOCOL,
            build: BUILD.to_owned(),
        }
    }

    /// True when the speaker has a higher protocol, or the same one and a higher build.
    pub fn is_newer_than(&self, other: &Self) -> bool {
        (self.protocol, build_number(&self.build)) > (other.protocol, build_number(&other.build))
    }
}

/// A build version as numbers; what is no number counts as 0.
fn build_number(build: &str) -> [u64; 3] {
    let mut parts = build.split(['-', '+']).next().unwrap_or_default().split('.');
    std::array::from_fn(|_| parts.next().and_then(|part| part.parse().ok()).unwrap_or(0))
}

/// A request as it is written.
#[derive(Debug, Serialize)]
pub struct Request<'a, P> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: P,
    proofmark: Speaker,
}

impl<'a, P: Serialize> Request<'a, P> {
    /// A request by this program.
    pub fn new(id: u64, method: &'a str, params: P) -> Self {
        Self {
            jsonrpc: "2.0",
            id,
            method,
            params,
            proofmark: Speaker::this(),
        }
    }
}

/// A request as it is read: nothing inside the params is looked at.
#[derive(Debug, Deserialize)]
pub struct IncomingRequest<'a> {
    /// The request's id, which may be null; a message without one is a notification and gets no answer.
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'a RawValue>,
    /// The method's name.
    pub method: String,
    /// The params, unread.
    #[serde(borrow, default)]
    pub params: Option<&'a RawValue>,
    /// Who speaks, where it says so.
    #[serde(default)]
    pub proofmark: Option<Speaker>,
}

/// A member that is there, also when it is null.
fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// An error as it is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorObject {
    /// One of the codes of this module.
    pub code: i32,
    /// What happened, for the person.
    pub message: String,
}

/// A response as it is read.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "R: Deserialize<'de>"))]
pub struct Response<R> {
    /// The answer, when it went well.
    #[serde(default = "Option::default")]
    pub result: Option<R>,
    /// The error, when it did not.
    #[serde(default)]
    pub error: Option<ErrorObject>,
    /// Who speaks.
    #[serde(default)]
    pub proofmark: Option<Speaker>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaker(protocol: u32, build: &str) -> Speaker {
        Speaker {
            protocol,
            build: build.to_owned(),
        }
    }

    #[test]
    fn newer_is_decided_by_protocol_then_by_numbers() {
        assert!(speaker(1, "0.10.0").is_newer_than(&speaker(1, "0.9.9")));
        assert!(speaker(2, "0.1.0").is_newer_than(&speaker(1, "9.0.0")));
        assert!(!speaker(1, "0.1.0-dev").is_newer_than(&speaker(1, "0.1.0")));
        assert!(!speaker(1, "rubbish").is_newer_than(&speaker(1, "0.1.0")));
    }

    #[test]
    fn only_a_message_without_an_id_is_a_notification() {
        let id = |line| {
            serde_json::from_str::<IncomingRequest<'_>>(line)
                .unwrap()
                .id
                .map(RawValue::get)
        };
        assert_eq!(id(r#"{"method":"m"}"#), None);
        assert_eq!(id(r#"{"method":"m","id":null}"#), Some("null"));
    }

    #[test]
    fn a_request_reads_back_and_unknown_members_are_ignored() {
        let line = serde_json::to_string(&Request::new(7, "onStop", serde_json::json!({"a": 1}))).unwrap();
        let line = line.replacen('{', "{\"later\":[1],", 1);
        let read: IncomingRequest<'_> = serde_json::from_str(&line).unwrap();
        assert_eq!(read.id.unwrap().get(), "7");
        assert_eq!(read.params.unwrap().get(), "{\"a\":1}");
        assert_eq!(read.proofmark, Some(Speaker::this()));
    }
}
