//! Code that one machine's translator has made of common text, and others take over. It does what the text says that
//! each machine has itself, whatever another one stores, attaches or is.

#![cfg(translator)]

use arch::{Absolute, PAGE, Psw, mask};
use base::Held;
use cpu::Architecture;
use engine::{BlockCache, Exit};
use std::sync::{Mutex, MutexGuard};
use storage::{Pages, Sharing};
use support::Random;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const DATA: u64 = 0x1_0000;
const SYSTEM: u64 = 0x4_0000;
const PAGES: u64 = 4;
const MANY: u64 = 100;

/// Where the routine of a page has its two constants, in two pieces of text, and the instruction that it executes.
const FIRST: u64 = 0x103;
const SECOND: u64 = 0x203;
const EXECUTED: u64 = 0x300;

/// One test at a time: statistics are the whole process's.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

/// The system: in each page a routine in three pieces, which begins at X'100'.
fn system() -> Pages {
    let pages = Pages::new(PAGES * PAGE).expect("the host has pages");
    for page in 0..PAGES {
        // AGHI 2,1; BRC 15,the second.
        let first = [0xa7, 0x2b, 0, 1, 0xa7, 0xf4, 0, 0x7e];
        // AGHI 2,2; LA 3,0(0,2); EXRL 0,the third; BCR 15,14.
        let second = [0xa7, 0x2b, 0, 2, 0x41, 0x30, 0x20, 0, 0xc6, 0, 0, 0, 0, 0x7c, 0x07, 0xfe];
        // MVC 0(1,12),8(12).
        let third = [0xd2, 0, 0xc0, 0, 0xc0, 8];
        for (at, text) in [(0x100, &first[..]), (0x200, &second), (EXECUTED, &third)] {
            pages.write(page * PAGE + at, text).expect("it lies in the page");
        }
    }
    pages
}

/// A machine with the system.
fn machine(pages: &Pages, sharing: Sharing, cache: BlockCache) -> Machine {
    let mut machine = Machine::new(Architecture::Z, 1 << 20);
    machine.set_cache(cache);
    machine.prepare_interruptions();
    // BASR 14,6; BRCT 1,*-2; no instruction.
    machine.storage.write(Absolute(TEXT), &[0x0d, 0xe6, 0xa7, 0x16, 0xff, 0xff, 0, 0]).expect("it is storage");
    machine.storage.write(Absolute(DATA), b"0.......123456789").expect("it is storage");
    let range = SYSTEM..SYSTEM + PAGES * PAGE;
    machine.storage.attach(range, Some((pages, 0)), sharing).expect("the host maps pages");
    machine.state.purge_tlb();
    machine
}

/// Calls the routine of a page `times` in this addressing mode; the sum of a call, what was moved and register 3.
fn call(machine: &mut Machine, page: u64, times: u64, psw: u64) -> (u64, u8, u64) {
    call_at(machine, SYSTEM + page * PAGE + 0x100, times, psw)
}

/// The same of the routine at this address.
fn call_at(machine: &mut Machine, at: u64, times: u64, psw: u64) -> (u64, u8, u64) {
    let base = 0x8000_0000;
    let gr = &mut machine.state.gr;
    (gr[1], gr[2], gr[3], gr[6], gr[12]) = (times, base, 0, at, DATA);
    machine.state.set_psw(Psw { mask: psw, address: TEXT });
    assert_eq!(machine.resume(100 * times as i64), Exit::Wait);
    let sum = machine.state.gr[2] - base;
    assert_eq!(sum % times, 0, "each call adds as much");
    let moved = machine.storage.read_array::<1>(Absolute(DATA)).expect("it is storage");
    (sum / times, moved[0], machine.state.gr[3])
}

const WIDE: u64 = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
const MODES: [u64; 2] = [WIDE, mask::BASIC_ADDRESSING];

/// Caches of each engine, and whether there is code to take over after one machine's [`MANY`] calls.
fn engines() -> [(fn() -> BlockCache, bool); 4] {
    [
        (|| BlockCache::with_patience(0), false),
        (|| BlockCache::with_patience(1), true),
        (|| BlockCache::with_patience(40), true),
        (BlockCache::for_comparison, true),
    ]
}

/// Blocks that were taken over meanwhile.
fn adopted(act: impl FnOnce()) -> u64 {
    let before = engine::statistics().adopted;
    act();
    engine::statistics().adopted - before
}

#[test]
fn what_one_machine_has_translated_the_next_takes_over() {
    let _alone = alone();
    for (engine, translates) in engines() {
        let pages = system();
        for psw in MODES {
            let mut machines = [0; 3].map(|_| machine(&pages, Sharing::Own, engine()));
            let expected = |times: u64| (3, b'1', 0x8000_0000 + 3 * times & if psw == WIDE { !0 } else { 0x7fff_ffff });
            assert_eq!(call(&mut machines[0], 0, MANY, psw), expected(MANY));
            for later in &mut machines[1..] {
                let count = adopted(|| assert_eq!(call(later, 0, 2, psw), expected(2)));
                assert_eq!(count > 0, translates, "{count} at the first two calls");
            }
            // One that has rested finds it again.
            machines[1].rest();
            let count = adopted(|| assert_eq!(call(&mut machines[1], 0, 2, psw).0, 3));
            assert_eq!(count > 0, translates);
        }
    }
}

