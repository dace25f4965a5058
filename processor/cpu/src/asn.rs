//! Address-space numbers and entry points: the tables that PROGRAM CALL and its like go through (POP, chapter 3, "ASN
//! translation" and "ASN authorization"; chapter 5, "PC-number translation" and "Subspace-group operations").
//!
//! All tables lie in real storage and are subject to no protection. The layouts of z/Architecture and of ESA/390 differ
//! in the entries of entry tables and in the space's designation; ESA/390 has short entries too, where control register
//! 0 has address-space functions off.

use crate::access_register::Authority;
use crate::dat::Fault;
use crate::state::control::cr0;
use crate::state::{Access, Architecture, Interruption, Space, State};
use arch::Program;

/// The facility bit of instances of address-space numbers and sequence numbers of linkage indexes.
const REUSE_FACILITY: u32 = 6;
/// The bits of a table's origin on a boundary of 64 bytes; invalid; of an ASCE: the space belongs to a subspace group.
const ORIGIN: u32 = 0x7fff_ffc0;
const INVALID: u32 = 0x8000_0000;
const SUBSPACE_GROUP: u64 = 0x200;

/// An ASN-second-table entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecondTableEntry {
    /// Its real address.
    pub origin: u64,
    /// The first two words: the authority table, the authorization index.
    authority: [u32; 2],
    /// What designates the space; a subspace's, where one takes its place.
    pub asce: u64,
    /// What designates the linkage table.
    pub linkage: u32,
    /// Its instance number.
    pub instance: u32,
}

impl SecondTableEntry {
    /// The authorization index.
    pub fn index(&self) -> u16 {
        (self.authority[1] >> 16) as u16
    }

    /// B: it is the base space of a subspace group.
    pub fn is_base(&self) -> bool {
        self.authority[0] & 1 != 0
    }

    /// CA: programs in the problem state may not go there by number.
    pub fn is_controlled(&self) -> bool {
        self.authority[1] & 2 != 0
    }

    /// RA: the number is used again, and an instruction that goes there must name the instance.
    pub fn is_reusable(&self) -> bool {
        self.authority[1] & 1 != 0
    }
}

/// An entry of an entry table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntryPoint {
    /// Where it is, with the problem-state bit in place of the last, and but in the 64-bit addressing mode with the
    /// 31-bit mode in that of bit 32.
    pub address: u64,
    /// The authorization-key mask.
    pub authorization: u16,
    /// The number of the space to go to; 0: the same.
    pub asn: u16,
    /// The entry-key mask.
    pub keys: u16,
    /// It is called by a stacking PROGRAM CALL.
    pub stacking: bool,
    /// It is entered in the 64-bit addressing mode.
    pub extended: bool,
    /// The real address of the space's ASTE, if entries are long.
    pub aste: u64,
    /// The entry parameter.
    pub parameter: u64,
}

impl State {
    /// Whether entries of tables are long.
    pub fn has_address_space_functions(&self) -> bool {
        self.architecture() == Architecture::Z || self.cr[0] & cr0::ADDRESS_SPACE_FUNCTIONS != 0
    }

    /// Whether numbers of spaces have instances, and linkage indexes sequence numbers.
    pub fn reuses_numbers(&self) -> bool {
        self.architecture() == Architecture::Z && self.has(REUSE_FACILITY) && self.cr[0] & cr0::REUSE != 0
    }

    /// A table's entry or control block could not be fetched.
    fn table_fault(&mut self, fault: Fault, at: u64) -> Interruption {
        self.access_exception(fault, at, Space::Real, Access::Fetch)
    }

    /// A word of a table or control block at a real address.
    pub fn table_word(&mut self, at: u64) -> Result<u32, Interruption> {
        let at = at & 0x7fff_ffff;
        self.fetch_real_u32(at).map_err(|fault| self.table_fault(fault, at))
    }

    /// A program exception that stores `id`, an address-space number or a PC number.
    pub fn identified(&mut self, code: Program, id: u32) -> Interruption {
        self.translation_exception_id = id.into();
        code.into()
    }

