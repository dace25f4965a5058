//! What reaches a CPU from outside while it runs.
//!
//! A sender sets what it wants to say, then the attention bit, then (if the CPU may be idle) has it made runnable. The
//! CPU looks at `attention & open` between blocks: one load and one test when nothing is the matter.

use crate::notices::{Notice, Pages};
use base::Held;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::SeqCst, fence};
use std::sync::{Mutex, MutexGuard};

/// Attention bits. Those from `ALWAYS` cannot be masked by the guest.
pub mod attention {
    /// Another CPU sent an emergency signal.
    pub const EMERGENCY_SIGNAL: u32 = 1 << 0;
    /// Another CPU sent an external call.
    pub const EXTERNAL_CALL: u32 = 1 << 1;
    /// The TOD clock is past the clock comparator.
    pub const CLOCK_COMPARATOR: u32 = 1 << 2;
    /// The CPU timer is negative.
    pub const CPU_TIMER: u32 = 1 << 3;
    /// The service element has an answer or an event.
    pub const SERVICE_SIGNAL: u32 = 1 << 4;
    /// The operator pressed the interrupt key.
    pub const INTERRUPT_KEY: u32 = 1 << 5;
    /// IUCV has something for the virtual machine.
    pub const IUCV: u32 = 1 << 6;
    /// Another CPU is in the check-stop state.
    pub const MALFUNCTION_ALERT: u32 = 1 << 7;
    /// An I/O interruption is pending in the channel subsystem.
    pub const IO: u32 = 1 << 8;
    /// A channel report is pending.
    pub const MACHINE_CHECK: u32 = 1 << 9;
    /// The host of an interpreted guest has an external interruption for it.
    pub const REQUEST: u32 = 1 << 10;
    /// VMCF has something for the virtual machine.
    pub const VMCF: u32 = 1 << 11;
    /// A page has come that a pseudo page fault told of.
    pub const PSEUDO_PAGE_FAULT: u32 = 1 << 12;
    /// Leave `run` as soon as possible: CP wants the CPU.
    pub const LEAVE: u32 = 1 << 16;
    /// Orders of other CPUs: see [`super::Order`].
    pub const ORDER: u32 = 1 << 17;
    /// Another CPU changed translation tables or keys: purge and acknowledge.
    pub const PURGE: u32 = 1 << 18;
    /// Another CPU has begun to watch code: acknowledge.
    pub const MEET: u32 = 1 << 19;
    /// What the guest cannot mask.
    pub const ALWAYS: u32 = LEAVE | ORDER | PURGE | MEET;
    /// All external-interruption classes.
    pub const EXTERNAL: u32 = 0xff | VMCF;
    /// What CP alone raises and presents.
    pub const MESSAGE: u32 = IUCV | VMCF;
}

/// SIGP orders that a running CPU has to carry out itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Order {
    /// STOP.
    Stop = 1,
    /// RESTART.
    Restart,
    /// STOP AND STORE STATUS.
    StopAndStoreStatus,
    /// INITIAL CPU RESET.
    InitialReset,
    /// CPU RESET.
    Reset,
}

impl Order {
    const ALL: [Order; 5] = [Order::Stop, Order::Restart, Order::StopAndStoreStatus, Order::InitialReset, Order::Reset];
}

/// How often something was asked for and done; equal when no CPU waits.
#[derive(Default)]
struct Asked {
    wanted: AtomicU64,
    done: AtomicU64,
}

/// One CPU's own pending conditions, in lines of the host's caches that no other CPU's share: each looks at its own all
/// the time.
#[derive(Default)]
#[repr(align(128))]
pub struct Signals {
    attention: AtomicU32,
    /// CPUs that sent an emergency signal, a bit each; the first 64 CPU addresses.
    emergency: AtomicU64,
    /// Address of the CPU that sent the pending external call, plus 1; 0 none.
    external_call: AtomicU32,
    /// The [`Order`] that the CPU has accepted and not carried out yet; 0 none.
    order: AtomicU32,
    purges: Asked,
    meetings: Asked,
    /// 1 while the CPU is inside the engine: then another CPU that asks it for something must wait for it.
    running: AtomicU32,
}

