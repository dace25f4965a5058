//! Writes tests: registers and storage weighted to interesting values, and instructions on them.
//!
//! Register conventions in a test, so that most instructions reach storage they may use: general registers 10–15
//! point into the scratch storage, 8 holds the address of the test's first instruction, 9 is a small index. All others
//! are values. Now and then an instruction changes a register that others count on; then it is the test's last.

mod decimal;
mod long;

use crate::encode::{self, Field, field, put_field};
use crate::image::Test;
use crate::operands::{Kind, Operands, modifiers, operands};
use crate::random::Random;
use vectors::{Registers, SCRATCH, SCRATCH_LEN};

/// An instruction that tests are written with.
#[derive(Clone, Debug)]
pub struct Row {
    /// The mnemonic.
    pub mnemonic: &'static str,
    /// Its text with all fields zero.
    pub blank: Vec<u8>,
    /// Its fields, first bit and number of bits.
    pub fields: Vec<(Field, u8, u8)>,
}

/// A test as instructions that can be left out one by one. A unit is one instruction, or several that need each other.
#[derive(Clone)]
pub struct Sequence {
    /// Registers and storage before it.
    pub before: Registers,
    /// Its units, each the text of its instructions.
    pub units: Vec<Vec<u8>>,
}

impl Sequence {
    /// The instructions one after another.
    pub fn text(&self) -> Vec<u8> {
        self.units.concat()
    }

    /// As a test.
    pub fn test(&self) -> Test {
        Test { before: self.before.clone(), text: self.text() }
    }
}

const TEXT_REGISTER: u8 = 8;
const INDEX_REGISTER: u8 = 9;
const FIRST_BASE: u64 = 10;

/// What the fields of an instruction that have been filled say to those after them.
struct Filled {
    /// The base register of the operand.
    base: u64,
    /// The first and the last register of a range.
    ends: [u8; 2],
}

/// Writes tests from a seed.
pub struct Generator<'a> {
    random: Random,
    rows: &'a [Row],
    before: Registers,
    text_address: u64,
    at: u64,
    /// Registers that others count on were changed: no more instructions.
    last: bool,
    single: bool,
    /// The instructions that change the addressing mode are built.
    modes: bool,
    /// There are rows of decimal floating point, or of packed numbers in vector registers.
    decimal: bool,
}

