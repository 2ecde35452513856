//! Sessions: interpreters that outlive a call, each with its own directory, found again by an
//! unguessable handle.
//!
//! `table` knows who may still be found and who must make room; a [`Session`] holds one interpreter
//! and lets one call in at a time, in the order in which they came. A call without a session has
//! one of its own that nobody finds. Whoever holds no valid handle learns nothing: unknown, ended,
//! evicted and foreign handles get the same words.

mod table;

use super::Folder;
use super::call::{Call, SessionRef};
use super::outcome::SessionFacts;
use super::share::Share;
use crate::error::Error;
use crate::host::{PrivateDir, lock};
use crate::job::{Caller, Client, Instance, RuntimeKind};
use crate::runtime::Interpreter;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, Weak};
use std::time::{Duration, Instant};
use table::{Bounds, Refusal, Table};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// So many callers may have all the sessions that one may have.
const CALLERS: u64 = 4;
/// Calls of one session that may wait for each other.
const WAITING_MAX: usize = 16;

/// What sessions may take. All of them end with the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionConfig {
    /// Sessions of one caller at a time; 0 switches them off.
    pub count: usize,
    /// A session ends after so long without a call.
    pub idle: Duration,
    /// A session ends so long after it began.
    pub life: Duration,
    /// Bytes of memory that sessions may hold between their calls.
    pub memory: Share,
    /// Where their directories are made; the folder itself is made when it is needed.
    pub folder: PathBuf,
}

#[derive(Debug)]
pub(crate) struct Sessions {
    config: SessionConfig,
    instance: Instance,
    table: Mutex<Table<Arc<Session>>>,
    janitor: Once,
}

/// What calls run in.
#[derive(Debug)]
pub(super) struct Session {
    /// `None` is the session of one call.
    pub(super) home: Option<SessionHome>,
    state: AsyncMutex<SessionState>,
    /// Cancelled, and replaced, when all calls that run or wait are to be withdrawn.
    withdrawn: Mutex<CancellationToken>,
}

/// What a session has that calls find again.
#[derive(Debug)]
pub(super) struct SessionHome {
    pub(super) handle: String,
    pub(super) dir: Arc<PrivateDir>,
}

/// What calls leave to the next.
#[derive(Debug, Default)]
pub(super) struct SessionState {
    /// `None` before the first call, and after an interpreter was stopped.
    pub(super) interpreter: Option<Interpreter>,
    pub(super) calls: u32,
}

/// A call in its session, which cannot be evicted as long as the call is there.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    sessions: &'a Sessions,
    pub(super) session: Arc<Session>,
    /// What the session holds when the call leaves it, in bytes; `None` is what it held before.
    pub(super) memory: Option<u64>,
}

impl Sessions {
    pub(crate) fn new(config: SessionConfig, instance: Instance) -> Arc<Self> {
        let count = config.count as u64;
        let count = Share { of_one: count, of_all: count.saturating_mul(CALLERS) };
        let SessionConfig { memory, idle, life, .. } = config;
        let table = Table::new(Bounds { count, memory, idle, life });
        Arc::new(Self { config, instance, table: Mutex::new(table), janitor: Once::new() })
    }

    /// The session that `call` wants, or one of its own, and what its answer will say of it.
    pub(super) fn visit(
        self: &Arc<Self>,
        call: &Call,
    ) -> Result<(Visit<'_>, Option<SessionFacts>), Error> {
        let (session, is_new, evicted) = match &call.session {
            None => return Ok((self.visit_to(Arc::new(Session::new(None))), None)),
            Some(SessionRef::New) => {
                let (session, evicted) = self.open(call.client)?;
                (session, true, evicted)
            }
            Some(SessionRef::Handle(handle)) => (self.enter(handle, call.client.caller)?, false, 0),
        };
        let handle = session.home.as_ref().map(|home| home.handle.clone()).unwrap_or_default();
        let idle = self.config.idle;
        let facts = SessionFacts { handle, is_new, idle, evicted, ..SessionFacts::default() };
        Ok((self.visit_to(session), Some(facts)))
    }

