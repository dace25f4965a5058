//! The model of what has to do with the dispatchable-unit control table, and of RESUME PROGRAM.

use super::{Done, Machine, PRIVILEGED, SPECIAL, SPECIFICATION, bits, of, put};

impl Machine {
    pub(super) fn subspace_branch(&mut self, r1: usize, r2: usize) -> Done {
        self.special_unless(self.dat() && self.asf())?;
        let alet = if r2 == 0 { 0 } else { self.ar[r2] };
        let to = self.target(self.gr[r2]);
        let entry = if self.tracing("asn") {
            let space = of(alet, 7, 7) << 23 | of(alet, 9, 31);
            match to.0 {
                64 => [(0x4200_0000 | space).to_be_bytes().to_vec(), to.1.to_be_bytes().to_vec()].concat(),
                mode => {
                    let mode = if mode == 31 { 1 << 31 } else { 0 };
                    [(0x4100_0000 | space).to_be_bytes(), (to.1 as u32 | mode).to_be_bytes()].concat()
                }
            }
        } else {
            self.branch_trace(to.1, to.0, true)
        };
        if !entry.is_empty() {
            self.room(entry.len() as u64)?;
        }
        let unit = self.cr[2];
        let primary = bits(self.cr[5], 33, 57) * 64;
        let base = self.word(unit)?;
        self.special_unless(u64::from(of(base, 1, 25)) * 64 == primary)?;
        let mut word = self.word(unit + 4)?;
        let mut sequence = None;
        let space = match alet {
            0 => {
                word &= 0x7fff_ffff;
                let asn = bits(self.cr[4], 48, 63) as u16;
                self.space_at(primary, asn)?
            }
            1 => {
                self.special_unless(of(word, 1, 25) != 0)?;
                let found = self.subspace(word)?;
                word |= 0x8000_0000;
                found
            }
            _ => {
                let (at, number) = self.listed(alet)?;
                let found = self.space_at(at, 0)?;
                if at == primary {
                    word &= 0x7fff_ffff;
                } else {
                    self.special_unless(of(found.words[0], 31, 31) == 0 && bits(found.asce, 54, 54) == 1)?;
                    word = at as u32 | 0x8000_0000;
                    sequence = Some(number);
                }
                found
            }
        };
        if !entry.is_empty() {
            self.entry(&entry);
        }
        self.store_word(unit + 4, word);
        if let Some(sequence) = sequence {
            self.store_word(unit + 12, sequence);
        }
        let events = self.events();
        self.cr[1] = space.asce & !events | self.cr[1] & events;
        self.cr[7] = self.cr[1];
        let (asn, instance) = (bits(self.cr[4], 48, 63), bits(self.cr[4], 0, 31));
        put(&mut self.cr[3], 48, 63, asn);
        if self.reuse() {
            put(&mut self.cr[3], 0, 31, instance);
        }
        if r1 != 0 {
            let link = self.link();
            self.set(r1, link);
        }
        self.go(to);
        Ok(())
    }

    /// The ASTE's address and its sequence number by an access list.
    fn listed(&self, alet: u32) -> Done<(u64, u32)> {
        if of(alet, 0, 6) != 0 {
            return Err(0x28);
        }
        let holder = if of(alet, 7, 7) == 1 { bits(self.cr[5], 33, 57) * 64 } else { self.cr[2] };
        let list = self.word(holder + 16)?;
        if of(alet, 16, 28) > of(list, 25, 31) {
            return Err(0x29);
        }
        let at = u64::from(of(list, 1, 24)) * 128 + u64::from(of(alet, 16, 31)) * 16;
        let first = self.word(at)?;
        if of(first, 0, 0) == 1 {
            return Err(0x29);
        }
        if of(first, 8, 15) != of(alet, 8, 15) {
            return Err(0x2a);
        }
        let (space, sequence) = (u64::from(of(self.word(at + 8)?, 1, 25)) * 64, self.word(at + 12)?);
        if of(self.word(space)?, 0, 0) == 1 {
            return Err(0x2b);
        }
        if self.word(space + 20)? != sequence { Err(0x2c) } else { Ok((space, sequence)) }
    }

