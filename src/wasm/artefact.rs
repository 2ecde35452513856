//! The guest on disk: finds it, compiles it once for this wasmtime, and loads the compiled form.
//!
//! A compiled guest (`.cwasm`) is native code that runs in our process, so only a file that we made
//! is loaded: it must belong to us or to root, must not be writable for others, and its name
//! contains the hash of the engine's configuration and of the module it was made from.

use super::meter;
use crate::error::Error;
use crate::host::hex;
use flate2::read::GzDecoder;
use fs_err as fs;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::fs::{StatVfsMountFlags, statvfs};
use sha2::{Digest, Sha256};
use std::hash::{Hash, Hasher};
use std::io::{Read as _, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use wasmtime::{Engine, Module};

/// Where the guest lies: the snapshot, its library, and a place for the compiled form.
#[derive(Debug, Clone)]
pub struct Artefact {
    /// Folder with `python.wasm.gz` and `lib/`.
    pub directory: PathBuf,
    /// Folder for the compiled form if `directory` cannot be written.
    pub cache: PathBuf,
}

impl Artefact {
    /// The snapshot, under gzip: it is read only to be compiled.
    pub fn module(&self) -> PathBuf {
        self.directory.join("python.wasm.gz")
    }

    /// The guest's library: `python313/` and `site-packages/`.
    pub fn library(&self) -> PathBuf {
        self.directory.join("lib")
    }

    /// Names of the packages in the library; none if there is no guest yet.
    pub fn packages(&self) -> Vec<String> {
        let entries = fs::read_dir(self.library().join("site-packages")).into_iter().flatten();
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names
            .filter_map(|name| {
                let (name, _version) = name.strip_suffix(".dist-info")?.split_once('-')?;
                Some(name.replace('_', "-"))
            })
            .collect()
    }

    /// Has the folder there: the one-file edition unpacks it.
    ///
    /// # Errors
    /// It cannot be unpacked.
    #[cfg_attr(
        not(feature = "embedded"),
        expect(
            clippy::unnecessary_wraps,
            clippy::unused_self,
            reason = "only that edition has something to do"
        )
    )]
    pub(crate) fn ready(&self) -> Result<(), Error> {
        #[cfg(feature = "embedded")]
        super::embedded::unpack(self).map_err(|source| {
            self.unusable(format!(
                "it cannot be unpacked ({source}); give a folder to write to with `TMPDIR` or \
                 `XDG_CACHE_HOME`"
            ))
        })?;
        Ok(())
    }

    fn unusable(&self, why: impl Into<String>) -> Error {
        Error::Artefact { path: self.directory.clone(), why: why.into() }
    }

    /// Loads the compiled guest; compiles it first if nobody has.
    pub(super) fn load(&self, engine: &Engine) -> Result<Module, Error> {
        let (name, places) = self.places(engine)?;
        for path in places {
            match trusted(&path).map(|there| there.then(|| deserialize(engine, &path))) {
                Ok(Some(Ok(module))) => return Ok(module),
                Ok(Some(Err(error))) => {
                    let (path, error) = (path.display(), format!("{error:#}"));
                    tracing::warn!(%path, error, "compiled guest is unusable, compiling again");
                }
                Ok(None) => {}
                Err(why) => {
                    let path = path.display();
                    tracing::warn!(%path, %why, "compiled guest is not trusted, compiling again");
                }
            }
        }
        let path = self.compile(engine, &name)?;
        deserialize(engine, &path).map_err(|source| {
            self.unusable(format!("the compiled guest does not load: {source:#}"))
        })
    }

    /// Compiles the guest unless that was done, and stores the result beside it, or in the cache if
    /// that is read-only.
    pub(super) fn compile_now(&self, engine: &Engine) -> Result<PathBuf, Error> {
        let (name, places) = self.places(engine)?;
        match places.into_iter().find(|path| matches!(trusted(path), Ok(true))) {
            Some(path) => Ok(path),
            None => self.compile(engine, &name),
        }
    }

    /// The name of the compiled guest, and where it may be.
    fn places(&self, engine: &Engine) -> Result<(String, [PathBuf; 2]), Error> {
        self.ready()?;
        let name = self.compiled_name(engine)?;
        let places = [&self.directory, &self.cache].map(|folder| folder.join(&name));
        Ok((name, places))
    }

    fn compile(&self, engine: &Engine, name: &str) -> Result<PathBuf, Error> {
        let wasm = unpacked(&self.module()).map_err(|source| self.unusable(source.to_string()))?;
        let artefact = self.directory.display();
        tracing::info!(%artefact, "compiling the guest for this engine, once");
        let metered = meter::metered(&wasm)
            .map_err(|why| self.unusable(format!("`python.wasm.gz` is no guest: {why}")))?;
        let compiled = engine
            .precompile_module(&metered)
            .map_err(|why| self.unusable(format!("`python.wasm.gz` does not compile: {why:#}")))?;
        store(&self.directory, name, &compiled)
            .or_else(|_| {
                fs::create_dir_all(&self.cache)?;
                store(&self.cache, name, &compiled)
            })
            .map_err(|why| self.unusable(format!("the compiled guest cannot be stored: {why}")))
    }

    /// A name that changes with the engine's version and configuration and with the snapshot.
    fn compiled_name(&self, engine: &Engine) -> Result<String, Error> {
        // What the one-file edition carries was compiled by this very wasmtime, and keeps the name
        // that it was packed with.
        #[cfg(feature = "embedded")]
        if let Some(name) = super::embedded::compiled_name(self) {
            return Ok(name);
        }
        let unreadable = |source: std::io::Error| self.unusable(source.to_string());
        let meta = fs::metadata(self.module()).map_err(unreadable)?;
        // The manifest names the inputs of the build, so that a moved or copied guest keeps its
        // compiled form.
        let manifest = fs::read(self.directory.join("manifest.json")).map_err(unreadable)?;
        let mut hasher = StableHasher(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        (manifest, meta.len(), meter::VERSION).hash(&mut hasher);
        let digest = hasher.0.finalize();
        Ok(format!("python-{}.cwasm", hex(&digest[..10])))
    }
}

