//! Doing a stretch of instructions twice: what is needed to go back to its beginning, and to tell two outcomes apart.
//!
//! The first engine runs from [`State::begin_stretch`] on. [`State::take_back_stores`] gives what it stored and puts
//! the old contents back, [`State::restore`] puts the registers back, and the second engine does the same again. The
//! clock stands still meanwhile, so both see one time.
//!
//! Stores are found by content: every frame that becomes storable through the TLB, or that an interruption stores into,
//! is copied first. The copies are kept from stretch to stretch, so that stores need not go the slow way in each. Not
//! found are storage keys and page states, and storage that others write at the same time. So the comparison leaves out
//! instructions that change keys, and no other CPU runs meanwhile.

use crate::state::{
    Architecture, Counters, CpuTimer, Guarded, Intercepted, Interruption, PerEvent, State, VectorRegisters,
};
use arch::{Absolute, PAGE, PAGE_MASK};
use base::layout::U64;
use std::fmt::Debug;
use zerocopy::{IntoBytes, transmute_ref};

/// So many frames are watched before all are forgotten.
const FRAMES: usize = 8;

/// A doubleword that was stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stored {
    /// Where it lies.
    pub at: Absolute,
    /// What it has.
    pub value: u64,
}

macro_rules! kept {
    (compared $($name:ident: $type:ty,)* ; other $($other:ident: $kind:ty,)*) => {
        /// The registers and whatever else a CPU remembers, at one moment.
        #[derive(Clone)]
        pub struct Snapshot { $($name: $type,)* $($other: $kind,)* }

        impl State {
            /// What [`State::restore`] puts back.
            pub fn snapshot(&self) -> Snapshot {
                // A field that is neither kept nor named here has been forgotten: the compiler says so.
                let State {
                    $($name,)* $($other,)*
                    next_ia: _, executed: _, key: _, data_asid: _, data_window: _, fetch_asid: _, fetch_window: _,
                    block_stale: _, fetch_stale: _, blocks_stale: _,
                    left: _, tlb: _, attention: _, open_for: _, scratch: _, transaction: _, transaction_aborted: _, address: _, stopped: _,
                    interrupted: _, interpretation: _, space_left: _, reported: _, shared: _, watch: _, held_clock: _,
                    stops: _, touched: _, handshake: _, awaited: _, in_engine: _,
                } = self;
                Snapshot { $($name: *$name,)* $($other: *$other,)* }
            }

            /// Puts registers and what follows from them back. Nothing must have changed the architecture since.
            pub fn restore(&mut self, to: &Snapshot) {
                $(self.$name = to.$name;)*
                $(self.$other = to.$other;)*
                self.next_ia = self.ia;
                self.key = (self.psw_mask >> 52 & 15) as u8;
                self.block_stale = false;
                self.fetch_stale = true;
                self.control_changed();
                self.timers_changed();
            }
        }

        impl Snapshot {
            /// What differs: the name, the value here and the value there.
            pub fn differences(&self, there: &Snapshot) -> Vec<(String, String, String)> {
                let mut all = Vec::new();
                $(self.$name.differ(&there.$name, stringify!($name), &mut all);)*
                all
            }
        }
    };
}

kept! {
    compared
    ia: u64, gr: [u64; 16], cc: u8, program_mask: u8, psw_mask: u64, address_mask: u64, fpr: VectorRegisters, fpc: u32,
    ar: [u32; 16], cr: [u64; 16], prefix: u64, breaking_event: u64, open: u32, local: u32, architecture: Architecture,
    clock_comparator: u64, cpu_timer: CpuTimer, tod_programmable: u32, failed: Option<Interruption>,
    intercepted: Option<Intercepted>, translation_exception_id: u64, exception_access_id: u8,
    operand_access_id: u8, monitor_class: u8,
    monitor_code: u64, per_stored: bool, per_pending: Option<PerEvent>, guarded: Guarded, run_time_controls: [u64; 8],
    instructions: u64, ;
    // Instructions are counted block by block, so what was counted in the middle of one is the engine's own.
    other counters: Counters, budget: i64,
}

impl Snapshot {
    /// How many instructions the CPU had executed.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// The instruction address.
    pub fn ia(&self) -> u64 {
        self.ia
    }

    /// PSW, general, access, control and floating-point registers as lines of text.
    pub fn text(&self) -> String {
        let word = self.psw_mask | (self.cc as u64) << 44 | (self.program_mask as u64) << 40;
        let mut text = format!("PSW {word:016X} {:016X}  FPC {:08X}\n", self.ia, self.fpc);
        let mut rows = |name: &str, values: &[u64], each: usize| {
            for (n, row) in values.chunks(each).enumerate() {
                let row: Vec<String> = row.iter().map(|v| format!("{v:016X}")).collect();
                text += &format!("{name}{:<2} {}\n", n * each, row.join(" "));
            }
        };
        rows("GR", &self.gr, 4);
        rows("AR", &self.ar.map(u64::from), 4);
        rows("CR", &self.cr, 4);
        rows("V", self.fpr.0.as_flattened(), 4);
        text
    }
}

/// Something with differences that can be named.
trait Differ {
    fn differ(&self, there: &Self, name: &str, all: &mut Vec<(String, String, String)>);
}

