//! The model: a CPU with storage as bytes and registers as numbers, whose every logical address is a real one.
//!
//! An exception is its code. Bits are numbered from the left, of doublewords and of words, as the text has them.

/// Bytes of storage that instructions may change; what follows up to a megabyte is zero, and then there is nothing.
pub(crate) const LENGTH: usize = 0x1_0000;
const END: u64 = 0x10_0000;

const ADDRESSING: u16 = 5;
const SPECIFICATION: u16 = 6;
const SPECIAL: u16 = 0x13;
const PRIVILEGED: u16 = 2;

/// What an instruction finds, and what it leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Machine {
    pub(crate) storage: Vec<u8>,
    pub(crate) gr: [u64; 16],
    pub(crate) ar: [u32; 16],
    pub(crate) cr: [u64; 16],
    pub(crate) psw: u64,
    pub(crate) ia: u64,
    pub(crate) z: bool,
    /// What identifies an exception of spaces and entries.
    pub(crate) id: u32,
}

type Done<T = ()> = Result<T, u16>;

/// Bits of a doubleword, by their numbers.
fn bits(v: u64, first: u32, last: u32) -> u64 {
    v << first >> (63 - (last - first))
}

/// Bits of a word.
fn of(v: u32, first: u32, last: u32) -> u32 {
    v << first >> (31 - (last - first))
}

fn put(v: &mut u64, first: u32, last: u32, new: u64) {
    let width = last - first + 1;
    let mask = if width == 64 { u64::MAX } else { ((1 << width) - 1) << (63 - last) };
    *v = *v & !mask | new << (63 - last) & mask;
}

/// An ASTE.
#[derive(Clone, Copy)]
struct Space {
    at: u64,
    words: [u32; 12],
    asce: u64,
    linkage: u32,
}

impl Machine {
    /// What the machine is after the instruction, and the code of its program interruption. After one that completes
    /// nothing, it is as before.
    pub(crate) fn expected(self, name: &str, text: [u8; 6]) -> (Machine, Option<u16>) {
        let mut m = self.clone();
        let length = if text[0] < 0x40 { 2 } else { (if text[0] < 0xc0 { 4 } else { 6 }) as u64 };
        m.ia = self.wrap(self.ia + length);
        match m.perform(name, text, length) {
            // LASP has gone on after what is an exception elsewhere.
            Ok(()) => (Machine { id: 0, ..m }, None),
            // A space-switch event is completion.
            Err(0x1c) => (m, Some(0x1c)),
            Err(code) => {
                let id = if matches!(code, 0x20..=0x27 | 0x2e | 0x2f) { m.id } else { 0 };
                let ia = self.wrap(self.ia + length);
                (Machine { ia, id, ..self }, Some(code))
            }
        }
    }

    fn perform(&mut self, name: &str, text: [u8; 6], length: u64) -> Done {
        let (r1, r2) = ((text[3] >> 4) as usize, (text[3] & 15) as usize);
        match name {
            "PC" => self.program_call(self.gr[2]),
            "PT" | "PTI" => self.program_transfer(r1, r2, name == "PTI"),
            "SSAR" | "SSAIR" => self.set_secondary(r1, name == "SSAIR"),
            "LASP" => self.load_parameters(),
            "EPAIR" => self.extract(r1, 4),
            "ESAIR" => self.extract(r1, 3),
            "ESEA" => self.extended_authority(r1),
            "BSG" => self.subspace_branch(r1, r2),
            "BSA" => self.authority_branch(r1, r2),
            "RP" => self.resume(text),
            "TRAP2" | "TRAP4" => self.trap(name == "TRAP4", length),
            "TRACE" | "TRACG" => self.explicit(text[1] >> 4, text[1] & 15, name == "TRACG"),
            "SAM24" => self.set_mode(24),
            "SAM31" => self.set_mode(31),
            _ => self.linking_branch(name, (text[1] >> 4) as usize, (text[1] & 15) as usize),
        }
    }

    // Modes.

    fn mode(&self) -> u32 {
        match (bits(self.psw, 31, 31), bits(self.psw, 32, 32)) {
            (1, _) => 64,
            (_, 1) => 31,
            _ => 24,
        }
    }

    fn wrap(&self, address: u64) -> u64 {
        address & (u64::MAX >> (64 - self.mode()))
    }

    fn dat(&self) -> bool {
        bits(self.psw, 5, 5) == 1
    }