    fn visit_to(&self, session: Arc<Session>) -> Visit<'_> {
        Visit { sessions: self, session, memory: None }
    }

    /// Begins a session with one call inside; gives it and how many others had to go.
    fn open(self: &Arc<Self>, client: Client) -> Result<(Arc<Session>, usize), Error> {
        if self.config.count == 0 {
            let why = "sessions are off: the server was started with `--sessions 0`";
            return Err(Error::Request(why.into()));
        }
        self.start_janitor();
        let handle = self.instance.new_handle()?;
        let dir = Arc::new(PrivateDir::create(&self.config.folder, "session")?);
        let session = Arc::new(Session::new(Some(SessionHome { handle: handle.clone(), dir })));
        let now = Instant::now();
        let Some(evicted) = lock(&self.table).insert(now, client, &handle, Arc::clone(&session))
        else {
            return Err(Error::Request(format!(
                "all sessions ({}) are busy; try again in a moment, or run without one",
                self.config.count
            )));
        };
        let count = evicted.len();
        end_all(evicted);
        Ok((session, count))
    }

    fn enter(&self, handle: &str, caller: Caller) -> Result<Arc<Session>, Error> {
        let (entered, expired) = {
            let mut table = lock(&self.table);
            let expired = table.expire(Instant::now());
            (table.enter(Instant::now(), handle, caller, WAITING_MAX), expired)
        };
        end_all(expired);
        entered.map_err(|refusal| match refusal {
            Refusal::Unknown => self.instance.elsewhere(handle).unwrap_or_else(unknown),
            Refusal::Crowded => Error::Request(format!(
                "{WAITING_MAX} calls of this session wait already; a session runs one call at a \
                 time"
            )),
        })
    }

    /// Empties a session: calls in it are withdrawn, its variables and files are gone, its handle
    /// stays good.
    pub(crate) async fn reset(&self, handle: &str, caller: Caller) -> Result<(), Error> {
        let mut visit = self.visit_to(self.enter(handle, caller)?);
        visit.memory = Some(0);
        visit.session.withdraw();
        let mut state = visit.session.state.lock().await;
        state.end_interpreter().await;
        state.calls = 0;
        visit.session.home.as_ref().map_or(Ok(()), |home| home.dir.clear())
    }

    /// The handles and folders of those sessions that are `wanted`, the youngest last.
    pub(crate) fn folders(&self, wanted: impl Fn(Client) -> bool) -> Vec<Folder> {
        let sessions = lock(&self.table).of(Instant::now(), wanted);
        let homes = sessions.iter().filter_map(|session| session.home.as_ref());
        homes.map(|home| (home.handle.clone(), Arc::clone(&home.dir))).collect()
    }

    pub(crate) async fn shut_down(&self) {
        let all = lock(&self.table).drain();
        for session in all {
            session.end().await;
        }
    }

    fn start_janitor(self: &Arc<Self>) {
        let tick = (self.config.idle / 8).clamp(TICK_MIN, TICK_MAX);
        self.janitor.call_once(|| drop(tokio::spawn(janitor(Arc::downgrade(self), tick))));
    }
}

const TICK_MIN: Duration = Duration::from_millis(50);
const TICK_MAX: Duration = Duration::from_secs(10);

/// Ends sessions whose time is over, although nobody asks for them.
async fn janitor(sessions: Weak<Sessions>, tick: Duration) {
    loop {
        sleep(tick).await;
        let Some(sessions) = sessions.upgrade() else { return };
        let expired = lock(&sessions.table).expire(Instant::now());
        end_all(expired);
    }
}

impl Session {
    fn new(home: Option<SessionHome>) -> Self {
        Self { home, state: AsyncMutex::default(), withdrawn: Mutex::default() }
    }

    /// A token that withdraws one call in it.
    pub(super) fn call_token(&self) -> CancellationToken {
        lock(&self.withdrawn).child_token()
    }

    /// Waits until the calls that came before are over.
    pub(super) async fn turn(
        &self,
        stop: &CancellationToken,
    ) -> Result<MutexGuard<'_, SessionState>, Error> {
        let state = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(Error::Withdrawn),
            state = self.state.lock() => state,
        };
        if self.home.as_ref().is_some_and(|home| !home.dir.path().exists()) {
            return Err(unknown());
        }
        Ok(state)
    }

    fn withdraw(&self) {
        std::mem::take(&mut *lock(&self.withdrawn)).cancel();
    }

    async fn end(&self) {
        self.withdraw();
        self.state.lock().await.end_interpreter().await;
        if let Some(home) = &self.home {
            home.dir.remove();
        }
    }
}

impl SessionState {
    pub(super) fn runtime(&self) -> Option<RuntimeKind> {
        self.interpreter.as_ref().map(Interpreter::runtime)
    }

    async fn end_interpreter(&mut self) {
        if let Some(interpreter) = self.interpreter.take() {
            interpreter.end().await;
        }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if let Some(home) = &self.session.home {
            let now = Instant::now();
            end_all(lock(&self.sessions.table).leave(now, &home.handle, self.memory));
        }
    }
}

/// The one answer to all handles that open nothing.
pub(crate) fn unknown() -> Error {
    Error::Request(
        "there is no session with this handle: it has ended, had to make room for others, or never \
         was; pass `session: \"new\"` to begin one"
            .into(),
    )
}

fn end_all(sessions: Vec<Arc<Session>>) {
    for session in sessions {
        tokio::spawn(async move { session.end().await });
    }
}
