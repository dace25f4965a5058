//! A CPU alone, with a megabyte and no time: for instructions one by one.

use arch::{Absolute, Psw};
use base::{Clock, Tod};
use cpu::{Architecture, Facilities, Floating, Shared, Signals, State, cr0};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use storage::Storage;

struct NoTime;

impl Clock for NoTime {
    fn now(&self) -> Tod {
        Tod(0)
    }
}

/// What register 5 designates.
const BASE: u64 = 0x1000;
/// Where the storage operand is: 88 bytes after that.
#[allow(dead_code)] // where all operands are in registers
pub(crate) const OPERAND: Absolute = Absolute(BASE + 88);

/// A CPU in z/Architecture that may use floating point.
pub(crate) fn cpu(facilities: Facilities) -> State {
    let shared = Shared {
        storage: Arc::new(Storage::new(1 << 20).expect("a megabyte")),
        clock: Arc::new(NoTime),
        floating: Floating::default(),
        signals: Box::new([Signals::default()]),
        alone: true,
        expanded: cpu::Expanded::new(Some(Arc::new(Storage::new(1 << 20).expect("a megabyte")))),
        facilities,
        cpu_id: 0,
        tod_offset: AtomicU64::new(0),
        wrapping: cpu::Wrapping::default(),
    };
    let mut cpu = State::new(0, Architecture::Z, Arc::new(shared));
    cpu.set_psw(Psw { mask: 0x0000_0001_8000_0000, address: 0x2000 });
    cpu.cr[0] |= cr0::AFP;
    cpu.control_changed();
    cpu.gr[5] = BASE;
    cpu
}
