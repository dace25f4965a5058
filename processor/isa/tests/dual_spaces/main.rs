//! Dual address spaces, subspaces, traps and the trace table (POP, chapters 4, 5 and 10) against a model that is
//! written from the text: it numbers bits from the left, and knows storage and registers only as words.
//!
//! `SPACES=10000000` asks for that many cases instead of a few thousand of each instruction, `SEED=2` for others.
//!
//!     SPACES=10000000 cargo test --release -p isa --test dual_spaces

#[path = "../lone_cpu/mod.rs"]
mod lone_cpu;
mod model;
mod scene;

use cpu::{Architecture, Facilities, Interruption, State};
use model::{LENGTH, Machine};
use scene::{INSTRUCTIONS, Scene};
use std::collections::BTreeMap;
use support::Random;

/// All rows, whatever facilities there are.
const FACILITIES: Facilities = Facilities([u64::MAX; 4]);
/// Cases of each instruction, if no number is asked for.
const FEW: u64 = 4000;

/// What the CPU has after the instruction, as the model has it, and the code of the program interruption, if any.
fn execute(cpu: &mut State, scene: &Scene) -> (Machine, Option<u16>) {
    let before = &scene.machine;
    let architecture = if before.z { Architecture::Z } else { Architecture::Esa };
    if cpu.architecture() != architecture {
        cpu.set_architecture(architecture);
    }
    cpu.storage().write(arch::Absolute(0), &before.storage).expect("it is within storage");
    (cpu.gr, cpu.ar, cpu.cr) = (before.gr, before.ar, before.cr);
    cpu.set_psw(arch::Psw { mask: before.psw, address: before.ia });
    cpu.control_changed();
    cpu.purge_tlb();
    cpu.translation_exception_id = 0;
    cpu.space_left = None;
    let row = isa::decode(scene.text, architecture, &FACILITIES).expect("the table has it");
    let mut fields = isa::Fields::extract(row.format, scene.text);
    fields.next = fields.len.into();
    cpu.next_ia = (cpu.ia + u64::from(fields.len)) & cpu.address_mask;
    let result = isa::perform(row.run.expect("it is built"), cpu, &fields);
    let mut storage = vec![0; LENGTH];
    cpu.storage().read(arch::Absolute(0), &mut storage).expect("it is within storage");
    let code = match result {
        Ok(()) => None,
        Err(Interruption::Program(code)) => Some(code as u16),
        Err(why) => panic!("{why:?} is none of these"),
    };
    let id = match code {
        Some(0x1c | 0x20..=0x27 | 0x2e | 0x2f) => cpu.translation_exception_id as u32,
        _ => 0,
    };
    let (psw, ia) = (cpu.psw_word(), cpu.next_ia);
    (Machine { storage, gr: cpu.gr, ar: cpu.ar, cr: cpu.cr, psw, ia, z: before.z, id }, code)
}

/// The first things that differ, in words.
fn differences(found: &Machine, expected: &Machine) -> String {
    let mut all = Vec::new();
    for n in 0..16 {
        for (name, a, b) in [
            ("r", found.gr[n], expected.gr[n]),
            ("c", found.cr[n], expected.cr[n]),
            ("a", found.ar[n].into(), expected.ar[n].into()),
        ] {
            if a != b {
                all.push(format!("{name}{n} {a:x} / {b:x}"));
            }
        }
    }
    all.push(format!("psw {:x} {:x} / {:x} {:x}", found.psw, found.ia, expected.psw, expected.ia));
    all.push(format!("id {:x} / {:x}", found.id, expected.id));
    for (at, (a, b)) in found.storage.iter().zip(&expected.storage).enumerate().filter(|(_, (a, b))| a != b).take(12) {
        all.push(format!("@{at:x} {a:02x} / {b:02x}"));
    }
    all.join(", ")
}

#[test]
fn spaces_are_what_the_text_says() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = asked("SPACES").map_or(FEW, |all| all / INSTRUCTIONS.len() as u64);
    let mut random = Random::seeded(asked("SEED").unwrap_or(1));
    let mut cpu = lone_cpu::cpu(FACILITIES);
    let (mut wrong, mut all) = (0, 0);
    for (name, code) in INSTRUCTIONS {
        let mut ended: BTreeMap<Option<u16>, u64> = BTreeMap::new();
        for _ in 0..count {
            let scene = Scene::new(&mut random, name, code);
            let (expected, why) = scene.machine.clone().expected(name, scene.text);
            let (found, code) = execute(&mut cpu, &scene);
            *ended.entry(why).or_default() += 1;
            all += 1;
            if found != expected || code != why {
                wrong += 1;
                if wrong < 10 {
                    println!(
                        "{name} {:02x?} z {} psw {:x} cr {:x?}\n  {code:x?} / {why:x?}: {}",
                        scene.text,
                        scene.machine.z,
                        scene.machine.psw,
                        scene.machine.cr,
                        differences(&found, &expected)
                    );
                }
            }
        }
        println!("{name}: {ended:x?}");
        assert!(ended.get(&None).is_some_and(|good| *good > count / 20), "{name}: hardly any is completed");
    }
    println!("dual address spaces: {all} cases, {wrong} differences");
    assert_eq!(wrong, 0);
}
