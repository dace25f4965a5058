//! Access-register translation: from an access-list-entry token to an address space (POP, chapter 5,
//! "Access-register translation").

use crate::mode::Architecture;
use crate::state::State;
use arch::{Program, Real};

impl State {
    /// The ASCE of the space that access register `ar` designates. Register 0 stands for ALET 0.
    ///
    /// A store through an entry that allows only fetches is a protection exception, said by the second value.
    pub(crate) fn asce_of_access_register(&mut self, ar: u8) -> Result<(u64, bool), Program> {
        let alet = if ar == 0 { 0 } else { self.ar[ar as usize] };
        self.asce_of_alet(alet, (self.cr[8] >> 16) as u16)
    }

    /// Whether an ALET other than 0 and 1 leads to a space with this extended authorization index (TEST ACCESS).
    pub fn test_alet(&self, alet: u32, index: u16) -> Result<(), Program> {
        self.asce_of_alet(alet, index).map(drop)
    }

    /// The same for an ALET, with the extended authorization index.
    fn asce_of_alet(&self, alet: u32, index: u16) -> Result<(u64, bool), Program> {
        match alet {
            0 => return Ok((self.cr[1], false)),
            1 => return Ok((self.cr[7], false)),
            _ => {}
        }
        if alet & 0xfe00_0000 != 0 {
            return Err(Program::AletSpecification);
        }
        let word = |at: u64| self.storage().read_u32(self.absolute(Real(at))).map_err(|_| Program::Addressing);
        // The effective access list: the primary space's (from the primary ASTE) or the dispatchable unit's (DUCT).
        let holder = if alet & 0x0100_0000 != 0 { self.cr[5] & 0x7fff_ffc0 } else { self.cr[2] & 0x7fff_ffc0 };
        let ald = word(holder + 16)? as u64;
        let number = (alet & 0xffff) as u64;
        if number >> 3 > ald & 0x7f {
            return Err(Program::AlenTranslation);
        }
        let entry = (ald & 0x7fff_ff80) + number * 16;
        let first = word(entry)?;
        if first & 0x8000_0000 != 0 {
            return Err(Program::AlenTranslation);
        }
        if (first >> 16 ^ alet >> 16) & 0xff != 0 {
            return Err(Program::AleSequence);
        }
        let aste = word(entry + 8)? as u64 & 0x7fff_ffc0;
        let sequence = word(entry + 12)?;
        if word(aste)? & 0x8000_0000 != 0 {
            return Err(Program::AsteValidity);
        }
        if word(aste + 20)? != sequence {
            return Err(Program::AsteSequence);
        }
        // A private entry belongs to one authorization index.
        if first & 0x0100_0000 != 0 {
            let eax = index as u32;
            if first & 0xffff != eax && !self.authorized(aste, eax)? {
                return Err(Program::ExtendedAuthority);
            }
        }
        let asce = if self.architecture == Architecture::Z {
            (word(aste + 8)? as u64) << 32 | word(aste + 12)? as u64
        } else {
            word(aste + 8)? as u64
        };
        Ok((asce, first & 0x0200_0000 != 0))
    }

    /// Whether the secondary bit for `index` is on in the authority table of an ASTE.
    fn authorized(&self, aste: u64, index: u32) -> Result<bool, Program> {
        let word = |at: u64| self.storage().read_u32(self.absolute(Real(at))).map_err(|_| Program::Addressing);
        let origin = word(aste)? as u64 & 0x7fff_fffc;
        let length = word(aste + 4)? >> 4 & 0xfff;
        if index >> 4 > length {
            return Ok(false);
        }
        let mut byte = [0];
        let at = self.absolute(Real(origin + (index >> 2) as u64));
        self.storage().read(at, &mut byte).map_err(|_| Program::Addressing)?;
        Ok(byte[0] << (index % 4 * 2) & 0x40 != 0)
    }
}
