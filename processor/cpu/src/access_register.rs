//! Access-register translation: from an access-list-entry token to an address space (POP, chapter 5,
//! "Access-register translation").

use crate::dat::Fault;
use crate::state::{Architecture, Interruption, State};
use arch::Program;

/// The bits of an entry of an authority table, as the left two of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Authority {
    /// The space may become the primary one.
    Primary = 0x80,
    /// It may become the secondary one, or be used through an access list.
    Secondary = 0x40,
}

impl State {
    /// The ASCE of the space that access register `ar` designates. Register 0 stands for ALET 0.
    ///
    /// A store through an entry that allows only fetches is a protection exception, said by the second value.
    pub(crate) fn asce_of_access_register(&mut self, ar: u8) -> Result<(u64, bool), Fault> {
        let alet = if ar == 0 { 0 } else { self.ar[ar as usize] };
        self.asce_of_alet(alet, (self.cr[8] >> 16) as u16)
    }

    /// Whether an ALET other than 0 and 1 leads to a space with this extended authorization index (TEST ACCESS).
    pub fn test_alet(&mut self, alet: u32, index: u16) -> Result<bool, Interruption> {
        match self.asce_of_alet(alet, index) {
            Ok(_) => Ok(true),
            Err(Fault::Host(fault)) => Err(self.host_fault(fault)),
            Err(Fault::Own { code: Program::Addressing, .. }) => Err(Program::Addressing.into()),
            Err(Fault::Own { .. }) => Ok(false),
        }
    }

    /// The same for an ALET, with the extended authorization index.
    fn asce_of_alet(&self, alet: u32, index: u16) -> Result<(u64, bool), Fault> {
        match alet {
            0 => return Ok((self.cr[1], false)),
            1 => return Ok((self.cr[7], false)),
            _ => {}
        }
        let word = |at: u64| self.fetch_real_u32(at);
        let (first, aste) = self.access_list_entry(alet)?;
        // A private entry belongs to one authorization index.
        if first & 0x0100_0000 != 0 {
            let eax = index as u32;
            let authority = || Ok::<_, Fault>([word(aste)?, word(aste + 4)?]);
            if first & 0xffff != eax && !self.authorized(authority()?, eax as u16, Authority::Secondary)? {
                return Err(Program::ExtendedAuthority.into());
            }
        }
        let asce = if self.architecture == Architecture::Z {
            (word(aste + 8)? as u64) << 32 | word(aste + 12)? as u64
        } else {
            word(aste + 8)? as u64
        };
        Ok((asce, first & 0x0200_0000 != 0))
    }

    /// The access-list entry of an ALET other than 0 and 1, and the ASTE that it leads to: the first word of the entry,
    /// and the origin of the ASTE.
    pub(crate) fn access_list_entry(&self, alet: u32) -> Result<(u32, u64), Fault> {
        if alet & 0xfe00_0000 != 0 {
            return Err(Program::AletSpecification.into());
        }
        let word = |at: u64| self.fetch_real_u32(at);
        // The effective access list: the primary space's (from the primary ASTE) or the dispatchable unit's (DUCT).
        let holder = if alet & 0x0100_0000 != 0 { self.cr[5] & 0x7fff_ffc0 } else { self.cr[2] & 0x7fff_ffc0 };
        let ald = word(holder + 16)? as u64;
        let number = (alet & 0xffff) as u64;
        if number >> 3 > ald & 0x7f {
            return Err(Program::AlenTranslation.into());
        }
        let entry = (ald & 0x7fff_ff80) + number * 16;
        let first = word(entry)?;
        if first & 0x8000_0000 != 0 {
            return Err(Program::AlenTranslation.into());
        }
        if (first >> 16 ^ alet >> 16) & 0xff != 0 {
            return Err(Program::AleSequence.into());
        }
        let aste = word(entry + 8)? as u64 & 0x7fff_ffc0;
        let sequence = word(entry + 12)?;
        if word(aste)? & 0x8000_0000 != 0 {
            return Err(Program::AsteValidity.into());
        }
        if word(aste + 20)? != sequence {
            return Err(Program::AsteSequence.into());
        }
        Ok((first, aste))
    }

    /// Whether a bit for `index` is on in the authority table that the first two words of an ASTE designate.
    pub(crate) fn authorized(&self, [origin, length]: [u32; 2], index: u16, bit: Authority) -> Result<bool, Fault> {
        if u32::from(index >> 4) > length >> 4 & 0xfff {
            return Ok(false);
        }
        let at = u64::from(origin & 0x7fff_fffc) + u64::from(index >> 2) & 0x7fff_ffff;
        let byte = (self.fetch_real_u32(at & !3)? >> (24 - 8 * (at & 3))) as u8;
        Ok(byte << (index % 4 * 2) & bit as u8 != 0)
    }
}