    /// The ASTE at a real address, which was found for a space's number.
    pub fn second_table_entry(&mut self, origin: u64, asn: u16) -> Result<SecondTableEntry, Interruption> {
        let long = self.has_address_space_functions();
        let z = self.architecture() == Architecture::Z;
        let authority = [self.table_word(origin)?, self.table_word(origin + 4)?];
        if authority[0] & INVALID != 0 {
            return Err(self.identified(Program::AsxTranslation, asn.into()));
        }
        if !z && (authority[0] & if long { 2 } else { 3 } != 0 || authority[1] & 15 != 0) {
            return Err(Program::AsnTranslationSpecification.into());
        }
        let second = self.table_word(origin + 8)?;
        let third = self.table_word(origin + 12)?;
        let (asce, linkage) = match z {
            true => (u64::from(second) << 32 | u64::from(third), self.table_word(origin + 24)?),
            false => (second.into(), third),
        };
        let instance = if self.reuses_numbers() { self.table_word(origin + 44)? } else { 0 };
        Ok(SecondTableEntry { origin, authority, asce, linkage, instance })
    }

    /// ASN translation.
    pub fn translate_asn(&mut self, asn: u16) -> Result<SecondTableEntry, Interruption> {
        let long = self.has_address_space_functions();
        let first_table = (self.cr[14] & 0x7_ffff) << 12;
        let first = self.table_word(first_table + u64::from(asn >> 6) * 4)?;
        if first & INVALID != 0 {
            return Err(self.identified(Program::AfxTranslation, asn.into()));
        }
        let reserved = if long { 0x3f } else { 0xf };
        if self.architecture() != Architecture::Z && first & reserved != 0 {
            return Err(Program::AsnTranslationSpecification.into());
        }
        let size = if long { 64 } else { 16 };
        let origin = u64::from(first & 0x7fff_ffff & !reserved) + u64::from(asn & 0x3f) * size;
        self.second_table_entry(origin & 0x7fff_ffff, asn)
    }

    /// Whether the program may make a space its primary one, by an authorization index.
    pub fn may_be_primary(&mut self, space: &SecondTableEntry, index: u16) -> Result<bool, Interruption> {
        let found = self.authorized(space.authority, index, Authority::Primary);
        found.map_err(|fault| self.table_fault(fault, 0))
    }

    /// Whether the program may make a space its secondary one.
    pub fn may_be_secondary(&mut self, space: &SecondTableEntry, index: u16) -> Result<bool, Interruption> {
        let found = self.authorized(space.authority, index, Authority::Secondary);
        found.map_err(|fault| self.table_fault(fault, 0))
    }

    /// The real address of the dispatchable-unit control table.
    pub fn unit_control_table(&self) -> u64 {
        self.cr[2] & u64::from(ORIGIN)
    }

    /// The bits of an ASCE that ask for events: they stay when a subspace takes a place, or leaves it.
    pub fn event_bits(&self) -> u64 {
        if self.architecture() == Architecture::Z { 0xc0 } else { 0x8000_0080 }
    }

    /// Where the space is the base space of the program's subspace group, and a subspace is active, that takes its
    /// place.
    pub fn with_subspace(&mut self, mut space: SecondTableEntry) -> Result<SecondTableEntry, Interruption> {
        if !self.has_address_space_functions() || space.asce & SUBSPACE_GROUP == 0 {
            return Ok(space);
        }
        let table = self.unit_control_table();
        let (base, active) = (self.table_word(table)?, self.table_word(table + 4)?);
        if u64::from(base & ORIGIN) != space.origin || active & INVALID == 0 {
            return Ok(space);
        }
        let subspace = self.active_subspace(active)?;
        let events = self.event_bits();
        space.asce = subspace.asce & !events | space.asce & events;
        Ok(space)
    }

    /// The ASTE of the subspace that the second word of the dispatchable-unit control table designates.
    pub fn active_subspace(&mut self, word: u32) -> Result<SecondTableEntry, Interruption> {
        let origin = u64::from(word & ORIGIN);
        let sequence = self.table_word(self.unit_control_table() + 12)?;
        self.valid_entry(origin, sequence)
    }

    /// The ASTE at `origin`, if it is valid and has this sequence number.
    fn valid_entry(&mut self, origin: u64, sequence: u32) -> Result<SecondTableEntry, Interruption> {
        self.exception_access_id = 0;
        let found = self.second_table_entry(origin, 0).map_err(|why| match why {
            Interruption::Program(Program::AsxTranslation) => Program::AsteValidity.into(),
            why => why,
        })?;
        if self.table_word(origin + 20)? != sequence {
            return Err(Program::AsteSequence.into());
        }
        Ok(found)
    }

    /// The ASTE, and its sequence number, that an ALET other than 0 and 1 leads to, whatever the authority.
    pub fn entry_of_alet(&mut self, alet: u32, register: u8) -> Result<(SecondTableEntry, u32), Interruption> {
        let found = self.access_list_entry(alet);
        let at = Space::Register(register);
        let (_, origin) = found.map_err(|fault| self.access_exception(fault, 0, at, Access::Fetch))?;
        let entry = self.second_table_entry(origin, 0)?;
        Ok((entry, self.table_word(origin + 20)?))
    }