fn unpacked(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(path)?).read_to_end(&mut bytes).map_err(|source| {
        let why = format!("`{}` cannot be unpacked: {source}", path.display());
        std::io::Error::new(source.kind(), why)
    })?;
    Ok(bytes)
}

/// Why somebody else can have written a compiled guest.
#[derive(Debug, thiserror::Error)]
enum Untrusted {
    #[error("it is not a regular file")]
    NoFile,
    #[error("it belongs to user {0}")]
    Foreign(u32),
    #[error("others can write it")]
    Writable,
}

/// Whether a compiled guest is there; an error if it may not be used.
fn trusted(path: &Path) -> Result<bool, Untrusted> {
    let Ok(meta) = fs::symlink_metadata(path) else { return Ok(false) };
    let me = rustix::process::geteuid().as_raw();
    if !meta.file_type().is_file() {
        Err(Untrusted::NoFile)
    } else if meta.uid() != me && meta.uid() != 0 {
        Err(Untrusted::Foreign(meta.uid()))
    } else if meta.permissions().mode() & 0o022 != 0 {
        Err(Untrusted::Writable)
    } else {
        Ok(true)
    }
}

/// Writes under another name first, so that a reader never sees half a file.
fn store(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
    let temporary = folder.join(format!(".{name}.{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o644).open(&temporary)?;
    let path = folder.join(name);
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let written = written.and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| path)
}

#[expect(unsafe_code, reason = "wasmtime maps the file as code")]
fn deserialize(engine: &Engine, path: &Path) -> wasmtime::Result<Module> {
    // SAFETY: the file is the output of `Engine::precompile_module`: `trusted` saw that only root
    // and we can have written it, and we write nothing else under this name. It is replaced by
    // rename only, so a mapping stays valid.
    unsafe {
        if executable(path) {
            Module::deserialize_file(engine, path)
        } else {
            Module::deserialize(engine, fs::read(path)?)
        }
    }
}

/// Whether the file can be mapped as code: not on a file system mounted `noexec`, as `/tmp` is in
/// many containers. Such a file must be copied into memory.
fn executable(path: &Path) -> bool {
    statvfs(path).is_ok_and(|mount| !mount.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

/// Feeds a hash that must be the same in every process into SHA-256.
struct StableHasher(Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
