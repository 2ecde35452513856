//! The guest's memory, from the outside: every address and length comes from the guest and is
//! checked. A bad one is `EFAULT`, nothing worse.

use super::abi::{IOVEC_BYTES, IOVECS};
use super::errno::Errno;

#[derive(Debug)]
pub(super) struct GuestMemory<'a>(pub(super) &'a mut [u8]);

#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub(super) ptr: u32,
    pub(super) len: u32,
}

impl GuestMemory<'_> {
    pub(super) fn bytes(&self, Range { ptr, len }: Range) -> Result<&[u8], Errno> {
        let start = ptr as usize;
        self.0.get(start..start.saturating_add(len as usize)).ok_or(Errno::FAULT)
    }

    pub(super) fn bytes_mut(&mut self, Range { ptr, len }: Range) -> Result<&mut [u8], Errno> {
        let start = ptr as usize;
        self.0.get_mut(start..start.saturating_add(len as usize)).ok_or(Errno::FAULT)
    }

    /// A string that the guest passes; longer ones than `limit` are not even looked at.
    pub(super) fn string(&self, range: Range, limit: usize) -> Result<&str, Errno> {
        if range.len as usize > limit {
            return Err(Errno::NAMETOOLONG);
        }
        str::from_utf8(self.bytes(range)?).map_err(|_| Errno::ILSEQ)
    }

    pub(super) fn store(&mut self, ptr: u32, record: &[u8]) -> Result<(), Errno> {
        let len = u32::try_from(record.len()).map_err(|_| Errno::FAULT)?;
        self.bytes_mut(Range { ptr, len })?.copy_from_slice(record);
        Ok(())
    }

    pub(super) fn store_count(&mut self, ptr: u32, count: usize) -> Result<(), Errno> {
        self.store(ptr, &u32::try_from(count).map_err(|_| Errno::INVAL)?.to_le_bytes())
    }

    /// Makes sure that a result of `len` bytes can be stored, before anything is done for it.
    pub(super) fn check(&self, ptr: u32, len: u32) -> Result<(), Errno> {
        self.bytes(Range { ptr, len }).map(|_| ())
    }

    /// The buffers of a scattered read or gathered write, all in bounds, with a sum that a result
    /// can hold.
    pub(super) fn vectors(&self, ptr: u32, count: u32) -> Result<Vec<Range>, Errno> {
        if count > IOVECS {
            return Err(Errno::INVAL);
        }
        let table = self.bytes(Range { ptr, len: count * IOVEC_BYTES })?;
        let (vectors, _) = table.as_chunks::<8>();
        let mut total = 0u64;
        vectors
            .iter()
            .map(|[p0, p1, p2, p3, l0, l1, l2, l3]| {
                let range = Range {
                    ptr: u32::from_le_bytes([*p0, *p1, *p2, *p3]),
                    len: u32::from_le_bytes([*l0, *l1, *l2, *l3]),
                };
                total += u64::from(range.len);
                self.check(range.ptr, range.len)?;
                if total > i32::MAX as u64 { Err(Errno::INVAL) } else { Ok(range) }
            })
            .collect()
    }
}

/// Copies what fits into `target`; returns its length.
pub(super) fn copy_what_fits(target: &mut [u8], bytes: &[u8]) -> usize {
    let count = bytes.len().min(target.len());
    target[..count].copy_from_slice(&bytes[..count]);
    count
}
