//! Dynamic address translation: walking the tables (POP, chapter 3, "Dynamic address translation").
//!
//! A walk answers with a real address and whether the tables protect it, or with the program interruption it ends in.
//! It knows nothing of keys, prefixing of the result, or the TLB: that is the access path's.

use arch::{Absolute, Program, Real};

/// Bits of an address-space-control element (z/Architecture).
pub(crate) mod asce {
    pub(crate) const ORIGIN: u64 = !0xfff;
    pub(crate) const PRIVATE: u64 = 0x100;
    pub(crate) const REAL_SPACE: u64 = 0x20;
}

/// What tables give for a virtual address: a real address, or the absolute one that a large page gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Prefixing leads on from it.
    Real(Real),
    /// Prefixing is not applied to it.
    Absolute(Absolute),
}

impl Place {
    /// The address, as LOAD REAL ADDRESS gives it.
    pub fn address(self) -> u64 {
        match self {
            Place::Real(real) => real.0,
            Place::Absolute(absolute) => absolute.0,
        }
    }
}

/// Where a virtual address leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub place: Place,
    /// A table entry forbids stores.
    pub protected: bool,
    /// The page's own entry forbids it to instructions, if control register 0 has that count.
    pub no_execute: bool,
    /// The entry of a large page has an access key and fetch protection of its own, in a storage key's
    /// form.
    pub key: Option<u8>,
}

/// An exception that the host has while it interprets its guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostFault {
    /// The program-interruption code.
    pub code: Program,
    /// The translation-exception identification: the host virtual address of the page.
    pub id: u64,
}

/// Why there is no translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The CPU's own exception; with the real address of the segment- or page-table entry that has its invalid bit on.
    Own { code: Program, entry: Option<u64> },
    /// The guest is interpreted, and its host has no translation for what is its storage.
    Host(HostFault),
}

impl From<Program> for Fault {
    fn from(code: Program) -> Fault {
        Fault::Own { code, entry: None }
    }
}

/// What of the facilities and of control register 0 decides how tables are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    /// Enhanced DAT: large pages, protection by region.
    pub enhanced: bool,
    /// Pages of two gigabytes.
    pub huge: bool,
}

/// Bits of region-, segment- and page-table entries.
const INVALID: u64 = 0x20;
const TYPE: u64 = 0x0c;
const PROTECT: u64 = 0x200;
const LARGE: u64 = 0x400;
const COMMON: u64 = 0x10;
/// Of a page-table entry, or of one that stands for a large page.
const NO_EXECUTE: u64 = 0x100;
/// AV: bits 48-52 of a large page's entry are access key and fetch protection.
const KEY_VALID: u64 = 0x1_0000;
const PAGE_INVALID: u64 = 0x400;
const PAGE_ZERO: u64 = 0x800;

