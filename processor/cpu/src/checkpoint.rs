//! One CPU in a checkpoint: what it holds between two instructions, as a value that can be written down and read by
//! another process.

use crate::notices::Handshake;
use crate::state::{Architecture, Counters, CpuTimer, Guarded, State};
use arch::Psw;
use serde::{Deserialize, Serialize};
use storage::NotAvailable;

/// What one CPU holds between two instructions, while it is not run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    architecture: Architecture,
    psw: (u64, u64),
    general: [u64; 16],
    control: [u64; 16],
    access: [u32; 16],
    vector: [[u64; 2]; 32],
    floating_control: u32,
    prefix: u64,
    breaking_event: u64,
    clock_comparator: u64,
    cpu_timer: u64,
    /// Clock units that it has been run, in all.
    ran: u64,
    tod_programmable: u32,
    stopped: bool,
    guarded: Guarded,
    run_time_controls: [u64; 8],
    counters: Counters,
    instructions: u64,
    /// CPUs with an emergency signal pending here, and the address of the one whose external call is, plus 1.
    emergency: u64,
    external_call: u32,
    #[serde(default)]
    handshake: Option<Handshake>,
}

impl State {
    /// What it holds; `None` while it is in the middle of something: a transaction, an order of another CPU, an
    /// instruction that CP performs for it, the program of an interpreted guest.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        // A field that is neither written down nor named here has been forgotten: the compiler says so.
        #[rustfmt::skip]
        let State {
            architecture, gr, cr, ar, fpr, fpc, prefix, breaking_event, clock_comparator, tod_programmable, stopped,
            guarded, run_time_controls, counters, instructions, handshake,
            // The PSW.
            ia: _, cc: _, program_mask: _, psw_mask: _, key: _, address_mask: _,
            // By their values now.
            cpu_timer: _, shared: _, attention: _, address: _,
            // Looked at below.
            failed, intercepted, per_pending, transaction, interpretation, transaction_aborted, space_left,
            // What follows from the rest, or is found anew.
            next_ia: _, executed: _, data_asid: _, data_window: _, fetch_asid: _, fetch_window: _, block_stale: _,
            fetch_stale: _, blocks_stale: _, open: _, open_for: _, local: _, left: _, tlb: _, budget: _, scratch: _,
            reported: _, in_engine: _, awaited: _,
            // Of an interruption that was taken before, of CP's TRACE, and of debuggers.
            translation_exception_id: _, exception_access_id: _, operand_access_id: _, interrupted: _,
            monitor_class: _, monitor_code: _, per_stored: _, watch: _, stops: _, touched: _, held_clock: _,
        } = self;
        let busy = failed.is_some()
            || intercepted.is_some()
            || per_pending.is_some()
            || transaction.is_some()
            || interpretation.is_some()
            || *transaction_aborted
            || space_left.is_some()
            || self.signals().has_order();
        let Psw { mask, address } = self.psw();
        let (emergency, external_call) = self.signals().calls();
        (!busy).then_some(Checkpoint {
            architecture: *architecture,
            psw: (mask, address),
            general: *gr,
            control: *cr,
            access: *ar,
            vector: fpr.0,
            floating_control: *fpc,
            prefix: *prefix,
            breaking_event: *breaking_event,
            clock_comparator: *clock_comparator,
            cpu_timer: self.cpu_timer(),
            ran: self.running_time(),
            tod_programmable: *tod_programmable,
            stopped: *stopped,
            guarded: *guarded,
            run_time_controls: *run_time_controls,
            counters: *counters,
            instructions: *instructions,
            emergency,
            external_call,
            handshake: *handshake,
        })
    }

    /// Goes on from a checkpoint, after a clear reset. An error if the prefix area is not in storage.
    pub fn resume(&mut self, from: &Checkpoint) -> Result<(), NotAvailable> {
        self.set_architecture(from.architecture);
        self.set_prefix(from.prefix)?;
        (self.gr, self.cr, self.ar) = (from.general, from.control, from.access);
        (self.fpr.0, self.fpc) = (from.vector, from.floating_control);
        (self.guarded, self.run_time_controls) = (from.guarded, from.run_time_controls);
        (self.counters, self.instructions) = (from.counters, from.instructions);
        (self.tod_programmable, self.stopped) = (from.tod_programmable, from.stopped);
        self.clock_comparator = from.clock_comparator;
        self.cpu_timer = CpuTimer { value: from.cpu_timer, since: None, ran: from.ran };
        self.signals().set_calls(from.emergency, from.external_call);
        self.set_psw(Psw { mask: from.psw.0, address: from.psw.1 });
        self.breaking_event = from.breaking_event;
        self.handshake = from.handshake;
        self.control_changed();
        self.per_changed();
        self.purge_tlb();
        self.timers_changed();
        Ok(())
    }
}