#[test]
fn what_each_machine_executes_a_few_times_becomes_hot_for_all() {
    let _alone = alone();
    let pages = system();
    let engine = || BlockCache::with_patience(40);
    // AGHI 2,32; BCR 15,14 where no other test has text, so that nothing is known of it.
    const ALONE: u64 = 0x800;
    pages.write(ALONE, &[0xa7, 0x2b, 0, 32, 0x07, 0xfe]).expect("it lies in the first page");
    let few = |times| {
        adopted(|| {
            let mut machine = machine(&pages, Sharing::Own, engine());
            assert_eq!(call_at(&mut machine, SYSTEM + ALONE, times, WIDE).0, 32);
            machine.rest();
        })
    };
    let first = (0..100).position(|_| few(1) > 0).expect("it becomes hot");
    assert!((30..60).contains(&first), "{first} machines");
    assert!(few(1) > 0);
}

#[test]
fn code_is_not_taken_over_where_any_of_its_text_is_another() {
    let _alone = alone();
    for (engine, _) in engines() {
        let pages = system();
        let mut first = machine(&pages, Sharing::Own, engine());
        assert_eq!(call(&mut first, 1, MANY, WIDE).0, 3);
        // Stored before the machine has executed any of it: the block's own text, what it goes on with, what it
        // executes.
        for (at, byte, sum, moved) in [(FIRST, 7, 9, b'1'), (SECOND, 7, 8, b'1'), (EXECUTED + 5, 10, 3, b'3')] {
            let mut other = machine(&pages, Sharing::Own, engine());
            other.storage.write(Absolute(SYSTEM + PAGE + at), &[byte]).expect("it is storage");
            for times in [1, 2, MANY, 1] {
                let (here, there, _) = call(&mut other, 1, times, WIDE);
                assert_eq!((here, there), (sum, moved), "{at:X}");
            }
            assert_eq!(call(&mut first, 1, MANY, WIDE).0, 3);
            let mut last = machine(&pages, Sharing::Own, engine());
            assert_eq!(call(&mut last, 1, 2, WIDE), (3, b'1', 0x8000_0006));
        }
    }
}

#[test]
fn a_machine_whose_page_has_another_address_executes_its_own() {
    let _alone = alone();
    for (engine, _) in engines() {
        let pages = system();
        let mut first = machine(&pages, Sharing::Own, engine());
        assert_eq!(call(&mut first, 0, MANY, WIDE).0, 3);
        assert_eq!(call(&mut first, 1, MANY, WIDE).0, 3);
        // With its prefix there, the pages at real SYSTEM are those at absolute 0, and the other way round.
        let mut other = machine(&pages, Sharing::Own, engine());
        let mut low = [0; 0x2000];
        other.storage.read(Absolute(0), &mut low).expect("it is storage");
        low[0x100..0x110].copy_from_slice(&[0xa7, 0x2b, 0, 50, 0x07, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        other.storage.write(Absolute(0), &low).expect("it is storage");
        other.storage.write(Absolute(SYSTEM + 0x1d0), &low[0x1d0..0x1e0]).expect("it is storage");
        other.state.set_prefix(SYSTEM).expect("there is storage");
        other.state.purge_tlb();
        for times in [2, MANY, 1] {
            assert_eq!(call(&mut other, 0, times, WIDE).0, 50);
            assert_eq!(call_at(&mut other, 0x100, times, WIDE).0, 3, "the system's first page is at real 0");
        }
        assert_eq!(call(&mut first, 0, MANY, WIDE).0, 3);
    }
}

#[test]
fn many_machines_that_store_call_and_go_each_do_what_their_own_text_says() {
    let _alone = alone();
    for sharing in [Sharing::Own, Sharing::Shared] {
        for (engine, _) in engines() {
            let threads = if sharing == Sharing::Own { 3 } else { 1 };
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    scope.spawn(move || stores_and_calls(sharing, engine, thread));
                }
            });
        }
    }
}

/// Four machines take turns. The model is a constant of each piece of each page.
fn stores_and_calls(sharing: Sharing, engine: fn() -> BlockCache, seed: u64) {
    type Constants = [[u8; 2]; PAGES as usize];
    const SAVED: Constants = [[1, 2]; PAGES as usize];
    let pages = system();
    let mut random = Random::seeded(seed);
    let mut machines: Vec<(Machine, Constants)> = (0..4).map(|_| (machine(&pages, sharing, engine()), SAVED)).collect();
    for _ in 0..400 {
        let n = random.below(4) as usize;
        let page = random.below(PAGES);
        match random.below(8) {
            0 | 1 => {
                let (piece, constant) = (random.below(2) as usize, random.below(100) as u8);
                let at = SYSTEM + page * PAGE + [FIRST, SECOND][piece];
                machines[n].0.storage.write(Absolute(at), &[constant]).expect("it is storage");
                for (other, (_, constants)) in machines.iter_mut().enumerate() {
                    if other == n || sharing == Sharing::Shared {
                        constants[page as usize][piece] = constant;
                    }
                }
            }
            // It logs off, and another has the system as it was saved, or as all have left it.
            2 => {
                let constants = if sharing == Sharing::Shared { machines[n].1 } else { SAVED };
                machines[n] = (machine(&pages, sharing, engine()), constants);
            }
            // It has been idle.
            3 => machines[n].0.rest(),
            _ => {
                let (machine, constants) = &mut machines[n];
                let psw = random.pick(&MODES);
                let times = random.pick(&[1, 2, 50, MANY]);
                let sum = constants[page as usize].iter().map(|&constant| u64::from(constant)).sum();
                assert_eq!(call(machine, page, times, psw).0, sum, "seed {seed}");
            }
        }
    }
}
