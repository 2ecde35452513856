//! The road of one call, from top to bottom: its turn in its session, a permit, a run in the
//! runtime that fits, perhaps another one in the other runtime, and what stays of it.
//!
//! A call without a session is the only call of a session of its own.

use super::classify::classify;
use super::outcome::{Outcome, SessionFacts};
use super::pictures::Unfitted;
use super::routing;
use super::session::{Session, SessionState, Visit};
use super::{Call, JobStatus, Permit, Service, gone};
use crate::error::Error;
use crate::host::nonce;
use crate::job::{RunRecord, RuntimeKind, SessionCall};
use crate::output::{Captured, Output, RunOrder};
use crate::runtime::{Interpreter, NativeState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Time for what comes after the code, beyond the call's wall and grace time: writing and reading
/// files, fitting images.
const FINISH: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) runtime: RuntimeKind,
    pub(super) status: JobStatus,
    pub(super) record: RunRecord,
    pub(super) captured: Captured,
}

/// A call whose code has run.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) interpreter: Interpreter,
    pub(super) attempt: Attempt,
    pub(super) route: Route,
    /// When the answer goes out, whatever is not ready by then.
    pub(super) answer_by: Instant,
}

#[derive(Debug)]
pub(super) struct Route {
    pub(super) reason: String,
    /// Whether an attempt in the WASI runtime had begun to run the code before it was dropped.
    pub(super) rerouted: bool,
}

impl Service {
    /// Runs a call to its end.
    ///
    /// # Errors
    /// Our own failures only; what the job does wrong is in the [`Outcome`].
    pub async fn execute(&self, call: &Call) -> Result<Outcome, Error> {
        let (visit, facts) = self.sessions.visit(call)?;
        let result = self.run_in_session(call, visit, facts).await;
        self.metrics.count(call.client.caller, &result);
        result
    }

    /// The same for a client, which hears of errors in its answer: the log names them too.
    pub(crate) async fn execute_for_client(&self, call: &Call) -> Result<Outcome, Error> {
        let (result, caller) = (self.execute(call).await, call.client.caller);
        match &result {
            Ok(outcome) => {
                let Outcome { runtime, reason, status, usage, .. } = outcome;
                let (runtime, end) = (runtime.name(), status.name());
                let (wall, fuel) = (usage.wall, usage.fuel);
                tracing::info!(%caller, runtime, reason, end, ?wall, fuel, "job done");
            }
            Err(error) => tracing::warn!(%caller, %error, "job not run"),
        }
        result
    }

    /// Runs the call in its session, and withdraws it there when its caller does.
    async fn run_in_session(
        &self,
        call: &Call,
        mut visit: Visit<'_>,
        facts: Option<SessionFacts>,
    ) -> Result<Outcome, Error> {
        let stop = visit.session.call_token();
        let run = self.take_turn(call, &mut visit, facts, &stop);
        tokio::pin!(run);
        tokio::select! {
            outcome = &mut run => outcome,
            () = call.cancel.cancelled() => {
                stop.cancel();
                run.await
            }
        }
    }

    /// Waits for the calls before it and for a permit, and runs the call.
    async fn take_turn(
        &self,
        call: &Call,
        visit: &mut Visit<'_>,
        facts: Option<SessionFacts>,
        stop: &CancellationToken,
    ) -> Result<Outcome, Error> {
        let session = Arc::clone(&visit.session);
        let begin = async {
            let state = session.turn(stop).await?;
            let permit = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(Error::Withdrawn),
                permit = self.admission.enter(call.client.caller) => Arc::new(permit?),
            };
            // Who does not read its answers gets no more of them.
            self.room_for_answer(call.asked.as_ref()).await;
            Ok((state, permit))
        };
        let (mut state, permit) = tokio::select! {
            biased;
            begun = begin => begun?,
            // It waits, and its job would run for nobody.
            () = gone(call.asked.as_ref()) => return Err(Error::Withdrawn),
        };
        state.calls += 1;
        let (session, number) = (&session, state.calls);
        let run = CallRun { service: self, call, session, number, stop, permit };
        // Nothing, if this future is dropped while the interpreter runs.
        visit.memory = Some(0);
        let result = run.execute(&mut state, facts).await;
        visit.memory = Some(state.interpreter.as_ref().map_or(0, Interpreter::memory));
        // Nobody has to wait for its images.
        drop(state);
        drop(run);
        let (mut outcome, unfitted) = result?;
        self.show_images(&mut outcome, unfitted).await?;
        Ok(outcome)
    }
}

/// A call that has its turn and its permit.
pub(super) struct CallRun<'a> {
    pub(super) service: &'a Service,
    pub(super) call: &'a Call,
    pub(super) session: &'a Session,
    /// Its number in the session, from 1.
    number: u32,
    stop: &'a CancellationToken,
    pub(super) permit: Arc<Permit>,
}

