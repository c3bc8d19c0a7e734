//! The table of methods: what a client may call, and what runs for it.
//! Transports take the table as it is; what a method decides is the engine's.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use futures_util::FutureExt;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::core::SubscriptionError;
use jsonrpsee::types::{ErrorObject, ErrorObjectOwned};
use jsonrpsee::{PendingSubscriptionSink, RpcModule};
use proofmark_protocol::event::{
    PostToolUseParams, PreToolUseParams, PromptParams, ReplyParams, SessionEndParams, SessionStartParams, StopParams,
    SubagentStartParams,
};
use proofmark_protocol::findings::{PublishedUrisParams, SessionReportParams};
use proofmark_protocol::frame::{BUILD, INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND};
use proofmark_protocol::query::{
    Diagnosis, DismissFindingParams, ListClaimsParams, ListFindingsParams, PauseParams, ReleaseScopeParams,
    ReopenClaimParams, ReopenFindingParams, RetireClaimParams, ServerStatus, SessionStatus, SetScopeParams,
};
use proofmark_protocol::{Decision, Harness, Outcome, SessionRef, method};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::queries::{self, QueryError};
use crate::engine::{Engine, now};
use crate::rpc::owner::Control;
use crate::session::{By, SessionKey};

/// What every handler can reach.
pub(crate) struct Context {
    pub(crate) engine: Arc<Engine>,
    pub(crate) control: Arc<Control>,
}

type Answer<R> = Result<R, ErrorObjectOwned>;

/// Every method of [`method::ALL`], each with its handler.
pub(crate) fn module(context: Context) -> Result<RpcModule<Context>, RegisterMethodError> {
    let mut module = RpcModule::new(context);
    let m = &mut module;
    event(
        m,
        method::ON_SESSION_START,
        |params: &SessionStartParams| &params.at,
        |context, params| {
            gate(context, params.at.clone(), move |engine, _| {
                engine.on_session_start(&params)
            })
        },
    )?;
    event(
        m,
        method::ON_SUBAGENT_START,
        |params: &SubagentStartParams| &params.at,
        |context, params| {
            gate(context, params.at.clone(), move |engine, _| {
                engine.on_subagent_start(&params)
            })
        },
    )?;
    event(
        m,
        method::ON_PROMPT,
        |params: &PromptParams| &params.at,
        |context, params| async move { Ok(context.engine.on_prompt(params).await) },
    )?;
    event(
        m,
        method::ON_PRE_TOOL_USE,
        |params: &PreToolUseParams| &params.at,
        |context, params| async move { Ok(context.engine.on_pre_tool_use(params).await) },
    )?;
    event(
        m,
        method::ON_POST_TOOL_USE,
        |params: &PostToolUseParams| &params.at,
        |context, params| {
            gate(context, params.at.clone(), move |engine, _| {
                engine.on_post_tool_use(&params)
            })
        },
    )?;
    event(
        m,
        method::ON_REPLY,
        |params: &ReplyParams| &params.at,
        |context, params| gate(context, params.at.clone(), move |engine, _| engine.on_reply(&params)),
    )?;
    event(
        m,
        method::ON_STOP,
        |params: &StopParams| &params.at,
        |context, params| async move { Ok(context.engine.on_stop(method::ON_STOP, params).await) },
    )?;
    event(
        m,
        method::ON_SUBAGENT_STOP,
        |params: &StopParams| &params.at,
        |context, params| async move { Ok(context.engine.on_stop(method::ON_SUBAGENT_STOP, params).await) },
    )?;
    event(
        m,
        method::ON_SESSION_END,
        |params: &SessionEndParams| &params.at,
        |context, params| async move { Ok(context.engine.on_session_end(params)) },
    )?;
    add(m, method::LIST_CLAIMS, |context, params: ListClaimsParams| {
        query(context, move |engine| {
            queries::claims(&engine.ledger(), params.session.as_deref())
        })
    })?;
    add(m, method::RETIRE_CLAIM, |context, params: RetireClaimParams| {
        query(context, move |engine| {
            let claim = queries::retire(&engine.ledger(), &params.id, params.why.as_deref(), now())?;
            written(engine, claim.harness, &claim.session);
            Ok::<_, QueryError>(claim)
        })
    })?;
    add(m, method::REOPEN_CLAIM, |context, params: ReopenClaimParams| {
        query(context, move |engine| {
            let claim = queries::reopen(&engine.ledger(), &params.id, now())?;
            written(engine, claim.harness, &claim.session);
            Ok::<_, QueryError>(claim)
        })
    })?;
    add(m, method::LIST_FINDINGS, |context, params: ListFindingsParams| {
        query(context, move |engine| {
            queries::findings(&engine.ledger(), params.session.as_deref())
        })
    })?;
    add(m, method::DISMISS_FINDING, |context, params: DismissFindingParams| {
        query(context, move |engine| {
            let finding = queries::dismiss(&engine.ledger(), &params, now())?;
            written(engine, finding.harness, &finding.session);
            Ok::<_, QueryError>(finding)
        })
    })?;
    add(m, method::REOPEN_FINDING, |context, params: ReopenFindingParams| {
        query(context, move |engine| {
            let finding = queries::undismiss(&engine.ledger(), &params.id, now())?;
            written(engine, finding.harness, &finding.session);
            Ok::<_, QueryError>(finding)
        })
    })?;
    add(m, method::PAUSE, |context, params: PauseParams| {
        query(context, move |engine| {
            queries::pause(&engine.ledger(), params.session.as_deref(), params.seconds, now())
        })
    })?;
    add(m, method::RELEASE_SCOPE, |context, params: ReleaseScopeParams| {
        query(context, move |engine| {
            let said = queries::release_scope(&engine.ledger(), &params.session, By::Editor, now());
            of_session(engine, said)
        })
    })?;
    add(m, method::SET_SCOPE, |context, params: SetScopeParams| {
        query(context, move |engine| {
            let said = queries::set_scope(&engine.ledger(), &params.session, &params.contract, By::Editor, now());
            of_session(engine, said)
        })
    })?;
    add(m, method::STATUS, |context, _: Ignored| {
        query(context, move |engine| {
            queries::status(Some(&engine.ledger()), this_server(engine), now())
        })
    })?;
    add(m, method::LIST_SESSIONS, |context, _: Ignored| async move {
        let status = move |engine: &Engine| queries::status(Some(&engine.ledger()), this_server(engine), now());
        Ok(query(context, status).await?.sessions)
    })?;
    add(m, method::PING, |context, _: Ignored| async move {
        Ok(context.control.pong())
    })?;
    add(m, method::DIAGNOSE, |context, _: Ignored| {
        query(context, move |engine| {
            Ok::<_, QueryError>(Diagnosis {
                server: this_server(engine),
                heard: engine.heard()?,
            })
        })
    })?;
    add(m, method::SESSION_REPORT, |context, params: SessionReportParams| {
        query(context, move |engine| {
            engine
                .report(&params)?
                .ok_or_else(|| QueryError::UnknownSession(params.session.clone()))
        })
    })?;
    add(m, method::PUBLISHED_URIS, |context, params: PublishedUrisParams| {
        query(context, move |engine| {
            queries::published(&engine.ledger(), &params, now())
        })
    })?;
    m.register_subscription(
        method::SUBSCRIBE_FINDINGS,
        method::FINDINGS_CHANGED,
        method::UNSUBSCRIBE_FINDINGS,
        |_, pending, context, _| findings(pending, context),
    )?;
    add(m, method::SHUTDOWN, |context, _: Ignored| async move {
        context.control.shut_down();
        Ok(())
    })?;
    Ok(module)
}

