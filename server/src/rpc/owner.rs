//! The owner of a state folder: one process that holds its lock, its socket and its sessions.
//! Starting one in the background, and asking it to stop, is the client's part.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use jsonrpsee::Methods;
use jsonrpsee::core::RegisterMethodError;
use proofmark_protocol::frame::BUILD;
use proofmark_protocol::paths;
use proofmark_protocol::query::Pong;
use thiserror::Error;
use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::holder::Holder;
use super::lines;
use super::log;
use super::registry::{self, Context};
use super::socket::{self, Socket};
use crate::engine::Engine;
use crate::ledger::LedgerError;
use crate::state_folder;

/// How long a new owner waits for one that is on its way out.
const GIVE_WAY: Duration = Duration::from_secs(3);
/// How long an owner that stops waits for what is in flight.
const FINISH: Duration = Duration::from_secs(3);
/// Pause between two tries.
const RETRY: Duration = Duration::from_millis(5);
/// How often the owner looks whether it is idle, at the longest.
const IDLE_LOOK: Duration = Duration::from_secs(30);
/// How often it looks whether clients still find it: well within the time that a hook gives a start.
const PLACE_LOOK: Duration = Duration::from_millis(250);
/// How often while nothing happens: whoever misses it then says so with a signal.
const PLACE_LOOK_IDLE: Duration = Duration::from_secs(2);
/// Without an event for so long, nothing happens.
const IDLE: Duration = Duration::from_secs(60);
/// Clients that are connected at once; more are turned away.
const MAX_CONNECTED: usize = 256;

/// Why a process could not serve a state folder.
#[derive(Debug, Error)]
pub enum OwnerError {
    /// Another process does.
    #[error("another server owns {}", .0.display())]
    Owned(PathBuf),
    /// The folder is no place for secrets of this person.
    #[error("{} {why}", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The system refused something.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// Not even a ledger in memory could be had.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Two methods have one name.
    #[error(transparent)]
    Methods(#[from] RegisterMethodError),
}

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The state folder; it is made when it is missing.
    pub state_dir: PathBuf,
    /// Exit after so long without an event; the person's settings say how long, where this does not.
    pub idle: Option<Duration>,
}

/// Serves a state folder until it is told to stop, is idle, or gives way to a newer version. `ready` runs once clients can connect.
/// The folder stays this process's until it ends.
pub fn serve(
    options: &ServeOptions,
    ready: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> Result<(), OwnerError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| OwnerError::Io {
            what: "starting the runtime",
            error,
        })?;
    // Before the lock is taken: whoever finds that held may send the signal at once.
    let missed = {
        let _entered = runtime.enter();
        signal(SignalKind::hangup()).map_err(|error| OwnerError::Io {
            what: "listening for signals",
            error,
        })?
    };
    prepare_folder(&options.state_dir)?;
    let socket = paths::socket(&options.state_dir);
    let (lock, holder) = own(&options.state_dir, &socket)?;
    // The lock goes with the process: whoever finds it free can rely on the process being gone.
    let lock: &'static File = Box::leak(Box::new(lock));
    let elsewhere = socket.parent().filter(|folder| *folder != options.state_dir);
    // Under the lock, because an owner on its way out takes the socket's folder with it.
    if let Some(folder) = elsewhere {
        // The person may link the state folder itself; this name is made by rule, and clients follow no link there.
        if std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()) {
            return Err(OwnerError::Folder {
                path: folder.to_owned(),
                why: "is a symbolic link, which is not followed".to_owned(),
            });
        }
        prepare_folder(folder)?;
    }
    // On a worker, which is the one that hears of a client: the thread that waits here would have to be woken for each.
    let serving = serve_socket(options.clone(), socket.clone(), lock, holder, missed, ready);
    let served = runtime
        .block_on(runtime.spawn(serving))
        .unwrap_or_else(|failed| match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Nobody calls it off.
            Err(_) => Ok(()),
        });
    runtime.shutdown_timeout(FINISH);
    if let Some(folder) = elsewhere {
        // What somebody else laid there is not ours to remove.
        let _kept = std::fs::remove_dir(folder);
    }
    served
}

