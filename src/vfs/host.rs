//! What the server itself does with a job's files: put some there before, take some out after. By
//! absolute guest paths, through the same checks as the job.

use super::Vfs;
use super::error::{Error, Result};
use super::open::OpenOptions;
use super::resolve::Symlinks;

impl Vfs {
    /// The content of a file.
    ///
    /// # Errors
    /// [`Error::FileTooLarge`] if it has more than `limit` bytes.
    pub fn read_file(&mut self, path: &str, limit: usize) -> Result<Vec<u8>> {
        let content = self.read_start(path, limit.saturating_add(1))?;
        if content.len() > limit { Err(Error::FileTooLarge) } else { Ok(content) }
    }

    /// The first `max` bytes of a file, or all of it.
    ///
    /// # Errors
    /// Those that the job would meet.
    pub fn read_start(&mut self, path: &str, max: usize) -> Result<Vec<u8>> {
        let options = OpenOptions { read: true, ..OpenOptions::default() };
        let mut file = self.open(self.root, path, options)?;
        let content = self.metadata(file.node()).and_then(|metadata| {
            let size = usize::try_from(metadata.size).unwrap_or(usize::MAX);
            let mut content = vec![0; size.min(max)];
            let count = self.read(&mut file, &mut content)?;
            content.truncate(count);
            Ok(content)
        });
        self.close(file);
        content
    }

    /// Puts a file there, and the directories on the way to it. It counts against the quota, but is
    /// not reported as a change of the job.
    ///
    /// # Errors
    /// Those that the job would meet: [`Error::ReadOnly`], [`Error::NoSpace`], a file that is in
    /// the way.
    pub fn write_file(&mut self, path: &str, content: &[u8]) -> Result<()> {
        let directories = path.match_indices('/').map(|(end, _)| end).filter(|end| *end > 0);
        for directory in directories.filter_map(|end| path.get(..end)) {
            match self.create_directory(self.root, directory) {
                Ok(()) => self.mark_seeded(directory)?,
                Err(Error::Exists) => {}
                // A mount point on the way is enough: what lies above it may be read-only.
                Err(Error::ReadOnly)
                    if self.metadata_at(self.root, directory, Symlinks::Follow).is_ok() => {}
                Err(error) => return Err(error),
            }
        }
        let options =
            OpenOptions { write: true, create: true, truncate: true, ..OpenOptions::default() };
        let mut file = self.open(self.root, path, options)?;
        let written = self.write(&mut file, content);
        self.close(file);
        if written? < content.len() {
            return Err(Error::NoSpace);
        }
        self.mark_seeded(path)
    }

    fn mark_seeded(&mut self, path: &str) -> Result<()> {
        let id = self.resolve(self.root, path, Symlinks::Follow)?.found()?;
        self.nodes.get_mut(id)?.seeded = true;
        Ok(())
    }
}