    fn space_control(&self) -> u64 {
        bits(self.psw, 16, 17)
    }

    fn problem(&self) -> bool {
        bits(self.psw, 15, 15) == 1
    }

    fn supervisor(&self) -> Done {
        if self.problem() { Err(PRIVILEGED) } else { Ok(()) }
    }

    /// Long entries of tables.
    fn asf(&self) -> bool {
        self.z || bits(self.cr[0], 47, 47) == 1
    }

    fn reuse(&self) -> bool {
        self.z && bits(self.cr[0], 44, 44) == 1
    }

    // Storage.

    fn word(&self, at: u64) -> Done<u32> {
        let at = at & 0x7fff_fffc;
        if at >= END {
            return Err(ADDRESSING);
        }
        let at = at as usize;
        Ok(self.storage.get(at..at + 4).map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])))
    }

    fn long(&self, at: u64) -> u64 {
        let [a, b] = [at, at + 4].map(|at| u64::from(self.word(at).expect("the operand exists")));
        a << 32 | b
    }

    fn store(&mut self, at: u64, bytes: &[u8]) {
        self.storage[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn store_word(&mut self, at: u64, word: u32) {
        self.store(at, &word.to_be_bytes());
    }

    // The trace table.

    fn tracing(&self, what: &str) -> bool {
        match (what, self.z) {
            ("branch", true) => bits(self.cr[12], 0, 0) == 1,
            ("branch", false) => bits(self.cr[12], 32, 32) == 1,
            ("mode", z) => z && bits(self.cr[12], 1, 1) == 1,
            ("asn", _) => bits(self.cr[12], 62, 62) == 1,
            _ => bits(self.cr[12], 63, 63) == 1,
        }
    }

    /// A trace-table exception if an entry so long would reach the end of its page.
    fn room(&self, length: u64) -> Done {
        let at = self.cr[12] & 0xffc;
        if at + length >= 0x1000 { Err(0x16) } else { Ok(()) }
    }

    fn entry(&mut self, bytes: &[u8]) {
        let at = self.cr[12] & 0x7fff_fffc;
        self.store(at, bytes);
        self.cr[12] += bytes.len() as u64;
    }

    /// What a branch to `to` leaves, in a mode of `mode` bits; `links`: branch tracing is about it.
    fn branch_trace(&self, to: u64, mode: u32, links: bool) -> Vec<u8> {
        let old = self.mode();
        let switches = self.tracing("mode") && (old == 64) != (mode == 64);
        let four = |v: u32| v.to_be_bytes().to_vec();
        let narrow = |mode: u32, at: u64| four(if mode == 31 { at as u32 | 1 << 31 } else { at as u32 });
        if links && self.tracing("branch") {
            if !switches {
                return match mode {
                    64 if bits(to, 0, 32) == 0 => four(to as u32 | 1 << 31),
                    64 => [four(0x52c0_0000), to.to_be_bytes().to_vec()].concat(),
                    _ => narrow(mode, to),
                };
            }
            return match mode {
                64 if bits(to, 0, 31) == 0 => [four(0x51b0_0000), four(to as u32)].concat(),
                64 => [four(0x52f0_0000), to.to_be_bytes().to_vec()].concat(),
                _ => [four(0x51a0_0000), narrow(mode, to)].concat(),
            };
        }
        if !switches {
            return Vec::new();
        }
        match old {
            64 if bits(self.ia, 0, 31) == 0 => [four(0x5120_0000), four(self.ia as u32)].concat(),
            64 => [four(0x5260_0000), self.ia.to_be_bytes().to_vec()].concat(),
            _ => [four(0x5130_0000), narrow(old, self.ia)].concat(),
        }
    }

    fn traced_branch(&mut self, to: u64, mode: u32, links: bool) -> Done {
        let entry = self.branch_trace(to, mode, links);
        if !entry.is_empty() {
            self.room(entry.len() as u64)?;
            self.entry(&entry);
        }
        Ok(())
    }

    fn explicit(&mut self, r1: u8, r3: u8, long: bool) -> Done {
        self.supervisor()?;
        let at = self.wrap(self.gr[14]);
        if at % 4 != 0 {
            return Err(SPECIFICATION);
        }
        if !self.tracing("explicit") {
            return Ok(());
        }
        let operand = self.word(at)?;
        if of(operand, 0, 0) == 1 {
            return Ok(());
        }
        self.room(if long { 144 } else { 76 })?;
        let count = (16 + r3 - r1) % 16;
        let mut entry = vec![0x70 + count, if long { 0x80 } else { 0 }];
        // The clock of these CPUs shows zero.
        entry.extend(vec![0; if long { 10 } else { 6 }]);
        entry.extend(operand.to_be_bytes());
        for n in 0..=count {
            let value = self.gr[usize::from((r1 + n) % 16)].to_be_bytes();
            entry.extend(&value[if long { 0 } else { 4 }..]);
        }
        self.entry(&entry);
        Ok(())
    }

    // Branches.

    /// The mode and the address in a register, where bit 32 is the mode; in the 64-bit mode that stays.
    fn target(&self, v: u64) -> (u32, u64) {
        match self.mode() {
            64 => (64, v),
            _ if bits(v, 32, 32) == 1 => (31, bits(v, 33, 63)),
            _ => (24, bits(v, 40, 63)),
        }
    }

    fn go(&mut self, (mode, to): (u32, u64)) {
        put(&mut self.psw, 31, 31, u64::from(mode == 64));
        put(&mut self.psw, 32, 32, u64::from(mode != 24));
        self.ia = to;
    }

    fn link(&self) -> u64 {
        if self.mode() == 31 { self.ia | 1 << 31 } else { self.ia }
    }

    fn set(&mut self, r: usize, value: u64) {
        if self.mode() == 64 { self.gr[r] = value } else { put(&mut self.gr[r], 32, 63, value) }
    }

    fn set_mode(&mut self, bits: u32) -> Done {
        self.traced_branch(0, bits, false)?;
        self.go((bits, self.ia));
        Ok(())
    }

    fn linking_branch(&mut self, name: &str, r1: usize, r2: usize) -> Done {
        let operand = self.gr[r2];
        let sets = matches!(name, "BASSM" | "BSM");
        let to = match sets {
            false => (self.mode(), self.wrap(operand)),
            true if self.z && bits(operand, 63, 63) == 1 => (64, operand - 1),
            true if bits(operand, 32, 32) == 1 => (31, bits(operand, 33, 63)),
            true => (24, bits(operand, 40, 63)),
        };
        if r2 != 0 {
            self.traced_branch(to.1, to.0, name != "BSM")?;
        }
        let old = self.mode();
        let mut link = self.link();
        match name {
            "BSM" if r1 == 0 => {}
            "BSM" if old == 64 => put(&mut self.gr[r1], 63, 63, 1),
            "BSM" => put(&mut self.gr[r1], 32, 32, u64::from(old == 31)),
            _ => {
                if name == "BASSM" && old == 64 {
                    link |= 1;
                }
                if name == "BALR" && old == 24 {
                    link |= 1 << 30 | bits(self.psw, 18, 23) << 24;
                }
                self.set(r1, link);
            }
        }
        if r2 != 0 {
            self.go(to);
        }
        Ok(())
    }

    // Tables of spaces.

    fn special_unless(&self, allowed: bool) -> Done {
        if allowed { Ok(()) } else { Err(SPECIAL) }
    }

    fn asn_control(&self) -> Done {
        self.special_unless(bits(self.cr[14], 44, 44) == 1)
    }

    fn named(&mut self, code: u16, id: u32) -> u16 {
        self.id = id;
        code
    }

    fn space_at(&mut self, at: u64, asn: u16) -> Done<Space> {
        let words = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(|n| self.word(at + 4 * n));
        let mut found = [0; 12];
        let needed = if self.z { 12 } else { 4 };
        for n in 0..needed {
            if n == 1 && of(found[0], 0, 0) == 1 {
                return Err(self.named(0x21, asn.into()));
            }
            found[n] = words[n]?;
        }
        if !self.z {
            let reserved = of(found[0], 30, 30) | of(found[1], 28, 31);
            if reserved != 0 || !self.asf() && of(found[0], 31, 31) != 0 {
                return Err(0x17);
            }
            return Ok(Space { at, words: found, asce: found[2].into(), linkage: found[3] });
        }
        let asce = u64::from(found[2]) << 32 | u64::from(found[3]);
        Ok(Space { at, words: found, asce, linkage: found[6] })
    }

    fn instance(&self, space: &Space) -> u64 {
        if self.reuse() { space.words[11].into() } else { 0 }
    }

    fn translated(&mut self, asn: u16) -> Done<Space> {
        let (first, second) = (u64::from(asn >> 6), u64::from(asn & 63));
        let word = self.word(bits(self.cr[14], 45, 63) * 4096 + first * 4)?;
        if of(word, 0, 0) == 1 {
            return Err(self.named(0x20, asn.into()));
        }
        let (end, size) = if self.asf() { (25, 64) } else { (27, 16) };
        if !self.z && of(word, end + 1, 31) != 0 {
            return Err(0x17);
        }
        let origin = u64::from(of(word, 1, end)) << (31 - end);
        self.space_at((origin + second * size) & 0x7fff_ffff, asn)
    }

    fn authorized(&self, space: &Space, index: u64, secondary: u32) -> Done<bool> {
        if index >> 4 > of(space.words[1], 16, 27).into() {
            return Ok(false);
        }
        let at = u64::from(of(space.words[0], 1, 29)) * 4 + index / 4;
        let word = self.word(at)?;
        let bit = 8 * (at % 4) as u32 + 2 * (index % 4) as u32 + secondary;
        Ok(of(word, bit, bit) == 1)
    }

    fn events(&self) -> u64 {
        if self.z { 0xc0 } else { 0x8000_0080 }
    }

    fn event_control(&self, asce: u64) -> bool {
        if self.z { bits(asce, 57, 57) == 1 } else { bits(asce, 32, 32) == 1 }
    }

    /// The active subspace in the place of its base space.
    fn replaced(&mut self, space: Space) -> Done<Space> {
        if !self.asf() || bits(space.asce, 54, 54) == 0 {
            return Ok(space);
        }
        let (base, word) = (self.word(self.cr[2])?, self.word(self.cr[2] + 4)?);
        if u64::from(of(base, 1, 25)) * 64 != space.at || of(word, 0, 0) == 0 {
            return Ok(space);
        }
        let other = self.subspace(word)?;
        let events = self.events();
        Ok(Space { asce: other.asce & !events | space.asce & events, ..space })
    }

    fn subspace(&mut self, word: u32) -> Done<Space> {
        let at = u64::from(of(word, 1, 25)) * 64;
        let sequence = self.word(self.cr[2] + 12)?;
        let other = self.space_at(at, 0).map_err(|code| if code == 0x21 { 0x2b } else { code })?;
        if self.word(at + 20)? != sequence { Err(0x2c) } else { Ok(other) }
    }

    fn linkage(&self) -> Done<u32> {
        let at = bits(self.cr[5], 33, 57) * 64;
        let word = match (self.z, self.asf()) {
            (true, _) => self.word(at + 24)?,
            (_, true) => self.word(at + 12)?,
            _ => self.cr[5] as u32,
        };
        self.special_unless(of(word, 0, 0) == 1)?;
        Ok(word)
    }

    // PC, PT, SSAR, LASP.

    /// The entry-table entry's words.
    fn entry_of(&mut self, designation: u32, operand: u32) -> Done<[u32; 8]> {
        let whole = self.reuse() && of(operand, 12, 12) == 1;
        let number = if whole { operand } else { of(operand, 12, 31) };
        let table = if self.reuse() {
            let first = if whole { of(number, 0, 11) } else { 0 };
            let length = of(designation, 24, 31);
            if first > length {
                return Err(self.named(0x26, number));
            }
            let index = first * 64 + of(number, 13, 18);
            let word = self.word(u64::from(of(designation, 1, 23)) * 256 + u64::from(index) * 4)?;
            if of(word, 0, 0) == 1 {
                return Err(self.named(0x26, number));
            }
            let at = u64::from(of(word, 1, 23)) * 256 + u64::from(of(number, 19, 23)) * 8;
            let (second, sequence) = (self.word(at)?, self.word(at + 4)?);
            if of(second, 0, 0) == 1 {
                return Err(self.named(0x27, number));
            }
            if sequence != 0 && u64::from(sequence) != bits(self.gr[15], 0, 31) {
                return Err(self.named(0x2e, number));
            }
            second
        } else {
            if of(number, 12, 18) > of(designation, 25, 31) {
                return Err(self.named(0x22, number));
            }
            let at = u64::from(of(designation, 1, 24)) * 128 + u64::from(of(number, 12, 23)) * 4;
            let word = self.word(at)?;
            if of(word, 0, 0) == 1 {
                return Err(self.named(0x22, number));
            }
            word
        };
        if of(number, 24, 29) > of(table, 26, 31) {
            return Err(self.named(0x23, number));
        }
        let count: u64 = if self.asf() { 8 } else { 4 };
        let at = u64::from(of(table, 1, 25)) * 64 + u64::from(of(number, 24, 31)) * 4 * count;
        let mut words = [0; 8];
        for n in 0..count {
            words[n as usize] = self.word(at + 4 * n)?;
        }
        Ok(words)
    }

    fn program_call(&mut self, operand: u64) -> Done {
        self.special_unless(self.dat() && self.space_control() < 2)?;
        let number = self.wrap(operand) as u32;
        let problem = u64::from(self.problem());
        let back = self.link() | problem;
        let entry = self.call_entry(number, back);
        if self.tracing("asn") {
            self.room(entry.len() as u64)?;
        }
        let designation = self.linkage()?;
        let words = self.entry_of(designation, number)?;
        let (names, address, parameter) = match self.z {
            true => (words[2], words[1], u64::from(words[6]) << 32 | u64::from(words[7])),
            false => (words[0], words[1], words[2].into()),
        };
        if self.asf() && of(words[4], 0, 0) == 1 {
            return Err(1);
        }
        let extended = self.z && of(words[4], 1, 1) == 1;
        self.special_unless(self.space_control() == 0 && extended == (self.mode() == 64))?;
        if !extended && of(address, 0, 0) == 0 && of(address, 1, 7) != 0 {
            return Err(0x1f);
        }
        let keys = bits(self.cr[3], 32, 47);
        if self.problem() && keys & u64::from(of(names, 0, 15)) == 0 {
            return Err(PRIVILEGED);
        }
        let asn = of(names, 16, 31) as u16;
        let mut space = None;
        if asn != 0 {
            self.asn_control()?;
            let found = match self.asf() {
                true => self.space_at(u64::from(of(words[5], 1, 25)) * 64, asn)?,
                false => self.translated(asn)?,
            };
            space = Some(self.replaced(found)?);
        }
        if self.tracing("asn") {
            self.entry(&entry);
        }
        let (primary, old) = (self.cr[1], self.cr[4]);
        let reuse = self.reuse();
        put(&mut self.gr[3], 32, 47, keys);
        put(&mut self.gr[3], 48, 63, bits(old, 48, 63));
        put(&mut self.cr[3], 32, 47, keys | u64::from(of(words[3], 0, 15)));
        put(&mut self.cr[3], 48, 63, bits(old, 48, 63));
        if reuse {
            put(&mut self.gr[3], 0, 31, bits(old, 0, 31));
            put(&mut self.cr[3], 0, 31, bits(old, 0, 31));
        }
        if extended {
            self.gr[4] = parameter
        } else {
            put(&mut self.gr[4], 32, 63, parameter)
        }
        self.set(14, back);
        self.cr[7] = primary;
        put(&mut self.psw, 15, 15, u64::from(of(address, 31, 31)));
        let whole = u64::from(if extended { words[0] } else { 0 }) << 32 | u64::from(address & !1);
        let to = self.target(whole);
        self.go(to);
        if let Some(space) = space {
            self.become_primary(asn, &space);
            return self.left(bits(old, 48, 63), primary);
        }
        Ok(())
    }

    fn call_entry(&self, number: u32, back: u64) -> Vec<u8> {
        let key = bits(self.psw, 8, 11) as u32;
        let number = match self.reuse() && of(number, 12, 12) == 1 {
            true => number,
            false => of(number, 12, 31),
        };
        let wide = self.mode() == 64;
        let first = |code: u32, rest: u32| (code << 24 | key << 20 | rest).to_be_bytes().to_vec();
        let address = if wide { back.to_be_bytes().to_vec() } else { (back as u32).to_be_bytes().to_vec() };
        match self.reuse() {
            true => [first(0x22 + u32::from(wide), 0), address, number.to_be_bytes().to_vec()].concat(),
            false => [first(0x21 + u32::from(wide), number), address].concat(),
        }
    }

    fn become_primary(&mut self, asn: u16, space: &Space) {
        put(&mut self.cr[4], 32, 47, of(space.words[1], 0, 15).into());
        put(&mut self.cr[4], 48, 63, asn.into());
        if self.reuse() {
            let number = self.instance(space);
            put(&mut self.cr[4], 0, 31, number);
        }
        self.cr[1] = space.asce;
        if self.asf() { put(&mut self.cr[5], 33, 57, space.at >> 6) } else { self.cr[5] = space.linkage.into() }
    }

    /// The event of going from a space with this number and designation to the primary one.
    fn left(&mut self, asn: u64, from: u64) -> Done {
        let old = u32::from(self.event_control(from));
        if old == 1 || self.event_control(self.cr[1]) {
            return Err(self.named(0x1c, old << 31 | asn as u32));
        }
        Ok(())
    }

    /// What restricts going to a space by its number.
    fn usable(&mut self, space: &Space, asn: u16, instance: Option<u64>) -> Done {
        if !self.reuse() {
            return Ok(());
        }
        let (controlled, reusable) = (of(space.words[1], 30, 30), of(space.words[1], 31, 31));
        self.special_unless(controlled == 0 || !self.problem())?;
        self.special_unless(reusable == 0 || instance.is_some())?;
        if instance.is_some_and(|instance| instance != self.instance(space)) {
            return Err(self.named(0x2f, asn.into()));
        }
        Ok(())
    }

    fn program_transfer(&mut self, r1: usize, r2: usize, instance: bool) -> Done {
        self.special_unless(self.dat() && self.space_control() == 0)?;
        let (operand, target) = (self.gr[r1], self.gr[r2]);
        let asn = bits(operand, 48, 63) as u16;
        let key = (bits(self.psw, 8, 11) as u32) << 20;
        let rest = key | u32::from(instance) << 16 | u32::from(asn);
        let entry = match self.mode() {
            64 if bits(target, 0, 31) != 0 => {
                [(0x320c_0000 | rest).to_be_bytes().to_vec(), target.to_be_bytes().to_vec()].concat()
            }
            mode => {
                let first = if mode == 64 { 0x3108_0000 } else { 0x3100_0000 };
                [(first | rest).to_be_bytes(), (target as u32).to_be_bytes()].concat()
            }
        };
        if self.tracing("asn") {
            self.room(entry.len() as u64)?;
        }
        self.linkage()?;
        if self.problem() && bits(target, 63, 63) == 0 {
            return Err(PRIVILEGED);
        }
        if self.mode() != 64 && bits(target, 32, 32) == 0 && bits(target, 33, 39) != 0 {
            return Err(SPECIFICATION);
        }
        let old = bits(self.cr[4], 48, 63) as u16;
        let primary = self.cr[1];
        let wanted = instance.then_some(bits(operand, 0, 31));
        let mut space = None;
        if asn != old {
            self.asn_control()?;
            let found = self.translated(asn)?;
            self.usable(&found, asn, wanted)?;
            if !self.authorized(&found, bits(self.cr[4], 32, 47), 0)? {
                return Err(self.named(0x24, asn.into()));
            }
            space = Some(self.replaced(found)?);
        } else if self.reuse() && wanted.is_some_and(|wanted| wanted != bits(self.cr[4], 0, 31)) {
            return Err(self.named(0x2f, asn.into()));
        }
        if self.tracing("asn") {
            self.entry(&entry);
        }
        if let Some(space) = &space {
            self.become_primary(asn, space);
        }
        let keys = bits(self.cr[3], 32, 47) & bits(operand, 32, 47);
        put(&mut self.cr[3], 32, 47, keys);
        put(&mut self.cr[3], 48, 63, asn.into());
        if self.reuse() {
            let number = bits(self.cr[4], 0, 31);
            put(&mut self.cr[3], 0, 31, number);
        }
        self.cr[7] = self.cr[1];
        put(&mut self.psw, 15, 15, bits(target, 63, 63));
        let to = self.target(target & !1);
        self.go(to);
        if space.is_some() { self.left(old.into(), primary) } else { Ok(()) }
    }

    fn set_secondary(&mut self, r1: usize, instance: bool) -> Done {
        self.special_unless(self.dat())?;
        self.asn_control()?;
        if self.tracing("asn") {
            self.room(4)?;
        }
        let asn = bits(self.gr[r1], 48, 63) as u16;
        let wanted = instance.then_some(bits(self.gr[r1], 0, 31));
        let (asce, number) = if u64::from(asn) == bits(self.cr[4], 48, 63) {
            if self.reuse() && wanted.is_some_and(|wanted| wanted != bits(self.cr[4], 0, 31)) {
                return Err(self.named(0x2f, asn.into()));
            }
            (self.cr[1], bits(self.cr[4], 0, 31))
        } else {
            let found = self.translated(asn)?;
            self.usable(&found, asn, wanted)?;
            if !self.authorized(&found, bits(self.cr[4], 32, 47), 1)? {
                return Err(self.named(0x25, asn.into()));
            }
            (self.replaced(found)?.asce, self.instance(&found))
        };
        if self.tracing("asn") {
            let [a, b] = asn.to_be_bytes();
            self.entry(&[0x10, instance.into(), a, b]);
        }
        put(&mut self.cr[3], 48, 63, asn.into());
        if self.reuse() {
            put(&mut self.cr[3], 0, 31, number);
        }
        self.cr[7] = asce;
        Ok(())
    }

    /// A space for LASP; none if it is not available.
    fn parameter(&mut self, asn: u64, instance: u64) -> Done<Option<Space>> {
        let mut found = self.translated(asn as u16);
        if let Ok(space) = found {
            if self.instance(&space) != instance {
                return Ok(None);
            }
            found = self.replaced(space);
        }
        match found {
            Ok(space) => Ok(Some(space)),
            Err(0x20 | 0x21 | 0x2b | 0x2c) => Ok(None),
            Err(code) => Err(code),
        }
    }

    fn load_parameters(&mut self) -> Done {
        self.supervisor()?;
        self.asn_control()?;
        let at = self.wrap(self.gr[2]);
        if at % 8 != 0 {
            return Err(SPECIFICATION);
        }
        let (second, first) = match self.reuse() {
            true => (self.long(at), self.long(at + 8)),
            false => (bits(self.long(at), 0, 31), bits(self.long(at), 32, 63)),
        };
        let [force, own, skip] = [61, 62, 63].map(|n| bits(self.gr[3], n, n) == 1);
        let reuse = self.reuse();
        let number = |v: u64| (bits(v, 48, 63), if reuse { bits(v, 0, 31) } else { 0 });
        let (primary, secondary) = (number(first), number(second));
        let mut space = None;
        if primary != number(self.cr[4]) || force {
            let found = self.parameter(primary.0, primary.1)?;
            let event = found.is_some_and(|space| self.event_control(self.cr[1]) || self.event_control(space.asce));
            if found.is_none() || event {
                put(&mut self.psw, 18, 19, if event { 3 } else { 1 });
                return Ok(());
            }
            space = found;
        }
        let index = match space {
            _ if own => bits(first, 32, 47),
            Some(space) => of(space.words[1], 0, 15).into(),
            None => bits(self.cr[4], 32, 47),
        };
        let asce = if secondary == primary {
            space.map_or(self.cr[1], |space| space.asce)
        } else if secondary == number(self.cr[3]) && !force && skip {
            self.cr[7]
        } else {
            let found = self.parameter(secondary.0, secondary.1)?;
            let allowed = match &found {
                Some(space) => skip || self.authorized(space, index, 1)?,
                None => false,
            };
            match found {
                Some(space) if allowed => space.asce,
                _ => {
                    put(&mut self.psw, 18, 19, 2);
                    return Ok(());
                }
            }
        };
        if let Some(space) = &space {
            self.become_primary(primary.0 as u16, space);
        }
        put(&mut self.cr[4], 32, 47, index);
        let from = if reuse { 0 } else { 32 };
        put(&mut self.cr[3], from, 63, second);
        self.cr[7] = asce;
        put(&mut self.psw, 18, 19, 0);
        Ok(())
    }

    fn extract(&mut self, r1: usize, register: usize) -> Done {
        self.special_unless(self.dat())?;
        if self.problem() && bits(self.cr[0], 36, 36) == 0 {
            return Err(PRIVILEGED);
        }
        self.gr[r1] = bits(self.cr[register], 0, 31) << 32 | bits(self.cr[register], 48, 63);
        Ok(())
    }

    fn extended_authority(&mut self, r1: usize) -> Done {
        self.supervisor()?;
        let (old, new) = (bits(self.cr[8], 32, 47), bits(self.gr[r1], 48, 63));
        put(&mut self.gr[r1], 32, 47, old);
        put(&mut self.cr[8], 32, 47, new);
        Ok(())
    }
}

#[path = "unit.rs"]
mod unit;
