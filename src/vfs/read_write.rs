//! Content: reading, writing and cutting files. A write takes what still fits and says how much;
//! only a write of which nothing fits is an error.

use super::Vfs;
use super::content::Content;
use super::error::{Error, Result};
use super::node::{Body, FileBody, NodeId};
use super::open::OpenFile;

impl Vfs {
    /// Reads at the open file's position and moves it, as
    /// [`read`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/read.html).
    pub fn read(&mut self, file: &mut OpenFile, buffer: &mut [u8]) -> Result<usize> {
        let count = self.read_at(file, file.position, buffer)?;
        file.position = file.position.saturating_add(count as u64);
        Ok(count)
    }

    /// Reads at a position, as `pread`. A short count means the end of the file.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it is not open for reading, [`Error::IsDirectory`]; what the host
    /// says of the lower layer.
    pub fn read_at(&mut self, file: &OpenFile, position: u64, buffer: &mut [u8]) -> Result<usize> {
        if !file.read {
            return Err(Error::BadHandle);
        }
        self.read_node(file.node, position, buffer)
    }

    /// Writes at the open file's position, or at the end if it appends, and moves the position, as
    /// [`write`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/write.html).
    pub fn write(&mut self, file: &mut OpenFile, data: &[u8]) -> Result<usize> {
        if file.append {
            file.position = self.nodes.get(file.node)?.size();
        }
        let count = self.write_at(file, file.position, data)?;
        file.position = file.position.saturating_add(count as u64);
        Ok(count)
    }

    /// Writes at a position, as `pwrite`; at the end if the file appends, as on
    /// [Linux](https://man7.org/linux/man-pages/man2/pwrite.2.html#BUGS).
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it is not open for writing; [`Error::NoSpace`] or
    /// [`Error::FileTooLarge`] if not one byte fits.
    pub fn write_at(&mut self, file: &OpenFile, position: u64, data: &[u8]) -> Result<usize> {
        if !file.write {
            return Err(Error::BadHandle);
        }
        let position = if file.append { self.nodes.get(file.node)?.size() } else { position };
        self.write_node(file.node, position, data)
    }

    /// Sets the length of an open file, as
    /// [`ftruncate`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/ftruncate.html).
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is not open for writing; [`Error::NoSpace`] or
    /// [`Error::FileTooLarge`] if it does not fit.
    pub fn set_len(&mut self, file: &OpenFile, len: u64) -> Result<()> {
        if !file.write {
            return Err(Error::Invalid);
        }
        self.set_node_len(file.node, len)
    }

    /// Makes sure that a file is at least as long as this, as POSIX's
    /// `posix_fallocate`.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it is not open for writing; [`Error::NoSpace`] or
    /// [`Error::FileTooLarge`] if it does not fit.
    pub fn allocate(&mut self, file: &OpenFile, offset: u64, len: u64) -> Result<()> {
        if !file.write {
            return Err(Error::BadHandle);
        }
        let end = offset.checked_add(len).ok_or(Error::FileTooLarge)?;
        if len == 0 {
            return Err(Error::Invalid);
        }
        if end > self.nodes.get(file.node)?.size() {
            self.set_node_len(file.node, end)
        } else {
            Ok(())
        }
    }

    pub(super) fn read_node(
        &mut self,
        id: NodeId,
        position: u64,
        buffer: &mut [u8],
    ) -> Result<usize> {
        match &self.nodes.get(id)?.body {
            Body::File(FileBody::Here(content)) => {
                let count = content.read(position, buffer);
                self.work.bytes(count as u64);
                Ok(count)
            }
            Body::File(FileBody::Below(_)) => self.read_below(id, position, buffer),
            Body::Null => Ok(0),
            Body::Directory(_) => Err(Error::IsDirectory),
            Body::Symlink(_) | Body::Other => Err(Error::BadHandle),
        }
    }

    /// Reads a file that the lower layer still has.
    pub(super) fn read_below(
        &mut self,
        id: NodeId,
        position: u64,
        buffer: &mut [u8],
    ) -> Result<usize> {
        if position > i64::MAX as u64 {
            return Ok(0);
        }
        let node = self.nodes.get(id)?;
        let layer = self.layers.get(usize::from(node.mount.0)).ok_or(Error::Io)?;
        let (Some(lower), Some(path)) = (&layer.lower, &node.below) else { return Err(Error::Io) };
        self.open_below.read(lower, (id, path), position, buffer, &mut self.work)
    }

    /// Brings a file into memory and writes it there; returns how much fitted.
    pub(super) fn write_node(&mut self, id: NodeId, position: u64, data: &[u8]) -> Result<usize> {
        match &self.nodes.get(id)?.body {
            Body::Null => return Ok(data.len()),
            Body::Directory(_) => return Err(Error::IsDirectory),
            Body::Symlink(_) | Body::Other => return Err(Error::BadHandle),
            Body::File(_) => {}
        }
        let size = self.nodes.get(id)?.size();
        // First refuse a write that does not fit: no need to bring the file into memory for it.
        self.ledger.room(size, position, data.len() as u64)?;
        self.copy_up(id)?;
        let size = self.nodes.get(id)?.size();
        let room = self.ledger.room(size, position, data.len() as u64)?;
        let data = data.get(..usize::try_from(room).unwrap_or(usize::MAX)).unwrap_or(data);
        if data.is_empty() {
            return Ok(0);
        }
        let content = self.content_mut(id)?;
        let written = content.write(position, data);
        let new_size = content.len();
        self.work.bytes(data.len() as u64 + written.unwrap_or_default());
        self.ledger.resize(size, new_size);
        self.mark_written(id)?;
        written.map(|_| data.len())
    }

    /// Cuts a file, or lets it end in a hole.
    pub(super) fn set_node_len(&mut self, id: NodeId, len: u64) -> Result<()> {
        let node = self.nodes.get(id)?;
        match &node.body {
            Body::File(_) => {}
            Body::Directory(_) => return Err(Error::IsDirectory),
            Body::Null | Body::Symlink(_) | Body::Other => return Err(Error::Invalid),
        }
        if len == 0 {
            self.replace_by_empty(id)?;
        } else {
            self.copy_up(id)?;
            let size = self.nodes.get(id)?.size();
            self.ledger.grow(size, len)?;
            self.work.bytes(size.saturating_sub(len));
            self.content_mut(id)?.set_len(len);
        }
        self.mark_written(id)
    }

    fn content_mut(&mut self, id: NodeId) -> Result<&mut Content> {
        match &mut self.nodes.get_mut(id)?.body {
            Body::File(FileBody::Here(content)) => Ok(content),
            _ => Err(Error::Io),
        }
    }

    fn mark_written(&mut self, id: NodeId) -> Result<()> {
        let node = self.nodes.get_mut(id)?;
        node.seeded = false;
        node.mark_modified();
        Ok(())
    }
}
