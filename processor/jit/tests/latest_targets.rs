//! Branches by registers go where they went before. Statistics are the whole process's, so this is a program of its
//! own, and one test has all programs.

#![cfg(translator)]

use arch::{Absolute, PAGE};
use engine::Exit;
use std::collections::HashSet;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
/// The addresses that branches are to lead to, one after another; after them 0.
const TABLE: u64 = 0xf_0000;
const BRANCHES: usize = 200;
const ROUNDS: u64 = 500;

/// Addresses that share places of the table of targets, however long that has become (`runtime/branch_targets.rs`): at
/// least four of them each. Their text does not overlap.
fn targets() -> Vec<u64> {
    let (mut targets, mut taken) = (Vec::new(), HashSet::new());
    for place in (0..0x1_0000).step_by(37) {
        let shares = |ia: &u64| (ia ^ ia >> 7) >> 1 & 0xffff == place;
        let all: Vec<u64> = (0x2_0000..TABLE).step_by(2).filter(shares).collect();
        let free = |ia: &u64| ia % PAGE < PAGE - 16 && !taken.contains(&(ia / 16)) && !taken.contains(&(ia / 16 + 1));
        let free: Vec<u64> = all.into_iter().filter(free).collect();
        if free.len() >= 4 {
            taken.extend(free.iter().flat_map(|ia| [ia / 16, ia / 16 + 1]));
            targets.extend(free);
        }
        if targets.len() >= BRANCHES {
            targets.truncate(BRANCHES);
            return targets;
        }
    }
    panic!("there are only {}", targets.len());
}

#[test]
fn a_branch_by_a_register_is_looked_for_once() {
    each_branch_finds_its_own_target_again();
    a_branch_forgets_what_is_stale();
}

fn looked_for() -> u64 {
    let statistics = engine::statistics();
    statistics.found + statistics.lookups
}

fn each_branch_finds_its_own_target_again() {
    // LG 6,0(0,5); AGHI 5,8; BCR 15,6: so many times, and each target is AGHI 2,1 and BRCL 15,the next. After the last
    // there is LGR 5,7; BRCTG 1,the first; no instruction.
    let targets = targets();
    let site = |n: usize| TEXT + 16 * n as u64;
    let mut machine = Machine::executing(&[], TEXT, 4);
    let put = |at: u64, text: &[u8]| machine.storage.write(Absolute(at), text).expect("it is storage");
    let far = |from: u64, to: u64| ((to as i64 - from as i64) as i32 / 2).to_be_bytes();
    for (n, &target) in targets.iter().enumerate() {
        put(site(n), &[0xe3, 0x60, 0x50, 0x00, 0x00, 0x04, 0xa7, 0x5b, 0x00, 0x08, 0x07, 0xf6]);
        put(target, &[0xa7, 0x2b, 0x00, 0x01, 0xc0, 0xf4]);
        put(target + 6, &far(target + 4, site(n + 1)));
        put(TABLE + 8 * n as u64, &target.to_be_bytes());
    }
    let end = site(BRANCHES);
    let [high, low] = ((TEXT as i64 - end as i64 - 4) as i16 / 2).to_be_bytes();
    put(end, &[0xb9, 0x04, 0x00, 0x57, 0xa7, 0x17, high, low, 0, 0]);
    (machine.state.gr[1], machine.state.gr[5], machine.state.gr[7]) = (ROUNDS, TABLE, TABLE);
    let before = looked_for();
    assert_eq!(machine.resume(2_000_000), Exit::Wait);
    assert_eq!(machine.state.gr[2], BRANCHES as u64 * ROUNDS);
    drop(machine);
    let looked_for = looked_for() - before;
    let all = BRANCHES as u64 * ROUNDS;
    // All but 600 are where branches look in the table alone. Here some are until all blocks are translated.
    assert!(looked_for < all / 10, "{looked_for} of {all} were looked for");
}

/// The code at a branch's target is stored into now and then: the branch does not lead to what is stale for long.
fn a_branch_forgets_what_is_stale() {
    const ROUTINE: u64 = 0x8_0000;
    const MANY: u64 = 20_000;
    const TIMES: u64 = 4;
    // STC 5,0(0,8): the constant of AGHI is stored again. LGHI 1,MANY; BASR 9,6; BRCTG 1,*-2; BRCTG 3,the first; no
    // instruction. The routine is AGHI 2,1; BCR 15,9: neither call nor return is by register 14.
    let [high, low] = (MANY as u16).to_be_bytes();
    let text = [
        &[0x42, 0x50, 0x80, 0x00, 0xa7, 0x19, high, low, 0x0d, 0x96][..],
        &[0xa7, 0x17, 0xff, 0xff, 0xa7, 0x37, 0xff, 0xf9, 0, 0],
    ];
    let mut machine = Machine::executing(&text.concat(), TEXT, 4);
    machine.storage.write(Absolute(ROUTINE), &[0xa7, 0x2b, 0, 1, 0x07, 0xf9]).expect("it is storage");
    let before = engine::statistics();
    let gr = &mut machine.state.gr;
    (gr[3], gr[5], gr[6], gr[8]) = (TIMES, 1, ROUTINE, ROUTINE + 3);
    assert_eq!(machine.resume(10 * (MANY * TIMES) as i64), Exit::Wait);
    assert_eq!(machine.state.gr[2], MANY * TIMES);
    drop(machine);
    let entries = engine::statistics().entries - before.entries;
    assert!(entries < MANY / 10, "it was entered {entries} times");
}
