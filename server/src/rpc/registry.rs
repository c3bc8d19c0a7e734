//! The table of methods: what a client may call, and what runs for it.
//! Transports take the table as it is; what a method decides is the engine's.

#[cfg(test)]
mod tests;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
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
use proofmark_protocol::judge::JudgeReplyParams;
use proofmark_protocol::query::{
    Diagnosis, DismissFindingParams, ListClaimsParams, ListFindingsParams, PauseParams, ReleaseScopeParams,
    ReopenClaimParams, ReopenFindingParams, RetireClaimParams, ServerStatus, SessionStatus, SetScopeParams, Status,
};
use proofmark_protocol::{Decision, Harness, Outcome, SessionRef, method};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::queries::{self, QueryError};
use crate::engine::{Engine, now};
use crate::ledger::LedgerError;
use crate::rpc::lines::Notices;
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
    let engine = Arc::clone(&context.engine);
    context.control.after_answers(move || engine.store_soon());
    let mut module = RpcModule::new(context);
    let m = &mut module;
    event(
        m,
        method::ON_SESSION_START,
        |params: &SessionStartParams| &params.at,
        |context, params, _| {
            gate(context, params.at.clone(), move |engine| {
                engine.on_session_start(&params)
            })
        },
    )?;
    event(
        m,
        method::ON_SUBAGENT_START,
        |params: &SubagentStartParams| &params.at,
        |context, params, _| {
            gate(context, params.at.clone(), move |engine| {
                engine.on_subagent_start(&params)
            })
        },
    )?;
    event(
        m,
        method::ON_PROMPT,
        |params: &PromptParams| &params.at,
        |context, params, _| async move { Ok(context.engine.on_prompt(params).await) },
    )?;
    event(
        m,
        method::ON_PRE_TOOL_USE,
        |params: &PreToolUseParams| &params.at,
        |context, params, _| async move { Ok(context.engine.on_pre_tool_use(params).await) },
    )?;
    event(
        m,
        method::ON_POST_TOOL_USE,
        |params: &PostToolUseParams| &params.at,
        |context, params, _| {
            gate(context, params.at.clone(), move |engine| {
                engine.on_post_tool_use(&params)
            })
        },
    )?;
    event(
        m,
        method::ON_REPLY,
        |params: &ReplyParams| &params.at,
        |context, params, _| gate(context, params.at.clone(), move |engine| engine.on_reply(&params)),
    )?;
    for name in [method::ON_STOP, method::ON_SUBAGENT_STOP] {
        event(
            m,
            name,
            |params: &StopParams| &params.at,
            move |context, params, notices| async move {
                let patience = Box::new(move |left| Notices::tell(notices.as_ref(), left));
                Ok(context.engine.on_stop(name, params, patience).await)
            },
        )?;
    }
    event(
        m,
        method::ON_SESSION_END,
        |params: &SessionEndParams| &params.at,
        |context, params, _| async move { Ok(context.engine.on_session_end(params)) },
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
    add(m, method::STATUS, |context, _: Ignored| query(context, status))?;
    add(m, method::JUDGE_REPLY, |context, params: JudgeReplyParams| async move {
        Ok(context.engine.judge_reply(params).await)
    })?;
    add(m, method::LIST_SESSIONS, |context, _: Ignored| async move {
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
    handler: impl Fn(Arc<Context>, P, Option<Notices>) -> F + Copy + Send + Sync + 'static,
) -> Result<(), RegisterMethodError>
where
    P: DeserializeOwned + Send + 'static,
    F: Future<Output = Answer<Decision>> + Send,
{
    add_patient(module, name, move |context, params: P, notices| {
        let known = at(&params);
        let tested = known.is_self_test();
        let key = SessionKey::of(known);
        async move {
            if tested {
                return Ok(self_test(name));
            }
            let begun = Instant::now();
            let answer = handler(Arc::clone(&context), params, notices).await;
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
    add_patient(module, name, move |context, params, _| handler(context, params))
}

/// Adds one method that may tell its caller to wait, where the transport has a way to them.
fn add_patient<P, R, F>(
    module: &mut RpcModule<Context>,
    name: &'static str,
    handler: impl Fn(Arc<Context>, P, Option<Notices>) -> F + Copy + Send + Sync + 'static,
) -> Result<(), RegisterMethodError>
where
    P: DeserializeOwned + Send + 'static,
    R: Serialize + Clone + Send + 'static,
    F: Future<Output = Answer<R>> + Send,
{
    module.register_async_method(name, move |params, context, extensions| {
        let params = params.parse::<P>();
        let notices = extensions.get::<Notices>().cloned();
        let answer = async move { handler(context, params?, notices).await };
        async move {
            let answer = AssertUnwindSafe(answer).catch_unwind().await;
            answer.unwrap_or_else(|_| Err(failed("the handler failed; Proofmark itself goes on")))
        }
    })?;
    Ok(())
}

/// Runs a quick decision that reads files, within the gate's deadline.
async fn gate(
    context: Arc<Context>,
    at: SessionRef,
    decide: impl FnOnce(&Engine) -> Decision + Send + 'static,
) -> Answer<Decision> {
    Ok(context.engine.gate(&at, move |engine, _| decide(engine)).await)
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

fn status(engine: &Engine) -> Result<Status, LedgerError> {
    let mut status = queries::status(Some(&engine.ledger()), this_server(engine), now())?;
    status.notes.extend(engine.judge_notes());
    Ok(status)
}

fn this_server(engine: &Engine) -> ServerStatus {
    ServerStatus {
        running: true,
        pid: Some(std::process::id()),
        build: Some(BUILD.to_owned()),
        state_dir: engine.state_dir().display().to_string(),
    }
}
