//! The pages of the snapshot that every job writes to, copied in a few system calls before the
//! guest runs.
//!
//! A job that does nothing writes to some 160 pages. The kernel copies each of them at the first
//! write, which costs an exception, and a flush if the page was read before: together a fifth of
//! the time of such a job. Which pages these are is learnt from the first jobs. A guest sees no
//! difference: a populated page holds the same bytes.
#![expect(unsafe_code, reason = "madvise has no safe wrapper; the block names why it is sound")]

use crate::host::lock;
use rustix::mm::{Advice, madvise};
use rustix::param::page_size;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, OnceLock};
use wasmtime::{AsContext, AsContextMut, Memory};

/// Jobs to learn from, at least: only pages that all of them wrote to count.
const LESSONS: usize = 3;
/// More pages than every job writes to: these were large jobs of one kind, so more are looked at.
const TOO_MANY: usize = 512;

/// Bytes of an entry of `/proc/self/pagemap`, and what its bits say
/// (`Documentation/admin-guide/mm/pagemap.rst`).
const ENTRY: usize = 8;
const PRESENT: u64 = 1 << 63;
const OF_A_FILE: u64 = 1 << 61;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct HotPages {
    /// Runs of pages, numbered from the start of the memory; empty if the kernel does not say.
    known: OnceLock<Vec<Range<usize>>>,
    lessons: Mutex<Lessons>,
}

/// The pages that all jobs so far have written to, in order.
#[derive(Debug, Default)]
struct Lessons {
    taken: usize,
    common: Vec<usize>,
}

impl HotPages {
    /// Has the kernel copy the pages for a guest that has not run yet. Before Linux 5.14 it cannot,
    /// and copies them one by one later.
    pub(super) fn populate(&self, memory: Memory, mut store: impl AsContextMut) {
        let Some(known) = self.known.get() else { return };
        let page = page_size();
        let bytes = memory.data_mut(&mut store);
        for run in known {
            let Some(part) = bytes.get_mut(run.start * page..run.end * page) else { return };
            // SAFETY: the range is mapped and ours alone as long as `part` lives, and populating
            // changes no content.
            let populated = unsafe {
                madvise(part.as_mut_ptr().cast(), part.len(), Advice::LinuxPopulateWrite)
            };
            if populated.is_err() {
                return;
            }
        }
    }

    /// Looks at what a job has written to, as long as there is something to learn.
    pub(super) fn learn(&self, memory: Memory, store: impl AsContext) {
        if self.known.get().is_some() {
            return;
        }
        let mut lessons = lock(&self.lessons);
        let written = written_pages(memory.data(&store)).unwrap_or_default();
        if lessons.taken == 0 {
            lessons.common = written;
        } else {
            lessons.common.retain(|page| written.binary_search(page).is_ok());
        }
        lessons.taken += 1;
        if lessons.taken >= LESSONS && lessons.common.len() < TOO_MANY {
            // Two jobs that ended at once have learnt the same.
            let _ = self.known.set(runs(&lessons.common));
        }
    }
}

/// The pages of `memory` that are no longer the snapshot's file, in order.
fn written_pages(memory: &[u8]) -> io::Result<Vec<usize>> {
    let page = page_size();
    let mut entries = vec![0; memory.len() / page * ENTRY];
    let first = memory.as_ptr().addr() / page;
    File::open("/proc/self/pagemap")?.read_exact_at(&mut entries, (first * ENTRY) as u64)?;
    let entries = entries.as_chunks::<ENTRY>().0.iter().map(|entry| u64::from_ne_bytes(*entry));
    let written = entries.enumerate().filter(|(_, entry)| entry & (PRESENT | OF_A_FILE) == PRESENT);
    Ok(written.map(|(page, _)| page).collect())
}

/// Neighbours together.
fn runs(pages: &[usize]) -> Vec<Range<usize>> {
    let runs = pages.chunk_by(|page, next| page + 1 == *next);
    runs.map(|run| run[0]..run[0] + run.len()).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/wasm_hot_pages.rs"]
mod tests;
