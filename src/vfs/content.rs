//! The bytes of a file in memory, in chunks: a hole costs nothing, an append copies nothing, and
//! growth is never a reallocation of the whole.

use super::error::{Error, Result};

/// Small enough that a file of a few bytes costs a few bytes, large enough that the table of a
/// large file is short.
const CHUNK: usize = 64 * 1024;

/// A sparse array of bytes. A chunk that is shorter than [`CHUNK`], or missing, reads as zeros from
/// its end on.
#[derive(Debug, Default)]
pub(super) struct Content {
    len: u64,
    chunks: Vec<Vec<u8>>,
}

impl Content {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Reads what there is at `position`; a short count means the end.
    pub(super) fn read(&self, position: u64, buffer: &mut [u8]) -> usize {
        let Some(left) = self.len.checked_sub(position) else { return 0 };
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut done = 0;
        while done < wanted {
            let Some((index, start)) = locate(position, done) else { break };
            let stop = wanted.min(done + (CHUNK - start));
            let Some(target) = buffer.get_mut(done..stop) else { break };
            let stored =
                self.chunks.get(index).and_then(|chunk| chunk.get(start..)).unwrap_or_default();
            let copied = stored.len().min(target.len());
            let (head, hole) = target.split_at_mut(copied);
            head.copy_from_slice(stored.get(..copied).unwrap_or_default());
            hole.fill(0);
            done = stop;
        }
        done
    }

    /// Writes all of `data`; gives the bytes that had to be cleared before it.
    pub(super) fn write(&mut self, position: u64, data: &[u8]) -> Result<u64> {
        let (mut done, mut cleared) = (0, 0);
        while done < data.len() {
            let (index, start) = locate(position, done).ok_or(Error::FileTooLarge)?;
            let stop = data.len().min(done + (CHUNK - start));
            let piece = data.get(done..stop).unwrap_or_default();
            cleared += write_piece(self.chunk(index)?, start, piece)? as u64;
            done = stop;
            self.len = self.len.max(position.saturating_add(done as u64));
        }
        Ok(cleared)
    }

    /// Cuts the file, or lets it end in a hole.
    pub(super) fn set_len(&mut self, len: u64) {
        if len < self.len {
            let (index, start) = locate(len, 0).unwrap_or((usize::MAX, 0));
            self.chunks.truncate(index.saturating_add(1));
            if let Some(last) = self.chunks.get_mut(index) {
                last.truncate(start);
                last.shrink_to_fit();
            }
        }
        self.len = len;
    }

    /// The parts that were written, in order: what lies between them is holes.
    pub(super) fn extents(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let placed = self
            .chunks
            .iter()
            .enumerate()
            .map(|(index, chunk)| ((index * CHUNK) as u64, chunk.as_slice()));
        placed.filter(|(_, bytes)| !bytes.is_empty())
    }

    fn chunk(&mut self, index: usize) -> Result<&mut Vec<u8>> {
        if let Some(missing) = (index + 1).checked_sub(self.chunks.len()) {
            self.chunks.try_reserve(missing).map_err(|_| Error::NoMemory)?;
            self.chunks.resize_with(self.chunks.len() + missing, Vec::new);
        }
        self.chunks.get_mut(index).ok_or(Error::Io)
    }
}

/// Gives the bytes that were cleared between the end of the chunk and `start`.
fn write_piece(chunk: &mut Vec<u8>, start: usize, piece: &[u8]) -> Result<usize> {
    let end = start + piece.len();
    if end > chunk.capacity() {
        let capacity = end.max((chunk.len() * 2).min(CHUNK));
        chunk.try_reserve_exact(capacity - chunk.len()).map_err(|_| Error::NoMemory)?;
    }
    let cleared = start.saturating_sub(chunk.len());
    if cleared > 0 {
        chunk.resize(start, 0);
    }
    let overwritten = piece.len().min(chunk.len() - start);
    let (old, new) = piece.split_at(overwritten);
    if let Some(target) = chunk.get_mut(start..start + overwritten) {
        target.copy_from_slice(old);
    }
    chunk.extend_from_slice(new);
    Ok(cleared)
}

/// Which chunk holds the byte at `position + offset`, and where in it.
fn locate(position: u64, offset: usize) -> Option<(usize, usize)> {
    let byte = usize::try_from(position).ok()?.checked_add(offset)?;
    Some((byte / CHUNK, byte % CHUNK))
}

#[cfg(test)]
#[path = "../../tests/unit/vfs_content.rs"]
mod tests;
