//! Sessions: interpreters that outlive a call, each with its own directory, found again by an unguessable handle.
//!
//! `table` knows who may still be found and who must make room; a `Session` holds one interpreter and lets one call in
//! at a time, in the order in which they came; `call` is the road of one call. Whoever holds no valid handle learns
//! nothing: unknown, ended, evicted and foreign handles get the same words.

mod call;
mod table;

pub use call::Which;

use crate::error::Error;
use crate::folder::Folder;
use crate::handle::Instance;
use crate::lock::lock;
use crate::native::Kept;
use crate::wasm::Guest;
use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::Poll;
use std::time::{Duration, Instant};
use table::{Refusal, Table};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Calls of one session that may wait for each other.
const WAITING_MAX: usize = 16;

/// What sessions may take. All of them end with the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionConfig {
    /// Sessions at a time; 0 switches them off.
    pub count: usize,
    /// A session ends after so long without a call.
    pub idle: Duration,
    /// A session ends so long after it began.
    pub life: Duration,
    /// Bytes of memory that all sessions may hold together between their calls.
    pub memory: u64,
    /// Where their directories are made; the folder itself is made when it is needed.
    pub folder: PathBuf,
}

/// Who asks. What one client began is found by the same client only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Client {
    /// One connection.
    Connection(u64),
    /// Requests without a connection that carry the same token (a hash of its name). Behind it may be many people, so
    /// nothing is listed for it; who knows a handle finds what it stands for.
    Caller(u64),
    /// Requests without a connection and without a token; as above.
    Anyone,
}

impl Client {
    /// A connection that is no other.
    pub fn connection() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self::Connection(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether this can be one party only, which may be told what it has.
    pub fn is_one(self) -> bool {
        matches!(self, Self::Connection(_))
    }
}

/// The sessions of one server.
#[derive(Debug)]
pub struct Sessions {
    config: SessionConfig,
    instance: Instance,
    table: Mutex<Table<Arc<Session>>>,
    janitor: Mutex<bool>,
}

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) handle: String,
    pub(crate) folder: Arc<Folder>,
    state: AsyncMutex<State>,
    /// Cancelled, and replaced, when all calls that run or wait are to be withdrawn.
    withdrawn: Mutex<CancellationToken>,
}

#[derive(Debug, Default)]
struct State {
    place: Place,
    calls: u32,
}

/// Where a session's variables are.
#[derive(Debug, Default)]
enum Place {
    /// Nowhere: it has not begun, or its interpreter was stopped.
    #[default]
    Empty,
    Wasm(Box<Guest>),
    Native(Box<Kept>),
}

/// A call inside of a session; the session cannot be evicted as long as it is there.
#[derive(Debug)]
struct Visit<'a> {
    sessions: &'a Sessions,
    session: Arc<Session>,
    /// What the session holds when the call leaves it.
    memory: u64,
}

impl Sessions {
    /// No sessions yet. Their handles name `instance`.
    pub fn new(config: SessionConfig, instance: Instance) -> Arc<Self> {
        let table = Table::new(config.count, config.memory, config.idle, config.life);
        Arc::new(Self { config, instance, table: Mutex::new(table), janitor: Mutex::new(false) })
    }

    /// What they may take.
    pub fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// Begins a session; gives its first visit and how many others had to go.
    fn open(self: &Arc<Self>, client: Client) -> Result<(Visit<'_>, usize), Error> {
        if self.config.count == 0 {
            return Err(Error::Request("sessions are off: the server was started with `--sessions 0`".into()));
        }
        self.start_janitor();
        let session = Arc::new(Session {
            handle: self.instance.new_handle()?,
            folder: Arc::new(Folder::create(&self.config.folder, "session")?),
            state: AsyncMutex::default(),
            withdrawn: Mutex::default(),
        });
        let entered = lock(&self.table).insert(Instant::now(), client, &session.handle, Arc::clone(&session));
        let Some(evicted) = entered else {
            return Err(Error::Request(format!(
                "all {} sessions are busy; try again in a moment, or run without one",
                self.config.count
            )));
        };
        let visit = Visit { sessions: self, session, memory: 0 };
        let count = evicted.len();
        end_all(evicted);
        Ok((visit, count))
    }