impl<'a> Generator<'a> {
    /// A generator of tests that use `rows`.
    pub fn new(seed: u64, rows: &'a [Row]) -> Generator<'a> {
        Generator {
            random: Random::new(seed),
            rows,
            before: Registers::default(),
            text_address: 0,
            at: 0,
            last: false,
            single: false,
            decimal: rows.iter().any(|row| operands(row.mnemonic).decimal),
            modes: isa::instructions().any(|row| row.mnemonic == "SAM31" && row.run.is_some()),
        }
    }

    /// A test of one instruction alone.
    pub fn single(&mut self, row: &Row, text_address: u64) -> Sequence {
        self.text_address = text_address;
        self.at = text_address;
        self.single = true;
        self.registers();
        let unit = self.unit(row, true);
        Sequence { before: self.before.clone(), units: vec![unit] }
    }

    /// A test whose first instruction is `first` (or any), to be run at `text_address`.
    pub fn sequence(&mut self, first: Option<&Row>, text_address: u64) -> Sequence {
        self.text_address = text_address;
        self.last = false;
        let count = if self.random.one_in(2) { 1 } else { 2 + self.random.below(4) };
        self.single = count == 1;
        self.registers();
        let mut units = Vec::new();
        let mut length = 0;
        if self.modes && self.random.one_in(12) {
            units.push(vec![0x01, self.random.pick(&[0x0c, 0x0d])]); // SAM24, SAM31
            length = 2;
            for n in FIRST_BASE as usize..16 {
                if self.random.one_in(2) {
                    self.before.gr[n] |= 0xa5a5_a5a5_0000_0000;
                }
            }
        }
        for n in 0..count {
            self.at = text_address + length as u64;
            let row = match first {
                Some(row) if n == 0 => row.clone(),
                _ => self.any_row(),
            };
            let unit = self.unit(&row, n == 0);
            if length + unit.len() > crate::image::TEXT_MAX {
                break;
            }
            length += unit.len();
            units.push(unit);
            if self.last {
                break;
            }
        }
        Sequence { before: self.before.clone(), units }
    }

    fn any_row(&mut self) -> Row {
        self.rows[self.random.below(self.rows.len() as u64) as usize].clone()
    }

    /// Registers and storage before the test.
    fn registers(&mut self) {
        let r = &mut self.random;
        let b = &mut self.before;
        for n in 0..8 {
            b.gr[n] = r.word64();
        }
        b.gr[TEXT_REGISTER as usize] = self.text_address;
        b.gr[INDEX_REGISTER as usize] = r.below(8) * 8;
        for n in FIRST_BASE as usize..16 {
            let fine = if r.one_in(4) { r.below(8) } else { 0 };
            b.gr[n] = SCRATCH + 256 + r.below(12) * 16 + fine;
        }
        for n in 0..16 {
            b.fpr[n] = r.float();
            b.ar[n] = r.bits() as u32;
        }
        if r.one_in(2) {
            // Extended operands are made of two registers.
            for n in [0, 1, 4, 5, 8, 9, 12, 13] {
                if r.one_in(3) {
                    b.fpr[n + 2] = r.pick(&[0, 1, u64::MAX, 1 << 63]);
                }
            }
        }
        vectors(r, b);
        if r.one_in(4) {
            let same = r.below(16) as usize;
            b.fpr[same] = b.fpr[r.below(16) as usize];
        }
        b.fpc = match r.below(8) {
            0 => (r.bits() as u32 & 0xf8f8_0000) | r.below(4) as u32,
            1 | 2 => r.below(4) as u32,
            3 => r.bits() as u32 & 0x00f8_0003,
            _ => 0,
        };
        if self.decimal {
            decimal::registers(r, b);
        }
        b.cc = r.below(4) as u8;
        // The oracle never takes a fixed-point-overflow interruption, so its mask bit stays zero.
        b.program_mask = if r.one_in(4) { r.below(8) as u8 } else { 0 };
        let kind = r.below(4);
        for at in (0..SCRATCH_LEN).step_by(8) {
            let v = match kind {
                0 => r.bits(),
                1 => r.word64(),
                2 => r.float(),
                _ if r.one_in(2) => r.word64(),
                _ => r.float(),
            };
            b.scratch[at..at + 8].copy_from_slice(&v.to_be_bytes());
        }
    }

    /// Writes `bytes` into the scratch storage before the test.
    fn set_storage(&mut self, address: u64, bytes: &[u8]) {
        let at = address.wrapping_sub(SCRATCH) as usize;
        if let Some(place) = self.before.scratch.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// One instruction with what it needs around it.
    fn unit(&mut self, row: &Row, first: bool) -> Vec<u8> {
        let o = operands(row.mnemonic);
        match o.kind {
            // A vector displaces the address: it must be set.
            Kind::Plain if !first && matches!(row.mnemonic, "VGEF" | "VGEG" | "VSCEF" | "VSCEG") => self.fill_other(),
            Kind::Plain => self.fill(row, &o),
            Kind::Branch => self.branch(row, &o),
            Kind::Execute => self.execute(row, &o),
            Kind::Swap(width) => self.swap(row, &o, width),
            Kind::Long if first => self.long(row, &o),
            // Long instructions need their registers set, which only the first of a test can have.
            Kind::Long => self.fill_other(),
        }
    }

    /// Some plain instruction.
    fn fill_other(&mut self) -> Vec<u8> {
        for _ in 0..8 {
            let row = self.any_row();
            let o = operands(row.mnemonic);
            if o.kind == Kind::Plain && !matches!(row.mnemonic, "VGEF" | "VGEG" | "VSCEF" | "VSCEG") {
                return self.fill(&row, &o);
            }
        }
        vec![0x41, 0x77, 0x00, 0x01] // LA 7,1(7)
    }

    /// A register for a value that the instruction may change.
    fn target(&mut self) -> u8 {
        if self.single { self.random.below(16) as u8 } else { self.random.below(7) as u8 }
    }

    /// A register for a value.
    fn source(&mut self) -> u8 {
        if self.random.one_in(6) { self.random.below(16) as u8 } else { self.random.below(8) as u8 }
    }

    fn fpr_pair(&mut self) -> u8 {
        if self.random.one_in(24) { self.random.below(16) as u8 } else { self.random.pick(&[0, 1, 4, 5, 8, 9, 12, 13]) }
    }

    fn even(&mut self, r: u8) -> u8 {
        if self.random.one_in(24) { r } else { r & 14 }
    }

    /// Fills the fields of an instruction.
    fn fill(&mut self, row: &Row, o: &Operands) -> Vec<u8> {
        let mut text = row.blank.clone();
        // Nothing is made of it, but without it each seed would give other sequences.
        let _: u64 = self.random.below(256);
        let mut filled = Filled { base: 0, ends: [0; 2] };
        for &field in &row.fields {
            let value = self.value(row, o, field, &mut filled);
            put_field(&mut text, field, value);
        }
        let ends = filled.ends;
        if row.mnemonic == "TROT" {
            // QEMU compares one byte of the test character where there are two: without one.
            row.fields.iter().filter(|f| f.0 == Field::M3).for_each(|f| put_field(&mut text, *f, 1));
        }
        if matches!(row.mnemonic, "CUUTF" | "CU21" | "CU24") {
            // Whether a low surrogate alone is well formed is an open question.
            row.fields.iter().filter(|f| f.0 == Field::M3).for_each(|f| put_field(&mut text, *f, 0));
        }
        if matches!(row.mnemonic, "RNSBG" | "ROSBG" | "RXSBG") {
            // Without the T bit: with it, QEMU 7.2 uses a variable that it never set, and may end itself over it.
            text[2] &= 0x7f;
        }
        if o.vector {
            // A vector-processing exception ends QEMU: none is enabled.
            self.before.fpc &= 0x00ff_ffff;
            self.displacements(row, &text);
        }
        if o.range && !o.vector {
            // LM and its like may load any registers: after it, none is what it was.
            let changes = o.changes1 && (ends[1] >= TEXT_REGISTER - 1 || ends[1] < ends[0]);
            self.last |= changes;
        }
        if o.changes1
            && !o.float1
            && row.fields.iter().any(|f| f.0 == Field::R1)
            && ends[0] | u8::from(o.even1) >= TEXT_REGISTER - 1
            || o.changes3
        {
            self.last = true;
        }
        if o.changes2 {
            self.last = true;
        }
        if o.apart {
            self.apart(row, &mut text);
        }
        if o.packed {
            self.packed(row, &text);
        }
        if o.storage && self.random.one_in(20) {
            self.wild();
        }
        text
    }

    /// The value of a field of an instruction.
    fn value(&mut self, row: &Row, o: &Operands, (name, _, width): (Field, u8, u8), filled: &mut Filled) -> u64 {
        let all = (1u64 << width) - 1;
        match name {
            Field::R1 | Field::R2 | Field::R3 | Field::V1 | Field::V2 | Field::V3 | Field::V4 => {
                self.register(name, o, filled)
            }
            _ if o.vector && matches!(name, Field::M3 | Field::M4 | Field::M5 | Field::M6) => {
                let valid = modifiers(row.mnemonic, name);
                if self.random.one_in(24) { self.random.below(16) } else { self.random.pick(valid) }
            }
            Field::X2 => match self.random.below(8) {
                0 => u64::from(INDEX_REGISTER),
                1 if !o.storage => self.random.below(16),
                _ => 0,
            },
            Field::B1 | Field::B2 => {
                let b = if o.storage {
                    FIRST_BASE + self.random.below(6)
                } else if self.random.one_in(2) {
                    0
                } else {
                    self.random.below(16)
                };
                filled.base = b;
                b
            }
            Field::D1 | Field::D2 => self.displacement(o, width, filled.base),
            Field::L if o.length > 0 && !self.random.one_in(24) => self.random.below(o.length + 1),
            Field::L | Field::L1 | Field::L2 => match self.random.below(4) {
                0 => self.random.below(17) & all,
                1 => 0,
                _ => self.random.below(all + 1),
            },
            Field::M4 | Field::M5 | Field::M6 => self.random.bits() & all,
            Field::M3 => {
                if o.rounding {
                    if self.random.one_in(30) {
                        self.random.below(16)
                    } else {
                        self.random.pick(&[0, 1, 3, 4, 5, 6, 7])
                    }
                } else {
                    self.random.bits() & all
                }
            }
            Field::RI2 => {
                if o.storage {
                    // A PC-relative operand: somewhere in the scratch storage.
                    let mut to = SCRATCH + self.random.below(128) * 2;
                    if o.align > 1 {
                        to = (to + o.align - 1) & !(o.align - 1);
                    }
                    (to.wrapping_sub(self.at) as i64 / 2) as u64
                } else {
                    self.random.below(64u64).wrapping_sub(16)
                }
            }
            // Bits without a meaning are zero, mostly.
            Field::I3 | Field::I4 if o.packed_vector && width == 8 && !self.random.one_in(8) => {
                self.random.bits() & 0x9f
            }
            Field::I2 | Field::I3 | Field::I4 | Field::I5 => match self.random.below(4) {
                0 => self.random.word64() & all,
                1 => u64::from(self.random.word32()) & all,
                _ => self.random.bits() & all,
            },
        }
    }

    /// The number of a register.
    fn register(&mut self, name: Field, o: &Operands, filled: &mut Filled) -> u64 {
        match name {
            Field::R1 => {
                let r = if o.float1 {
                    self.random.below(16) as u8
                } else if o.changes1 {
                    self.target()
                } else {
                    self.source()
                };
                let r = if o.even1 { self.even(r) } else { r };
                let r = if o.pair1 { self.fpr_pair() } else { r };
                filled.ends[0] = r;
                u64::from(r)
            }
            Field::R2 => {
                let r = if o.float2 { self.random.below(16) as u8 } else { self.source() };
                let r = if o.even2 { self.even(r) } else { r };
                u64::from(if o.pair2 { self.fpr_pair() } else { r })
            }
            Field::R3 => {
                let r = self.source();
                // QEMU does not look at whether this one is even.
                let r = if o.even3 { r & 14 } else { r };
                let r = if o.pair3 { self.fpr_pair() } else { r };
                filled.ends[1] = r;
                u64::from(r)
            }
            _ => {
                let r = if self.random.one_in(2) { self.random.below(6) } else { self.random.below(32) };
                match name {
                    Field::V1 => filled.ends[0] = r as u8,
                    // VLM and its like take 16 registers at most.
                    Field::V3 if o.range && !self.random.one_in(16) => {
                        filled.ends[1] = (filled.ends[0] + r as u8 / 2).min(31)
                    }
                    _ => filled.ends[1] = r as u8,
                }
                u64::from(if name == Field::V1 { filled.ends[0] } else { filled.ends[1] })
            }
        }
    }

    /// A displacement of `width` bits, beside the register `base`.
    fn displacement(&mut self, o: &Operands, width: u8, base: u64) -> u64 {
        let all = (1u64 << width) - 1;
        if o.storage {
            let d = self.random.below(32) * 8;
            let d = if self.random.one_in(4) { d + self.random.below(8) } else { d };
            let negative = width == 20 && self.random.one_in(4);
            if o.align > 1 && !self.random.one_in(16) {
                self.align(base, o.align);
                let d = d & !(o.align - 1);
                if negative { d.wrapping_neg() & all } else { d }
            } else if negative {
                d.wrapping_neg() & all
            } else {
                d
            }
        } else {
            match self.random.below(4) {
                0 => self.random.below(64),
                1 => self.random.bits() & all,
                2 => self.random.below(130),
                _ => 0,
            }
        }
    }

    /// Small numbers where a vector displaces an address or a register has a length.
    fn displacements(&mut self, row: &Row, text: &[u8]) {
        let get = |name: Field| row.fields.iter().find(|f| f.0 == name).map(|f| field(text, *f) as usize);
        if let (Some(vector), Some(_), false) =
            (get(Field::V2), get(Field::B2), self.random.one_in(16) && !row.mnemonic.starts_with("VSC"))
        {
            let wide = row.mnemonic.ends_with('G');
            let mut small = || self.random.below(256) << if wide { 0 } else { 32 } | self.random.below(256);
            let small = [small(), small()];
            self.before.fpr.0[vector] = if wide { small.map(|v| v & 0xff) } else { small };
        }
        if let (Some(length @ 0..8), true) =
            (get(Field::R3), matches!(row.mnemonic, "VLL" | "VSTL" | "VLRLR" | "VSTRLR"))
        {
            self.before.gr[length] = self.before.gr[length] & !0xffff_ffff | self.random.below(20);
        }
    }

    /// Makes a base register's initial value a multiple of `to`.
    fn align(&mut self, register: u64, to: u64) {
        if (FIRST_BASE..16).contains(&register) {
            self.before.gr[register as usize] &= !(to - 1);
        }
    }

    /// Moves the operands of an instruction apart whose result is not foreseen when they overlap.
    fn apart(&mut self, row: &Row, text: &mut [u8]) {
        for &place in &row.fields {
            match place.0 {
                Field::B1 => put_field(text, place, FIRST_BASE),
                Field::B2 => put_field(text, place, FIRST_BASE + 1),
                Field::D1 => put_field(text, place, field(text, place) & 31),
                Field::D2 => put_field(text, place, field(text, place) & 31),
                Field::L => put_field(text, place, field(text, place) & 0x7f),
                _ => {}
            }
        }
        self.before.gr[FIRST_BASE as usize] = SCRATCH + 256 + self.random.below(64);
        self.before.gr[FIRST_BASE as usize + 1] = SCRATCH + 640 + self.random.below(64);
    }

    /// Writes packed decimal numbers where the operands lie, most of them valid.
    fn packed(&mut self, row: &Row, text: &[u8]) {
        let get = |name: Field| row.fields.iter().find(|f| f.0 == name).map(|f| field(text, *f));
        let place = |b: Option<u64>, d: Option<u64>| Some((b?, d?));
        let lengths = match row.mnemonic {
            "CVBG" => [16, 16],
            "CVB" | "CVBY" => [8, 8],
            _ => {
                let one = get(Field::L1).or(get(Field::L)).unwrap_or(0);
                [one + 1, get(Field::L2).unwrap_or(one) + 1]
            }
        };
        let operands = [place(get(Field::B1), get(Field::D1)), place(get(Field::B2), get(Field::D2))];
        for (n, operand) in operands.into_iter().enumerate() {
            let Some((b, d)) = operand else { continue };
            let address = self.before.gr[b as usize].wrapping_add(d);
            let edit = matches!(row.mnemonic, "ED" | "EDMK");
            let zeros = self.random.below(lengths[n] + 1);
            let mut bytes: Vec<u8> = (0..lengths[n])
                .map(|k| match (edit, n) {
                    (true, 0) => self.random.pick(&[0x20, 0x20, 0x20, 0x21, 0x22, 0x40, 0x4b, 0x6b]),
                    _ if k < zeros => 0,
                    _ => (self.random.below(10) << 4 | self.random.below(10)) as u8,
                })
                .collect();
            let last = bytes.len() - 1;
            let sign = self.random.pick(&[0xc, 0xc, 0xd, 0xd, 0xf, 0xa, 0xb, 0xe]);
            if edit && n == 1 {
                for _ in 0..self.random.below(3) {
                    let k = self.random.below(bytes.len() as u64) as usize;
                    bytes[k] = bytes[k] & 0xf0 | sign;
                }
            } else if !edit {
                bytes[last] = bytes[last] & 0xf0 | sign;
            }
            if self.random.one_in(24) {
                let k = self.random.below(bytes.len() as u64) as usize;
                bytes[k] = self.random.bits() as u8;
            }
            self.set_storage(address, &bytes);
        }
    }

    /// Makes one base register point to where there is no storage.
    fn wild(&mut self) {
        let n = (FIRST_BASE + self.random.below(6)) as usize;
        self.before.gr[n] =
            self.random.pick(&[0x7fff_fff0, 0x0200_0000_0000, 0x2_3000, 0x1_fff8, 0x1_ff80, 0x2_1ff8, 0x22_0000_0000]);
    }

    /// A branch forward over one instruction.
    fn branch(&mut self, row: &Row, o: &Operands) -> Vec<u8> {
        let len = row.blank.len();
        let at = self.at;
        self.at += len as u64;
        let over = self.fill_other();
        self.at = at;
        let target = at + (len + over.len()) as u64;
        let mut text = self.fill(row, o);
        for &field in &row.fields {
            match field.0 {
                // What is branched over counts on the others.
                Field::R1 if o.changes1 => {
                    let r = encode::field(&text, field) % 7;
                    put_field(&mut text, field, r);
                }
                Field::RI2 => put_field(&mut text, field, target.wrapping_sub(at) / 2),
                Field::R2 if row.blank.len() == 2 || row.mnemonic == "BCTGR" => {
                    // The address in a register: 7, which must still hold it.
                    let r = if self.random.one_in(6) { 0 } else { 7 };
                    if r != 0 {
                        self.before.gr[7] = target;
                    }
                    put_field(&mut text, field, r);
                }
                Field::X2 => put_field(&mut text, field, 0),
                Field::B2 => put_field(&mut text, field, u64::from(TEXT_REGISTER)),
                Field::D2 => put_field(&mut text, field, target - self.text_address),
                _ => {}
            }
        }
        if row.mnemonic == "BIC" {
            // The address in storage, which no later instruction may move.
            self.last = true;
            for &field in &row.fields {
                match field.0 {
                    Field::B2 => put_field(&mut text, field, FIRST_BASE),
                    Field::D2 => put_field(&mut text, field, 16),
                    _ => {}
                }
            }
            self.before.gr[FIRST_BASE as usize] = SCRATCH + 256;
            self.set_storage(SCRATCH + 256 + 16, &target.to_be_bytes());
        }
        text.extend_from_slice(&over);
        text
    }

    /// EX or EXRL of an instruction after a branch over it. Before EX there may be the instruction that finds the
    /// target.
    fn execute(&mut self, row: &Row, o: &Operands) -> Vec<u8> {
        let len = row.blank.len();
        let at = self.at;
        let mut whole = Vec::new();
        if row.mnemonic == "EX" && self.random.one_in(2) {
            // LARL, which changes nothing: that is where the text begins.
            whole.extend([0xc0, TEXT_REGISTER << 4]);
            whole.extend((((self.text_address as i64 - at as i64) / 2) as i32).to_be_bytes());
        }
        let target = at + whole.len() as u64 + len as u64 + 4;
        self.at = at;
        let mut executed = self.fill_other();
        if self.random.one_in(3) {
            // What programs execute so most often: MVC, CLC, XC, from elsewhere, from nearby, from the same place.
            let op = [0xd2, 0xd5, 0xd7][self.random.below(3) as usize];
            let (l, near) = (self.random.below(4) as u8, self.random.below(12) as u8);
            executed = match self.random.below(3) {
                0 => vec![op, l, 0xa0, 0x00, 0xb0, 0x10],
                1 => vec![op, l, 0xa0, near, 0xa0, 0x05],
                _ => vec![op, l, 0xa0, near, 0xa0, near],
            };
        }
        if executed[0] == 0xc6 || executed[0] == 0xc4 || executed[0] == 0xc0 {
            executed = vec![0xd2, 0x03, 0xa0, 0x00, 0xb0, 0x10]; // relative operands count from elsewhere: MVC instead
        }
        let mut text = self.fill(row, o);
        for &field in &row.fields {
            match field.0 {
                Field::RI2 => put_field(&mut text, field, (len as u64 + 4) / 2),
                Field::X2 => put_field(&mut text, field, 0),
                Field::B2 => put_field(&mut text, field, u64::from(TEXT_REGISTER)),
                Field::D2 => put_field(&mut text, field, target - self.text_address),
                // The low byte of R1 goes into the executed instruction: into a length, or not at all.
                Field::R1 if (0xd0..=0xdf).contains(&executed[0]) => {
                    let r = 1 + self.random.below(6);
                    self.before.gr[r as usize] &= 0x1f;
                    put_field(&mut text, field, r);
                }
                Field::R1 => put_field(&mut text, field, 0),
                _ => {}
            }
        }
        text.extend_from_slice(&[0xa7, 0xf4, 0x00, 2 + executed.len() as u8 / 2]);
        text.extend_from_slice(&executed);
        whole.extend(text);
        whole
    }

    /// COMPARE AND SWAP and its like: half of them find what they expect.
    fn swap(&mut self, row: &Row, o: &Operands, width: usize) -> Vec<u8> {
        let text = self.fill(row, o);
        self.last = true;
        if self.random.one_in(2) {
            let get = |name: Field| row.fields.iter().find(|f| f.0 == name).map_or(0, |f| field(&text, *f));
            let (r1, b) = (get(Field::R1) as usize, get(Field::B2) as usize);
            let d = if long_displacement(row) { (get(Field::D2) as i64) << 44 >> 44 } else { get(Field::D2) as i64 };
            let at = self.before.gr[b].wrapping_add(d as u64);
            let (one, two) = (self.before.gr[r1], self.before.gr[r1 | 1]);
            match width {
                4 => self.set_storage(at, &(one as u32).to_be_bytes()),
                8 if matches!(row.mnemonic, "CDS" | "CDSY") => {
                    self.set_storage(at, &(one as u32).to_be_bytes());
                    self.set_storage(at.wrapping_add(4), &(two as u32).to_be_bytes());
                }
                8 => self.set_storage(at, &one.to_be_bytes()),
                _ => {
                    self.set_storage(at, &one.to_be_bytes());
                    self.set_storage(at.wrapping_add(8), &two.to_be_bytes());
                }
            }
        }
        text
    }
}

/// Vector registers: the right halves of the floating-point registers, and the others.
fn vectors(r: &mut Random, b: &mut Registers) {
    let kind = r.below(4);
    let few: [u8; 3] = [0, r.bits() as u8, r.bits() as u8];
    for n in 0..32 {
        // Bytes of a few values, so that strings are found in one another; numbers; anything.
        let mut half = || match kind {
            0 => u64::from_be_bytes([0; 8].map(|_: u8| r.pick(&few))),
            1 => r.float(),
            2 => r.word64(),
            _ => r.bits(),
        };
        let whole = [half(), half()];
        let left = if n < 16 && (kind == 1 || r.one_in(4)) { b.fpr[n] } else { whole[0] };
        b.fpr.0[n] = [left, whole[1]];
        if n > 0 && r.one_in(6) {
            b.fpr.0[n] = b.fpr.0[r.below(n as u64) as usize];
        }
    }
}

/// Whether an instruction has a 20-bit displacement.
fn long_displacement(row: &Row) -> bool {
    row.fields.iter().any(|f| f.2 == 20)
}

/// An instruction to write tests with.
pub fn row(instruction: &'static isa::Instruction) -> Row {
    Row { mnemonic: instruction.mnemonic, blank: encode::blank(instruction), fields: encode::fields(instruction) }
}
