//! The numbers that stand for address spaces in the lookaside buffer begin anew after some thousand spaces: no space
//! may see another's pages then. Those that a CPU remembers for its own spaces are those that entries have.

use arch::{Absolute, Psw, mask};
use base::{Clock, Tod};
use cpu::{Architecture, At, Facilities, Floating, Shared, Signals, Space, State};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use storage::Storage;

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Tod {
        Tod::UNIX_EPOCH
    }
}

/// A space with one page: `va` is at `frame`, which holds `value`. Its segment table is at `table`.
fn space(storage: &Storage, table: u64, va: u64, frame: u64, value: u64) -> u64 {
    let put = |at: u64, v: u64| storage.write_u64(Absolute(at), v).expect("it is in storage");
    put(table + (va >> 20) * 8, table + 0x1000);
    put(table + 0x1000 + (va >> 12 & 0xff) * 8, frame);
    put(frame, value);
    table
}

/// A CPU with this storage.
fn cpu(storage: &Arc<Storage>) -> State {
    let shared = Shared {
        storage: storage.clone(),
        clock: Arc::new(Stopped),
        floating: Floating::default(),
        signals: Box::new([Signals::default()]),
        alone: true,
        expanded: cpu::Expanded::default(),
        facilities: Facilities::default(),
        cpu_id: 0,
        tod_offset: AtomicU64::new(0),
        wrapping: cpu::Wrapping::default(),
    };
    State::new(0, Architecture::Z, Arc::new(shared))
}

#[test]
fn a_number_that_is_used_again_means_the_new_space_only() {
    let storage = Arc::new(Storage::new(1 << 20).expect("room for a megabyte"));
    let va = 0x3000;
    let a = space(&storage, 0x1_0000, va, 0x4000, 0xaaaa);
    let b = space(&storage, 0x2_0000, va, 0x5000, 0xbbbb);
    let mut state = cpu(&storage);
    state.cr[1] = a;
    state.set_psw(Psw { mask: mask::DAT | mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING, address: 0 });
    state.control_changed();
    for n in 0..20_000u64 {
        // Every other access is to a space never seen before (not translated, but a space all the same).
        let fresh = n << 12 | 0x20;
        state.cr[7] = if n % 2 == 0 { b } else { fresh };
        let mut bytes = [0; 8];
        state.read_in(va, Space::Secondary, 0, &mut bytes).expect("it is mapped");
        assert_eq!(u64::from_be_bytes(bytes), if n % 2 == 0 { 0xbbbb } else { 0 });
        assert_eq!(state.load_u64(At { address: va, ar: 0 }), Ok(0xaaaa), "after {n} spaces");
    }
}

#[test]
fn what_a_cpu_looks_up_after_a_rest_is_found_again() {
    let storage = Arc::new(Storage::new(1 << 20).expect("room for a megabyte"));
    let va = 0x3000;
    let table = space(&storage, 0x1_0000, va, 0x4000, 0xaaaa);
    for mode in [mask::DAT, 0] {
        let mut state = cpu(&storage);
        state.cr[1] = table;
        state.set_psw(Psw { mask: mode | mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING, address: 0 });
        state.control_changed();
        for change in [State::rest, State::purge_tlb, State::purge_all, State::control_changed] {
            let absolute = state.instruction_address(va).expect("it is mapped");
            assert_eq!(state.find_instruction(va), Some(absolute));
            change(&mut state);
            state.instruction_address(va).expect("it is mapped");
            assert_eq!(state.find_instruction(va), Some(absolute), "an instruction's page is looked for in vain");
            let data = At { address: va, ar: 0 };
            state.load_u64(data).expect("it is mapped");
            assert!(state.distance(va, 8, false).is_some(), "an operand's page is looked for in vain");
        }
    }
}

#[test]
fn spaces_of_two_cpus_are_told_apart() {
    let storage = Arc::new(Storage::new(1 << 20).expect("room for a megabyte"));
    let [a, b] = [0; 2].map(|_| cpu(&storage));
    assert_ne!(a.fetch_space(), b.fetch_space());
}