    pub(super) fn authority_branch(&mut self, r1: usize, r2: usize) -> Done {
        self.special_unless(self.asf())?;
        let unit = self.cr[2];
        let at = unit + if self.z { 0x14 } else { 0x24 };
        let word = self.word(at)?;
        let narrow = unit + if self.z { 0x24 } else { 0x20 };
        let wide = self.mode() == 64;
        if of(word, 28, 28) == 0 {
            self.special_unless(r2 != 0)?;
            let key = bits(self.gr[r1], 56, 59);
            let keys = bits(self.cr[3], 32, 47);
            if self.problem() && keys << key & 0x8000 == 0 {
                return Err(PRIVILEGED);
            }
            let to = self.target(self.gr[r2]);
            self.traced_branch(to.1, to.0, true)?;
            let state = u32::from(self.problem());
            self.store_word(at, (keys as u32) << 16 | (bits(self.psw, 8, 11) as u32) << 4 | 8 | state);
            let link = self.link();
            if wide {
                self.store(unit + 0x20, &link.to_be_bytes())
            } else {
                self.store_word(narrow, link as u32)
            }
            put(&mut self.cr[3], 32, 47, keys & bits(self.gr[r1], 32, 47));
            put(&mut self.psw, 8, 11, key);
            put(&mut self.psw, 15, 15, 1);
            self.go(to);
            return Ok(());
        }
        self.special_unless(r2 == 0)?;
        let saved = if wide { self.long(unit + 0x20) } else { self.word(narrow)?.into() };
        let to = self.target(saved);
        self.traced_branch(to.1, to.0, true)?;
        if r1 != 0 {
            let link = self.link();
            self.set(r1, link);
        }
        self.store_word(at, word & !8);
        put(&mut self.cr[3], 32, 47, of(word, 0, 15).into());
        put(&mut self.psw, 8, 11, of(word, 24, 27).into());
        put(&mut self.psw, 15, 15, of(word, 31, 31).into());
        self.go(to);
        Ok(())
    }

    pub(super) fn resume(&mut self, text: [u8; 6]) -> Done {
        let flags = u16::from_be_bytes([text[4], text[5]]);
        if flags & if self.z { 0xfff8 } else { 0xffff } != 0 {
            return Err(SPECIFICATION);
        }
        let [long, whole, apart] = [4, 2, 1].map(|bit| flags & bit != 0);
        let area = self.wrap(self.gr[2]);
        let new = self.long(area + 16);
        let address = if long { self.long(area + 24) } else { bits(new, 33, 63) };
        let [a, b, c] = [40, 44, 48].map(|at| u64::from(self.word(area + at).expect("it exists")));
        let extended = self.z && bits(new, 31, 31) == 1;
        let basic = bits(new, 32, 32) == 1;
        let mode = if extended {
            64
        } else if basic {
            31
        } else {
            24
        };
        let fits = mode == 64 || address >> mode == 0;
        if !fits || address % 2 == 1 || extended && !basic || long && bits(new, 33, 63) != 0 {
            return Err(SPECIFICATION);
        }
        let (was, home) = (self.space_control() == 3, bits(new, 16, 17) == 3);
        if home && self.problem() {
            return Err(PRIVILEGED);
        }
        self.traced_branch(address, mode, true)?;
        self.ar[2] = self.word(area + 32)?;
        match (whole, apart) {
            (true, true) => self.gr[2] = c << 32 | a,
            (true, false) => self.gr[2] = a << 32 | b,
            _ => put(&mut self.gr[2], 32, 63, a),
        }
        put(&mut self.psw, 16, 23, bits(new, 16, 23));
        self.go((mode, address));
        if was == home {
            return Ok(());
        }
        let (from, to) = if was { (self.cr[13], self.cr[1]) } else { (self.cr[1], self.cr[13]) };
        if self.event_control(from) || self.event_control(to) {
            let asn = if was { 0 } else { bits(self.cr[4], 48, 63) as u32 };
            let old = u32::from(self.event_control(from)) << 31;
            return Err(self.named(0x1c, old | asn));
        }
        Ok(())
    }

    pub(super) fn trap(&mut self, four: bool, length: u64) -> Done {
        self.special_unless(self.dat() && self.space_control() < 2)?;
        let word = self.word(self.cr[2] + 0x2c)?;
        if of(word, 31, 31) == 0 {
            return Err(SPECIAL);
        }
        let block = u64::from(word & 0x7fff_fff8);
        let flags = if self.z { self.word(block)? } else { 0 };
        let (long, whole) = (of(flags, 13, 13) == 1, of(flags, 14, 14) == 1);
        let old = self.mode();
        self.special_unless(old != 64 || long)?;
        let area = u64::from(self.word(block + 12)?);
        let to = u64::from(of(self.word(block + 20)?, 1, 31));
        let new = if old == 64 { 64 } else { 31 };
        let entry = self.branch_trace(to, new, true);
        if !entry.is_empty() {
            self.room(entry.len() as u64)?;
        }
        let second = if four { self.wrap(self.gr[2].wrapping_add(0x123)) } else { 0 };
        self.store_word(area, u32::from(four) << 30 | (length as u32 / 2) << 17);
        self.store(area + 4, &second.to_be_bytes());
        self.store_word(area + 12, self.ar[15]);
        if long {
            self.store(area + 16, &self.psw.to_be_bytes());
            self.store(area + 24, &self.ia.to_be_bytes());
        } else {
            // The PSW of 8 bytes has bit 12 on.
            let short = self.psw & !0x7fff_ffff | 1 << 51 | self.ia;
            self.store(area + 16, &short.to_be_bytes());
        }
        for n in 0..16 {
            let value = self.gr[n].to_be_bytes();
            if whole {
                self.store(area + 32 + 8 * n as u64, &value)
            } else {
                self.store(area + 32 + 4 * n as u64, &value[4..])
            }
        }
        if !entry.is_empty() {
            self.entry(&entry);
        }
        self.set(15, block);
        put(&mut self.psw, 16, 17, 0);
        self.go((new, to));
        Ok(())
    }
}