/// Has the engine notice what the person said of something in a session.
fn written(engine: &Engine, harness: Harness, session: &str) {
    engine.written(&SessionKey {
        harness,
        session: session.to_owned(),
    });
}

/// Has the engine notice what the person said of a session.
fn of_session(engine: &Engine, said: Result<SessionStatus, QueryError>) -> Result<SessionStatus, QueryError> {
    if let Ok(session) = &said {
        engine.written(&SessionKey {
            harness: session.harness,
            session: session.session.clone(),
        });
    }
    said
}

/// Tells a subscriber what editors are shown, at the pace at which it reads.
async fn findings(pending: PendingSubscriptionSink, context: Arc<Context>) -> Result<(), SubscriptionError> {
    let mut watch = context.engine.watch();
    let Ok(sink) = pending.accept().await else {
        return Ok(());
    };
    loop {
        let changed = tokio::select! {
            () = sink.closed() => return Ok(()),
            changed = watch.next() => changed.map_err(|error| SubscriptionError::from(error.to_string()))?,
        };
        let message =
            serde_json::value::to_raw_value(&changed).map_err(|error| SubscriptionError::from(error.to_string()))?;
        if sink.send(message).await.is_err() {
            return Ok(());
        }
    }
}

/// Params of a method that takes none: whatever is sent is ignored.
type Ignored = Option<serde::de::IgnoredAny>;

