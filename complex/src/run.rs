//! Running one virtual CPU, and performing what it leaves to the configuration.

use crate::paging::{put_paging, take_paging};
use crate::{Configuration, Core, sigp};
use arch::io::SubsystemId;
use arch::{Psw, mask};
use base::{Held, Tod};
use cpu::{Intercepted, Interruption, State, attention};
use std::sync::atomic::Ordering::SeqCst;

/// Instructions between two looks at the clock, at first: about a tenth of a millisecond if they are interpreted.
/// Looking takes time, too. A faster CPU gets more, up to `MOST`, until a look comes after half of that time at least.
pub(crate) const BUDGET: i64 = 25_000;
const MOST: i64 = 16 * BUDGET;
/// A tenth of a millisecond, and half of it, in microseconds.
const TENTH: u64 = 100;
const HALF: u64 = 50;

/// What an intercepted instruction takes of the budget: a guest that does nothing else must come to its slice's end.
const INTERCEPTION: i64 = 100;

/// DIAGNOSE X'500': [`Configuration::notify_device`].
const NOTIFY: u16 = 0x500;

/// The machine-check code of "channel report pending" with everything valid (POP, chapter 11).
pub(crate) const CHANNEL_REPORT: u64 = 0x0040_0f1d_4033_0000;

/// Why a virtual CPU came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The slice is used up.
    SliceEnd,
    /// Enabled wait: nothing to do until an interruption, or until the clock shows `until`.
    Wait {
        /// When the CPU's next timer is due; `None`: it has none.
        until: Option<Tod>,
    },
    /// The CPU is in the stopped state.
    Stopped,
    /// A wait that no interruption can end.
    DisabledWait(Psw),
    /// DIAGNOSE: fetch and check operands, do it, and call [`Configuration::complete`]. The PSW addresses the next
    /// instruction.
    Diagnose {
        /// The instruction's R1 field, a general register's number.
        r1: u8,
        /// The instruction's R3 field, a general register's number.
        r3: u8,
        /// The DIAGNOSE code, from the second-operand address.
        code: u16,
        /// The length of the instruction, in bytes.
        ilc: u8,
    },
    /// IUCV (general register 0: function; 1: parameter list): as for DIAGNOSE.
    Iucv {
        /// The length of the instruction, in bytes.
        ilc: u8,
    },
    /// [`Configuration::message`], and the CPU is enabled for it: CP stores what there is to tell and performs the
    /// external interruption.
    Message,
    /// [`Configuration::leave`].
    Left,
    /// With `cpu::local::STEP` on, one instruction has been executed or one interruption taken.
    Step,
    /// Program interruptions without end: the program new PSW is not valid, or leads to an exception at once.
    ProgramLoop,
}

/// What a CPU may do that is about to run.
pub(crate) enum Leave {
    /// All, and there is no debugger.
    Free,
    Run,
    /// One instruction.
    Step,
    Nothing,
}

impl Configuration {
    /// Runs virtual CPU `n` on the calling thread for up to `slice` microseconds.
    pub fn run(&self, n: u16, slice: u64) -> Exit {
        let cpu = &self.cpus[n as usize];
        let mut core = cpu.core.lock().held();
        let leave = self.leave_to_run(n, &mut core.state);
        if matches!(leave, Leave::Nothing) {
            return Exit::Wait { until: None };
        }
        let start = self.now();
        let signals = &self.shared.signals[n as usize];
        cpu.running.store(true, SeqCst);
        signals.set_running(true);
        // A CPU that was defined or reset since does not have the attention bits of floating interruptions.
        signals.raise(self.shared.floating.attention());
        core.state.set_timer_running(true);
        let mut performing = 0;
        take_paging();
        let mut exit = self.run_core(&mut core, start, slice, &mut performing);
        if !matches!(leave, Leave::Free) {
            while matches!((exit, &leave), (Exit::Step, Leave::Step)) && self.steps_on(n, &core.state) {
                exit = self.run_core(&mut core, start, slice, &mut performing);
            }
            exit = self.debugged(n, &leave, &mut core, exit);
        }
        // A step may end after TRANSACTION BEGIN; the transaction is given up then.
        core.state.give_up_transaction();
        core.state.set_timer_running(false);
        cpu.stopped.store(core.state.stopped, SeqCst);
        signals.set_running(false);
        cpu.running.store(false, SeqCst);
        // A thread that raised a bit after the engine had looked saw a running CPU, and so did not ask for it to be
        // run.
        let pending = signals.attention_ordered();
        let missed = match exit {
            Exit::Wait { .. } => self.takes(&core.state, pending),
            Exit::Stopped => pending & attention::ORDER != 0,
            _ => false,
        };
        if missed {
            self.host.runnable(n);
        }
        let spent = self.now().unix_nanos().saturating_sub(start.unix_nanos());
        cpu.total_ns.fetch_add(spent, SeqCst);
        cpu.virtual_ns.fetch_add(spent.saturating_sub(performing + take_paging()), SeqCst);
        exit
    }

