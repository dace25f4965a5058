//! The engine that compares: it finds what differs, and nothing where nothing does.

use arch::{Absolute, Psw, mask};
use cpu::{Architecture, cr0};
use differential::campaign;
use differential::programs::{self, Duel};
use engine::{BlockCache, Exit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use vectors::machine::Machine;

/// A loop: AR 1,2; ST 1,0(0,3); BRCT 4,*-6; then a wait.
const LOOP: [u8; 14] = [0x1a, 0x12, 0x50, 0x10, 0x30, 0x00, 0xa7, 0x46, 0xff, 0xfd, 0x00, 0x00, 0x00, 0x00];
const TEXT: u64 = 0x8000;
const DATA: u64 = 0xa000;

fn machine(cache: BlockCache) -> Machine {
    let mut machine = Machine::new(Architecture::Z, 1 << 20);
    machine.prepare_interruptions();
    machine.set_cache(cache);
    machine.storage.write(Absolute(TEXT), &LOOP).expect("the text lies in storage");
    let s = &mut machine.state;
    s.set_psw(Psw { mask: mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING, address: TEXT });
    (s.gr[1], s.gr[2], s.gr[3], s.gr[4]) = (10, 3, DATA, 100);
    machine
}

#[test]
fn where_nothing_differs_a_program_runs_as_ever() {
    let mut machine = machine(BlockCache::for_comparison());
    assert_eq!(machine.resume(10_000), Exit::Wait);
    assert_eq!(machine.state.gr[1], 310);
    assert_eq!(machine.storage.read_u32(Absolute(DATA)), Ok(310));
    assert_eq!(machine.state.instructions, 301, "each instruction counts once, and so does the last, which is none");
}

#[test]
fn a_planted_mistake_is_found_and_shown() {
    // AR is translated as if it were SR.
    let mut machine = machine(BlockCache::for_comparison().with_mistake(0x1a, 0x1b));
    let panic = catch_unwind(AssertUnwindSafe(|| machine.resume(10_000))).expect_err("the engines differ");
    let report = panic.downcast_ref::<String>().expect("a report");
    assert!(report.starts_with("the engines differ, CPU 00, after 8000"), "{report}");
    let line = |words: &[&str]| report.lines().any(|line| line.split_whitespace().eq(words.iter().copied()));
    assert!(line(&["gr1", "D", "7"]), "{report}");
    assert!(line(&["storage", "A000", "0000000D00000000", "0000000700000000"]), "{report}");
    assert!(line(&["8000", "1A12", "AR", "1,2"]), "{report}");
    assert!(line(&["8006", "A746FFFD", "BRCT", "4,*-6"]), "{report}");
    assert_eq!(report.matches("1A12").count(), 1, "the block that differs first, and no other: {report}");
    assert!(report.contains("\ninterpreter\nPSW") && report.contains("\ntranslator\nPSW"), "{report}");
}

/// Generated programs are compared without a difference, whatever happens in them.
#[test]
fn programs_are_compared_without_a_difference() {
    let rows = campaign::rows(Some("general"), "");
    let mut duel = Duel::of(|_| [BlockCache::with_patience(0), BlockCache::for_comparison()]);
    let found = programs::compare(&mut duel, &rows, 7, 60_000);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_can_be_done_only_once_is_not_compared_behind_a_branch_either() {
    // SSKE 6,3; J *+4; J *+8; and there RRBE 0,3, which says something else if it is done twice; IPM 5.
    const ONCE: [u8; 26] = [
        0xb2, 0x2b, 0x00, 0x63, 0xa7, 0xf4, 0x00, 0x02, 0xa7, 0xf4, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0xb2, 0x2a,
        0x00, 0x03, 0xb2, 0x22, 0x00, 0x50, 0x00, 0x00,
    ];
    let mut machine = machine(BlockCache::for_comparison());
    machine.storage.write(Absolute(TEXT), &ONCE).expect("the text lies in storage");
    machine.state.gr[6] = 0x06;
    assert_eq!(machine.resume(10_000), Exit::Wait);
    assert_eq!(machine.state.gr[5], 0x3000_0000, "it was referred to and changed");
}

#[test]
fn an_interruption_that_is_taken_back_within_a_stretch_is_nobodys_mistake() {
    // SCKC 0(3), for ever; STOSM 16(3),1; AHI 1,1; STNSM 16(3),252; SCKC 8(3), long ago; BRCT 4,the first.
    const TAKEN_BACK: [u8; 26] = [
        0xb2, 0x06, 0x30, 0x00, 0xad, 0x01, 0x30, 0x10, 0xa7, 0x1a, 0x00, 0x01, 0xac, 0xfc, 0x30, 0x10, 0xb2, 0x06,
        0x30, 0x08, 0xa7, 0x46, 0xff, 0xf6, 0x00, 0x00,
    ];
    let mut machine = machine(BlockCache::for_comparison());
    machine.storage.write(Absolute(TEXT), &TAKEN_BACK).expect("the text lies in storage");
    machine.storage.write(Absolute(DATA), &[0xff; 8]).expect("the operands lie in storage");
    let s = &mut machine.state;
    s.cr[0] |= cr0::CLOCK_COMPARATOR;
    s.control_changed();
    assert_eq!(machine.resume(10_000), Exit::Wait);
    assert_eq!(machine.state.gr[1], 110, "and it was never taken");
}
