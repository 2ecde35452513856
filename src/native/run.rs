//! One request: in a new child of the fork server, which is tried a second time where the first
//! attempt cannot have had any effect, or in the child of a session.

use super::error::NativeError;
use super::fork_server::ForkServer;
use super::interpreter::SessionChild;
use super::launch::{Child, Launch, NativeRun};
use super::process::{Finish, unwatched};
use super::{NativeInterpreter, NativeRuntime, On};
use crate::error::Error;
use crate::job::{LimitHit, Limits, RunEnd, RunRecord, Usage};
use crate::output::RunOrder;
use crate::proxy::{Pass, Proxy};
use std::sync::Arc;

impl NativeRuntime {
    /// Runs one request in `interpreter`. Cancel it through the order; a dropped future ends the
    /// job too, but its directory may then stay behind.
    ///
    /// # Errors
    /// [`Error::RuntimeOff`] if native is off; [`Error::Native`] if the job could not be run, or if
    /// the fork server died under it after it had begun. The process is then lost.
    pub async fn run(
        &self,
        interpreter: &mut NativeInterpreter,
        order: &RunOrder<'_>,
    ) -> Result<RunRecord, Error> {
        let on = self.on()?;
        interpreter.dir.seal();
        let in_use = on.in_use.begin();
        let ran = match interpreter.process.take() {
            Some(process) => Some(on.run_in_process(interpreter, process, order).await?),
            None => self.run_in_new_child(on, interpreter, order).await?,
        };
        drop(in_use);
        if order.keep.is_none() {
            self.prepare(on, order.limits);
        }
        let Some((mut record, process)) = ran else {
            return Ok(on.record(RunEnd::Cancelled, None, Usage::default()));
        };
        if order.keep.is_some() {
            interpreter.process = process.park();
        }
        record.alive = interpreter.process.is_some();
        // It may have written a lot since the last look at its files.
        if let RunEnd::Returned(_) = record.end {
            match interpreter.dir.exceeded(order.limits) {
                Ok(None) => {}
                Ok(Some(hit)) => record.end = RunEnd::Limit(hit),
                Err(error) => record.end = unwatched(&error),
            }
        }
        // A listing that cannot be made costs the list, not the answer.
        record.files = interpreter.dir.changed_files().unwrap_or_default();
        Ok(record)
    }

    /// Runs a request in a new child, which lives on if it is to be kept: in the one that waits, or
    /// in another. `None` if the request was withdrawn while there was no fork server yet.
    async fn run_in_new_child(
        &self,
        on: &On,
        interpreter: &mut NativeInterpreter,
        order: &RunOrder<'_>,
    ) -> Result<Option<(RunRecord, SessionChild)>, Error> {
        let mut spare = interpreter.spare.take();
        let dir = &interpreter.dir;
        let run = NativeRun { dir, order };
        // CPU time is counted by request; what the kernel counts is the child's whole life.
        let cpu = order.keep.map_or(order.limits.cpu, |life| life.max(order.limits.cpu));
        let limits = &Limits { cpu, ..order.limits.clone() };
        // A fork server that dies before the job has begun costs it nothing but time.
        for _attempt in 0..2 {
            let server = tokio::select! {
                server = on.fork_server.get() => server.map_err(|why| Error::Native(why.into()))?,
                () = order.cancel.cancelled() => return Ok(None),
            };
            if server.is_silent() {
                tracing::error!("the fork server does not answer; ending it and its jobs");
                server.give_up();
                continue;
            }
            let ready = spare.take().and_then(|spare| spare.fit(&server, limits));
            let was_spare = ready.is_some();
            let launch = Launch { dir, limits, keep: order.keep.is_some(), is_spare: false };
            let launched = if was_spare {
                ready
            } else {
                tokio::select! {
                    launched = on.launch(&server, launch) => launched?,
                    () = order.cancel.cancelled() => return Ok(None),
                }
            };
            if let Some((mut child, pass)) = launched {
                child.ask(&order.request)?;
                match run.watch(&mut child).await {
                    Ok(Finish::Done { end, asked, usage }) => {
                        let record = on.record(end, asked, usage);
                        return Ok(Some((record, SessionChild { child, _pass: pass })));
                    }
                    Ok(Finish::ServerDied { begun: true }) => break,
                    Ok(Finish::ServerDied { begun: false }) => {}
                    // No line of the job has run.
                    Err(_) if was_spare => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            // Its socket may be broken before its death is noticed; the next attempt must not meet
            // it again.
            server.give_up();
        }
        Err(NativeError::ForkServerDied.into())
    }

    /// Has a child made for the next job, under the limits of this one.
    fn prepare(&self, on: &Arc<On>, limits: &Limits) {
        let (on, config, limits) = (Arc::clone(on), Arc::clone(&self.config), limits.clone());
        tokio::spawn(async move { on.prepare(&config, &limits).await });
    }

    fn on(&self) -> Result<&Arc<On>, Error> {
        self.state.as_ref().map_err(|why| Error::RuntimeOff(why.clone()))
    }
}

impl On {
    /// Runs a further request in the child of a session.
    async fn run_in_process(
        &self,
        interpreter: &NativeInterpreter,
        mut process: SessionChild,
        order: &RunOrder<'_>,
    ) -> Result<(RunRecord, SessionChild), Error> {
        process.resume(&order.request)?;
        let run = NativeRun { dir: &interpreter.dir, order };
        match run.watch(&mut process.child).await? {
            Finish::Done { end, asked, usage, .. } => Ok((self.record(end, asked, usage), process)),
            Finish::ServerDied { .. } => Err(NativeError::SessionForkServerDied.into()),
        }
    }

    /// A new child of `server`, and its credential for the proxy. `None` if the fork server died
    /// before.
    pub(super) async fn launch(
        &self,
        server: &Arc<ForkServer>,
        launch: Launch<'_>,
    ) -> Result<Option<(Child, Option<Pass>)>, Error> {
        let pass = self.pass()?;
        let own = [launch.dir.data(), launch.dir.tmp()];
        let walls = self.policy.as_ref().map(|policy| policy.walls(&own)).transpose()?;
        let child = launch.launch(server, pass.as_ref().map(Pass::url), walls).await?;
        Ok(child.map(|child| (child, pass)))
    }

    /// A credential for the proxy, if hosts are open; it ends with the value.
    fn pass(&self) -> Result<Option<Pass>, Error> {
        self.network.as_ref().ok().and_then(Option::as_ref).map(Proxy::admit).transpose()
    }

    fn record(&self, end: RunEnd, asked: Option<LimitHit>, usage: Usage) -> RunRecord {
        RunRecord {
            end,
            asked,
            refused: None,
            at: None,
            usage,
            files: Vec::new(),
            confined: self.policy.is_some(),
            alive: false,
        }
    }
}