    /// The loop around the engine. `performing` counts nanoseconds that were not the guest's own.
    fn run_core(&self, core: &mut Core, start: Tod, slice: u64, performing: &mut u64) -> Exit {
        let Core { state, cache, guests, stop: at } = core;
        state.budget = BUDGET;
        let (mut budget, mut looked) = (BUDGET, start);
        loop {
            if self.pending.work() {
                self.apart(performing, || self.css().attend());
                if self.pending.work() {
                    // A long channel program is not over: it goes on after the next budget, not instead of it.
                    state.signals().lower(attention::LEAVE);
                }
            }
            if state.signals().attention() & attention::ORDER != 0 {
                self.carry_out_order(state);
            }
            if state.stopped {
                return Exit::Stopped;
            }
            state.timers_changed();
            match engine::run(state, cache) {
                engine::Exit::Budget => {
                    let now = self.now();
                    if now.micros_since(start) >= slice {
                        return Exit::SliceEnd;
                    }
                    match now.micros_since(std::mem::replace(&mut looked, now)) {
                        ..HALF => budget = (2 * budget).min(MOST),
                        HALF..=TENTH => {}
                        _ => budget = (budget / 2).max(BUDGET),
                    }
                    state.budget = budget;
                }
                engine::Exit::Order => {}
                engine::Exit::Message => return Exit::Message,
                engine::Exit::Leave => {
                    state.signals().lower(attention::LEAVE);
                    if !self.pending.work() || self.debug.is_frozen() {
                        return Exit::Left;
                    }
                }
                engine::Exit::Io => {
                    let open = (state.cr[6] >> 24) as u8;
                    let taken = self.css().take_interruption(open);
                    if let Some(io) = taken {
                        let result =
                            state.io_interruption(io.subsystem_id.get(), io.parameter.get(), io.identification.get());
                        if let Some(exit) = completed(state, result, 0) {
                            return exit;
                        }
                    }
                }
                engine::Exit::Instruction { what, ilc } => {
                    let result = match what {
                        // A device of the channel subsystem is notified without CP.
                        Intercepted::Diagnose { code: NOTIFY, .. }
                            if self.apart(performing, || self.notify_device(state)) =>
                        {
                            Ok(())
                        }
                        Intercepted::Diagnose { r1, r3, code } => return Exit::Diagnose { r1, r3, code, ilc },
                        Intercepted::Iucv => return Exit::Iucv { ilc },
                        Intercepted::Wait => continue,
                        Intercepted::StartInterpretiveExecution(at) => self.interpret(state, guests, at, ilc),
                        _ => self.apart(performing, || self.perform(state, what)),
                    };
                    state.budget = state.budget.min(BUDGET) - INTERCEPTION;
                    if let Some(exit) = completed(state, result, ilc) {
                        return exit;
                    }
                }
                engine::Exit::Wait => {
                    let enabled = mask::IO | mask::EXTERNAL | mask::MACHINE_CHECK;
                    if state.psw_mask() & enabled == 0 {
                        return Exit::DisabledWait(state.psw());
                    }
                    // The comparator may have come due since the timers were looked at.
                    state.timers_changed();
                    if self.takes(state, state.signals().attention()) {
                        continue;
                    }
                    // A CPU that waits is still there for a channel program that is not over.
                    if self.pending.work() {
                        return Exit::SliceEnd;
                    }
                    return Exit::Wait { until: state.next_timer() };
                }
                engine::Exit::Step => return Exit::Step,
                engine::Exit::Stop(stop) => {
                    *at = Some(stop);
                    return Exit::Left;
                }
                engine::Exit::Request | engine::Exit::Host | engine::Exit::Program { .. } => {
                    unreachable!("this CPU is not interpreted")
                }
                engine::Exit::ProgramLoop => return Exit::ProgramLoop,
            }
        }
    }

