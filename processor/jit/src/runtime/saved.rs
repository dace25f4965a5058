//! Code of blocks as bytes, for another process of the same build on a host of the same kind ([`kind`]).
//!
//! What is read was written by [`Block::write`]: that is for the reader to have made sure of. Here only what would lead
//! outside of the lists and the code is found.

use crate::emit::exits::Way;
use crate::emit::relocations::{Relocation, Value};
use crate::plan::passes;
use crate::runtime::bytes::{Reader, Writer};
use crate::runtime::side_exits::Lists;
use crate::runtime::translator::Block;
use cpu::State;
use std::arch::x86_64::{__cpuid_count, _xgetbv};

impl Value {
    /// Which one it is, and its numbers.
    fn parts(self) -> (u8, u32) {
        match self {
            Value::VersionAt(page) => (0, page.into()),
            Value::Version(page) => (1, page.into()),
            Value::Host { page, offset } => (2, u32::from(page) << 16 | u32::from(offset)),
            Value::Site(n) => (3, n),
            Value::Link(n) => (4, n),
            Value::Latest => (5, 0),
        }
    }

    fn of(which: u8, n: u32) -> Option<Value> {
        Some(match which {
            0 => Value::VersionAt(n as u8),
            1 => Value::Version(n as u8),
            2 => Value::Host { page: (n >> 16) as u8, offset: n as u16 },
            3 => Value::Site(n),
            4 => Value::Link(n),
            5 => Value::Latest,
            _ => return None,
        })
    }
}

impl Block {
    /// Appends the block.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        let to = &mut Writer(to);
        to.u32(self.bytes.len() as u32);
        to.bytes(&self.bytes);
        to.u32(self.head as u32);
        to.u32(self.count as u32);
        to.bytes(&[self.firm.into(), self.beside.into()]);
        to.list(&self.pages, |to, &at| to.u64(at as u64));
        to.list(&self.relocations, |to, relocation| {
            let (which, n) = relocation.value.parts();
            to.u32(relocation.at);
            to.bytes(&[which]);
            to.u32(n);
        });
        to.list(&self.links, |to, &Way { patch, page, outer }| {
            to.u32(patch);
            to.bytes(&[page, outer.into()]);
        });
        self.sites.write(to);
    }

    /// The block that was written so. `None`: it is none.
    pub(crate) fn read(s: &State, from: &[u8]) -> Option<Block> {
        let from = &mut Reader(from);
        let bytes = from.slice()?.to_vec();
        let (head, count) = (from.u32()?.into(), from.u32()?.into());
        let [firm, beside] = from.array()?.map(|byte: u8| byte != 0);
        let pages = from.list(|from| from.u64().map(|at| at as i64))?;
        let relocations = from.list(|from| {
            let at = from.u32()?;
            let [which] = from.array()?;
            Some(Relocation { at, value: Value::of(which, from.u32()?)? })
        })?;
        let links = from.list(|from| {
            let patch = from.u32()?;
            let [page, outer] = from.array()?;
            Some(Way { patch, page, outer: outer != 0 })
        })?;
        let sites = Lists::read(s, from, bytes.len())?;
        let block = Block { bytes, head, relocations, sites, links, pages, beside, count, firm };
        (from.0.is_empty() && block.is_sound()).then_some(block)
    }

    /// What it says of itself stays within it.
    fn is_sound(&self) -> bool {
        let within = |at: u32, len: usize| at as usize + len <= self.bytes.len();
        let page = |page: u8| usize::from(page) < self.pages.len();
        let relocations = self.relocations.iter().all(|relocation| {
            within(relocation.at, relocation.value.len())
                && match relocation.value {
                    Value::VersionAt(n) | Value::Version(n) | Value::Host { page: n, .. } => page(n),
                    Value::Site(n) => (n as usize) < self.sites.len(),
                    Value::Link(n) => (n as usize) < self.links.len(),
                    Value::Latest => true,
                }
        });
        let links = self.links.iter().all(|way| within(way.patch, 4) && page(way.page));
        relocations && links && within(self.head as u32, 0) && self.pages.len() > usize::from(self.beside)
    }
}

/// What code is good for beside the build: the host's processor, and the passes that are left out. As text, for a hash.
pub fn kind() -> String {
    let passes = passes::without();
    // SAFETY: each x86-64 processor has CPUID, and what XGETBV is asked for is there if CPUID says so.
    let (leaves, enabled) = unsafe {
        let most = __cpuid_count(0, 0).eax;
        let leaves = [(0, 0), (1, 0), (7, 0), (7, 1), (0x8000_0001, 0)].map(|(leaf, sub)| {
            let known = leaf <= most || leaf > 1 << 31;
            known.then(|| __cpuid_count(leaf, sub)).map(|r| match leaf {
                // Which of the processors this is, and what the host's system has turned on by now.
                1 => [r.eax, 0, r.ecx, r.edx],
                _ => [r.eax, r.ebx, r.ecx, r.edx],
            })
        });
        let saves = leaves[1].is_some_and(|[_, _, ecx, _]| ecx >> 27 & 1 == 1);
        (leaves, if saves { xcr0() } else { 0 })
    };
    format!("x86-64 {leaves:08x?} {enabled:x} without {passes:x}")
}

/// What of registers the host's system keeps.
///
/// # Safety
/// The processor has XGETBV.
#[target_feature(enable = "xsave")]
unsafe fn xcr0() -> u64 {
    // SAFETY: as the caller says.
    unsafe { _xgetbv(0) }
}
