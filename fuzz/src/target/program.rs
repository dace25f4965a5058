//! Instructions of every kind executed in every state of the CPU: the processor must come back from each with a result
//! or an interruption, whatever the registers, tables and storage hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arch::{Absolute, Psw, mask};
use base::{Clock, Tod};
use complex::{Configuration, ControlProgram, Exit, Host, Specification};
use cpu::{Architecture, Facilities, Interruption};
use isa::instructions;

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "program", about: "instructions in every state of the CPU", run };

const STORAGE: u64 = 1 << 20;
const PROGRAM: u64 = 0x4000;

/// A clock that goes on by a microsecond each time it is read.
struct Counting(AtomicU64);

impl Clock for Counting {
    fn now(&self) -> Tod {
        Tod(self.0.fetch_add(1 << 12, Ordering::Relaxed))
    }
}

struct Nobody;

impl Host for Nobody {
    fn runnable(&self, _cpu: u16) {}

    fn control_program(&self) -> Option<ControlProgram> {
        None
    }

    fn service_message(&self, _line: &str) {}
}

fn run(chance: &mut Chance) {
    let architecture = [Architecture::S370, Architecture::Esa, Architecture::Z, Architecture::Z][chance.below(4)];
    let mut specification = Specification { storage: STORAGE, architecture, ..Specification::default() };
    if chance.one_in(4) {
        specification.facilities = Facilities(std::array::from_fn(|_| chance.word()));
    }
    let clock = Arc::new(Counting(AtomicU64::new(Tod::from_unix_nanos(1_700_000_000_000_000_000).0)));
    engine::provide(jit::translator);
    let machine = Configuration::new(specification, clock, Arc::new(Nobody)).expect("a megabyte can be had");
    write_storage(chance, &machine);
    set_registers(chance, &machine);
    machine.start(0);
    for _ in 0..3 {
        match machine.run(0, 1) {
            Exit::SliceEnd | Exit::Left | Exit::Message | Exit::Step => {}
            Exit::Diagnose { ilc, .. } | Exit::Iucv { ilc } => {
                if !machine.complete(0, Err(Interruption::Program(arch::Program::Operation)), ilc) {
                    break;
                }
            }
            Exit::Wait { .. } | Exit::Stopped | Exit::DisabledWait(_) | Exit::ProgramLoop => break,
        }
    }
    let core = machine.cpu(0);
    assert!(core.state.cc < 4 && core.state.key < 16 && core.state.program_mask < 16);
}

/// A program, new PSWs that lead back into it, and words that may pass for tables.
fn write_storage(chance: &mut Chance, machine: &Configuration) {
    let storage = machine.storage();
    let put_long = |place: u64, value| storage.write_u64(Absolute(place), value).expect("the place is in storage");
    let mut text = Vec::new();
    for _ in 0..1 + chance.below(40) {
        text.extend(instruction(chance));
    }
    storage.write(Absolute(PROGRAM), &text).expect("the place is in storage");
    // Where interruptions go: mostly to a wait that ends the run, or it would turn round and round.
    let (wait, waits) = (mask::WAIT, !chance.one_in(4));
    for place in (0x1A0..0x200).step_by(16) {
        let modes = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING | if waits { wait } else { 0 };
        put_long(place, modes);
        put_long(place + 8, PROGRAM + 2 * chance.below(40) as u64);
    }
    for place in (0x58..0x80).step_by(8) {
        let address = 0x8000_0000 | (PROGRAM + 2 * chance.below(40) as u64);
        put_long(place, mask::SHORT | address | if waits { wait } else { 0 });
    }
    for _ in 0..chance.below(64) {
        put_long(8 * chance.below(0x1_0000) as u64, word(chance));
    }
    for page in 0..16 {
        if chance.one_in(8) {
            let _ = storage.set_key(Absolute(4096 * page), chance.byte() & 0xFE);
        }
    }
}

fn set_registers(chance: &mut Chance, machine: &Configuration) {
    let mut core = machine.cpu(0);
    let state = &mut core.state;
    state.gr = std::array::from_fn(|_| word(chance));
    state.fpr.0 = std::array::from_fn(|_| [word(chance), word(chance)]);
    state.ar = std::array::from_fn(|_| if chance.one_in(2) { 0 } else { word(chance) as u32 });
    for number in 0..16 {
        if chance.one_in(3) {
            state.cr[number] = word(chance);
        }
    }
    state.fpc = chance.word() as u32 & 0xF8F8_FF77;
    let mut psw = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
    if chance.one_in(4) {
        psw = [0, mask::BASIC_ADDRESSING][chance.below(2)];
    }
    for bits in [mask::PER, mask::DAT, mask::PROBLEM, mask::SPACE, mask::EXTERNAL, mask::IO, mask::KEY, mask::PROGRAM] {
        if chance.one_in(6) {
            psw |= bits & chance.word() | bits & chance.word();
        }
    }
    state.set_psw(Psw { mask: psw, address: PROGRAM });
    state.control_changed();
}

/// An instruction of the table with any operands.
fn instruction(chance: &mut Chance) -> Vec<u8> {
    let mut text = chance.word().to_be_bytes();
    if !chance.one_in(16) {
        let row = instructions().nth(chance.below(instructions().count())).expect("the number is below the count");
        let code = row.code;
        match code {
            ..=0xFF => text[0] = code as u8,
            // The extension is the second byte, a nibble of it, or the last byte: set it in all places.
            0x100..=0xFFF if code >= 0xA50 => {
                text[0] = (code >> 4) as u8;
                text[1] = text[1] & 0xF0 | code as u8 & 15;
            }
            _ => {
                text[0] = (code >> 8) as u8;
                match text[0] {
                    0xE3 | 0xE6 | 0xE7 | 0xEB | 0xEC | 0xED => text[5] = code as u8,
                    0xC0..=0xCF | 0xA5 | 0xA7 => text[1] = text[1] & 0xF0 | code as u8 & 15,
                    _ => text[1] = code as u8,
                }
            }
        }
    }
    text[..usize::from(isa::length(text[0]))].to_vec()
}

/// Addresses near things, small numbers, edges, or anything.
fn word(chance: &mut Chance) -> u64 {
    match chance.below(8) {
        0 => chance.word(),
        1 => chance.word() >> chance.below(64),
        2 => [0, 1, u64::MAX, 1 << 63, i64::MAX as u64, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF][chance.below(8)],
        3 => STORAGE - chance.below(64) as u64,
        4 => PROGRAM + chance.below(200) as u64,
        5 => 4096 * chance.below(256) as u64 | chance.below(16) as u64,
        _ => 0x8000 + chance.below(0x8000) as u64,
    }
}
