//! What an instruction finds: tables that are mostly in order, and now and then one bit of one of them wrong.

use crate::model::{LENGTH, Machine};
use support::Random;

/// The instructions by their first two bytes; EB0F and E500 have six, 01FF and the branches two.
pub(crate) const INSTRUCTIONS: [(&str, u16); 22] = [
    ("PC", 0xb218),
    ("PT", 0xb228),
    ("PTI", 0xb99e),
    ("SSAR", 0xb225),
    ("SSAIR", 0xb99f),
    ("LASP", 0xe500),
    ("EPAIR", 0xb99a),
    ("ESAIR", 0xb99b),
    ("ESEA", 0xb99d),
    ("BSG", 0xb258),
    ("BSA", 0xb25a),
    ("RP", 0xb277),
    ("TRAP2", 0x01ff),
    ("TRAP4", 0xb2ff),
    ("TRACE", 0x9900),
    ("TRACG", 0xeb0f),
    ("BALR", 0x0500),
    ("BASR", 0x0d00),
    ("BASSM", 0x0c00),
    ("BSM", 0x0b00),
    ("SAM31", 0x010d),
    ("SAM24", 0x010c),
];

/// Only z/Architecture has them.
const NEW: [&str; 6] = ["PTI", "SSAIR", "EPAIR", "ESAIR", "ESEA", "TRACG"];

const FIRST: usize = 0x2000;
const SECOND: usize = 0x2100;
const LINKAGE: usize = 0x2800;
const LINKAGE_SECOND: usize = 0x2a00;
const ENTRIES: usize = 0x3000;
const AUTHORITY: usize = 0x4000;
const UNIT: usize = 0x4100;
const LIST: usize = 0x4200;
const SUBSPACES: usize = 0x4400;
const BLOCK: usize = 0x5000;
const AREA: usize = 0x5100;
const TRACE: u64 = 0x6000;
const TEXT: u64 = 0x8000;
const OPERAND: usize = 0x9000;
/// ESA/390's tables that translate each address of the first megabyte to itself.
const SEGMENTS: usize = 0xe000;
const PAGES: usize = 0xf000;

/// An instruction and what it finds.
pub(crate) struct Scene {
    pub(crate) machine: Machine,
    pub(crate) text: [u8; 6],
}

/// A scene under construction.
struct Maker<'a> {
    random: &'a mut Random,
    m: Machine,
    long: bool,
    reuse: bool,
}

impl Scene {
    pub(crate) fn new(random: &mut Random, name: &str, code: u16) -> Scene {
        let z = NEW.contains(&name) || random.one_in(2);
        let reuse = z && random.one_in(2);
        let long = z || !random.one_in(4);
        let machine = Machine {
            storage: vec![0; LENGTH],
            gr: std::array::from_fn(|_| if z { random.word() } else { random.word() >> 32 }),
            ar: std::array::from_fn(|_| random.pick(&[0, 1, 2, 3, 4, 0x0100_0002, 0x0003_0002, 0x0200_0002])),
            cr: [0; 16],
            psw: 0,
            ia: TEXT,
            z,
            id: 0,
        };
        let mut maker = Maker { random, m: machine, long, reuse };
        maker.tables();
        maker.unit();
        maker.registers();
        let text = maker.text(name, code);
        maker.spoil();
        maker.m.storage[TEXT as usize..][..6].copy_from_slice(&text);
        Scene { machine: maker.m, text }
    }
}

