//! Many bytes at once: what the storage-to-storage instructions are made of.
//!
//! Everything here works on [`crate::access::Page`]s, so each page of an operand is translated and checked once.
//! Operands of up to 256 bytes are checked completely before a byte changes; the interruptible instructions (MVCL and
//! its like) go page by page and say how far they came.

use crate::state::{Access, At, Interruption, Space, State};
use arch::PAGE;
use base::layout::U64;
use storage::order;
use zerocopy::IntoBytes;

/// Bytes from `address` to the end of its page.
#[inline(always)]
fn left_in_page(address: u64) -> u64 {
    PAGE - address % PAGE
}

/// Copies `len` bytes as if one at a time from left to right: where the destination begins inside the source the
/// first bytes are repeated, which is how MVC fills.
///
/// # Safety
/// Both ranges must lie in guest storage.
unsafe fn copy_left_to_right(to: *mut u8, from: *const u8, len: usize) {
    let distance = (to as usize).wrapping_sub(from as usize);
    order::storing();
    // SAFETY: the caller promises that both ranges exist. `copy` may overlap; it is right whenever the destination does
    // not begin inside the source, and when nothing is read after what was written.
    unsafe {
        if distance >= len {
            std::ptr::copy(from, to, len);
        } else if distance == 1 {
            std::ptr::write_bytes(to, *from, len);
        } else if distance != 0 {
            // The storage before `to + done` is periodic: copy ever longer pieces of it.
            let mut done = 0;
            while done < len {
                let n = (distance + done).min(len - done);
                std::ptr::copy_nonoverlapping(from, to.add(done), n);
                done += n;
            }
        }
    }
    order::fetched();
}

impl State {
    /// The operand `n` bytes further on.
    #[inline(always)]
    pub fn further(&self, at: At, n: u64) -> At {
        At { address: at.address.wrapping_add(n) & self.address_mask, ar: at.ar }
    }

    /// Moves `len` bytes, at most 256, as if byte by byte from left to right (MVC). Both operands are checked first.
    #[inline]
    pub fn move_left_to_right(&mut self, to: At, from: At, len: usize) -> Result<(), Interruption> {
        if len as u64 <= left_in_page(to.address) && len as u64 <= left_in_page(from.address) {
            let source = self.page(from, Access::Fetch)?;
            let target = self.page(to, Access::Store)?;
            // SAFETY: both lie in one page that the access path has given out.
            unsafe { copy_left_to_right(target.host, source.host, len) };
            self.stored(target, to.address, len);
            return Ok(());
        }
        self.move_across_pages(to, from, len as u64)
    }

    #[inline(never)]
    fn move_across_pages(&mut self, to: At, from: At, len: u64) -> Result<(), Interruption> {
        // Each operand touches two pages at most.
        self.page(from, Access::Fetch)?;
        self.page(self.further(from, len - 1), Access::Fetch)?;
        self.page(to, Access::Store)?;
        self.page(self.further(to, len - 1), Access::Store)?;
        let mut done = 0;
        while done < len {
            done += self.move_within_pages(self.further(to, done), self.further(from, done), len - done)?;
        }
        Ok(())
    }

    /// Moves up to `max` bytes, as many as lie in the present page of both operands, and says how many. An access
    /// exception means that nothing was moved.
    pub fn move_within_pages(&mut self, to: At, from: At, max: u64) -> Result<u64, Interruption> {
        let n = max.min(left_in_page(to.address)).min(left_in_page(from.address));
        if n > 0 {
            let source = self.page(from, Access::Fetch)?;
            let target = self.page(to, Access::Store)?;
            // SAFETY: `n` ends at the first page boundary of either operand.
            unsafe { copy_left_to_right(target.host, source.host, n as usize) };
            self.stored(target, to.address, n as usize);
        }
        Ok(n)
    }

    /// Fills up to `max` bytes, as many as lie in the present page, and says how many.
    pub fn fill_within_page(&mut self, to: At, byte: u8, max: u64) -> Result<u64, Interruption> {
        let n = max.min(left_in_page(to.address));
        if n > 0 {
            let target = self.page(to, Access::Store)?;
            order::storing();
            // SAFETY: `n` ends at the page boundary.
            unsafe { std::ptr::write_bytes(target.host, byte, n as usize) };
            self.stored(target, to.address, n as usize);
        }
        Ok(n)
    }