impl CallRun<'_> {
    /// Runs the code where it belongs, and keeps or ends the interpreter. `state` has none
    /// meanwhile, so that nothing half-done is ever used again.
    async fn execute(
        &self,
        state: &mut SessionState,
        mut facts: Option<SessionFacts>,
    ) -> Result<(Outcome, Unfitted), Error> {
        let asked = self.call.job.runtime;
        let (runtime, reason) = routing::choose(state.runtime(), asked)?;
        if (runtime, asked) == (RuntimeKind::Wasm, Some(RuntimeKind::Native))
            && let NativeState::Off(why) = self.service.runtimes.native_state().await
        {
            // Refused, rather than run where it was not asked to run.
            return Err(Error::RuntimeOff(why));
        }
        let mut route = Route { reason: reason.to_owned(), rerouted: false };
        let is_fresh = state.interpreter.is_none();
        if let Some(facts) = &mut facts {
            facts.began_empty = is_fresh && self.number > 1;
        }
        let interpreter = self.interpreter(state, runtime).await?;
        // Its runs and what comes after them share one deadline.
        let began = Instant::now();
        let known = self.service.runtimes.native_so_far();
        let (mut attempt, mut interpreter) =
            self.attempt(interpreter, &known, false, Duration::ZERO).await?;
        if let Some(reroute) = routing::reroute(&attempt, asked) {
            (attempt, interpreter) = match self.service.runtimes.native_state().await {
                NativeState::On => {
                    route = reroute;
                    let native = match self.start(RuntimeKind::Native).await {
                        Ok(native) => native,
                        // A file that cannot be written, say: earlier calls' variables live on.
                        Err(error) => {
                            state.interpreter =
                                Some(interpreter).filter(|_| !is_fresh && attempt.record.alive);
                            return Err(error);
                        }
                    };
                    let guest = interpreter;
                    self.move_to_native(guest, native, attempt, facts.as_mut(), began).await?
                }
                // It turned out only now that native cannot start: the code gets the exception
                // that says so.
                off @ NativeState::Off(_) => {
                    if is_fresh {
                        interpreter = self.start(runtime).await?;
                    }
                    self.attempt(interpreter, &off, false, began.elapsed()).await?
                }
            };
        }
        let limits = &self.call.limits;
        let answer_by = began + limits.wall + limits.grace + FINISH;
        let ran = Ran { interpreter, attempt, route, answer_by };
        self.finish(ran, facts, &mut state.interpreter).await
    }

    /// The session's interpreter with the caller's files, or a new one.
    async fn interpreter(
        &self,
        state: &mut SessionState,
        runtime: RuntimeKind,
    ) -> Result<Interpreter, Error> {
        let Some(mut interpreter) = state.interpreter.take() else {
            return self.start(runtime).await;
        };
        if let Err(error) = interpreter.put_files(&self.call.job.files) {
            state.interpreter = Some(interpreter);
            return Err(error);
        }
        Ok(interpreter)
    }

    async fn start(&self, runtime: RuntimeKind) -> Result<Interpreter, Error> {
        let home = self.session.home.as_ref().map(|home| &*home.dir);
        let Self { call, service, .. } = self;
        service.runtimes.start(runtime, home, &call.job.files, &call.limits).await
    }

    /// Repeats the code in the native runtime. The dropped attempt had no effect outside of its own
    /// memory; of a session's guest, the variables come along.
    async fn move_to_native(
        &self,
        guest: Interpreter,
        mut native: Interpreter,
        dropped: Attempt,
        facts: Option<&mut SessionFacts>,
        began: Instant,
    ) -> Result<(Attempt, Interpreter), Error> {
        let saved = guest.into_saved_state(&self.call.limits).await;
        if let Some(saved) = &saved {
            native.restore(saved)?;
        }
        if let Some(facts) = facts {
            facts.moved = saved.is_some();
            facts.left = dropped.captured.report.left;
        }
        let on = NativeState::On;
        self.attempt(native, &on, saved.is_some(), began.elapsed()).await
    }

    /// Runs the code once in `interpreter`, which comes back. `restore` says that it finds the
    /// variables of another one, `spent` what other runs have taken of the call's wall time.
    async fn attempt(
        &self,
        interpreter: Interpreter,
        native: &NativeState,
        restore: bool,
        spent: Duration,
    ) -> Result<(Attempt, Interpreter), Error> {
        let Self { service, call, session, stop, .. } = self;
        let (nonce, runtime) = (nonce()?, interpreter.runtime());
        let output = Arc::new(Output::new(&nonce, &call.limits));
        call.output.show(&output);
        let number = session.home.as_ref().map_or(0, |_| self.number);
        let session_call = SessionCall { restore, ..SessionCall::new(number) };
        let request =
            service.runtimes.request(&call.job, &nonce, &interpreter, &session_call, native);
        let order = RunOrder {
            request: request.to_json()?.into(),
            limits: &call.limits,
            output: &output,
            cancel: stop,
            spent,
            keep: session.home.as_ref().map(|_| service.config.sessions.life),
        };
        let (mut record, interpreter) = service.runtimes.run(interpreter, &order).await?;
        record.usage.wall += order.spent;
        let captured = output.finish();
        let status = classify(runtime, &record, &captured.report, &call.limits);
        if status == JobStatus::Ok {
            service.runtimes.learn(&captured.report.imported);
        }
        Ok((Attempt { runtime, status, record, captured }, interpreter))
    }
}
