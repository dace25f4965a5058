//! Which instructions are breaking events (POP, chapter 4, "Breaking-Event-Address Recording"): those that take the
//! CPU elsewhere, branches and instructions that load a PSW. LPSWEY alone is none, so that a program that comes back
//! by it finds what LBEAR has loaded.

use arch::{Absolute, Psw};
use cpu::Architecture;
use std::collections::BTreeMap;
use support::Random;
use vectors::encode::{Field, blank, fields, put_field};
use vectors::machine::{Event, Machine};

/// Where the instruction lies.
const AT: u64 = 0x8000;
/// Registers lead here: doublewords that are PSWs, and addresses in low storage.
const DATA: u64 = 0x2_0000;
/// Cases of each instruction.
const CASES: usize = 100;
/// It goes elsewhere, and is no breaking event.
const NONE: [&str; 1] = ["LPSWEY"];

#[test]
fn what_goes_elsewhere_is_the_breaking_event() {
    let mut random = Random::seeded(0xbea4);
    let mut elsewhere: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut cases, mut wrong) = (0, Vec::new());
    for architecture in [Architecture::S370, Architecture::Esa, Architecture::Z] {
        let mut machine = Machine::new(architecture, 1 << 20);
        let controls = machine.state.cr;
        for row in isa::instructions().filter(|row| row.architectures.include(architecture) && row.run.is_some()) {
            for _ in 0..CASES {
                cases += 1;
                let mut text = blank(row);
                for field in fields(row) {
                    let value = match field.0 {
                        Field::B1 | Field::B2 | Field::R2 => 1 + random.below(14u64),
                        Field::X2 => 0,
                        Field::D1 | Field::D2 => 16 * random.below(8u64),
                        _ => random.word(),
                    };
                    put_field(&mut text, field, value);
                }
                machine.state.cr = controls;
                set_up(&mut machine, &mut random, &text);
                let next = AT + text.len() as u64;
                if machine.step() != Event::None || [AT, next].contains(&machine.state.ia) {
                    continue;
                }
                *elsewhere.entry(row.mnemonic).or_default() += 1;
                let broke = machine.state.breaking_event == AT;
                if broke == NONE.contains(&row.mnemonic) {
                    wrong.push(format!("{} {text:02X?}: {:X}", row.mnemonic, machine.state.breaking_event));
                }
            }
        }
    }
    println!("{cases} cases; elsewhere go {elsewhere:?}");
    assert!(wrong.is_empty(), "{} are wrong: {:?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    for row in isa::instructions().filter(|row| row.run.is_some()) {
        let loads = row.shape.kind == isa::Kind::LoadPsw;
        assert!(!loads || elsewhere.contains_key(row.mnemonic), "{} went nowhere", row.mnemonic);
    }
    assert!(elsewhere.len() > 40, "branches have been taken");
}

/// The instruction, registers that lead to data, and valid PSWs there.
fn set_up(machine: &mut Machine, random: &mut Random, text: &[u8]) {
    let mask = machine.default_mask();
    machine.prepare_interruptions();
    let state = &mut machine.state;
    state.set_prefix(0).expect("it is in storage");
    state.control_changed();
    let here = Psw { mask, address: AT };
    state.set_psw(here);
    state.cc = random.below(4);
    state.breaking_event = 1;
    for n in 0..16 {
        state.gr[n] = if random.one_in(8) { random.below(4) } else { DATA + 16 * random.below(16u64) };
    }
    let z = state.architecture() == Architecture::Z;
    let put = |at: u64, bytes: &[u8]| machine.storage.write(Absolute(at), bytes).expect("it is in storage");
    for n in 0..32 {
        let there = Psw { mask, address: 0x4_0000 + 8 * n };
        let (short, wide) = (there.to_short(), u128::from(there.mask) << 64 | u128::from(there.address));
        let bytes = if z && text[0] != 0x82 { wide.to_be_bytes() } else { (u128::from(short) << 64).to_be_bytes() };
        put(DATA + 16 * n, &bytes);
    }
    put(AT, &[0; 8]);
    put(AT, text);
}