    /// Whether the program may use PROGRAM CALL and PROGRAM TRANSFER: the designation of the linkage table, which says
    /// so.
    pub fn subsystem_linkage(&mut self) -> Result<u32, Interruption> {
        let designation = match (self.architecture(), self.has_address_space_functions()) {
            (Architecture::Z, _) => self.table_word((self.cr[5] & u64::from(ORIGIN)) + 24)?,
            (_, true) => self.table_word((self.cr[5] & u64::from(ORIGIN)) + 12)?,
            (_, false) => self.cr[5] as u32,
        };
        // V.
        if designation & INVALID == 0 { Err(Program::SpecialOperation.into()) } else { Ok(designation) }
    }

    /// PC-number translation, by the linkage table's designation.
    pub fn translate_pc_number(&mut self, designation: u32, number: u32) -> Result<EntryPoint, Interruption> {
        let reuses = self.reuses_numbers();
        // A number of 32 bits has bit 12 on; one of 20 bits has nothing before it.
        let number = if reuses && number & 0x8_0000 != 0 { number } else { number & 0xf_ffff };
        let table =
            if reuses { self.two_level_linkage(designation, number)? } else { self.linkage(designation, number)? };
        let index = number & 0xff;
        if index >> 2 > table & 0x3f {
            return Err(self.identified(Program::ExTranslation, number));
        }
        let origin = u64::from(table & ORIGIN);
        if !self.has_address_space_functions() {
            return self.entry(origin + u64::from(index) * 16, 4);
        }
        self.entry(origin + u64::from(index) * 32, 8)
    }

    /// The designation of the entry table in the linkage table.
    fn linkage(&mut self, designation: u32, number: u32) -> Result<u32, Interruption> {
        let index = number >> 8;
        if index >> 5 > designation & 0x7f {
            return Err(self.identified(Program::LxTranslation, number));
        }
        let word = self.table_word(u64::from(designation & 0x7fff_ff80) + u64::from(index) * 4)?;
        if word & INVALID != 0 {
            return Err(self.identified(Program::LxTranslation, number));
        }
        Ok(word)
    }

    /// The same by linkage-first and linkage-second tables.
    fn two_level_linkage(&mut self, designation: u32, number: u32) -> Result<u32, Interruption> {
        let high = if number & 0x8_0000 != 0 { number >> 20 } else { 0 };
        if high > designation & 0xff {
            return Err(self.identified(Program::LfxTranslation, number));
        }
        let index = high << 6 | number >> 13 & 0x3f;
        let first = self.table_word(u64::from(designation & 0x7fff_ff00) + u64::from(index) * 4)?;
        if first & INVALID != 0 {
            return Err(self.identified(Program::LfxTranslation, number));
        }
        let at = u64::from(first & 0x7fff_ff00) + u64::from(number >> 8 & 0x1f) * 8;
        let (word, sequence) = (self.table_word(at)?, self.table_word(at + 4)?);
        if word & INVALID != 0 {
            return Err(self.identified(Program::LsxTranslation, number));
        }
        if sequence != 0 && sequence != (self.gr[15] >> 32) as u32 {
            return Err(self.identified(Program::LsteSequence, number));
        }
        Ok(word)
    }

    /// An entry-table entry of so many words.
    fn entry(&mut self, at: u64, count: usize) -> Result<EntryPoint, Interruption> {
        let mut words = [0; 8];
        for (n, word) in words[..count].iter_mut().enumerate() {
            *word = self.table_word(at + 4 * n as u64)?;
        }
        let z = self.architecture() == Architecture::Z;
        let [authorization, address, parameter] = match z {
            true => [words[2], words[1], words[7]],
            false => words[..3].try_into().expect("three of them"),
        };
        let extended = z && words[4] & 0x4000_0000 != 0;
        Ok(EntryPoint {
            address: if extended { u64::from(words[0]) << 32 | u64::from(address) } else { address.into() },
            authorization: (authorization >> 16) as u16,
            asn: authorization as u16,
            keys: (words[3] >> 16) as u16,
            stacking: words[4] & 0x8000_0000 != 0,
            extended,
            aste: (words[5] & ORIGIN).into(),
            parameter: if z { u64::from(words[6]) << 32 | u64::from(parameter) } else { parameter.into() },
        })
    }
}
