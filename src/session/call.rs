//! One call in a session: where its interpreter is, or where it goes, and what is left of it afterwards.

use super::{Client, Place, Session, Sessions, State, Visit, unknown};
use crate::ending;
use crate::error::Error;
use crate::files;
use crate::limits::Limits;
use crate::live::Live;
use crate::native::{JobDir, Kept, NativeRun};
use crate::outcome::{Job, Outcome, RawOutput, RunEnd, RuntimeKind, SessionFacts};
use crate::output::Output;
use crate::request::{Request, STATE_FILE, nonce};
use crate::route::{self, NativeState};
use crate::runner::Runner;
use crate::wasm::{self, Guest};
use std::mem;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Which session a call wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// A new one.
    New,
    /// The one with this handle.
    Handle(String),
}

impl Runner {
    /// Runs `job` in a session of `client`, after the calls that came before it.
    ///
    /// # Errors
    /// There is no such session, or our own failures; what the job does wrong is in the [`Outcome`].
    pub async fn run_in_session(
        &self,
        which: &Which,
        client: Client,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
    ) -> Result<Outcome, Error> {
        let sessions: &Arc<Sessions> = self.sessions();
        let (mut visit, evicted) = match which {
            Which::New => sessions.open(client)?,
            Which::Handle(handle) => (sessions.enter(handle, client)?, 0),
        };
        let stop = visit.session.withdrawn().child_token();
        let facts = SessionFacts {
            handle: visit.session.handle.clone(),
            is_new: *which == Which::New,
            evicted,
            idle: sessions.config().idle,
            ..SessionFacts::default()
        };
        let run = self.visit(&mut visit, job, limits, live, &stop, facts);
        tokio::pin!(run);
        let result = tokio::select! {
            outcome = &mut run => outcome,
            () = cancel.cancelled() => {
                stop.cancel();
                run.await
            }
        };
        self.count(&result);
        result
    }

    async fn visit(
        &self,
        visit: &mut Visit<'_>,
        job: &Job,
        limits: &Limits,
        live: &Live,
        stop: &CancellationToken,
        mut facts: SessionFacts,
    ) -> Result<Outcome, Error> {
        let session = Arc::clone(&visit.session);
        let withdrawn = || Error::Request("the call was withdrawn before it ran".into());
        let mut state = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(withdrawn()),
            state = session.state.lock() => state,
        };
        // It may have ended while this call waited.
        if !session.folder.path().exists() {
            return Err(unknown());
        }
        let _place = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(withdrawn()),
            place = self.gate().enter() => place?,
        };
        facts.began_empty = state.calls > 0 && matches!(state.place, Place::Empty);
        state.calls += 1;
        let call = Call { runner: self, session: &session, number: state.calls, job, limits, live, stop };
        let State { place, .. } = &mut *state;
        let result = call.run(place, &mut facts).await;
        visit.memory = state.memory();
        result.map(|(raw, reason)| Outcome { session: Some(facts), ..Outcome::new(raw, reason) })
    }
}

/// What one call knows.
struct Call<'a> {
    runner: &'a Runner,
    session: &'a Session,
    number: u32,
    job: &'a Job,
    limits: &'a Limits,
    live: &'a Live,
    stop: &'a CancellationToken,
}

type Done = Result<(RawOutput, String), Error>;

