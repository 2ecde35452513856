//! One guest: a store with its instance. Used once for a job of its own, or kept between the calls of a session.

use super::files;
use super::host::{Host, Stopped, begin_counting};
use super::hot_pages::HotPages;
use super::preview1::GuestFs;
use super::stop::Stop;
use super::{WasmRuntime, global, memory, meter, place};
use crate::error::Error;
use crate::limits::Limits;
use crate::outcome::{InputFile, RunEnd};
use crate::output::Output;
use crate::request::{STATE_FILE, WORKDIR};
use cap_std::fs::Dir;
use std::fmt;
use std::sync::Arc;
use wasmtime::{Global, Instance, InstancePre, Memory, Store, TypedFunc};

/// A guest that has run and can run again.
pub struct Guest {
    pub(super) store: Store<Host>,
    instance: Option<Instance>,
    /// The guest's C stack pointer.
    stack: Option<Global>,
}

/// So near to the end of its stack a guest can only have come by nesting too deeply.
const STACK_END: i32 = 64 << 10;

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest").field("instance", &self.instance.is_some()).finish_non_exhaustive()
    }
}

/// What a call runs in.
#[derive(Debug)]
pub enum Place {
    /// A new instance over these files.
    Fresh(Box<Files>),
    /// The instance of an earlier call.
    Kept(Box<Guest>),
}

/// The files of a guest that does not run yet.
#[derive(Debug)]
pub struct Files(pub(super) GuestFs);

impl WasmRuntime {
    /// A place for the first call of a session whose working directory is `directory`: what it holds now counts against
    /// the limits, and changes go there by [`WasmRuntime::store_files`] only.
    ///
    /// # Errors
    /// The directory cannot be read, or `given` does not fit into it.
    pub fn open(&self, directory: &Arc<Dir>, given: &[InputFile], limits: &Limits) -> Result<Place, Error> {
        Ok(Place::Fresh(Box::new(Files(self.mounts.session(directory, given, limits)?))))
    }
}

impl Guest {
    pub(super) fn new(store: Store<Host>) -> Self {
        Self { store, instance: None, stack: None }
    }

    /// Prepares a further call: its output, its limits, its order to stop.
    pub(super) fn begin(&mut self, limits: &Limits, output: Arc<Output>, stop: &Arc<Stop>) {
        let size = self.memory();
        let host = self.store.data_mut();
        host.begin(output, Arc::clone(stop), limits, size);
        // A signal that came when the last call was over must not strike this one.
        let (known, trip) = (host.memory, host.trip);
        if let Some(memory) = known {
            for at in [trip.handler, trip.any] {
                // Inside of the memory, or the addresses would not have served.
                let _ = memory.write(&mut self.store, at as usize, &0u32.to_le_bytes());
            }
        }
    }

    /// Gives the instance, made if there is none, the request, and lets it run.
    pub(super) fn call(
        &mut self,
        guest: &InstancePre<Host>,
        hot_pages: &HotPages,
        request: &[u8],
    ) -> wasmtime::Result<i32> {
        let store = &mut self.store;
        let fresh = self.instance.is_none();
        let instance = match self.instance {
            Some(instance) => instance,
            None => *self.instance.insert(guest.instantiate(&mut *store)?),
        };
        if self.stack.is_none() {
            self.stack = Some(global(&instance, store, meter::STACK)?);
        }
        let counter = global(&instance, store, meter::COUNTER)?;
        begin_counting(&mut *store, counter)?;
        let memory: Memory = memory(&instance, store)?;
        store.data_mut().memory = Some(memory);
        if fresh {
            hot_pages.populate(memory, &mut *store);
        }
        let allocate: TypedFunc<u32, u32> = instance.get_typed_func(&mut *store, "sandbox_alloc")?;
        let run: TypedFunc<(u32, u32), i32> = instance.get_typed_func(&mut *store, "sandbox_run")?;
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

    /// Whether the guest that has just been trapped was at the end of its C stack. What is beyond is no memory.
    pub(super) fn stack_overflowed(&mut self) -> bool {
        let pointer = self.stack.map(|stack| stack.get(&mut self.store));
        pointer.and_then(|pointer| pointer.i32()).is_some_and(|pointer| pointer < STACK_END)
    }

    /// Where the guest was that has just been trapped.
    pub(super) fn place(&mut self) -> Option<String> {
        place(self.instance?, self.stack?, &mut self.store)
    }

    /// Bytes of its linear memory.
    pub fn memory(&self) -> u64 {
        self.store.data().memory.map_or(0, |memory| memory.data_size(&self.store) as u64)
    }

    /// Puts files into the working directory, before a call.
    ///
    /// # Errors
    /// They do not fit.
    pub fn put_files(&mut self, given: &[InputFile]) -> Result<(), Error> {
        files::put(self.store.data_mut().files.vfs(), given)
    }

    /// Writes a copy of what a job made in the working directory to `to`, which is empty.
    ///
    /// # Errors
    /// The first error of the host, in words.
    pub fn copy_files(&self, to: &Dir) -> Result<(), String> {
        self.store.data().files.seen().export(WORKDIR, to).map(|_| ()).map_err(|error| error.to_string())
    }

    /// What the guest saved of its variables when it asked for the other runtime: bytes that only that one reads.
    pub fn saved_state(&mut self, limit: usize) -> Option<Vec<u8>> {
        self.store.data_mut().files.vfs().read_file(STATE_FILE, limit).ok()
    }
}
