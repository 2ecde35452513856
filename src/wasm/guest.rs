//! One guest: its files, and once it has run a store with its instance. It serves one call, or is
//! kept between the calls of a session.

use super::files;
use super::host::{Host, Stopped, begin_counting, grant};
use super::hot_pages::HotPages;
use super::preview1::GuestFs;
use super::stop::Stop;
use super::{address, global, memory, meter};
use crate::error::Error;
use crate::host::PrivateDir;
use crate::job::{InputFile, Limits, RunEnd, STATE_FILE, WORKDIR};
use crate::output::Output;
use std::sync::Arc;
use std::{fmt, mem};
use wasmtime::{Global, Instance, InstancePre, Store, Val};

/// Bytes: a guest this near to the end of its stack has nested too deeply.
const STACK_END: i32 = 64 << 10;

/// Bytes of the text that says where a stopped guest was.
const MAX_PLACE: usize = 8 << 10;

/// A guest, before its first run or after one.
#[derive(Debug)]
pub struct Guest(pub(super) GuestState);

#[derive(Debug)]
pub(super) enum GuestState {
    /// It has files, and no memory yet.
    Fresh(GuestFs),
    Live(LiveGuest),
}

pub(super) struct LiveGuest {
    pub(super) store: Store<Host>,
    instance: Option<Instance>,
    /// The guest's C stack pointer.
    stack: Option<Global>,
    has_run: bool,
}

impl fmt::Debug for LiveGuest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveGuest")
            .field("instance", &self.instance.is_some())
            .finish_non_exhaustive()
    }
}

impl Guest {
    /// Prepares a run: its output, its limits, its order to stop. `body` makes what a guest without
    /// memory gets.
    pub(super) fn begin(
        self,
        limits: &Limits,
        output: Arc<Output>,
        stop: &Arc<Stop>,
        body: impl FnOnce(GuestFs) -> LiveGuest,
    ) -> LiveGuest {
        let mut guest = match self.0 {
            GuestState::Fresh(files) => body(files),
            GuestState::Live(guest) => guest,
        };
        guest.begin(limits, output, stop);
        guest
    }

    pub(super) fn files(&mut self) -> &mut GuestFs {
        match &mut self.0 {
            GuestState::Fresh(files) => files,
            GuestState::Live(guest) => &mut guest.store.data_mut().files,
        }
    }

    pub(crate) fn memory(&self) -> u64 {
        match &self.0 {
            GuestState::Fresh(_) => 0,
            GuestState::Live(guest) => guest.memory(),
        }
    }

    /// Puts files into the working directory, before a run; an error says that they do not fit.
    pub(crate) fn put_files(&mut self, given: &[InputFile]) -> Result<(), Error> {
        files::put(&mut self.files().vfs, given)
    }

    /// Writes a copy of what a job made in the working directory to `to`, which is empty; true if
    /// it is there.
    pub(crate) fn export(&mut self, to: &PrivateDir) -> bool {
        let mut exported = || -> Result<_, Box<dyn std::error::Error>> {
            Ok(self.files().vfs.export(WORKDIR, &to.open()?)?)
        };
        exported()
            .inspect_err(|why| tracing::warn!("failed to keep files of a call: {why}"))
            .is_ok()
    }

    /// The first `max` bytes of a file of the working directory, if it can be read.
    pub(crate) fn read_start(&mut self, path: &str, max: usize) -> Option<Vec<u8>> {
        self.files().vfs.read_start(&format!("{WORKDIR}/{path}"), max).ok()
    }

    /// What the guest saved of its variables when its code asked for the native runtime: at most
    /// `limit` bytes that only the bootstrap reads.
    pub(crate) fn saved_state(&mut self, limit: usize) -> Option<Vec<u8>> {
        self.files().vfs.read_file(STATE_FILE, limit).ok()
    }
}

impl LiveGuest {
    pub(super) fn new(store: Store<Host>) -> Self {
        Self { store, instance: None, stack: None, has_run: false }
    }