impl Signals {
    /// The attention bits now.
    #[inline(always)]
    pub fn attention(&self) -> u32 {
        self.attention.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// The attention bits, read after everything this thread has stored before: for a CPU that is about to sleep.
    pub fn attention_ordered(&self) -> u32 {
        self.attention.load(SeqCst)
    }

    /// Where the attention bits are.
    pub(crate) fn attention_word(&self) -> *const AtomicU32 {
        &self.attention
    }

    /// Sets attention bits.
    pub fn raise(&self, bits: u32) {
        self.attention.fetch_or(bits, SeqCst);
    }

    /// Takes attention bits back.
    pub fn lower(&self, bits: u32) {
        self.attention.fetch_and(!bits, SeqCst);
    }

    /// Makes an emergency signal from CPU `from` pending.
    pub fn emergency_signal(&self, from: u16) {
        self.emergency.fetch_or(1 << (from & 63), SeqCst);
        self.raise(attention::EMERGENCY_SIGNAL);
    }

    /// The lowest-addressed CPU that has sent a pending emergency signal; the signal no longer is pending.
    pub fn take_emergency_signal(&self) -> Option<u16> {
        self.lower(attention::EMERGENCY_SIGNAL);
        let pending = self.emergency.load(SeqCst);
        if pending == 0 {
            return None;
        }
        let from = pending.trailing_zeros();
        self.emergency.fetch_and(!(1 << from), SeqCst);
        if self.emergency.load(SeqCst) != 0 {
            self.raise(attention::EMERGENCY_SIGNAL);
        }
        Some(from as u16)
    }

    /// Makes an external call from CPU `from` pending; false if one is pending already.
    pub fn external_call(&self, from: u16) -> bool {
        let free = self.external_call.compare_exchange(0, from as u32 + 1, SeqCst, SeqCst).is_ok();
        if free {
            self.raise(attention::EXTERNAL_CALL);
        }
        free
    }

    /// Whether an external call is pending.
    pub fn external_call_pending(&self) -> bool {
        self.external_call.load(SeqCst) != 0
    }

    /// The CPU that has sent the pending external call; the call no longer is pending.
    pub fn take_external_call(&self) -> Option<u16> {
        self.lower(attention::EXTERNAL_CALL);
        match self.external_call.swap(0, SeqCst) {
            0 => None,
            from => Some((from - 1) as u16),
        }
    }

    /// For a checkpoint: the CPUs whose emergency signals are pending, and the one whose external call is, plus 1.
    pub(crate) fn calls(&self) -> (u64, u32) {
        (self.emergency.load(SeqCst), self.external_call.load(SeqCst))
    }

    /// Makes those pending.
    pub(crate) fn set_calls(&self, emergency: u64, external_call: u32) {
        self.emergency.store(emergency, SeqCst);
        self.external_call.store(external_call, SeqCst);
        let bits = if emergency != 0 { attention::EMERGENCY_SIGNAL } else { 0 }
            | if external_call != 0 { attention::EXTERNAL_CALL } else { 0 };
        self.raise(bits);
    }

    /// Asks the CPU to carry out an order; false if it has not carried out another one yet.
    pub fn order(&self, order: Order) -> bool {
        let free = self.order.compare_exchange(0, order as u32, SeqCst, SeqCst).is_ok();
        if free {
            self.raise(attention::ORDER);
        }
        free
    }

    /// Whether the CPU has an order that it has not carried out yet.
    pub fn has_order(&self) -> bool {
        self.order.load(SeqCst) != 0
    }

    /// The CPU's side: the order that it is to carry out now; [`Signals::order_finished`] says when it has.
    pub fn order_started(&self) -> Option<Order> {
        self.lower(attention::ORDER);
        let code = self.order.load(SeqCst);
        Order::ALL.into_iter().find(|order| *order as u32 == code)
    }

    /// The CPU's side: the order has been carried out, and what it did is to be seen.
    pub fn order_finished(&self) {
        self.order.store(0, SeqCst);
    }

    /// A CPU reset: interruptions pending for this CPU alone are gone.
    pub fn reset(&self) {
        self.emergency.store(0, SeqCst);
        self.external_call.store(0, SeqCst);
        self.lower(attention::EXTERNAL & !attention::SERVICE_SIGNAL & !attention::MESSAGE);
        self.lower(attention::PSEUDO_PAGE_FAULT);
    }

    /// The CPU enters (true) or leaves the engine.
    pub fn set_running(&self, running: bool) {
        self.running.store(running as u32, SeqCst);
        // A CPU that asks for something raises its bit and then reads `running`. A CPU that starts sets `running` and
        // then reads the bits. It reads them without order: one fence keeps those reads after the store, so that a
        // request is seen here of any CPU that has seen this one not running.
        fence(SeqCst);
    }

    fn ask(&self, what: &Asked, bit: u32) -> u64 {
        let ticket = what.wanted.fetch_add(1, SeqCst) + 1;
        self.raise(bit);
        ticket
    }

    fn done(&self, what: &Asked, ticket: u64) -> bool {
        what.done.load(SeqCst) >= ticket || self.running.load(SeqCst) == 0
    }

    /// Asks for a purge; `purged` tells when it is done.
    pub fn ask_purge(&self) -> u64 {
        self.ask(&self.purges, attention::PURGE)
    }

    /// Whether the purge `ticket` asked for has been done, or the CPU is not running and will purge before it does.
    pub fn purged(&self, ticket: u64) -> bool {
        self.done(&self.purges, ticket)
    }

    /// Whether the purge `ticket` asked for has been done, by the CPU or for it.
    pub fn has_purged(&self, ticket: u64) -> bool {
        self.purges.done.load(SeqCst) >= ticket
    }

    /// The CPU's side: what has been asked for is about to be done; give the result to [`Signals::purge_finished`].
    pub fn purge_started(&self) -> u64 {
        self.lower(attention::PURGE);
        self.purges.wanted.load(SeqCst)
    }

    /// The CPU's side: everything up to `ticket` has been purged.
    pub fn purge_finished(&self, ticket: u64) {
        self.purges.done.fetch_max(ticket, SeqCst);
    }

    /// Asks the CPU to tell when it is between two instructions; `met` says whether it has.
    pub fn ask_to_meet(&self) -> u64 {
        self.ask(&self.meetings, attention::MEET)
    }

    /// Whether the CPU has been between two instructions since `ticket`, or does not run. Then each store for which it
    /// had looked up the place before has been made.
    pub fn met(&self, ticket: u64) -> bool {
        self.done(&self.meetings, ticket)
    }

    /// The CPU's side: it stands between two instructions.
    pub fn meet(&self) {
        if self.attention() & attention::MEET != 0 {
            self.lower(attention::MEET);
            let ticket = self.meetings.wanted.load(SeqCst);
            self.meetings.done.fetch_max(ticket, SeqCst);
        }
    }
}

/// An external interruption that any CPU may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct External {
    /// The interruption code, stored at 86.
    pub code: u16,
    /// CPU address or subcode, stored at 84.
    pub subcode: u16,
    /// Stored at 80.
    pub parameter: Option<u32>,
    /// Stored at 11B8.
    pub parameter64: Option<u64>,
}