/// Walks the tables of z/Architecture that `asce` designates; `fetch` fetches a doubleword at a real address.
pub(crate) fn walk_z(
    asce: u64,
    va: u64,
    rules: Rules,
    fetch: impl Fn(u64) -> Result<u64, Fault>,
) -> Result<Walk, Fault> {
    if asce & asce::REAL_SPACE != 0 {
        return Ok(Walk { place: Place::Real(Real(va)), protected: false, no_execute: false, key: None });
    }
    // Level 3 is the region-first table, 0 the segment table; an address must not reach above its table.
    let top = asce >> 2 & 3;
    if top < 3 && va >> (31 + 11 * top) != 0 {
        return Err(Program::AsceType.into());
    }
    let mut origin = asce & asce::ORIGIN;
    let (mut offset, mut length) = (0, asce & 3);
    let mut protected = false;
    for level in (0..=top).rev() {
        let missing = match level {
            3 => Program::RegionFirstTranslation,
            2 => Program::RegionSecondTranslation,
            1 => Program::RegionThirdTranslation,
            _ => Program::SegmentTranslation,
        };
        let index = va >> (20 + 11 * level) & 0x7ff;
        // The table's quarters that exist: offset and length count 512 entries.
        if index >> 9 < offset || index >> 9 > length {
            return Err(missing.into());
        }
        let at = origin.wrapping_add(index * 8);
        let entry = fetch(at)?;
        if entry & INVALID != 0 {
            return Err(Fault::Own { code: missing, entry: (level == 0).then_some(at) });
        }
        if entry & TYPE != level << 2 {
            return Err(Program::TranslationSpecification.into());
        }
        if level > 0 {
            if rules.enhanced {
                protected |= entry & PROTECT != 0;
                if level == 1 && entry & LARGE != 0 && rules.huge {
                    if asce & asce::PRIVATE != 0 && entry & COMMON != 0 {
                        return Err(Program::TranslationSpecification.into());
                    }
                    return Ok(large(entry, va, 0x7fff_ffff, protected));
                }
            }
            origin = entry & asce::ORIGIN;
            offset = entry >> 6 & 3;
            length = entry & 3;
            continue;
        }
        if asce & asce::PRIVATE != 0 && entry & COMMON != 0 {
            return Err(Program::TranslationSpecification.into());
        }
        protected |= entry & PROTECT != 0;
        if rules.enhanced && entry & LARGE != 0 {
            return Ok(large(entry, va, 0xf_ffff, protected));
        }
        origin = entry & !0x7ff;
    }
    let at = origin + (va >> 12 & 0xff) * 8;
    let entry = fetch(at)?;
    if entry & PAGE_INVALID != 0 {
        return Err(Fault::Own { code: Program::PageTranslation, entry: Some(at) });
    }
    if entry & PAGE_ZERO != 0 {
        return Err(Program::TranslationSpecification.into());
    }
    protected |= entry & PROTECT != 0;
    let no_execute = entry & NO_EXECUTE != 0;
    Ok(Walk { place: Place::Real(Real(entry & !0xfff | va & 0xfff)), protected, no_execute, key: None })
}

/// A large page, all of whose bytes `within` gives.
fn large(entry: u64, va: u64, within: u64, protected: bool) -> Walk {
    let key = (entry & KEY_VALID != 0).then_some((entry >> 8) as u8 & 0xf8);
    let place = Place::Absolute(Absolute(entry & !within | va & within));
    Walk { place, protected, no_execute: entry & NO_EXECUTE != 0, key }
}

/// Walks the tables of ESA/390: a segment table of words, designated by a segment-table designation; `fetch` fetches a
/// word at a real address.
pub(crate) fn walk_esa(std: u64, va: u64, fetch: impl Fn(u64) -> Result<u32, Fault>) -> Result<Walk, Fault> {
    let index = va >> 20 & 0x7ff;
    if index >> 4 > std & 0x7f {
        return Err(Program::SegmentTranslation.into());
    }
    let at = ((std & 0x7fff_f000) + index * 4) & 0x7fff_ffff;
    let entry = fetch(at)? as u64;
    if entry & INVALID != 0 {
        return Err(Fault::Own { code: Program::SegmentTranslation, entry: Some(at) });
    }
    if entry & 0x8000_0000 != 0 || std & asce::PRIVATE != 0 && entry & COMMON != 0 {
        return Err(Program::TranslationSpecification.into());
    }
    let page = va >> 12 & 0xff;
    if page >> 4 > entry & 0xf {
        return Err(Program::PageTranslation.into());
    }
    let at = ((entry & 0x7fff_ffc0) + page * 4) & 0x7fff_ffff;
    let entry = fetch(at)? as u64;
    if entry & PAGE_INVALID != 0 {
        return Err(Fault::Own { code: Program::PageTranslation, entry: Some(at) });
    }
    if entry & 0x8000_0900 != 0 {
        return Err(Program::TranslationSpecification.into());
    }
    let place = Place::Real(Real(entry & 0x7fff_f000 | va & 0xfff));
    Ok(Walk { place, protected: entry & PROTECT != 0, no_execute: false, key: None })
}