    fn begin(&mut self, limits: &Limits, output: Arc<Output>, stop: &Arc<Stop>) {
        let size = self.memory();
        let host = self.store.data_mut();
        host.begin(output, Arc::clone(stop), limits, size);
        // A signal that came after the end of the last call must not interrupt this one.
        let (known, trip) = (host.memory, host.trip);
        if let Some(memory) = known {
            for at in [trip.handler, trip.any] {
                // The addresses are inside of the memory: the snapshot's signal flags.
                let _ = memory.write(&mut self.store, at as usize, &0u32.to_le_bytes());
            }
        }
    }

    pub(super) fn memory(&self) -> u64 {
        self.store.data().memory.map_or(0, |memory| memory.data_size(&self.store) as u64)
    }

    /// Makes the instance, unless there is one, with its hot pages.
    pub(super) fn instantiate(
        &mut self,
        guest: &InstancePre<Host>,
        hot_pages: &HotPages,
    ) -> wasmtime::Result<Instance> {
        if let Some(instance) = self.instance {
            return Ok(instance);
        }
        let store = &mut self.store;
        let instance = guest.instantiate(&mut *store)?;
        self.stack = Some(global(&instance, store, meter::STACK)?);
        let memory = memory(&instance, store)?;
        store.data_mut().memory = Some(memory);
        hot_pages.populate(memory, &mut *store);
        self.instance = Some(instance);
        Ok(instance)
    }

    /// Gives the instance, made if there is none, the request, and lets it run.
    pub(super) fn call(
        &mut self,
        guest: &InstancePre<Host>,
        hot_pages: &HotPages,
        request: &[u8],
    ) -> wasmtime::Result<i32> {
        let instance = self.instantiate(guest, hot_pages)?;
        let fresh = !mem::replace(&mut self.has_run, true);
        let store = &mut self.store;
        let counter = global(&instance, store, meter::COUNTER)?;
        begin_counting(&mut *store, counter)?;
        let memory = memory(&instance, store)?;
        let allocate = instance.get_typed_func::<u32, u32>(&mut *store, "sandbox_alloc")?;
        let run = instance.get_typed_func::<(u32, u32), i32>(&mut *store, "sandbox_run")?;
        let len = u32::try_from(request.len())?;
        let ptr = allocate.call(&mut *store, len)?;
        if ptr == 0 {
            let hit = store.data().meter.full();
            return Err(Stopped(RunEnd::Limit(hit)).into());
        }
        memory.write(&mut *store, ptr as usize, request)?;
        let code = run.call(&mut *store, (ptr, len))?;
        if fresh {
            hot_pages.learn(memory, store);
        }
        Ok(code)
    }

    /// Whether the guest that has just been trapped was at the end of its C stack. There is no
    /// memory beyond it.
    pub(super) fn stack_overflowed(&mut self) -> bool {
        let pointer = self.stack.map(|stack| stack.get(&mut self.store));
        pointer.and_then(|pointer| pointer.i32()).is_some_and(|pointer| pointer < STACK_END)
    }

    /// The innermost Python frames of a guest that was trapped, as text. The guest's own code finds
    /// them, and only reads its memory for it.
    pub(super) fn at(&mut self) -> Option<String> {
        const FUEL: u64 = 100_000_000;
        let (instance, stack, store) = (self.instance?, self.stack?, &mut self.store);
        grant(&mut *store, FUEL).ok()?;
        // The stack of the trapped code may be full: this code gets a small one of its own.
        let top = address(instance, store, "sandbox_where_stack").ok()?;
        stack.set(&mut *store, Val::I32(top.cast_signed())).ok()?;
        let at = address(instance, store, "sandbox_where").ok()?;
        let bytes = memory(&instance, store).ok()?.data(&*store).get(at as usize..)?;
        let text = bytes.split(|&byte| byte == 0).next()?;
        let text = String::from_utf8_lossy(&text[..text.len().min(MAX_PLACE)]).into_owned();
        (!text.is_empty()).then_some(text)
    }
}