/// Conditions that are pending for the configuration, not for one CPU.
#[derive(Default)]
pub struct Floating {
    /// Pending I/O interruptions by interruption subclass: the leftmost bit is ISC 0, as in CR6.
    io: AtomicU8,
    external: Mutex<VecDeque<External>>,
    /// Locked before `external`.
    pub(crate) pages: Mutex<Pages>,
    machine_check: AtomicU64,
    /// The CPU that holds all others, plus 1; 0 none.
    holder: AtomicU32,
}

impl Floating {
    /// CPU `address` wants to hold all others. False if another CPU does.
    pub(crate) fn hold(&self, address: u16) -> bool {
        self.holder.compare_exchange(0, address as u32 + 1, SeqCst, SeqCst).is_ok()
    }

    /// CPU `address` does not hold the others any more.
    pub(crate) fn release(&self, address: u16) {
        let _ = self.holder.compare_exchange(address as u32 + 1, 0, SeqCst, SeqCst);
    }

    /// Whether another CPU than `address` holds it.
    pub(crate) fn is_held(&self, address: u16) -> bool {
        let holder = self.holder.load(SeqCst);
        holder != 0 && holder != address as u32 + 1
    }

    /// The channel subsystem says which subclasses have an interruption pending.
    pub fn set_io_subclasses(&self, subclasses: u8) {
        self.io.store(subclasses, SeqCst);
    }

