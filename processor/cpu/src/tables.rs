//! The tables and control blocks in real storage that this CPU reads: with prefixing, and without protection.

use crate::access::PageTableEntry;
use crate::dat::{Fault, Rules, Walk, walk_esa, walk_z};
use crate::state::{Access, Architecture, State, cr0};
use arch::{Program, Real};
use std::cell::Cell;

impl State {
    /// Walks the tables that `asce` designates.
    pub(crate) fn walk(&self, asce: u64, va: u64) -> Result<Walk, Fault> {
        if self.architecture == Architecture::Z {
            walk_z(asce, va, self.dat_rules(), |at| self.fetch_real_u64(at))
        } else {
            walk_esa(asce, va, |at| self.fetch_real_u32(at))
        }
    }

    /// Walks the tables of z/Architecture that `asce` designates, but for the page table.
    pub(crate) fn walk_to_page_table(&self, asce: u64, va: u64) -> Result<PageTableEntry, Fault> {
        // A region-first table comes before three others, a segment table before none.
        let tables = (asce >> 2 & 3) + 1;
        let fetched = Cell::new((0, 0));
        let walk = walk_z(asce, va, self.dat_rules(), |at| {
            let count = fetched.get().0 + 1;
            fetched.set((count, at));
            // What is in the page-table entry does not matter.
            if count > tables { Ok(0) } else { self.fetch_real_u64(at) }
        })?;
        let (count, at) = fetched.get();
        Ok(match count > tables {
            true => PageTableEntry::Found { at, protected: walk.protected },
            false => PageTableEntry::None { segment: at },
        })
    }

    /// How this CPU reads tables.
    pub(crate) fn dat_rules(&self) -> Rules {
        let enhanced = self.cr[0] & cr0::ENHANCED_DAT != 0 && self.has(8);
        Rules { enhanced, huge: self.has(78) }
    }

    /// The doubleword at a real address, of a table or control block that is subject to no protection.
    pub(crate) fn fetch_real_u64(&self, at: u64) -> Result<u64, Fault> {
        let at = self.reach(self.absolute(Real(at)), Access::Fetch)?;
        self.storage().load_u64(at).map_err(|_| Program::Addressing.into())
    }

    /// The same for a word.
    pub(crate) fn fetch_real_u32(&self, at: u64) -> Result<u32, Fault> {
        let at = self.reach(self.absolute(Real(at)), Access::Fetch)?;
        self.storage().load_u32(at).map_err(|_| Program::Addressing.into())
    }
}
