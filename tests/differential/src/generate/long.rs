//! Instructions on long operands, whose addresses and lengths are in registers: moves, comparisons, searches,
//! translations, conversions.

use super::{Generator, Operands, Row};
use crate::operands::{MESSAGES, is};
use vectors::encode::{Field, put_field};
use vectors::{Registers, SCRATCH, SCRATCH_LEN};

impl Generator<'_> {
    /// Instructions on long operands: addresses and lengths are in registers. They may end early with condition
    /// code 3, in another place in each implementation: a branch goes back until they are complete.
    pub(super) fn long(&mut self, row: &Row, o: &Operands) -> Vec<u8> {
        self.last = true;
        let mut text = self.fill(row, o);
        let len = |g: &mut Self| match g.random.below(5) {
            0 => 0,
            1 => g.random.below(9),
            _ => g.random.below(200),
        };
        let (first, second) = (SCRATCH + self.random.below(200), SCRATCH + 600 + self.random.below(200));
        let (first, second) = match self.random.below(4) {
            0 => (second, first),
            1 => (first, first + self.random.below(16)),
            _ => (first, second),
        };
        let (len1, len2) = (len(self), len(self));
        let len2 = if self.random.one_in(3) { len1 } else { len2 };
        // The results of conversions and translations are not foreseen when their operands overlap.
        let overlaps =
            row.mnemonic.starts_with('M') || row.mnemonic.starts_with('C') && !row.mnemonic.starts_with("CU");
        let (first, second) = if overlaps { (first, second) } else { (SCRATCH + self.random.below(64), SCRATCH + 600) };
        let even = if row.mnemonic.ends_with("LU") { !1 } else { !0 };
        let (len1, len2) = (len1 & even, len2 & even);
        let (r1, r2) = if self.random.one_in(2) { (2u8, 4u8) } else { (6, 10) };
        let registers = |text: &mut Vec<u8>, a: u8, b: u8| {
            for &field in &row.fields {
                match field.0 {
                    Field::R1 => put_field(text, field, u64::from(a)),
                    // Counters, and what is authenticated only.
                    Field::R3 if is(MESSAGES, row.mnemonic) => put_field(text, field, 12),
                    Field::R2 | Field::R3 => put_field(text, field, u64::from(b)),
                    // Registers change before it is executed again.
                    Field::B2 => put_field(text, field, 0),
                    _ => {}
                }
            }
        };
        registers(&mut text, r1, r2);
        (self.before.gr[r1 as usize], self.before.gr[r2 as usize]) = (first, second);
        self.lengths(row, &mut text, (r1, r2), (len1, len2), second);
        if matches!(row.mnemonic, "CLCLE" | "CLCL" | "CLCLU" | "CLST") && self.random.one_in(2) {
            // Nearly equal operands.
            let from = (first - SCRATCH) as usize;
            let copy = self.before.scratch[from..(from + 224).min(SCRATCH_LEN)].to_vec();
            if row.mnemonic != "CLST" && first.abs_diff(second) > 300 {
                self.set_storage(second, &copy);
                let at = second + self.random.below(100);
                if self.random.one_in(2) {
                    self.set_storage(at, &[0x40]);
                }
            }
        }
        if !matches!(row.mnemonic, "MVCL" | "CLCL") {
            let back = -(text.len() as i16) / 2;
            text.extend_from_slice(&[0xa7, 0x14]);
            text.extend_from_slice(&back.to_be_bytes());
        }
        text
    }

    /// The lengths of long operands that are in registers, with what else the instruction finds in registers and in
    /// storage: an ending character, a table. `second` is the address of the second operand.
    fn lengths(&mut self, row: &Row, text: &mut [u8], (r1, r2): (u8, u8), (len1, len2): (u64, u64), second: u64) {
        match row.mnemonic {
            "MVCL" | "CLCL" => {
                let g = &mut self.before.gr;
                g[r1 as usize + 1] = g[r1 as usize + 1] & !0xff_ffff | len1;
                g[r2 as usize + 1] = g[r2 as usize + 1] & !0xff_ffff | len2;
            }
            "MVST" | "CLST" | "SRST" => {
                let end = (self.random.bits() & 0xff) as u8;
                self.before.gr[0] = u64::from(end);
                let (from, to) = (SCRATCH + self.random.below(100), SCRATCH + 512 + self.random.below(100));
                if row.mnemonic == "SRST" {
                    (self.before.gr[r1 as usize], self.before.gr[r2 as usize]) = (from + len1, from);
                } else {
                    (self.before.gr[r1 as usize], self.before.gr[r2 as usize]) = (to, from);
                    self.set_storage(from + len1, &[end]);
                    if row.mnemonic == "CLST" {
                        let copy = self.before.scratch[(from - SCRATCH) as usize..][..len1 as usize + 1].to_vec();
                        self.set_storage(to, &copy);
                        if self.random.one_in(2) {
                            self.set_storage(to + self.random.clone().below(len1 + 1), &[end ^ 0x41]);
                        }
                    }
                }
            }
            "SRSTU" => {
                self.before.gr[0] = self.random.bits() & 0xffff;
                g_set(&mut self.before, r1, second + len1 * 2);
                g_set(&mut self.before, r2, second);
                let end = self.before.gr[0] as u16;
                self.set_storage(second + len2 * 2, &end.to_be_bytes());
            }
            "CKSM" => {
                self.before.gr[r1 as usize] = self.random.word64();
                self.before.gr[r2 as usize + 1] = len2;
            }
            "CUSE" => {
                self.before.gr[0] = self.random.below(6);
                self.before.gr[1] = self.random.pick(&[0, 0x40, 0xff]);
                self.before.gr[r1 as usize + 1] = len1 & 63;
                self.before.gr[r2 as usize + 1] = len2 & 63;
            }
            "TRTE" | "TRTRE" => {
                // One-byte characters, and a table of one-byte codes that are mostly zero.
                row.fields.iter().filter(|f| f.0 == Field::M3).for_each(|f| put_field(text, *f, 0));
                let table = (SCRATCH + 300) & !7;
                self.before.gr[1] = table;
                self.set_storage(table, &[0; 256]);
                for _ in 0..self.random.below(8) {
                    let code = [self.random.bits() as u8];
                    let at = table + self.random.below(256);
                    self.set_storage(at, &code);
                }
                let back = if row.mnemonic == "TRTRE" { len1 } else { 0 };
                self.before.gr[r1 as usize] = SCRATCH + 20 + back;
                self.before.gr[r1 as usize + 1] = len1;
            }
            message if is(MESSAGES, message) => {
                const FUNCTIONS: [u64; 24] =
                    [0, 1, 2, 3, 4, 5, 6, 7, 9, 18, 19, 20, 26, 27, 28, 32, 33, 35, 36, 37, 50, 52, 65, 127];
                let flags = self.random.bits() & 0x780;
                let kind = if self.random.one_in(4) { flags } else { self.random.bits() & 0x80 };
                self.before.gr[0] = self.random.pick(&FUNCTIONS) | kind;
                self.before.gr[1] = SCRATCH + 256 + 8 * self.random.below(8);
                let unit = self.random.pick(&[1, 8, 16, 64]);
                for r in [r1, r2, 12] {
                    self.before.gr[r as usize + 1] = self.random.below(128 / unit + 1) * unit;
                }
            }
            "TRE" | "TROO" | "TROT" => {
                let table = (SCRATCH + 300) & !7;
                self.before.gr[0] = self.random.bits() & 0xffff;
                self.before.gr[r1 as usize + 1] = len1 & 127 | 1;
                self.before.gr[r1 as usize] = SCRATCH + 820;
                if row.mnemonic == "TRE" {
                    self.before.gr[r2 as usize] = table;
                } else {
                    self.before.gr[1] = if row.mnemonic == "TROT" { (SCRATCH + 7) & !7 } else { table };
                    self.before.gr[r1 as usize + 1] = len1 & 62 | 2;
                }
            }
            _ => {
                self.before.gr[r1 as usize + 1] = len1;
                self.before.gr[r2 as usize + 1] = len2;
            }
        }
    }
}

fn g_set(before: &mut Registers, r: u8, v: u64) {
    before.gr[r as usize] = v;
}