async fn serve_socket(
    options: ServeOptions,
    path: PathBuf,
    lock: &'static File,
    holder: Holder,
    mut missed: Signal,
    ready: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> Result<(), OwnerError> {
    let io = |what| move |error| OwnerError::Io { what, error };
    let engine = Arc::new(Engine::open(&options.state_dir)?);
    let control = Arc::new(Control::of(holder));
    let methods: Methods = registry::module(Context {
        engine: Arc::clone(&engine),
        control: Arc::clone(&control),
    })?
    .into();
    let mut socket = Socket::bind(&path).map_err(io("binding the socket"))?;
    let mut terminate = signal(SignalKind::terminate()).map_err(io("listening for signals"))?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(io("listening for signals"))?;
    let mut stop = control.stop.subscribe();
    ready().map_err(io("saying that the server is ready"))?;
    let limit = options.idle.unwrap_or_else(|| engine.idle_limit());
    let mut idle = tokio::time::interval(limit.min(IDLE_LOOK).max(RETRY));
    let mut place = std::pin::pin!(tokio::time::sleep(PLACE_LOOK));
    let mut keeping: Option<tokio::task::JoinHandle<()>> = None;
    let lock_path = paths::owner_lock(&options.state_dir);
    loop {
        tokio::select! {
            accepted = socket.listener.accept() => match accepted {
                Ok((stream, _)) if !is_ours(&stream) => {}
                Ok((stream, _)) if control.connected.load(Ordering::Relaxed) >= MAX_CONNECTED => {
                    tokio::spawn(lines::turn_away(stream));
                }
                Ok((stream, _)) => {
                    let (methods, control) = (methods.clone(), Arc::clone(&control));
                    control.connected.fetch_add(1, Ordering::Relaxed);
                    tokio::spawn(async move {
                        // A client that went away has nothing left to be told.
                        let _closed = lines::serve(stream, methods, Arc::clone(&control)).await;
                        control.connected.fetch_sub(1, Ordering::Relaxed);
                    });
                }
                // Out of handles: those in use come back.
                Err(_) => tokio::time::sleep(RETRY).await,
            },
            _ = stop.changed() => break,
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            () = async { tokio::select! { () = &mut place => {}, _ = missed.recv() => {} } } => {
                let next = if engine.idle() < IDLE { PLACE_LOOK } else { PLACE_LOOK_IDLE };
                place.as_mut().reset(tokio::time::Instant::now() + next);
                // Whoever took the lock's file away starts a server of his own: two would not see each other.
                if !socket::leads_to(&lock_path, lock) {
                    break;
                }
                // One that can't be bound now, on a full disk say, is tried again at the next look.
                if !socket.is_in_place() && let Ok(anew) = Socket::bind(&path) {
                    socket = anew;
                }
            }
            _ = idle.tick() => {
                let is_alone = control.connected.load(Ordering::Relaxed) == 0;
                if (engine.idle() >= limit && is_alone) || engine.has_found_its_ledger() {
                    break;
                }
                if keeping.as_ref().is_none_or(tokio::task::JoinHandle::is_finished) {
                    let engine = Arc::clone(&engine);
                    keeping = Some(tokio::task::spawn_blocking(move || keep(&engine)));
                }
            }
        }
    }
    // A client that connects from now on finds nobody, and starts a new owner.
    socket.close().map_err(io("removing the socket"))?;
    let deadline = Instant::now() + FINISH;
    while control.in_flight.load(Ordering::Acquire) > 0 && Instant::now() < deadline {
        tokio::time::sleep(RETRY).await;
    }
    engine.close();
    Ok(())
}

/// What is done from time to time, off the path of any event.
fn keep(engine: &Engine) {
    engine.rest_idle();
    engine.tidy_up();
    engine.look_for_ledger();
    // A log that can't be cut is no reason to end; the next look tries again.
    let _next_time = log::bound(engine.state_dir());
}

/// What the handlers can do to the server, and what it knows of its clients.
pub(crate) struct Control {
    holder: Holder,
    after: OnceLock<Box<dyn Fn() + Send + Sync>>,
    stop: watch::Sender<()>,
    connections: AtomicUsize,
    in_flight: AtomicUsize,
    connected: AtomicUsize,
}

impl Default for Control {
    /// For a process that serves without a lock.
    fn default() -> Self {
        Self::of(Holder::this())
    }
}

impl Control {
    pub(super) fn of(holder: Holder) -> Self {
        Self {
            holder,
            after: OnceLock::new(),
            stop: watch::Sender::default(),
            connections: AtomicUsize::new(0),
            in_flight: AtomicUsize::new(0),
            connected: AtomicUsize::new(0),
        }
    }

    /// Who answers here.
    pub(super) fn pong(&self) -> Pong {
        Pong {
            pid: self.holder.pid,
            build: BUILD.to_owned(),
            instance: self.holder.instance.clone(),
        }
    }

    /// What is done whenever an answer has left, said once: it must not take long.
    pub(super) fn after_answers(&self, work: impl Fn() + Send + Sync + 'static) {
        // Whoever came first serves the same sessions.
        let _kept = self.after.set(Box::new(work));
    }

    /// An answer has left.
    pub(super) fn answered(&self) {
        if let Some(work) = self.after.get() {
            work();
        }
    }

    /// The server stops taking connections, finishes what is in flight, and exits.
    pub(super) fn shut_down(&self) {
        self.stop.send_replace(());
    }

    /// A number for a connection that no other one of this process has.
    pub(super) fn next_connection(&self) -> usize {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a request as in flight until its guard is dropped.
    pub(super) fn begin(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        InFlight(self)
    }
}

/// A request in flight.
pub(super) struct InFlight<'a>(&'a Control);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

/// True when the other side runs as the same user.
fn is_ours(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// Makes a folder, and sees that nobody else can look into it.
fn prepare_folder(path: &Path) -> Result<(), OwnerError> {
    let io = |what| move |error| OwnerError::Io { what, error };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(io("making the state folder"))?;
    let metadata = std::fs::symlink_metadata(path).map_err(io("looking at the state folder"))?;
    let folder = |why: &str| OwnerError::Folder {
        path: path.to_owned(),
        why: why.to_owned(),
    };
    let target = std::fs::metadata(path).map_err(io("looking at the state folder"))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() || target.uid() != metadata.uid() {
        return Err(folder("belongs to somebody else"));
    }
    if target.mode() & 0o077 != 0 {
        std::fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(io("closing the state folder"))?;
    }
    Ok(())
}

/// Takes the owner's lock. One that answers on the socket keeps it; one that is on its way out is waited for.
fn own(state_dir: &Path, socket: &Path) -> Result<(File, Holder), OwnerError> {
    let io = |what| move |error| OwnerError::Io { what, error };
    let path = paths::owner_lock(state_dir);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut lock = state_folder::open(&mut options, &path).map_err(io("opening the owner's lock"))?;
    let deadline = Instant::now() + GIVE_WAY;
    while let Err(error) = lock.try_lock() {
        match error {
            std::fs::TryLockError::Error(error) => return Err(io("taking the owner's lock")(error)),
            std::fs::TryLockError::WouldBlock => {
                let answers = std::os::unix::net::UnixStream::connect(socket).is_ok();
                if answers || Instant::now() >= deadline {
                    return Err(OwnerError::Owned(state_dir.to_owned()));
                }
                std::thread::sleep(RETRY);
            }
        }
    }
    let holder = Holder::this();
    match lock.set_len(0).and_then(|()| write!(lock, "{}", holder.text())) {
        // Nobody can replace this owner by force then; the work itself needs no disk. The ledger says that it is full.
        Err(error) if !matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            Err(io("writing the owner's lock")(error))
        }
        _ => Ok((lock, holder)),
    }
}
