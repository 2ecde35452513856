//! The files that a job holds: those in its directories, and those that no directory names any
//! more, because they are open or mapped still.
//!
//! They are weighed on a thread of their own, since walking folders may wait for the disk.

use super::size::is_gone;
use crate::host::walk::Weight;
use crate::job::{LimitHit, LimitKind, Limits, resources};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, statat};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::Instant;
use std::{fs, mem};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep_until;

/// Looking may take one part in this many of the time.
const SHARE: u32 = 20;
/// The same while the files grow: that matters more than a thread of the server.
const SHARE_OF_GROWTH: u32 = 4;
/// Mappings are read in one look of this many: the kernel takes a while to list them.
const MAPPINGS: u32 = 5;

/// What a job may hold, and has held when it was last looked at.
#[derive(Debug)]
pub(super) struct Holdings {
    /// Where it may write, as the kernel names them: its own directories, which are weighed, and
    /// the writable ones of the operator.
    places: Vec<PathBuf>,
    own: usize,
    most_bytes: u64,
    most_files: u64,
    looks: u32,
    /// Inodes that were only mapped when mappings were last read.
    mapped: BTreeSet<u64>,
}

impl Holdings {
    /// For a job that works in the directories `own` and may write to `mounts`, too.
    pub(super) fn new(own: [PathBuf; 2], mounts: &[PathBuf], limits: &Limits) -> Self {
        let mut places: Vec<PathBuf> = own.into();
        let own = places.len();
        places.extend_from_slice(mounts);
        let (most_bytes, most_files) = (limits.file_bytes, limits.files);
        Self { places, own, most_bytes, most_files, looks: 0, mapped: BTreeSet::new() }
    }

    /// The limit that is passed, if one is. `pid` is the job's process, if it lives.
    ///
    /// # Errors
    /// Something cannot be looked at.
    pub(super) fn check(&mut self, pid: Option<i32>) -> io::Result<Checked> {
        if self.looks == 0 {
            for place in &mut self.places {
                if let Ok(canonical) = fs::canonicalize(&*place) {
                    *place = canonical;
                }
            }
        }
        let mut weight = Weight::default();
        for place in &self.places[..self.own] {
            weight.add(place, self.most_files)?;
        }
        if let Some(pid) = pid {
            open_files(pid, &mut weight).or_else(unless_gone)?;
            if self.looks.is_multiple_of(MAPPINGS) {
                self.add_mapped(pid, &mut weight).or_else(unless_gone)?;
            }
        }
        self.looks += 1;
        let bytes = LimitKind::Files.check(self.most_bytes, weight.bytes);
        let files = LimitKind::FileCount.check(self.most_files, weight.files);
        let hit = bytes.and(files).err();
        Ok(Checked { bytes: weight.bytes, hit })
    }

    /// Adds files that are mapped and neither open nor named. How large such a file is cannot be
    /// seen, so one that stays so counts as the largest that a job can make. A mapping that is just
    /// being undone may look the same for a moment.
    fn add_mapped(&mut self, pid: i32, weight: &mut Weight) -> io::Result<()> {
        let maps = fs::read(format!("/proc/{pid}/maps"))?;
        let mut found: BTreeMap<u64, u64> = BTreeMap::new();
        for (inode, bytes) in maps.split(|&b| b == b'\n').filter_map(|line| self.nameless(line)) {
            if !weight.has_inode(inode) {
                *found.entry(inode).or_default() += bytes;
            }
        }
        let before = mem::take(&mut self.mapped);
        for (&inode, &bytes) in &found {
            let stays = before.contains(&inode);
            weight.files += 1;
            weight.bytes += if stays { bytes.saturating_add(self.most_bytes) } else { bytes };
        }
        self.mapped = found.into_keys().collect();
        Ok(())
    }

    /// Inode and length of a mapping, if it is of a file of the job's that has lost its name:
    /// `start-end perms offset device inode path (deleted)`.
    fn nameless(&self, line: &[u8]) -> Option<(u64, u64)> {
        let line = line.strip_suffix(b" (deleted)")?;
        let path = line.iter().position(|&byte| byte == b'/')?;
        let (fields, path) = line.split_at(path);
        let is_below = |place: &PathBuf| path.starts_with(place.as_os_str().as_bytes());
        if !self.places.iter().any(is_below) {
            return None;
        }
        let mut fields = str::from_utf8(fields).ok()?.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let address = |text| u64::from_str_radix(text, 16).ok();
        let inode = fields.nth(3)?.parse().ok()?;
        Some((inode, address(end)?.checked_sub(address(start)?)?))
    }
}

/// What a look found.
#[derive(Debug)]
pub(super) struct Checked {
    /// Bytes on the disk.
    pub(super) bytes: u64,
    pub(super) hit: Option<LimitHit>,
}

/// Adds the regular files that the process has open and that have no name any more.
fn open_files(pid: i32, weight: &mut Weight) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = open(format!("/proc/{pid}/fd"), flags, Mode::empty())?;
    for entry in Dir::read_from(&dir)? {
        let entry = entry?;
        if entry.file_name().to_bytes().starts_with(b".") {
            continue;
        }
        match statat(&dir, entry.file_name(), AtFlags::empty()) {
            Ok(stat) if stat.st_nlink > 0 => {}
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_file() => weight.add_file(&stat),
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn unless_gone(error: io::Error) -> io::Result<()> {
    if is_gone(&error) { Ok(()) } else { Err(error) }
}

/// Checks what a job holds, again and again.
#[derive(Debug)]
pub(super) struct FileWatch {
    /// Not here while a look is under way.
    holdings: Option<Holdings>,
    look: Option<JoinHandle<(Holdings, io::Result<Checked>)>>,
    began: Instant,
    next: Instant,
    /// What was found last, in bytes.
    last: u64,
}

impl FileWatch {
    /// The first look is due at once.
    pub(super) fn new(holdings: Holdings) -> Self {
        let now = Instant::now();
        Self { holdings: Some(holdings), look: None, began: now, next: now, last: 0 }
    }

    /// The limit that the next look finds passed, if one is. Cancel-safe. `pid` is the job's
    /// process; where looks are to be rarer, `crowd` says how many times.
    ///
    /// # Errors
    /// Something cannot be looked at.
    pub(super) async fn next(&mut self, pid: i32, crowd: u32) -> io::Result<Option<LimitHit>> {
        if self.look.is_none() {
            sleep_until(self.next.into()).await;
        }
        if let Some(mut holdings) = self.holdings.take() {
            self.began = Instant::now();
            self.look = Some(spawn_blocking(move || {
                let checked = holdings.check(Some(pid));
                (holdings, checked)
            }));
        }
        let Some(look) = &mut self.look else { return Err(io::ErrorKind::Other.into()) };
        let looked = look.await;
        self.look = None;
        let (holdings, checked) = looked.map_err(io::Error::other)?;
        self.holdings = Some(holdings);
        let checked = checked?;
        let grows = checked.bytes > self.last;
        self.last = checked.bytes;
        let (interval, share) = if grows {
            (resources::LOOK_AT_GROWTH, SHARE_OF_GROWTH)
        } else {
            (resources::LOOK, SHARE)
        };
        let pause = (self.began.elapsed() * share).max(interval * crowd);
        self.next = Instant::now() + pause;
        Ok(checked.hit)
    }
}