    /// Pending interruption subclasses, ISC 0 in the leftmost bit.
    pub fn io_subclasses(&self) -> u8 {
        self.io.load(SeqCst)
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<External>> {
        // The queue is whole between any two statements that hold the lock.
        self.external.lock().held()
    }

    /// Makes an external interruption pending; returns the attention bit to raise.
    pub fn external(&self, what: External) -> u32 {
        self.queue().push_back(what);
        Self::class(what.code)
    }

    /// The class that an interruption code belongs to, as an attention bit.
    fn class(code: u16) -> u32 {
        use arch::interruption::external as code_of;
        match code {
            code_of::IUCV => attention::IUCV,
            code_of::INTERRUPT_KEY => attention::INTERRUPT_KEY,
            _ => attention::SERVICE_SIGNAL,
        }
    }

    /// The interrupt key, else the oldest pending interruption, among the classes `open`; it no longer is pending. The
    /// second value is the classes that are still pending.
    pub fn take_external(&self, open: u32) -> (Option<External>, u32) {
        let mut queue = self.queue();
        let open_and = |class: u32| queue.iter().position(|e| Self::class(e.code) & open & class != 0);
        let found = open_and(attention::INTERRUPT_KEY).or_else(|| open_and(u32::MAX));
        let taken = found.and_then(|n| queue.remove(n));
        (taken, queue.iter().fold(0, |bits, e| bits | Self::class(e.code)))
    }

    /// What is pending now, as attention bits.
    pub fn attention(&self) -> u32 {
        let io = if self.io_subclasses() != 0 { attention::IO } else { 0 };
        let machine_check = if self.machine_check.load(SeqCst) != 0 { attention::MACHINE_CHECK } else { 0 };
        self.queue().iter().fold(io | machine_check, |bits, e| bits | Self::class(e.code))
    }

    /// Makes a repressible machine check with this interruption code pending.
    pub fn machine_check(&self, code: u64) {
        self.machine_check.fetch_or(code, SeqCst);
    }

    /// The pending machine check, if any; it no longer is.
    pub fn take_machine_check(&self) -> Option<u64> {
        match self.machine_check.swap(0, SeqCst) {
            0 => None,
            code => Some(code),
        }
    }

    /// For a checkpoint: the pending external interruptions in their order, those that come of pages that programs
    /// wait for, and the code of the pending machine check, or 0. What is pending of I/O is the channel subsystem's.
    pub fn pending(&self) -> (Vec<External>, Vec<Notice>, u64) {
        let (awaited, external) = self.awaited(|| self.queue().iter().copied().collect());
        (external, awaited, self.machine_check.load(SeqCst))
    }

    /// Makes those pending, and nothing else.
    pub fn set_pending(&self, external: &[External], machine_check: u64) {
        *self.queue() = external.iter().copied().collect();
        self.machine_check.store(machine_check, SeqCst);
    }

    /// A subsystem reset: nothing is pending any more.
    pub fn clear(&self) {
        self.forget_pages(|| self.queue().clear());
        self.machine_check.store(0, SeqCst);
    }
}