    /// Visits a session.
    fn enter(&self, handle: &str, client: Client) -> Result<Visit<'_>, Error> {
        let (entered, expired) = {
            let mut table = lock(&self.table);
            let expired = table.expire(Instant::now());
            (table.enter(Instant::now(), handle, client, WAITING_MAX), expired)
        };
        end_all(expired);
        match entered {
            Ok(session) => Ok(Visit { sessions: self, session, memory: 0 }),
            Err(Refusal::Unknown) => Err(self.instance.elsewhere(handle).unwrap_or_else(unknown)),
            Err(Refusal::Crowded) => Err(Error::Request(format!(
                "{WAITING_MAX} calls of this session wait already; a session runs one call at a time"
            ))),
        }
    }

    /// Empties a session: calls in it are withdrawn, its variables and files are gone, its handle stays good.
    ///
    /// # Errors
    /// There is no such session, in the words of `unknown`, or another server holds it.
    pub async fn reset(&self, handle: &str, client: Client) -> Result<(), Error> {
        let visit = self.enter(handle, client)?;
        visit.session.withdraw();
        let mut state = visit.session.state.lock().await;
        state.empty().await;
        state.calls = 0;
        visit.session.folder.clear()
    }

    /// The directory of a session of `client`.
    pub(crate) fn folder(&self, handle: &str, client: Client) -> Option<Arc<Folder>> {
        self.folders_of(client).into_iter().find(|(known, _)| known == handle).map(|(_, folder)| folder)
    }

    /// Handles and directories of the sessions that `client` began.
    pub(crate) fn folders_of(&self, client: Client) -> Vec<(String, Arc<Folder>)> {
        let his = lock(&self.table).of(Instant::now(), client);
        his.into_iter().map(|session| (session.handle.clone(), Arc::clone(&session.folder))).collect()
    }

    /// Ends the sessions of `client`, which is gone.
    pub(crate) fn forget(&self, client: Client) {
        end_all(lock(&self.table).take(client));
    }

    /// Ends all sessions.
    pub async fn shut_down(&self) {
        let all = lock(&self.table).drain();
        for session in all {
            session.end().await;
        }
    }

    fn start_janitor(self: &Arc<Self>) {
        let mut started = lock(&self.janitor);
        if !*started {
            *started = true;
            tokio::spawn(janitor(Arc::downgrade(self), (self.config.idle / 8).clamp(TICK_MIN, TICK_MAX)));
        }
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
    /// Withdraws the calls that run or wait in it.
    fn withdraw(&self) {
        std::mem::take(&mut *lock(&self.withdrawn)).cancel();
    }

    fn withdrawn(&self) -> CancellationToken {
        lock(&self.withdrawn).clone()
    }

    /// Ends it, with all it has.
    async fn end(&self) {
        self.withdraw();
        self.state.lock().await.empty().await;
        self.folder.remove();
    }
}

impl State {
    /// Lets the interpreter go.
    async fn empty(&mut self) {
        match std::mem::take(&mut self.place) {
            Place::Empty => {}
            Place::Wasm(guest) => drop(guest),
            Place::Native(kept) => drop(kept.end().await),
        }
    }

    fn memory(&self) -> u64 {
        match &self.place {
            Place::Empty => 0,
            Place::Wasm(guest) => guest.memory(),
            Place::Native(kept) => kept.memory(),
        }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let evicted = lock(&self.sessions.table).leave(Instant::now(), &self.session.handle, self.memory);
        end_all(evicted);
    }
}

/// Polls a call for the first time, by which it takes its place in its session's line; it is ready if it was refused, or needs
/// nothing to wait for.
pub(crate) async fn take_place<F: Future>(mut call: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await
}

/// The one answer to all handles that open nothing.
pub(crate) fn unknown() -> Error {
    Error::Request(
        "there is no session with this handle: it has ended, had to make room for others, or never was; \
         pass `session: \"new\"` to begin one"
            .into(),
    )
}

fn end_all(sessions: Vec<Arc<Session>>) {
    for session in sessions {
        tokio::spawn(async move { session.end().await });
    }
}
