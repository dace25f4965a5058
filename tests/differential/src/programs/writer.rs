//! Writes programs: instructions at random, and between them loops, branches, calls and changes of their own text.

use super::{Change, Item, Program, TEXT, WIDE};
use crate::generate::{Generator, Row};
use crate::random::Random;
use arch::mask;
use vectors::Registers;

/// Writes programs of these instructions.
pub struct Writer<'a> {
    random: Random,
    generator: Generator<'a>,
}

impl<'a> Writer<'a> {
    /// A writer of the programs of this seed, with the instructions `rows`.
    pub fn new(seed: u64, rows: &'a [Row]) -> Writer<'a> {
        Writer { random: Random::new(seed ^ 0x5eed), generator: Generator::new(seed, rows) }
    }

    /// The next program.
    pub fn program(&mut self) -> Program {
        let count = 3 + self.random.below(24) as usize;
        let mut items: Vec<Item> = Vec::new();
        let mut before: Option<Registers> = None;
        let mut at = TEXT;
        for n in 0..count {
            let item = if self.random.one_in(2) {
                let sequence = self.generator.sequence(None, at);
                let text = sequence.text();
                before.get_or_insert(sequence.before);
                let floats = self.random.one_in(6);
                Item::Plain(if floats { crate::engines::float_turns(&mut self.random) } else { text })
            } else {
                self.structure(n, count)
            };
            at += item.len();
            items.push(item);
        }
        let r = &mut self.random;
        let mut before = before.unwrap_or_default();
        before.gr[8] = TEXT;
        if r.one_in(2) {
            // "Inexact" has been signalled, as in most programs that run for long.
            before.fpc = 0x0008_0000;
        }
        before.ar = std::array::from_fn(|_| if r.one_in(16) { r.bits() as u32 } else { r.below(2) as u32 });
        let psw = Writer::mask(r);
        let budget = r.pick(&[3, 20, 100, 1000, 5000]);
        Program { before, items, fate: Random::new(r.bits()), psw, budget, quiet: r.one_in(3) }
    }

    fn mask(r: &mut Random) -> u64 {
        let mut psw = if r.one_in(8) { mask::BASIC_ADDRESSING } else { WIDE };
        if r.one_in(24) {
            psw = 0;
        }
        if !r.one_in(3) {
            psw |= mask::DAT | if r.one_in(2) { 0 } else { r.below(4) << 46 };
        }
        if r.one_in(2) {
            psw |= mask::EXTERNAL | mask::IO;
        }
        if r.one_in(6) {
            psw |= mask::PROBLEM;
        }
        if r.one_in(4) {
            psw |= r.pick(&[8, 8, 8, 1, 15]) << 52;
        }
        psw
    }

    /// An item that makes a program of instructions.
    fn structure(&mut self, n: usize, count: usize) -> Item {
        let r = &mut self.random;
        // Loops go back, and not far.
        let back = n.saturating_sub(r.below(6) as usize);
        let to = r.below(count as u64) as usize;
        let near = (n + r.below(4) as usize).min(count - 1);
        let scratch = |r: &mut Random| 0xa000 | (r.below(6) as u16) << 12 | r.below(64) as u16;
        let storage = |code: u8, mask: u8, at: u16| vec![code, mask, (at >> 8) as u8, at as u8];
        match r.below(24) {
            0..=2 => Item::Loop { to: back },
            3 => Item::Count { r: r.below(7) as u8, to: back },
            4 | 5 => {
                let skew = if r.one_in(3) { 2 * r.below(5) } else { 0 };
                Item::Branch { mask: r.below(16) as u8, to, skew }
            }
            6 => Item::Jump { mask: r.pick(&[15, 15, 8, 4, 2, 7]), to },
            7 => Item::Call { to },
            8 => Item::Plain(vec![0x07, r.pick(&[0xf7, 0xf7, 0x87, 0x77])]),
            9..=12 => {
                let to = r.pick(&[near, near, to]);
                let how = match r.below(8) {
                    0 => Change::Move(r.bits() as u8),
                    1 => Change::Register(r.below(8) as u8),
                    2 => Change::Copy(r.below(count as u64) as usize),
                    // The same bit on and off again in a loop.
                    _ => Change::Exclusive(1 << r.below(8)),
                };
                Item::Change { to, at: r.pick(&[1, 1, 1, 0, 2, 3, 5]), how }
            }
            13 => Item::Load { mask: Writer::mask(r) },
            14 => Item::Space { which: r.below(2) as usize },
            15 => Item::Invalidate { r: 10 + r.below(6) as u8, which: r.below(2) as usize },
            // STNSM and STOSM, SPKA, SACF, SSKE, PTLB.
            16 => {
                let (code, mask) = if r.one_in(2) { (0xac, 0xfc) } else { (0xad, 0x03) };
                Item::Plain(storage(code, mask, scratch(r)))
            }
            17 => Item::Plain(vec![0xb2, 0x0a, 0, r.pick(&[0, 0x80, 0x80, 0x10])]),
            18 => Item::Plain(vec![0xb2, 0x79, r.below(4) as u8, 0]),
            19 => Item::Plain(vec![0xb2, 0x2b, 0, (r.below(7) as u8) << 4 | (10 + r.below(6)) as u8]),
            20 => Item::Plain(vec![0xb2, 0x0d, 0, 0]),
            // SPT, SCKC, STPT; SVC.
            21 => Item::Plain(storage(0xb2, r.pick(&[0x08, 0x06, 0x09]), scratch(r))),
            22 => Item::Plain(vec![0x0a, r.bits() as u8]),
            // MVCP, MVCS, MVCK.
            _ => {
                let (code, registers) = (r.pick(&[0xda, 0xdb, 0xd9]), r.pick(&[0x12, 0x34, 0x56]));
                let (a, b) = (scratch(r).to_be_bytes(), scratch(r).to_be_bytes());
                Item::Plain(vec![code, registers, a[0], a[1], b[0], b[1]])
            }
        }
    }
}