    /// Copies in as many bytes as lie in the present page and fit, and says how many. It is for searches, which must
    /// not touch the next page before they know that they have to.
    #[inline]
    pub fn read_within_page(&mut self, from: At, to: &mut [u8]) -> Result<usize, Interruption> {
        let n = (to.len() as u64).min(left_in_page(from.address)) as usize;
        if n > 0 {
            let source = self.page(from, Access::Fetch)?;
            // SAFETY: `n` ends at the page boundary.
            unsafe { std::ptr::copy_nonoverlapping(source.host, to.as_mut_ptr(), n) };
            order::fetched();
        }
        Ok(n)
    }

    /// Checks that `len` bytes of an operand may be stored, without storing.
    #[inline]
    pub fn test_write(&mut self, at: At, len: u64) -> Result<(), Interruption> {
        self.page(at, Access::Store)?;
        if len > left_in_page(at.address) {
            self.test_store(at.address, len, Space::Mode { ar: at.ar }, self.key)?;
        }
        Ok(())
    }

    /// Loads whole general registers, from `first` on to `last` (going from 15 on to 0).
    #[inline]
    pub fn load_registers(&mut self, at: At, first: u8, last: u8) -> Result<(), Interruption> {
        let count = (last.wrapping_sub(first) & 15) as usize + 1;
        if 8 * count as u64 <= left_in_page(at.address) {
            let page = self.page(at, Access::Fetch)?;
            let host = page.host as *const u64;
            for k in 0..count {
                // SAFETY: `count` doublewords lie in the page.
                self.gr[(first as usize + k) & 15] = u64::from_be(unsafe { host.add(k).read_unaligned() });
            }
            order::fetched();
            return Ok(());
        }
        let mut words = [U64::ZERO; 16];
        self.read_bytes(at, words[..count].as_mut_bytes())?;
        for (k, word) in words[..count].iter().enumerate() {
            self.gr[(first as usize + k) & 15] = word.get();
        }
        Ok(())
    }

    /// Stores whole general registers, from `first` on to `last`.
    #[inline]
    pub fn store_registers(&mut self, at: At, first: u8, last: u8) -> Result<(), Interruption> {
        let count = (last.wrapping_sub(first) & 15) as usize + 1;
        if 8 * count as u64 <= left_in_page(at.address) {
            let page = self.page(at, Access::Store)?;
            let host = page.host as *mut u64;
            order::storing();
            for k in 0..count {
                // SAFETY: `count` doublewords lie in the page.
                unsafe { host.add(k).write_unaligned(self.gr[(first as usize + k) & 15].to_be()) };
            }
            self.stored(page, at.address, 8 * count);
            return Ok(());
        }
        let words: [U64; 16] = std::array::from_fn(|k| self.gr[(first as usize + k) & 15].into());
        self.write_bytes(at, words[..count].as_bytes())
    }

    /// Loads vector registers, from `first` on, `count` of them (at most 16).
    #[inline]
    pub fn load_vectors(&mut self, at: At, first: u8, count: usize) -> Result<(), Interruption> {
        let first = first as usize;
        if 16 * count as u64 <= left_in_page(at.address) {
            let page = self.page(at, Access::Fetch)?;
            let host = page.host as *const [u64; 2];
            for (k, register) in self.fpr.0[first..first + count].iter_mut().enumerate() {
                // SAFETY: `count` quadwords lie in the page.
                *register = unsafe { host.add(k).read_unaligned() }.map(u64::from_be);
            }
            order::fetched();
            return Ok(());
        }
        let mut quadwords = [[U64::ZERO; 2]; 16];
        self.read_bytes(at, quadwords[..count].as_mut_bytes())?;
        for (register, quadword) in self.fpr.0[first..first + count].iter_mut().zip(quadwords) {
            *register = quadword.map(U64::get);
        }
        Ok(())
    }

    /// Stores vector registers, from `first` on, `count` of them (at most 16).
    #[inline]
    pub fn store_vectors(&mut self, at: At, first: u8, count: usize) -> Result<(), Interruption> {
        let first = first as usize;
        if 16 * count as u64 <= left_in_page(at.address) {
            let page = self.page(at, Access::Store)?;
            let host = page.host as *mut [u64; 2];
            order::storing();
            for (k, register) in self.fpr.0[first..first + count].iter().enumerate() {
                // SAFETY: `count` quadwords lie in the page.
                unsafe { host.add(k).write_unaligned(register.map(u64::to_be)) };
            }
            self.stored(page, at.address, 16 * count);
            return Ok(());
        }
        let mut quadwords = [[U64::ZERO; 2]; 16];
        for (register, quadword) in self.fpr.0[first..first + count].iter().zip(&mut quadwords) {
            *quadword = register.map(U64::new);
        }
        self.write_bytes(at, quadwords[..count].as_bytes())
    }
}