impl Maker<'_> {
    fn put(&mut self, at: usize, word: u32) {
        self.m.storage[at..at + 4].copy_from_slice(&word.to_be_bytes());
    }

    /// What designates a space in which every address is real.
    fn space(&mut self) -> u32 {
        let base = if self.m.z { 0x20 } else { SEGMENTS as u32 };
        let event = if self.m.z { 0x40 } else { 0x8000_0000 };
        let mut word = base | self.random.pick(&[0, 0x200, 0x200]);
        if self.random.one_in(8) {
            word |= event;
        }
        word | if self.random.one_in(4) { 0x80 } else { 0 }
    }

    fn second_table_entry(&mut self, at: usize, base: bool) {
        let odd = u32::from(self.random.one_in(4));
        let linkage = LINKAGE as u32 | if self.random.one_in(8) { 0 } else { 0x8000_0000 } | odd;
        let space = self.space();
        let index = self.random.below(40u32);
        self.put(at, AUTHORITY as u32 | if base && self.long { 1 } else { 0 });
        let controls = if self.m.z { self.random.pick(&[0, 0, 1, 2]) } else { 0 };
        let limit = self.random.below(3u32);
        self.put(at + 4, index << 16 | limit << 4 | controls);
        if !self.m.z {
            self.put(at + 8, space);
            self.put(at + 12, linkage);
            if self.long {
                self.put(at + 16, LIST as u32);
                self.put(at + 20, 7);
            }
            return;
        }
        self.put(at + 12, space);
        self.put(at + 16, LIST as u32);
        self.put(at + 20, 7);
        self.put(at + 24, linkage);
        let instance = self.random.pick(&[0, 5, 5, 5]);
        self.put(at + 44, instance);
    }

    fn tables(&mut self) {
        self.put(FIRST, SECOND as u32);
        self.put(FIRST + 4, 0x8000_0000);
        let size = if self.long { 64 } else { 16 };
        for n in 0..8 {
            let base = self.random.one_in(3);
            self.second_table_entry(SECOND + n * size, base);
        }
        for n in 0..2 {
            let base = self.random.one_in(8);
            self.second_table_entry(SUBSPACES + 64 * n, base);
        }
        let table = ENTRIES as u32 | 2;
        if self.reuse {
            self.put(LINKAGE, LINKAGE_SECOND as u32);
            self.put(LINKAGE + 4, 0x8000_0000);
            self.put(LINKAGE_SECOND, table);
            let sequence = self.random.pick(&[0, 9]);
            self.put(LINKAGE_SECOND + 4, sequence);
            self.put(LINKAGE_SECOND + 8, 0x8000_0000);
        } else {
            self.put(LINKAGE, table);
            self.put(LINKAGE + 4, 0x8000_0000);
        }
        for n in 0..8 {
            self.entry(n);
        }
        for n in 0..3 {
            let word = self.random.word() as u32 | self.random.word() as u32;
            self.put(AUTHORITY + 4 * n, word);
        }
        self.put(SEGMENTS, PAGES as u32 | 15);
        (0..256).for_each(|n| self.put(PAGES + 4 * n, (n as u32) << 12));
    }

    fn entry(&mut self, n: usize) {
        let number = if self.random.one_in(2) { 0 } else { self.random.below(9u32) };
        let authorization = self.random.word() as u32 & self.random.word() as u32 & 0xffff;
        let mode = self.random.pick(&[0, 0x8000_0000, 0x8000_0000]);
        let state = self.random.below(2u32);
        let address = if self.random.one_in(12) { 0x0100_8100 } else { 0x8100 } | mode | state;
        let keys = self.random.word() as u32 & 0xffff_0000;
        let size = if self.long { 64 } else { 16 };
        let designated = (SECOND + number as usize * size) as u32 & 0x7fff_ffc0;
        let parameters = [self.random.word() as u32, self.random.word() as u32];
        let names = authorization << 16 | number;
        let extended = if self.random.one_in(2) { 0x4000_0000 } else { 0 };
        let high = self.random.pick(&[0, 0, 1]);
        let words = match self.m.z {
            true => [high, address, names, keys, extended, designated, parameters[0], parameters[1]],
            false => [names, address, parameters[0], keys, 0, designated, 0, 0],
        };
        let count = if self.long { 8 } else { 4 };
        for (at, word) in words[..count].iter().enumerate() {
            self.put(ENTRIES + n * 4 * count + 4 * at, *word);
        }
    }

    /// The dispatchable-unit control table, an access list, a trap control block.
    fn unit(&mut self) {
        let primary = (SECOND + 64) as u32;
        let base = if self.random.one_in(12) { SECOND as u32 } else { primary };
        self.put(UNIT, base);
        let active = self.random.pick(&[0, 0x8000_0000]);
        let subspace = if self.random.one_in(8) { 0 } else { SUBSPACES as u32 };
        self.put(UNIT + 4, active | subspace);
        self.put(UNIT + 12, 7);
        self.put(UNIT + 16, LIST as u32);
        let saved = self.random.word() as u32 & !0x0000_ff0e | self.random.pick(&[0, 8]);
        self.put(UNIT + if self.m.z { 0x14 } else { 0x24 }, saved);
        let mode = self.random.pick(&[0, 0x8000_0000]);
        if self.m.z {
            self.put(UNIT + 0x24, 0x8200 | mode);
            let high = self.random.pick(&[0, 1]);
            self.put(UNIT + 0x20, high);
        } else {
            self.put(UNIT + 0x20, 0x8200 | mode);
        }
        let enabled = u32::from(!self.random.one_in(8));
        self.put(UNIT + 0x2c, BLOCK as u32 | enabled);
        let flags = self.random.pick(&[0, 2, 4, 6]) << 16;
        self.put(BLOCK, flags);
        self.put(BLOCK + 12, AREA as u32);
        self.put(BLOCK + 20, 0x8300 | mode);
        for (n, at) in [(2, SUBSPACES), (3, SUBSPACES + 64), (4, SECOND + 64)] {
            self.put(LIST + 16 * n + 8, at as u32);
            self.put(LIST + 16 * n + 12, 7);
        }
    }

    fn registers(&mut self) {
        let bits = |number: u32| 1u64 << (63 - number);
        let random = &mut *self.random;
        let mut psw = if random.one_in(16) { 0 } else { bits(5) };
        psw |= if random.one_in(3) { bits(15) } else { 0 };
        psw |= random.pick(&[0, 0, 0, 0, 1, 2, 3]) << 46;
        psw |= random.below(16u64) << 40 | random.below(4u64) << 44;
        psw |= match random.below(4) {
            0 => 0,
            1 | 2 if self.m.z => bits(31) | bits(32),
            _ => bits(32),
        };
        self.m.psw = psw;
        let c = &mut self.m.cr;
        c[0] = 0xe0 | if random.one_in(4) { 0 } else { bits(36) };
        c[0] |= if self.reuse { bits(44) } else { 0 };
        c[0] |= if self.long && !self.m.z { bits(47) } else { 0 };
        c[2] = UNIT as u64;
        let instance = if self.m.z { 5 << 32 } else { 0 };
        c[3] = instance | u64::from(random.word() as u32 & 0xffff_0000) | random.below(8u64);
        c[4] = instance | random.below(40u64) << 16 | 1;
        c[5] = if self.long {
            (SECOND + 64) as u64
        } else {
            LINKAGE as u64 | if random.one_in(8) { 0 } else { 0x8000_0000 }
        };
        c[8] = random.word() >> 32;
        let near = random.pick(&[0, 0x100, 0xf6c, 0xfb0, 0xfb4, 0xff0, 0xff4, 0xff8, 0xffc]);
        c[12] = if random.one_in(2) { 0 } else { random.below(4u64) | TRACE | near };
        if c[12] != 0 && random.one_in(2) {
            c[12] |= if self.m.z { bits(0) } else { bits(32) };
        }
        if c[12] != 0 && random.one_in(2) && self.m.z {
            c[12] |= bits(1);
        }
        c[14] = (FIRST as u64) >> 12 | if random.one_in(12) { 0 } else { bits(44) };
        for n in [1, 7, 13] {
            let space = self.space();
            self.m.cr[n] = space.into();
        }
    }

    /// An instruction, with operands that make sense.
    fn text(&mut self, name: &str, code: u16) -> [u8; 6] {
        let mut text = [0; 6];
        text[..2].copy_from_slice(&code.to_be_bytes());
        let [r1, r2] = std::array::from_fn(|_| self.random.below(5u8));
        let odd = self.random.below(2u64);
        let mode = self.random.pick(&[0, 0x8000_0000, 0x8000_0000]);
        let high = if self.m.z { self.random.pick(&[0, 0, 0, 1 << 32]) } else { 0 };
        let target = 0x8400 | mode | odd | high | if self.random.one_in(12) { 0x0100_0000 } else { 0 };
        let asn = self.random.pick(&[1, 1, 0, 2, 3, 4, 5, 6, 7, 0x42]);
        let instance = if self.m.z { self.random.pick(&[0, 5, 5]) << 32 } else { 0 };
        let numbers = instance | self.random.word() & 0xffff_0000 | asn;
        // The model knows no space but one, so operands lie in the primary one.
        if matches!(name, "LASP" | "RP" | "TRACE" | "TRACG") {
            (self.m.ar[2], self.m.ar[14]) = (0, 0);
        }
        match name {
            "PC" => {
                let number = self.random.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 7, 12, 0x100, 0x2000, 0x8_0001, 0x10_0000]);
                self.m.gr[2] = if self.random.one_in(8) { number | 0x4_0000 } else { number };
                self.m.gr[15] = if self.m.z { self.random.pick(&[9, 9, 8]) << 32 } else { 0 };
                text[2] = 0x20;
            }
            "LASP" => {
                self.m.gr[2] = OPERAND as u64 | if self.random.one_in(32) { 4 } else { 0 };
                self.m.gr[3] = self.random.below(8u64);
                text[2..].copy_from_slice(&[0x20, 0, 0x30, 0]);
                let asn = |random: &mut Random| random.pick(&[1, 1, 2, 3, 4, 5, 0x42]);
                let [second, first] = std::array::from_fn(|_| asn(self.random));
                let masks = [self.random.word() as u32 & 0xffff_0000, self.random.below(40u32) << 16];
                if self.reuse {
                    self.put(OPERAND, 5);
                    self.put(OPERAND + 4, masks[0] | second);
                    self.put(OPERAND + 8, 5);
                    self.put(OPERAND + 12, masks[1] | first);
                } else {
                    self.put(OPERAND, masks[0] | second);
                    self.put(OPERAND + 4, masks[1] | first);
                }
            }
            "RP" => self.resumed(&mut text),
            "TRAP4" => text[2..4].copy_from_slice(&[0x21, 0x23]),
            "TRACE" | "TRACG" => {
                let r3 = self.random.below(16u8);
                text[1] = r1 << 4 | r3;
                text[2] = 0xe0;
                self.m.gr[14] = OPERAND as u64 | if self.random.one_in(16) { 2 } else { 0 };
                let word = self.random.word() as u32 & if self.random.one_in(4) { u32::MAX } else { 0x7fff_ffff };
                self.put(OPERAND, word);
                text[5] = if name == "TRACG" { 0x0f } else { 0 };
            }
            "BALR" | "BASR" | "BASSM" | "BSM" => {
                text[1] = r1 << 4 | r2;
                self.m.gr[r2 as usize] = target;
            }
            "SAM24" | "SAM31" | "TRAP2" => {}
            _ => {
                text[3] = r1 << 4 | r2;
                self.m.gr[r2 as usize] = target;
                if !matches!(name, "BSG" | "BSA") {
                    self.m.gr[r1 as usize] = numbers;
                }
            }
        }
        text
    }

    /// The parameter list and the save area of RP.
    fn resumed(&mut self, text: &mut [u8; 6]) {
        text[2] = 0x20;
        self.m.gr[2] = OPERAND as u64;
        let flags = if self.m.z { self.random.below(8u32) } else { 0 };
        let flags = if self.random.one_in(16) { flags | 8 } else { flags };
        text[4..].copy_from_slice(&(flags as u16).to_be_bytes());
        let list = TEXT as usize + 6;
        self.put(list, 0x0010_0020);
        self.put(list + 4, 0x0028_0030);
        let left = self.random.word() as u32 & 0xffff_ff00;
        let wide = u32::from(self.m.z && self.random.one_in(2));
        let mode = if wide == 1 || self.random.one_in(2) { 0x8000_0000 } else { 0 };
        let address = 0x8600 | self.random.pick(&[0, 0, 0, 0, 0, 1, 0x0100_0000]);
        self.put(OPERAND + 16, left | wide);
        if flags & 4 != 0 {
            let junk = u32::from(self.random.one_in(16));
            self.put(OPERAND + 20, mode | junk);
            let high = u32::from(wide == 1 && self.random.one_in(3));
            self.put(OPERAND + 24, high);
            self.put(OPERAND + 28, address);
        } else {
            self.put(OPERAND + 20, mode | address);
        }
        for at in [32, 40, 44, 48] {
            let word = self.random.word() as u32;
            self.put(OPERAND + at, word);
        }
    }

    /// Now and then a bit of the tables is wrong.
    fn spoil(&mut self) {
        if self.random.one_in(3) {
            let tables =
                [(FIRST, 8), (SECOND, 256), (LINKAGE, 8), (LINKAGE_SECOND, 16), (ENTRIES, 128), (AUTHORITY, 12)];
            let others = [(UNIT, 20), (LIST + 32, 48), (SUBSPACES, 32)];
            let all: Vec<(usize, usize)> = tables.iter().chain(&others).copied().collect();
            let (at, length) = self.random.pick(&all);
            let byte = at + self.random.below(length);
            self.m.storage[byte] ^= 1 << self.random.below(8u8);
        }
    }
}
