//! Text that several machines have in common is decoded once, and each machine executes what it has itself: whatever
//! another one stores, attaches or is.

#![cfg(translator)]

use arch::{Absolute, PAGE, Psw};
use cpu::Architecture;
use engine::{BlockCache, Exit};
use storage::{Pages, Sharing};
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const ROUTINE: u64 = 0x4_0000;
const MANY: u64 = 300;

/// Pages with a routine: AGHI 2,`sum`; BCR 15,14.
fn pages(sum: u8) -> Pages {
    let pages = Pages::new(PAGE).expect("the host has a page");
    pages.write(0, &[0xa7, 0x2b, 0, sum, 0x07, 0xfe]).expect("it is as long");
    pages
}

fn attach(machine: &mut Machine, pages: Option<&Pages>, sharing: Sharing) {
    let pages = pages.map(|pages| (pages, 0));
    machine.storage.attach(ROUTINE..ROUTINE + PAGE, pages, sharing).expect("the host maps a page");
    machine.state.purge_tlb();
}

/// A machine with these pages, and the engine that is asked for.
fn machine(architecture: Architecture, pages: &Pages, sharing: Sharing, cache: BlockCache) -> Machine {
    let mut machine = Machine::new(architecture, 1 << 20);
    machine.set_cache(cache);
    machine.prepare_interruptions();
    // STC 5,3(0,6): another constant for the routine. BASR 14,6; BRCT 1,*-2; no instruction.
    let text = [0x42, 0x50, 0x60, 0x03, 0x0d, 0xe6, 0xa7, 0x16, 0xff, 0xff, 0, 0];
    machine.storage.write(Absolute(TEXT), &text).expect("it is storage");
    attach(&mut machine, Some(pages), sharing);
    machine
}

/// What comes of calling the routine, with another constant stored first if there is one: the sum of a call.
fn call(machine: &mut Machine, stores: Option<u8>) -> u64 {
    let gr = &mut machine.state.gr;
    (gr[1], gr[2], gr[5], gr[6]) = (MANY, 0, stores.unwrap_or(0).into(), ROUTINE);
    let address = TEXT + if stores.is_some() { 0 } else { 4 };
    machine.state.set_psw(Psw { mask: machine.default_mask(), address });
    assert_eq!(machine.resume(100 * MANY as i64), Exit::Wait);
    assert_eq!(machine.state.gr[2] % MANY, 0);
    machine.state.gr[2] / MANY
}

/// Caches of each engine.
fn engines() -> impl Iterator<Item = fn() -> BlockCache> {
    let all: [fn() -> BlockCache; 4] = [
        || BlockCache::with_patience(0),
        || BlockCache::with_patience(1),
        || BlockCache::with_patience(4),
        BlockCache::for_comparison,
    ];
    all.into_iter()
}

#[test]
fn what_one_machine_stores_into_its_own_copy_no_other_executes() {
    for engine in engines() {
        let pages = pages(1);
        let mut machines = [0; 3].map(|_| machine(Architecture::Z, &pages, Sharing::Own, engine()));
        let mut sums = [1; 3];
        for (n, stores) in
            [(0, None), (1, None), (1, Some(3)), (0, None), (2, None), (2, Some(7)), (1, None), (0, Some(1))]
        {
            sums[n] = stores.unwrap_or(sums[n]);
            call(&mut machines[n], stores);
            assert_eq!([0, 1, 2].map(|n| call(&mut machines[n], None)), sums.map(u64::from));
        }
        let mut last = machine(Architecture::Z, &pages, Sharing::Own, engine());
        assert_eq!(call(&mut last, None), 1, "a machine that comes later has what was saved");
    }
}

#[test]
fn what_one_machine_stores_into_a_common_page_all_execute() {
    for engine in engines() {
        let pages = pages(1);
        let mut machines = [0; 3].map(|_| machine(Architecture::Z, &pages, Sharing::Shared, engine()));
        for (n, sum) in [(0, 1), (1, 3), (2, 4), (2, 1), (0, 9), (1, 1)] {
            call(&mut machines[n], Some(sum));
            assert_eq!([0, 1, 2].map(|n| call(&mut machines[n], None)), [u64::from(sum); 3]);
        }
    }
}

#[test]
fn another_segment_is_executed_once_it_is_there() {
    for engine in engines() {
        let [old, new] = [1, 5].map(pages);
        let [mut here, mut there] = [0; 2].map(|_| machine(Architecture::Z, &old, Sharing::ReadOnly, engine()));
        assert_eq!([call(&mut here, None), call(&mut there, None)], [1, 1]);
        for (pages, sum) in [(Some(&new), 5), (None, 0), (Some(&old), 1), (Some(&new), 5)] {
            attach(&mut here, pages, Sharing::ReadOnly);
            assert_eq!([call(&mut here, None), call(&mut there, None)], [sum, 1]);
        }
    }
}

#[test]
fn text_is_what_the_architecture_makes_of_it() {
    for engine in engines() {
        let pages = pages(1);
        let of = |architecture| machine(architecture, &pages, Sharing::ReadOnly, engine());
        let [mut z, mut esa] = [Architecture::Z, Architecture::Esa].map(of);
        for _ in 0..3 {
            assert_eq!(call(&mut z, None), 1);
            assert_eq!(call(&mut esa, None), 0, "ESA/390 has no AGHI");
        }
    }
}
