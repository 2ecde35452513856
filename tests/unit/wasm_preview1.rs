//! The functions called as a guest would, with arguments that no sane guest passes: every answer is
//! an errno.

#![expect(clippy::unwrap_used, reason = "a test whose world cannot be made fails")]

use super::abi::MODULE;
use super::{GuestFs, HostFs, add_to_linker};
use crate::vfs::{Mount, Quota, Vfs};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::strategy::Just;
use std::sync::LazyLock;
use wasmtime::{Caller, Engine, Func, Linker, Memory, MemoryType, Store, Val, ValType};

const PAGE: u32 = 65_536;

/// Every function that is bound, so that a forgotten one is noticed.
static FUNCTIONS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "fd_advise fd_allocate fd_close fd_datasync fd_fdstat_get fd_fdstat_set_flags \
    fd_fdstat_set_rights fd_filestat_get fd_filestat_set_size fd_filestat_set_times fd_pread \
    fd_prestat_dir_name fd_prestat_get fd_pwrite fd_read fd_readdir fd_renumber fd_seek fd_sync \
    fd_tell fd_write path_create_directory path_filestat_get path_filestat_set_times path_link \
    path_open path_readlink path_remove_directory path_rename path_symlink path_unlink_file \
    sock_accept sock_recv sock_send"
        .split(' ')
        .collect()
});

struct TestHost {
    fs: GuestFs,
    memory: Option<Memory>,
    printed: Vec<u8>,
    charged: u64,
}

impl HostFs for TestHost {
    fn fs(&mut self) -> &mut GuestFs {
        &mut self.fs
    }

    fn memory(&self) -> Option<Memory> {
        self.memory
    }

    fn charge(caller: &mut Caller<'_, Self>, units: u64) -> wasmtime::Result<()> {
        caller.data_mut().charged += units;
        Ok(())
    }

    fn stdout(&mut self, bytes: &[u8]) -> wasmtime::Result<()> {
        self.printed.extend_from_slice(bytes);
        Ok(())
    }

    fn stderr(&mut self, _bytes: &[u8]) -> wasmtime::Result<()> {
        Err(wasmtime::Error::msg("stderr is closed"))
    }
}

/// A guest that is nothing but a page of memory.
struct TestGuest {
    store: Store<TestHost>,
    linker: Linker<TestHost>,
    memory: Memory,
}

impl TestGuest {
    fn new() -> Self {
        static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);
        let quota = Quota { bytes: 100_000, files: 50, open_files: 10, ..Quota::default() };
        let vfs = Vfs::new(&[Mount::scratch("/mnt/data"), Mount::scratch("/tmp")], quota).unwrap();
        let host = TestHost {
            fs: GuestFs::new(vfs).unwrap(),
            memory: None,
            printed: Vec::new(),
            charged: 0,
        };
        let mut store = Store::new(&ENGINE, host);
        let memory = Memory::new(&mut store, MemoryType::new(1, None)).unwrap();
        store.data_mut().memory = Some(memory);
        let mut linker = Linker::new(&ENGINE);
        add_to_linker(&mut linker).unwrap();
        Self { store, linker, memory }
    }

    fn function(&mut self, name: &str) -> Func {
        self.linker.get(&mut self.store, MODULE, name).unwrap().into_func().unwrap()
    }

    /// Calls a function with as many of the arguments as it takes.
    fn call(&mut self, name: &str, arguments: &[u64]) -> wasmtime::Result<i32> {
        let function = self.function(name);
        let types: Vec<ValType> = function.ty(&self.store).params().collect();
        assert!(arguments.len() >= types.len(), "{name} takes {} arguments", types.len());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "the guest's numbers are bits"
        )]
        let value = |(kind, bits): (&ValType, &u64)| {
            if kind.is_i64() { Val::I64(*bits as i64) } else { Val::I32(*bits as i32) }
        };
        let parameters: Vec<Val> = types.iter().zip(arguments).map(value).collect();
        let mut results = [Val::I32(-1)];
        function.call(&mut self.store, &parameters, &mut results)?;
        Ok(results[0].unwrap_i32())
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.memory.data_mut(&mut self.store)[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn u32_at(&self, at: usize) -> u32 {
        u32::from_le_bytes(*self.memory.data(&self.store)[at..].first_chunk().unwrap())
    }
}

/// Numbers that mean something at some place: descriptors, flags, addresses, lengths, and the edges
/// of ranges.
fn argument() -> impl Strategy<Value = u64> {
    prop_oneof![
        6 => 0u64..12,
        3 => (0u64..64).prop_map(|slot| slot * 64),
        2 => 0u64..u64::from(PAGE),
        1 => Just(u64::from(PAGE)),
        1 => Just(u64::from(u32::MAX)),
        1 => Just(1 << 31),
        1 => Just(i64::MAX.cast_unsigned()),
        1 => Just(u64::MAX),
        1 => any::<u64>(),
    ]
}

/// Memory with paths and small vectors in it, at the addresses that arguments hit often.
fn page() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(b"mnt/data/a".to_vec()),
        Just(b"mnt/data/b/../a/".to_vec()),
        Just(b"/tmp/".to_vec()),
        Just(vec![0xff, 0xfe]),
        vec(any::<u8>(), 8),
        (0u32..4096, 0u32..9)
            .prop_map(|(ptr, len)| [ptr.to_le_bytes(), len.to_le_bytes()].concat()),
    ];
    vec(word, 64).prop_map(|words| {
        let mut page = vec![0; 4096];
        for (slot, word) in words.iter().enumerate() {
            page[slot * 64..slot * 64 + word.len()].copy_from_slice(word);
        }
        page
    })
}