macro_rules! numbers {
    ($($type:ty)*) => { $(
        impl Differ for $type {
            fn differ(&self, there: &Self, name: &str, all: &mut Vec<(String, String, String)>) {
                if self != there {
                    all.push((name.to_string(), format!("{self:X}"), format!("{there:X}")));
                }
            }
        }
    )* };
}

macro_rules! values {
    ($($type:ty)*) => { $(
        impl Differ for $type {
            fn differ(&self, there: &Self, name: &str, all: &mut Vec<(String, String, String)>) {
                if self != there {
                    all.push((name.to_string(), format!("{self:?}"), format!("{there:?}")));
                }
            }
        }
    )* };
}

numbers!(u8 u32 u64);
values!(bool Architecture CpuTimer Guarded);

impl<T: PartialEq + Debug> Differ for Option<T> {
    fn differ(&self, there: &Self, name: &str, all: &mut Vec<(String, String, String)>) {
        if self != there {
            all.push((name.to_string(), format!("{self:?}"), format!("{there:?}")));
        }
    }
}

impl<T: Differ + PartialEq, const N: usize> Differ for [T; N] {
    fn differ(&self, there: &Self, name: &str, all: &mut Vec<(String, String, String)>) {
        for (n, (a, b)) in self.iter().zip(there).enumerate().filter(|(_, (a, b))| a != b) {
            a.differ(b, &format!("{name}{n}"), all);
        }
    }
}

impl Differ for VectorRegisters {
    fn differ(&self, there: &Self, _: &str, all: &mut Vec<(String, String, String)>) {
        for (n, (a, b)) in self.0.iter().zip(&there.0).enumerate().filter(|(_, (a, b))| a != b) {
            let text = |v: &[u64; 2]| format!("{:016X}{:016X}", v[0], v[1]);
            all.push((format!("v{n}"), text(a), text(b)));
        }
    }
}

impl State {
    /// A stretch begins: from here on stores can be taken back, and the clock stands still. No transaction is under
    /// way. `follows`: nothing has been stored since [`State::keep_stores`] at the end of another.
    pub fn begin_stretch(&mut self, follows: bool) {
        self.held_clock = Some(self.host_now());
        let mut watch = self.watch.take().unwrap_or_else(|| {
            self.tlb.forbid_stores();
            Box::default()
        });
        if watch.0.len() > FRAMES {
            watch.0.clear();
            self.tlb.forbid_stores();
        }
        for (frame, copy) in watch.0.iter_mut().filter(|_| !follows) {
            self.storage().peek(Absolute(*frame), &mut copy[..]).expect("the frame exists");
        }
        self.watch = Some(watch);
    }

    /// What was stored is what the next stretch begins with.
    pub fn keep_stores(&mut self, stores: &[Stored]) {
        let Some(watch) = &mut self.watch else { return };
        for stored in stores {
            let (frame, at) = (stored.at.0 & PAGE_MASK, (stored.at.0 % PAGE) as usize);
            if let Some((_, copy)) = watch.0.iter_mut().find(|(known, _)| *known == frame) {
                copy[at..at + 8].copy_from_slice(U64::new(stored.value).as_bytes());
            }
        }
    }

    /// The stretch is over: the clock goes on.
    pub fn end_stretch(&mut self) {
        self.held_clock = None;
    }

    /// A frame is about to be stored into: it is copied if its contents may be wanted back.
    #[inline]
    pub(crate) fn watch_frame(&mut self, frame: u64) {
        let Some(watch) = &mut self.watch else { return };
        if !watch.0.iter().any(|(known, _)| *known == frame) {
            let mut copy = Box::new([0; PAGE as usize]);
            self.shared.storage.peek(Absolute(frame), &mut copy[..]).expect("the frame exists");
            watch.0.push((frame, copy));
        }
    }

    /// The doublewords that differ from what they were when the stretch began, in order.
    pub fn stores(&self) -> Vec<Stored> {
        let mut all = Vec::new();
        self.each_store(|stored, _| all.push(stored));
        all.sort();
        all
    }

    /// The same, and puts back what was there.
    pub fn take_back_stores(&mut self) -> Vec<Stored> {
        let mut all = Vec::new();
        self.each_store(|stored, old| {
            self.storage().write_u64(stored.at, old).expect("the frame exists");
            all.push(stored);
        });
        all.sort();
        all
    }

    fn each_store(&self, mut found: impl FnMut(Stored, u64)) {
        let Some(watch) = &self.watch else { return };
        let mut now = [U64::ZERO; PAGE as usize / 8];
        for (frame, copy) in &watch.0 {
            if self.storage().holds(Absolute(*frame), copy).expect("the frame exists") {
                continue;
            }
            self.storage().peek(Absolute(*frame), now.as_mut_bytes()).expect("the frame exists");
            let before: &[U64; PAGE as usize / 8] = transmute_ref!(&**copy);
            for (n, (now, old)) in now.iter().zip(before).enumerate().filter(|(_, (now, old))| now != old) {
                let at = Absolute(frame + 8 * n as u64);
                found(Stored { at, value: now.get() }, old.get());
            }
        }
    }
}
