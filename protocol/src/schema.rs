//! The whole protocol as one JSON Schema document, for those who read it in another language.
//! Writing the file, and comparing it with the one in the repository, stays out.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::event::{
    PostToolUseParams, PreToolUseParams, PromptParams, ReplyParams, SessionEndParams, SessionStartParams, StopParams,
    SubagentStartParams,
};
use crate::findings::{EditorOptions, FindingsChanged, PublishedUrisParams, SessionReport, SessionReportParams};
use crate::frame::{self, ErrorObject, Speaker};
use crate::judge::{JudgeReply, JudgeReplyParams, Waiting};
use crate::query::{
    Claim, Diagnosis, DismissFindingParams, KeptFinding, ListClaimsParams, ListFindingsParams, Pause, PauseParams,
    Pong, ReleaseScopeParams, ReopenClaimParams, ReopenFindingParams, RetireClaimParams, SessionStatus, SetScopeParams,
    Status,
};
use crate::settings::Settings;
use crate::{Decision, method};

/// The document: under `$defs` every type that is sent and the settings, under `methods` what each method takes and
/// answers, under `notifications` what the server sends unasked, under `errors` the codes. Types are described as they are read: what may be left out is not required.
pub fn document() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let methods = methods(&mut generator);
    let findings_changed = generator.subschema_for::<FindingsChanged>();
    let waiting = generator.subschema_for::<Waiting>();
    generator.subschema_for::<Speaker>();
    generator.subschema_for::<ErrorObject>();
    generator.subschema_for::<Settings>();
    generator.subschema_for::<EditorOptions>();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Proofmark protocol",
        "description": "One JSON-RPC 2.0 message a line. Generated from the crate proofmark-protocol; not to be edited.",
        "protocol": frame::PROTOCOL,
        "maxFrame": frame::MAX_FRAME,
        "errors": {
            "parseError": frame::PARSE_ERROR,
            "invalidRequest": frame::INVALID_REQUEST,
            "methodNotFound": frame::METHOD_NOT_FOUND,
            "invalidParams": frame::INVALID_PARAMS,
            "internalError": frame::INTERNAL_ERROR,
            "superseded": frame::SUPERSEDED,
            "deadline": frame::DEADLINE,
            "notFound": frame::NOT_FOUND,
        },
        "methods": methods,
        "notifications": {
            method::FINDINGS_CHANGED: { "result": findings_changed },
            method::WAITING: { "params": waiting },
        },
        "$defs": generator.take_definitions(true),
    })
}

fn methods(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut methods = Map::new();
    let mut add =
        |name: &str, params: fn(&mut SchemaGenerator) -> Schema, result: fn(&mut SchemaGenerator) -> Schema| {
            methods.insert(
                name.to_owned(),
                json!({ "params": params(generator), "result": result(generator) }),
            );
        };
    add(method::ON_SESSION_START, of::<SessionStartParams>, of::<Decision>);
    add(method::ON_PROMPT, of::<PromptParams>, of::<Decision>);
    add(method::ON_PRE_TOOL_USE, of::<PreToolUseParams>, of::<Decision>);
    add(method::ON_POST_TOOL_USE, of::<PostToolUseParams>, of::<Decision>);
    add(method::ON_REPLY, of::<ReplyParams>, of::<Decision>);
    add(method::ON_STOP, of::<StopParams>, of::<Decision>);
    add(method::ON_SUBAGENT_START, of::<SubagentStartParams>, of::<Decision>);
    add(method::ON_SUBAGENT_STOP, of::<StopParams>, of::<Decision>);
    add(method::ON_SESSION_END, of::<SessionEndParams>, of::<Decision>);
    add(method::LIST_CLAIMS, of::<ListClaimsParams>, of::<Vec<Claim>>);
    add(method::RETIRE_CLAIM, of::<RetireClaimParams>, of::<Claim>);
    add(method::REOPEN_CLAIM, of::<ReopenClaimParams>, of::<Claim>);
    add(method::LIST_FINDINGS, of::<ListFindingsParams>, of::<Vec<KeptFinding>>);
    add(method::DISMISS_FINDING, of::<DismissFindingParams>, of::<KeptFinding>);
    add(method::REOPEN_FINDING, of::<ReopenFindingParams>, of::<KeptFinding>);
    add(method::LIST_SESSIONS, of::<()>, of::<Vec<SessionStatus>>);
    add(method::STATUS, of::<()>, of::<Status>);
    add(method::JUDGE_REPLY, of::<JudgeReplyParams>, of::<JudgeReply>);
    add(method::PAUSE, of::<PauseParams>, of::<Pause>);
    add(method::RELEASE_SCOPE, of::<ReleaseScopeParams>, of::<SessionStatus>);
    add(method::SET_SCOPE, of::<SetScopeParams>, of::<SessionStatus>);
    add(method::PING, of::<()>, of::<Pong>);
    add(method::DIAGNOSE, of::<()>, of::<Diagnosis>);
    add(method::SESSION_REPORT, of::<SessionReportParams>, of::<SessionReport>);
    add(method::PUBLISHED_URIS, of::<PublishedUrisParams>, of::<Vec<String>>);
    add(method::SUBSCRIBE_FINDINGS, of::<()>, of::<SubscriptionId>);
    add(method::UNSUBSCRIBE_FINDINGS, of::<[SubscriptionId; 1]>, of::<bool>);
    add(method::SHUTDOWN, of::<()>, of::<()>);
    methods
}

/// A subscription's id, which `unsubscribeFindings` takes as the one element of its params.
type SubscriptionId = u64;

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