/// Adds an event's method: its sessions' events are counted, and what they take. `at` finds the session in the params.
fn event<P, F>(
    module: &mut RpcModule<Context>,
    name: &'static str,
    at: fn(&P) -> &SessionRef,
    handler: impl Fn(Arc<Context>, P) -> F + Copy + Send + Sync + 'static,
) -> Result<(), RegisterMethodError>
where
    P: DeserializeOwned + Send + 'static,
    F: Future<Output = Answer<Decision>> + Send,
{
    add(module, name, move |context, params: P| {
        let known = at(&params);
        let tested = known.is_self_test();
        let key = SessionKey::of(known);
        async move {
            if tested {
                return Ok(self_test(name));
            }
            let begun = Instant::now();
            let answer = handler(Arc::clone(&context), params).await;
            if let Some(key) = key {
                context.engine.count(key, name, begun.elapsed());
            }
            answer
        }
    })
}

/// The answer to a self-test's event: whatever can be refused is, because a hook that can't reach a server lets everything
/// pass. No session is looked up, and nothing is kept.
fn self_test(event: &str) -> Decision {
    match event {
        method::ON_PRE_TOOL_USE | method::ON_STOP => Decision {
            outcome: Outcome::Refuse,
            to_agent: Some("Proofmark's self-test is refused, as it asks.".to_owned()),
            ..Decision::default()
        },
        _ => Decision::allow(),
    }
}

/// Adds one method. A handler that panics gets its caller an error, never silence.
fn add<P, R, F>(
    module: &mut RpcModule<Context>,
    name: &'static str,
    handler: impl Fn(Arc<Context>, P) -> F + Copy + Send + Sync + 'static,
) -> Result<(), RegisterMethodError>
where
    P: DeserializeOwned + Send + 'static,
    R: Serialize + Clone + Send + 'static,
    F: Future<Output = Answer<R>> + Send,
{
    module.register_async_method(name, move |params, context, _| {
        let params = params.parse::<P>();
        let answer = async move { handler(context, params?).await };
        async move {
            let answer = AssertUnwindSafe(answer).catch_unwind().await;
            answer.unwrap_or_else(|_| Err(failed("the handler failed; Proofmark itself goes on")))
        }
    })?;
    Ok(())
}

/// Runs a quick decision that reads files beside the socket's own threads, within the gate's deadline.
async fn gate(
    context: Arc<Context>,
    at: SessionRef,
    decide: impl FnOnce(&Engine, &AtomicBool) -> Decision + Send + 'static,
) -> Answer<Decision> {
    Ok(context.engine.gate(&at, decide).await)
}

/// Runs a question to the ledger beside the socket's own threads.
async fn query<R, E>(context: Arc<Context>, ask: impl FnOnce(&Engine) -> Result<R, E> + Send + 'static) -> Answer<R>
where
    R: Send + 'static,
    E: Into<QueryError> + Send + 'static,
{
    let engine = Arc::clone(&context.engine);
    let answer = tokio::task::spawn_blocking(move || ask(&engine))
        .await
        .map_err(|_| failed("the handler failed"))?;
    answer.map_err(|error| match error.into() {
        error @ (QueryError::UnknownClaim(_)
        | QueryError::NotOpen(_)
        | QueryError::NotRetired(_)
        | QueryError::NoScope(_)
        | QueryError::UnknownSession(_)
        | QueryError::UnknownFinding(_)
        | QueryError::NotStanding(_)
        | QueryError::NotDismissed(_)) => ErrorObject::owned(NOT_FOUND, error.to_string(), None::<()>),
        error @ QueryError::NoContract => ErrorObject::owned(INVALID_PARAMS, error.to_string(), None::<()>),
        error => failed(&error.to_string()),
    })
}

fn failed(why: &str) -> ErrorObjectOwned {
    ErrorObject::owned(INTERNAL_ERROR, why, None::<()>)
}

fn this_server(engine: &Engine) -> ServerStatus {
    ServerStatus {
        running: true,
        pid: Some(std::process::id()),
        build: Some(BUILD.to_owned()),
        state_dir: engine.state_dir().display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    use super::*;
    use crate::rpc::holder::Holder;
    use crate::rpc::lines;

    /// What the lines are answered by every method there is and those that the test adds.
    async fn answers(sent: &[Value], extra: impl FnOnce(&mut RpcModule<Context>)) -> Vec<Value> {
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
        let (read, mut write) = tokio::io::split(client);
        let mut read = BufReader::new(read).lines();
        let mut answers = Vec::new();
        for message in sent {
            write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
            let line = read.next_line().await.unwrap().unwrap();
            answers.push(serde_json::from_str(&line).unwrap());
        }
        write.shutdown().await.unwrap();
        served.await.unwrap().unwrap();
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
                gate(context, somewhere(), |_, _| panic!("on another thread"))
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
}
