//! LOAD MULTIPLE and STORE MULTIPLE over the end of a page: the same registers and the same storage as a model has, and
//! code is not left for them. Statistics are the whole process's, so this is a program of its own.

#![cfg(translator)]

use arch::{Absolute, Psw, mask};
use engine::Exit;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// So the pages on both sides of the ends that are tried are far from each other in absolute storage.
const PREFIX: u64 = 0x4_0000;
const ROUNDS: u64 = 200;
const SIZE: usize = 1 << 20;

/// What is tried: how the registers are stored and loaded, where at first, and how far on in each round.
#[derive(Clone, Copy, Debug)]
struct Case {
    wide: bool,
    /// Loaded off another register than they are stored off: so each has a TLB probe of its own.
    apart: bool,
    start: u64,
    step: u16,
    mask: u64,
}

impl Case {
    /// AGHI 2,1; STMG 1,5,0(13) or STM; LA 12,0(13); LMG 6,10,0(12) or 0(13), or LM; LA 13,step(13); BRCT 4,the first;
    /// no instruction.
    fn text(&self) -> Vec<u8> {
        let [step, low] = (0xd000 | self.step).to_be_bytes();
        let base = if self.apart { 0xc0 } else { 0xd0 };
        let (store, load) = match self.wide {
            true => (vec![0xeb, 0x15, 0xd0, 0, 0, 0x24], vec![0xeb, 0x6a, base, 0, 0, 0x04]),
            false => (vec![0x90, 0x15, 0xd0, 0], vec![0x98, 0x6a, base, 0]),
        };
        let first = [&[0xa7, 0x2b, 0, 1][..], &store, &[0x41, 0xc0, 0xd0, 0], &load, &[0x41, 0xd0, step, low]].concat();
        let back = -(first.len() as i16) / 2;
        [&first[..], &[0xa7, 0x46], &back.to_be_bytes(), &[0, 0]].concat()
    }

    fn machine(&self, patience: u8) -> Machine {
        let mut machine = Machine::executing(&self.text(), TEXT, patience);
        // The area that the prefix leads to has what the first pages have.
        let mut low = vec![0; 0x2000];
        machine.storage.read(Absolute(0), &mut low).expect("it is storage");
        machine.storage.write(Absolute(PREFIX), &low).expect("it is storage");
        machine.state.set_prefix(PREFIX).expect("it is storage");
        machine.state.set_psw(Psw { mask: self.mask, address: TEXT });
        machine.state.gr = self.registers();
        machine
    }

    fn registers(&self) -> [u64; 16] {
        let mut gr: [u64; 16] = std::array::from_fn(|r| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(r as u64 + 1));
        (gr[4], gr[12], gr[13]) = (ROUNDS, 0, self.start);
        gr
    }

    /// What the registers 2 and 4 to 10 and 13 and absolute storage are in the end, beginning with this storage.
    fn model(&self, storage: &mut [u8]) -> [u64; 16] {
        let mut gr = self.registers();
        let size = if self.wide { 8 } else { 4 };
        // POP, chapter 3, "Prefixing".
        let absolute = |real: u64| match real & !0x1fff {
            0 => real | PREFIX,
            PREFIX => real & 0x1fff,
            _ => real,
        };
        for _ in 0..ROUNDS {
            gr[2] += 1;
            let places = |at: u64| (0..5 * size).map(move |n| absolute(at + n) as usize);
            let values: Vec<u8> = (1..=5).flat_map(|r| gr[r].to_be_bytes()[8 - size as usize..].to_vec()).collect();
            places(gr[13]).zip(values).for_each(|(place, byte)| storage[place] = byte);
            let bytes: Vec<u8> = places(gr[13]).map(|place| storage[place]).collect();
            for (r, bytes) in (6..).zip(bytes.chunks(size as usize)) {
                let value = bytes.iter().fold(0, |all, &byte| all << 8 | byte as u64);
                gr[r] = if self.wide { value } else { gr[r] & !0xffff_ffff | value };
            }
            gr[12] = gr[13];
            gr[13] += self.step as u64;
            gr[4] = gr[4] & !0xffff_ffff | (gr[4] as u32).wrapping_sub(1) as u64;
        }
        gr
    }

