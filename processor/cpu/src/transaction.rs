//! Transactional execution (POP, chapter 5, "Transactional-execution facility").
//!
//! While a CPU executes a transaction all others of the configuration are held between two blocks. The transaction
//! stores in place: the first store into a frame keeps a copy of the frame ([`storage::Storage::keep_frame`]). A
//! transaction that aborts puts the copies back; one that ends forgets them. Channel programs, CP and the service
//! element are not held: they work with the copies. A transaction aborts if one of them has stored meanwhile. The
//! engine executes a transaction one instruction at a time, bounded in number. It takes no interruption meanwhile: a
//! pending one aborts the transaction.

pub use crate::state::transaction::{Beginning, DEPTH, Diagnosis, Transaction, abort, filtered};
use crate::state::{Space, State, local};
use arch::Absolute;
use arch::transaction::DiagnosticBlock;
use base::layout::U64;
use zerocopy::IntoBytes;

/// Frames that a transaction may store into.
const FRAMES: usize = 16;
/// Where the diagnostic block of a program interruption goes: a real address.
const PROGRAM_BLOCK: u64 = 0x1800;

impl State {
    /// Begins a transaction, or a level of one: the caller has checked that the depth allows it.
    pub fn begin_transaction(&mut self, begin: Beginning) {
        if let Some(t) = &mut self.transaction {
            t.depth += 1;
            t.filtering = t.filtering.max(begin.filtering);
            t.access_registers &= begin.access_registers;
            t.floating_point &= begin.floating_point;
            return;
        }
        self.hold_others();
        self.storage().isolate();
        // Every frame is looked up again, so that the first store into it is seen.
        self.purge_tlb();
        self.transaction = Some(Box::new(Transaction {
            depth: 1,
            constrained: begin.constrained,
            save: begin.save,
            gr: self.gr,
            block: begin.block,
            resume: begin.resume,
            filtering: begin.filtering,
            access_registers: begin.access_registers,
            floating_point: begin.floating_point,
            instructions: 0,
            kept: Vec::new(),
        }));
        self.local |= local::TRANSACTION;
    }

    /// Ends a level. There must be a transaction. It ends in an abort if anything but this CPU has stored meanwhile.
    pub fn end_transaction(&mut self, instruction: u64) {
        let mut t = self.transaction.take().expect("the caller has looked");
        if t.depth > 1 {
            t.depth -= 1;
            self.transaction = Some(t);
        } else if self.storage().settle(false) {
            self.left_transaction();
        } else {
            self.undone(*t, Diagnosis { code: abort::FETCH_CONFLICT, cc: 2, instruction, ..Diagnosis::default() });
        }
    }

    fn left_transaction(&mut self) {
        self.local &= !local::TRANSACTION;
        self.release_others();
    }

    /// A reset: whatever was under way is not, and what it stored stays.
    pub(crate) fn forget_transaction(&mut self) {
        if self.transaction.take().is_some() {
            self.storage().settle(false);
            self.left_transaction();
        }
        self.transaction_aborted = false;
    }

    /// A frame is about to be stored into.
    pub(crate) fn note_frame(&mut self, frame: u64) {
        self.watch_frame(frame);
        if self.transaction.is_some() {
            self.storage().keep_frame(frame);
        }
    }

    /// A doubleword was stored that an abort is to leave in place.
    pub fn keep_store(&mut self, at: Absolute, v: u64) {
        if let Some(t) = &mut self.transaction {
            t.kept.push((at, v));
        }
    }

    /// Whether the transaction has stored into more frames than it may.
    pub fn transaction_overflows(&self) -> bool {
        self.transaction.is_some() && self.storage().kept_frames() > FRAMES
    }

    /// Undoes the transaction and goes on where its beginning says. There must be one.
    pub fn abort_transaction(&mut self, why: Diagnosis) {
        let t = self.transaction.take().expect("the caller has looked");
        self.storage().settle(true);
        self.undone(*t, why);
    }

    /// The CPU stops running for an unknown time: a transaction aborts, so that no other CPU is held meanwhile.
    pub fn give_up_transaction(&mut self) {
        if self.transaction.is_some() {
            let instruction = self.ia;
            self.abort_transaction(Diagnosis {
                code: abort::MISCELLANEOUS,
                cc: 2,
                instruction,
                ..Diagnosis::default()
            });
        }
    }

    /// What it has stored is gone; now the rest.
    fn undone(&mut self, t: Transaction, why: Diagnosis) {
        let storage = self.storage().clone();
        for (at, v) in &t.kept {
            storage.store_u64(*at, *v).expect("it was stored before");
        }
        let diagnostic = self.diagnostic_block(&t, why);
        if let Some(at) = t.block {
            // Its page could be stored into when the transaction began.
            let _ = self.write_in(at.address, Space::Mode { ar: at.ar }, self.key, diagnostic.as_bytes());
        }
        if why.code == abort::PROGRAM {
            let at = self.low(PROGRAM_BLOCK);
            storage.store(at, diagnostic.as_bytes()).expect("the prefix area lies in storage");
        }
        for pair in 0..8 {
            if t.save << pair & 0x80 != 0 {
                self.gr[2 * pair] = t.gr[2 * pair];
                self.gr[2 * pair + 1] = t.gr[2 * pair + 1];
            }
        }
        self.cc = why.cc;
        (self.ia, self.next_ia) = (t.resume, t.resume);
        self.fetch_stale = true;
        self.left_transaction();
    }

    /// The transaction-diagnostic block, format 1.
    fn diagnostic_block(&self, t: &Transaction, why: Diagnosis) -> DiagnosticBlock {
        let mut block = DiagnosticBlock::default();
        block.format = 1;
        block.flags = if t.constrained { DiagnosticBlock::CONSTRAINED } else { 0 };
        block.depth = t.depth.into();
        block.abort_code = why.code.into();
        block.instruction = why.instruction.into();
        if why.program != 0 {
            block.exception_access_id = self.exception_access_id;
            block.data_exception_code = why.dxc;
            block.program = why.program.into();
            block.translation_exception_id = self.translation_exception_id.into();
            block.breaking_event = self.breaking_event.into();
        }
        block.general = self.gr.map(U64::new);
        block
    }

    /// Holds all other CPUs of the configuration. Only one CPU can hold the others; one that comes second is held
    /// itself.
    fn hold_others(&mut self) {
        let shared = self.shared.clone();
        if shared.signals.len() == 1 {
            return;
        }
        while !shared.floating.hold(self.address) {
            self.answer_purge();
            std::thread::yield_now();
        }
        self.purge_others();
    }

    fn release_others(&mut self) {
        self.shared.floating.release(self.address);
    }
}