    /// Does something that is not the guest's own, and adds its nanoseconds to `performing`.
    fn apart<T>(&self, performing: &mut u64, work: impl FnOnce() -> T) -> T {
        let (before, paging) = (self.now(), take_paging());
        let result = work();
        *performing += self.now().unix_nanos().saturating_sub(before.unix_nanos());
        // Pages that came meanwhile are in this time already.
        put_paging(paging);
        result
    }

    /// DIAGNOSE X'500', whose operands are in fixed registers: the program has put something into a queue of a virtio
    /// device. False if there is no such device or queue, or the function in general register 1 is another one.
    pub fn notify_device(&self, state: &mut State) -> bool {
        const VIRTIO_CCW: u32 = 3;
        let Ok(id) = SubsystemId::decode(state.gr[2] as u32) else { return false };
        let Ok(queue) = u16::try_from(state.gr[3] as u32) else { return false };
        let known = state.gr[1] as u32 == VIRTIO_CCW && self.css().notify(id, queue);
        if known {
            // A number that is not negative; the program gives it back next time, and nothing needs it.
            state.gr[2] = u64::from(id.number());
        }
        known
    }

    /// The PSW of virtual CPU `n` if it is in a wait that no interruption can end. `None` while it is being run.
    pub fn disabled_wait(&self, n: u16) -> Option<Psw> {
        let core = self.cpus[n as usize].core.try_lock().ok()?;
        let state = &core.state;
        let enabled = mask::IO | mask::EXTERNAL | mask::MACHINE_CHECK;
        let waits = !state.stopped && state.psw().is(mask::WAIT) && state.psw_mask() & enabled == 0;
        (waits && !state.signals().has_order()).then(|| state.psw())
    }

    /// Whether no CPU does anything any more by itself: each is stopped, or in a wait that no interruption can end.
    pub fn all_at_rest(&self) -> bool {
        self.cpus().all(|n| self.is_stopped(n) || self.disabled_wait(n).is_some())
    }

    /// Whether the CPU would act on any of the `pending` attention bits. An I/O interruption that is pending in a
    /// subclass which control register 6 does not enable waits, and so may the CPU.
    pub(crate) fn takes(&self, state: &State, pending: u32) -> bool {
        let open = pending & state.open;
        let subclasses = self.shared.floating.io_subclasses() & (state.cr[6] >> 24) as u8;
        open & !attention::IO != 0 || open & attention::IO != 0 && subclasses != 0
    }

    /// Ends an instruction that CP performed for virtual CPU `n`; `ilc` is the [`Exit`]'s. False: program interruptions
    /// without end, as for [`Exit::ProgramLoop`].
    pub fn complete(&self, n: u16, result: Result<(), Interruption>, ilc: u8) -> bool {
        engine::complete(&mut self.cpu(n).state, result, ilc)
    }

    pub(crate) fn perform(&self, state: &mut State, what: Intercepted) -> Result<(), Interruption> {
        match what {
            Intercepted::Io(io) => self.perform_io(state, io),
            Intercepted::SignalProcessor { r1, r3, order } => self.signal_processor(state, r1, r3, order),
            Intercepted::ServiceCall { r1, r2 } => self.service_call(state, r1, r2),
            Intercepted::StoreSystemInformation(at) => self.store_system_information(state, at),
            Intercepted::StoreHypervisorInformation { r1, r2 } => self.store_hypervisor_information(state, r1, r2),
            Intercepted::TrueRandomNumbers { r1, r2 } => self.true_random_numbers(state, [r1, r2]),
            Intercepted::Diagnose { .. } | Intercepted::Iucv | Intercepted::Wait => {
                unreachable!("these are CP's, or nobody's")
            }
            Intercepted::StartInterpretiveExecution(_)
            | Intercepted::Interpreted { .. }
            | Intercepted::MissingPage { .. } => {
                unreachable!("interpretive execution is not performed for an interpreted guest")
            }
        }
    }

    /// The order of another CPU that came while this one was running. Until it is over, others are told that this CPU
    /// is busy.
    fn carry_out_order(&self, state: &mut State) {
        if let Some(order) = state.signals().order_started() {
            sigp::carry_out(state, order);
            self.cpus[state.address as usize].stopped.store(state.stopped, SeqCst);
            state.signals().order_finished();
        }
    }
}

/// Ends an instruction or takes an interruption; why the CPU comes back now, if it does.
fn completed(state: &mut State, result: Result<(), Interruption>, ilc: u8) -> Option<Exit> {
    if !engine::complete(state, result, ilc) {
        return Some(Exit::ProgramLoop);
    }
    (state.local & cpu::local::STEP != 0).then_some(Exit::Step)
}