    fn check(&self, patience: u8) {
        let mut machine = self.machine(patience);
        let mut expected = vec![0; SIZE];
        machine.storage.read(Absolute(0), &mut expected).expect("it is storage");
        let gr = self.model(&mut expected);
        assert_eq!(machine.resume(100_000), Exit::Wait, "{self:?}");
        assert_eq!(machine.state.gr, gr, "{self:?}");
        let mut storage = vec![0; SIZE];
        machine.storage.read(Absolute(0), &mut storage).expect("it is storage");
        // The program interruption at the end has stored into the prefix area.
        let low = PREFIX as usize..PREFIX as usize + 0x200;
        storage[low.clone()].copy_from_slice(&expected[low]);
        let differs = storage.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{self:?}");
    }
}

/// Ends of pages after which another part of absolute storage begins.
const ENDS: [u64; 3] = [0x2000, PREFIX, PREFIX + 0x2000];

#[test]
fn registers_are_stored_and_loaded_over_the_end_of_a_page() {
    registers_and_storage_are_as_the_model_has_them();
    code_is_left_for_none_that_lies_at_a_register();
}

fn registers_and_storage_are_as_the_model_has_them() {
    for (wide, apart) in [(false, false), (false, true), (true, false), (true, true)] {
        for mask in [mask::BASIC_ADDRESSING, mask::BASIC_ADDRESSING | mask::EXTENDED_ADDRESSING] {
            for end in ENDS {
                // At each byte, so that the end of the page is within a register, too; and going over it.
                for back in 0..=44 {
                    Case { wide, apart, start: end - back, step: 0, mask }.check(10);
                }
                for step in [1, 4, 8, 12] {
                    let start = end - step as u64 * ROUNDS / 2;
                    for patience in [1, 10] {
                        Case { wide, apart, start, step, mask }.check(patience);
                    }
                }
            }
        }
    }
}

/// Two ends of pages in turn would be two sites of each round.
fn code_is_left_for_none_that_lies_at_a_register() {
    let mask = mask::BASIC_ADDRESSING | mask::EXTENDED_ADDRESSING;
    for wide in [false, true] {
        let case = Case { wide, apart: true, start: ENDS[0] - 16, step: 0, mask };
        let before = engine::statistics();
        case.check(1);
        let after = engine::statistics();
        assert!(after.executed - before.executed > 5 * ROUNDS, "most of it is done as code");
        assert!(after.sites - before.sites < ROUNDS / 4, "{} sites", after.sites - before.sites);
    }
}

#[test]
fn what_fails_in_the_second_page_has_stored_nothing() {
    // The last page of storage: the second page is not there. POP, chapter 5, "Types of Instruction Ending".
    let mask = mask::BASIC_ADDRESSING | mask::EXTENDED_ADDRESSING;
    let start = SIZE as u64 - 8 * (ROUNDS - 1) - 16;
    let mut machine = Case { wide: true, apart: true, start, step: 8, mask }.machine(1);
    let registers = machine.state.gr;
    assert_eq!(machine.resume(100_000), Exit::Wait);
    let mut last = [0; 40];
    machine.storage.read(Absolute(SIZE as u64 - 40), &mut last).expect("it is storage");
    // The round before stored the last that fits, and the one after it nothing.
    let doubleword = |n: usize| u64::from_be_bytes(last[8 * n..8 * n + 8].try_into().expect("eight bytes"));
    let rounds = (SIZE as u64 - 40 - start) / 8 + 1;
    assert_eq!(machine.state.gr[13], start + 8 * rounds, "where it failed");
    assert_eq!([doubleword(0), doubleword(1)], [registers[1], registers[2] + rounds]);
    assert_eq!([doubleword(2), doubleword(4)], [registers[3], registers[5]]);
}
