//! A request in a new child of the warm parent: tried a second time where the first attempt cannot have had any effect.

use super::launch::{Live, Run};
use super::process::Finish;
use super::{JobDir, NativeRun, NativeRuntime, On};
use crate::error::Error;
use crate::limits::Limits;
use crate::outcome::{RunEnd, Usage};
use crate::output::Output;
use crate::proxy::{Pass, Proxy};
use tokio_util::sync::CancellationToken;

impl NativeRuntime {
    /// Runs one job: `request` goes to the bootstrap, what it writes to `output`. Cancel it through `cancel`; a dropped
    /// future ends the job too, but its directory may then stay behind.
    ///
    /// # Errors
    /// [`Error::RuntimeOff`] if native is off; [`Error::Native`] if the job could not be run, or if the warm parent
    /// died under it after it had begun.
    pub async fn run(
        &self,
        dir: &JobDir,
        request: &[u8],
        limits: &Limits,
        output: &Output,
        cancel: &CancellationToken,
    ) -> Result<NativeRun, Error> {
        let on = self.on()?;
        // Valid until the job is over.
        let pass = on.pass()?;
        let run = Run { dir, request, limits, output, cancel, proxy: pass.as_ref().map(Pass::url) };
        let ran = self.in_child(on, run, limits, false).await?;
        Ok(ran.map_or_else(|| on.cancelled(), |(run, _)| run))
    }

    /// Runs a request in a new child, which lives on if it is to be kept; `limits` hold for its whole life. `None` if the
    /// request was withdrawn while there was no warm parent yet.
    ///
    /// # Errors
    /// As [`NativeRuntime::run`].
    pub(in crate::native) async fn in_child(
        &self,
        on: &On,
        run: Run<'_>,
        limits: &Limits,
        keep: bool,
    ) -> Result<Option<(NativeRun, Live)>, Error> {
        // A warm parent that dies before the job has begun costs it nothing but time.
        for _attempt in 0..2 {
            let warm = tokio::select! {
                warm = on.warm.get() => warm.map_err(Error::Native)?,
                () = run.cancel.cancelled() => return Ok(None),
            };
            let walls = on.walls.as_ref().map(|walls| walls.for_job(run.dir)).transpose().map_err(Error::Native)?;
            if let Some(mut live) = run.launch(&warm, walls, limits, keep).await? {
                match run.watch(&mut live).await? {
                    Finish::Done { end, asked, usage, imports } => {
                        if self.config.learn {
                            on.warm.learn(self.in_venv(imports));
                        }
                        return Ok(Some((NativeRun { end, asked, usage, confined: on.walls.is_some() }, live)));
                    }
                    Finish::ParentDied { begun: true } => break,
                    Finish::ParentDied { begun: false } => {}
                }
            }
            // Its socket may be broken before its death is noticed; the next attempt must not meet it again.
            warm.kill();
            warm.until_gone().await;
        }
        Err(Error::Native("the process that it was forked from was killed; run it again".to_owned()))
    }

    /// What there is while native is on.
    ///
    /// # Errors
    /// [`Error::RuntimeOff`] if it is off.
    pub(in crate::native) fn on(&self) -> Result<&On, Error> {
        self.state.as_ref().map_err(|why| Error::RuntimeOff(why.clone()))
    }

    /// Of names that a job imported, those that the venv may have; the rest is of no use to anyone else.
    fn in_venv(&self, names: Vec<String>) -> Vec<String> {
        let is_ours = |name: &str| {
            let top = name.split('.').next().unwrap_or_default();
            self.modules.iter().any(|module| module == top)
        };
        names.into_iter().filter(|name| is_ours(name)).collect()
    }
}

impl On {
    /// A credential for the proxy, if hosts are open; it ends with the value.
    ///
    /// # Errors
    /// There is no randomness for it.
    pub(in crate::native) fn pass(&self) -> Result<Option<Pass>, Error> {
        self.network.as_ref().ok().and_then(Option::as_ref).map(Proxy::admit).transpose()
    }

    /// A run that was withdrawn before it began.
    pub(in crate::native) fn cancelled(&self) -> NativeRun {
        NativeRun { end: RunEnd::Cancelled, asked: None, usage: Usage::default(), confined: self.walls.is_some() }
    }
}