#[test]
fn bytes_and_names_are_charged() {
    let mut guest = TestGuest::new();
    guest.put(0, b"mnt/data/a");
    guest.put(64, &[64u32.to_le_bytes(), 60_000u32.to_le_bytes()].concat());
    let rights = u64::MAX;
    assert_eq!(guest.call("path_open", &[3, 0, 0, 10, 1, rights, 0, 0, 128]).unwrap(), 0);
    let fd = u64::from(guest.u32_at(128));
    let mut charge = |name: &str, arguments: &[u64]| {
        let before = guest.store.data().charged;
        guest.call(name, arguments).unwrap();
        guest.store.data().charged - before
    };
    assert!((7_500..9_000).contains(&charge("fd_pwrite", &[fd, 64, 1, 0, 136])));
    assert!((7_500..9_000).contains(&charge("fd_pread", &[fd, 64, 1, 0, 136])));
    assert!((7_500..9_000).contains(&charge("fd_write", &[1, 64, 1, 136])));
    assert!((7_500..9_000).contains(&charge("fd_filestat_set_size", &[fd, 0])));
    // The cost of a path goes with its names, and a call without bytes costs little.
    assert!((100..1_000).contains(&charge("path_filestat_get", &[3, 0, 0, 10, 256])));
    assert!((1..100).contains(&charge("fd_tell", &[fd, 256])));
}

proptest! {
    #[test]
    fn nothing_a_guest_passes_does_harm(
        page in page(), calls in vec((0..FUNCTIONS.len(), vec(argument(), 10)), 1..60)
    ) {
        let mut guest = TestGuest::new();
        guest.put(0, &page);
        for (index, arguments) in calls {
            match guest.call(FUNCTIONS[index], &arguments) {
                Ok(errno) => {
                    assert!((0..=76).contains(&errno), "{} gave {errno}", FUNCTIONS[index]);
                }
                // The host's own wish.
                Err(error) => assert_eq!(error.to_string(), "stderr is closed"),
            }
        }
        let vfs = &guest.store.data().fs.vfs;
        assert!(vfs.usage().bytes <= 100_000 && vfs.usage().files <= 50);
    }
}

#[test]
fn every_function_is_bound() {
    let mut guest = TestGuest::new();
    let mut bound: Vec<String> =
        guest.linker.iter(&mut guest.store).map(|(_, name, _)| name.to_owned()).collect();
    bound.sort();
    bound.retain(|name| name != "sock_shutdown");
    assert_eq!(bound, *FUNCTIONS);
}

#[test]
fn a_file_by_the_raw_interface() {
    const NOENT: i32 = 44;
    const RIGHTS_READ_WRITE: u64 = 1 << 1 | 1 << 6;
    let mut guest = TestGuest::new();
    guest.put(0, b"mnt/data/a");
    guest.put(64, b"hello, world");
    // Two vectors: "hello" and ", world".
    for (at, word) in [(128, 64u32), (132, 5), (136, 69), (140, 7)] {
        guest.put(at, &word.to_le_bytes());
    }
    assert_eq!(
        guest.call("path_open", &[3, 1, 0, 10, 0, RIGHTS_READ_WRITE, 0, 0, 256]).unwrap(),
        NOENT
    );
    assert_eq!(
        guest.call("path_open", &[3, 1, 0, 10, 1, RIGHTS_READ_WRITE, 0, 0, 256]).unwrap(),
        0
    );
    let fd = u64::from(guest.u32_at(256));
    assert_eq!(fd, 4);
    assert_eq!(guest.call("fd_write", &[fd, 128, 2, 260]).unwrap(), 0);
    assert_eq!(guest.u32_at(260), 12);
    guest.put(64, &[0; 12]);
    assert_eq!(guest.call("fd_pread", &[fd, 128, 2, 1, 260]).unwrap(), 0);
    assert_eq!(guest.u32_at(260), 11);
    assert_eq!(guest.memory.data(&guest.store)[64..76], *b"ello, world\0");
    assert_eq!(guest.call("fd_renumber", &[fd, 1]).unwrap(), 0);
    assert_eq!(guest.call("fd_filestat_get", &[1, 512]).unwrap(), 0);
    assert_eq!((guest.memory.data(&guest.store)[528], guest.u32_at(544)), (4, 12));
    assert_eq!(guest.call("fd_close", &[1]).unwrap(), 0);
    assert_eq!(guest.call("fd_close", &[1]).unwrap(), 8);
    assert!(guest.store.data().printed.is_empty());
}

#[test]
fn standard_streams() {
    let mut guest = TestGuest::new();
    guest.put(64, b"out");
    for (at, word) in [(0, 64u32), (4, 3)] {
        guest.put(at, &word.to_le_bytes());
    }
    assert_eq!(guest.call("fd_write", &[1, 0, 1, 128]).unwrap(), 0);
    assert_eq!(guest.store.data().printed, b"out");
    assert!(guest.call("fd_write", &[2, 0, 1, 128]).is_err());
    assert_eq!(guest.call("fd_read", &[0, 0, 1, 128]).unwrap(), 0);
    assert_eq!(guest.u32_at(128), 0);
    assert_eq!(guest.call("fd_seek", &[1, 0, 0, 128]).unwrap(), 70);
    // A character device, and no terminal for wasi-libc: it could seek.
    assert_eq!(guest.call("fd_fdstat_get", &[1, 256]).unwrap(), 0);
    assert_eq!(guest.memory.data(&guest.store)[256], 2);
    assert_ne!(guest.u32_at(264) & 1 << 2, 0);
}