impl Call<'_> {
    /// Runs where the session is. `place` is empty while it does, so that nothing half-done is ever used again.
    async fn run(&self, place: &mut Place, facts: &mut SessionFacts) -> Done {
        match (mem::take(place), self.job.runtime) {
            (native @ Place::Native(_), Some(RuntimeKind::Wasm)) => {
                *place = native;
                Err(Error::Request(
                    "this session runs in the native runtime and cannot go back; leave `runtime` out, or begin another \
                     session"
                        .into(),
                ))
            }
            (Place::Native(kept), _) => {
                let raw = self.next_native(*kept, place, facts).await?;
                Ok((raw, "the session runs in the native runtime".into()))
            }
            (Place::Empty, Some(RuntimeKind::Native)) => {
                let raw = self.first_native(None, place, facts).await?;
                Ok((raw, route::ASKED_FOR.into()))
            }
            (Place::Empty, _) => {
                let folder = Arc::new(self.session.folder.open()?);
                let fresh = self.runner.wasm().await?.open(&folder, &self.job.files, self.limits)?;
                self.wasm(fresh, place, facts).await
            }
            (Place::Wasm(mut guest), _) => {
                if let Err(error) = guest.put_files(&self.job.files) {
                    *place = Place::Wasm(guest);
                    return Err(error);
                }
                self.wasm(wasm::Place::Kept(guest), place, facts).await
            }
        }
    }

    /// A call in the guest; the session moves if the code needs the native runtime.
    async fn wasm(&self, guest: wasm::Place, place: &mut Place, facts: &mut SessionFacts) -> Done {
        let (_, reason) = route::first(self.job.runtime);
        let (raw, guest, alive) = self.in_guest(guest, &self.runner.native_so_far()).await?;
        let reroute = match route::after_wasm(&raw.report) {
            Some(reroute) if raw.end != RunEnd::Cancelled => reroute,
            _ => return Ok((self.settle(raw, guest, alive, place, facts).await?, reason.into())),
        };
        match self.runner.native_state().await {
            NativeState::On => {
                let wanted = self.job.runtime == Some(RuntimeKind::Native);
                let reason = if wanted { route::ASKED_FOR.to_owned() } else { reroute.reason };
                let state = self.take_state(guest).await;
                facts.moved = state.is_some();
                facts.rerouted = reroute.had_begun;
                facts.left.clone_from(&raw.report.left);
                Ok((self.first_native(state.as_deref(), place, facts).await?, reason))
            }
            // It turned out only now that native cannot start: the code gets the exception that says so.
            off @ NativeState::Off(_) => {
                let (raw, guest, alive) = self.in_guest(wasm::Place::Kept(Box::new(guest)), &off).await?;
                Ok((self.settle(raw, guest, alive, place, facts).await?, reason.into()))
            }
        }
    }

    /// Runs the code in a guest; gives whether it can run again.
    async fn in_guest(&self, place: wasm::Place, native: &NativeState) -> Result<(RawOutput, Guest, bool), Error> {
        let (nonce, output, name) = self.output()?;
        let mut request = self.runner.wasm_request(self.job, &nonce, native);
        self.number_request(&mut request, &name);
        request.migrate = self.job.runtime == Some(RuntimeKind::Native) && request.native == "on";
        let wasm = self.runner.wasm().await?;
        let (run, guest) = wasm.run_kept(place, request.to_json()?, self.limits, &output, self.stop).await?;
        let alive = run.alive;
        Ok((ending::of_guest(run, output.finish(), self.limits), guest, alive))
    }

    /// The call stays in the guest: its files go to the session's directory.
    async fn settle(
        &self,
        raw: RawOutput,
        mut guest: Guest,
        alive: bool,
        place: &mut Place,
        facts: &mut SessionFacts,
    ) -> Result<RawOutput, Error> {
        let wasm = Arc::clone(self.runner.wasm().await?);
        let wanted = raw.end != RunEnd::Cancelled || alive;
        let stored = tokio::task::spawn_blocking(move || {
            let skipped = if wanted { wasm.store_files(&mut guest, true) } else { Ok(Vec::new()) };
            (guest, skipped)
        });
        let (guest, skipped) =
            stored.await.map_err(|source| Error::Engine { what: "store the files", source: source.into() })?;
        match skipped {
            Ok(skipped) => facts.not_stored.extend(skipped),
            Err(why) => facts.not_stored.push(why),
        }
        if alive {
            *place = Place::Wasm(Box::new(guest));
        } else {
            facts.lost = true;
        }
        Ok(raw)
    }

    /// What the guest saved of itself. Its files are dropped with it, as those of any attempt that is repeated.
    async fn take_state(&self, mut guest: Guest) -> Option<Vec<u8>> {
        let limit = usize::try_from(self.limits.file_bytes).unwrap_or(usize::MAX);
        tokio::task::spawn_blocking(move || guest.saved_state(limit)).await.ok().flatten()
    }

    /// The session's first call in the native runtime.
    async fn first_native(
        &self,
        state: Option<&[u8]>,
        place: &mut Place,
        facts: &mut SessionFacts,
    ) -> Result<RawOutput, Error> {
        let native = self.runner.native_or_off().await?;
        self.session.folder.put(&self.job.files)?;
        let mut dir = native.job_dir(Some(self.session.folder.path().to_owned()))?;
        if let Some(state) = state {
            dir.put_private(STATE_FILE, state)?;
        }
        dir.seal();
        let (nonce, output, name) = self.output()?;
        let request = self.native_request(&nonce, &name, &dir, state.is_some()).to_json()?;
        let life = self.runner.sessions().config().life;
        let (run, after) = native.run_first(dir, &request, self.limits, life, &output, self.stop).await?;
        self.after_native(run, after, &output, place, facts)
    }

    /// A further call in the native runtime.
    async fn next_native(
        &self,
        mut kept: Kept,
        place: &mut Place,
        facts: &mut SessionFacts,
    ) -> Result<RawOutput, Error> {
        let native = self.runner.native_or_off().await?;
        self.session.folder.put(&self.job.files)?;
        kept.dir().seal();
        let (nonce, output, name) = self.output()?;
        let request = self.native_request(&nonce, &name, kept.dir(), false).to_json()?;
        let (run, after) = native.run_next(kept, &request, self.limits, &output, self.stop).await?;
        self.after_native(run, after, &output, place, facts)
    }

    fn after_native(
        &self,
        run: NativeRun,
        after: Result<Kept, JobDir>,
        output: &Output,
        place: &mut Place,
        facts: &mut SessionFacts,
    ) -> Result<RawOutput, Error> {
        let captured = output.finish();
        facts.left.extend(captured.report.left.iter().cloned());
        let mut files = match after {
            Ok(mut kept) => {
                let files = kept.dir().changed_files();
                *place = Place::Native(Box::new(kept));
                files?
            }
            Err(dir) => {
                facts.lost = true;
                dir.changed_files()?
            }
        };
        files::load_images(self.session.folder.path(), &mut files);
        Ok(ending::of_native(run, captured, files, self.limits))
    }

    fn output(&self) -> Result<(String, Arc<Output>, String), Error> {
        let nonce = nonce()?;
        let output = Arc::new(Output::new(&nonce, self.limits));
        self.live.show(&output);
        Ok((nonce, output, self.file_name()))
    }

    fn native_request<'r>(&'r self, nonce: &'r str, name: &'r str, dir: &JobDir, restore: bool) -> Request<'r> {
        let mut request = self.runner.native_request(self.job, nonce, dir);
        self.number_request(&mut request, name);
        request.restore = restore;
        request
    }

    fn number_request<'r>(&self, request: &mut Request<'r>, name: &'r str) {
        request.session = self.number;
        request.filename = name;
    }

    /// The file that tracebacks name: functions of earlier calls are told from those of this one.
    fn file_name(&self) -> String {
        format!("call-{}.py", self.number)
    }
}
