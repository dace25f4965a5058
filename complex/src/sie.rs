//! START INTERPRETIVE EXECUTION: a program on a CPU of this configuration runs a virtual machine of its own
//! (Interpretive Execution, SA22-7095). The program is the *host* here, its machine the *guest*; Linux's KVM is such a
//! program.
//!
//! The guest's CPU is a [`State`] beside the host's. It is loaded from the state description at each SIE, and stored
//! there at its end. Its TLB, as long as that is valid, and decoded blocks are kept between two SIEs. It runs in the
//! same engine. Every few thousand instructions this file looks whether the host has an interruption pending, and which
//! of the guest's timers are due. It also looks whether the state description has a request for the guest, to stop or
//! to be interrupted.
//!
//! SIE ends in one of three ways. An *interception* is said in the description, and the host goes on after SIE. A *host
//! interruption*, or the end of a slice, leaves the host's PSW at SIE, which goes on where it was. A *host exception*,
//! for a page of the guest that the host's tables do not lead to, is a program interruption of SIE.

use crate::{Configuration, run::BUDGET};
use arch::interpretation::{EXECUTED, StateDescription, code, flag, validity};
use arch::interruption::external;
use arch::{Absolute, Program, Psw, Real, lowcore, mask};
use base::layout::{U16, U32, U64};
use cpu::{
    Architecture, Facilities, Floating, HostFault, HostSpace, Intercepted, Interruption, Shared, Signals, Space, State,
    Wrapping, attention,
};
use engine::{BlockCache, Exit};
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use storage::Storage;
use zerocopy::{Immutable, IntoBytes};

/// Guest instructions between two looks at the host's interruptions and the description's requests.
const CHUNK: i64 = 2000;
/// Guests that a CPU remembers.
const REMEMBERED: usize = 8;
/// Facilities that guests do not have: constrained and other transactions. A transaction holds the other CPUs of its
/// configuration, and those of a guest are not known here.
const NOT_OFFERED: Facilities = Facilities::of(&[50, 73]);

/// The guests that a CPU ran last, and what it decoded of them.
#[derive(Default)]
pub(crate) struct Guests {
    /// The latest last.
    known: Vec<Guest>,
    cache: BlockCache,
}

/// One CPU of a guest.
struct Guest {
    description: Absolute,
    state: State,
    /// The host's translation epoch when the guest ran last. If it has changed, the guest's TLB may be wrong.
    epoch: u64,
}

/// Why interpretive execution ends.
enum End {
    /// An interception that the code alone tells.
    Interception(u8),
    Instruction {
        code: u8,
        text: [u8; 6],
        executed: u8,
    },
    MissingPage {
        text: [u8; 6],
        executed: u8,
        entries: [u64; 2],
    },
    Program {
        why: Interruption,
        ilc: u8,
    },
    External(u16),
    Host(HostFault),
    /// The host has an interruption pending, or its slice is over.
    Later,
}

/// A state description in storage. Its frame exists.
struct Description<'a> {
    storage: &'a Storage,
    at: Absolute,
}

/// Stores some fields of a description. The others stay as they are: other CPUs change some of them meanwhile.
macro_rules! put {
    ($description:expr, $($field:ident: $value:expr),+) => {
        $($description.put(offset_of!(StateDescription, $field), |d| &d.$field, $value);)+
    };
}

impl Description<'_> {
    /// Stores the field at an offset, which has the type of the field that is named.
    fn put<T: IntoBytes + Immutable>(&self, offset: usize, _: fn(&StateDescription) -> &T, value: impl Into<T>) {
        let at = Absolute(self.at.0 + offset as u64);
        self.storage.write(at, value.into().as_bytes()).expect("SIE has looked at the frame");
    }

    fn flags(&self) -> u32 {
        let at = Absolute(self.at.0 + offset_of!(StateDescription, flags) as u64);
        self.storage.read_u32(at).expect("SIE has looked at the frame")
    }

    fn intercept(&self, code: u8) {
        put!(self, code: code, status: 0);
    }

    /// An interception with the instruction, which an EXECUTE of so many bytes fetched (0: none).
    fn intercept_instruction(&self, code: u8, text: [u8; 6], executed: u8) {
        let [a, b, c, d, e, f] = text;
        let (first, rest) = (U16::from_bytes([a, b]), U32::from_bytes([c, d, e, f]));
        let status = if executed == 0 { 0 } else { EXECUTED | executed << 4 };
        put!(self, instruction: first, parameters: rest, code: code, status: status);
    }
}

impl Guests {
    /// The guest with this description, and what is decoded for all of them.
    fn find(&mut self, host: &State, description: Absolute) -> (&mut Guest, &mut BlockCache) {
        let found = match self.known.iter().position(|g| g.description == description) {
            Some(n) => self.known.remove(n),
            None => {
                if self.known.len() == REMEMBERED {
                    self.known.remove(0);
                }
                let shared = Shared {
                    storage: host.storage().clone(),
                    clock: host.shared().clock.clone(),
                    floating: Floating::default(),
                    signals: Box::new([Signals::default()]),
                    alone: host.shared().alone,
                    // PAGE IN and PAGE OUT of a guest find no block.
                    expanded: cpu::Expanded::default(),
                    facilities: offered(host.shared().facilities),
                    cpu_id: host.shared().cpu_id,
                    tod_offset: AtomicU64::new(0),
                    wrapping: Wrapping::default(),
                };
                // The host looks which I/O subclasses the guest's control register 6 enables.
                shared.floating.set_io_subclasses(u8::MAX);
                let state = State::new(0, Architecture::Z, Arc::new(shared));
                Guest { description, state, epoch: 0 }
            }
        };
        self.known.push(found);
        (self.known.last_mut().expect("one has just been put there"), &mut self.cache)
    }
}

impl Configuration {
    /// SIE. The PSW of `host` is past it; `ilc` is its length, or that of the EXECUTE that fetched it.
    pub(crate) fn interpret(
        &self,
        host: &mut State,
        guests: &mut Guests,
        at: Absolute,
        ilc: u8,
    ) -> Result<(), Interruption> {
        let storage = self.storage().clone();
        let values: StateDescription = storage.read_layout(at).map_err(|_| Program::Addressing)?;
        let description = Description { storage: &storage, at };
        let last = if values.flags & flag::NO_LIMIT == 0 { values.last_byte() } else { u64::MAX };
        let space = HostSpace::of(host, values.first_byte(), last);
        if let Some(why) = invalid(&values, &space) {
            put!(description, parameters: u32::from(why) << 16);
            description.intercept(code::VALIDITY);
            return Ok(());
        }
        let (guest, cache) = guests.find(host, at);
        let here = host.address;
        if guest.epoch != host.translation_epoch() || values.host_cpu != here {
            guest.state.purge_tlb();
            guest.epoch = host.translation_epoch();
            put!(description, host_cpu: here);
        }
        let controls = match guest.state.interpret_in(host, space, values.prefix()) {
            Ok(controls) => controls,
            Err(fault) => {
                description.intercept(0);
                return Err(host_exception(host, fault));
            }
        };
        controls.load_control = values.load_control.get();
        controls.interceptions = values.interceptions.get();
        controls.controls = values.controls.get();
        controls.per = values.flags & flag::PER != 0;
        controls.control_area = values.system_control_area().map(Absolute);
        load(&mut guest.state, host, &values);
        let end = self.run_guest(host, guest, cache, &description);
        store(&mut guest.state, host, &description);
        match end {
            End::Interception(code) => description.intercept(code),
            End::Instruction { code, text, executed } => description.intercept_instruction(code, text, executed),
            End::MissingPage { text, executed, entries } => {
                description.put(StateDescription::ENTRIES, |d| &d.psw, entries.map(U64::new));
                description.intercept_instruction(code::PARTIAL_EXECUTION, text, executed);
            }
            End::Program { why, ilc } => {
                tell_program_interruption(&mut guest.state, why, ilc, &description);
                description.intercept(code::PROGRAM);
            }
            End::External(code) => {
                put!(description, external_cpu: 0, external_code: code);
                description.intercept(code::EXTERNAL_INTERRUPTION);
            }
            End::Host(fault) => {
                description.intercept(0);
                return Err(host_exception(host, fault));
            }
            End::Later => {
                description.intercept(0);
                host.ia = host.ia.wrapping_sub(u64::from(ilc)) & host.address_mask;
            }
        }
        Ok(())
    }

    /// The loop around the engine.
    fn run_guest(&self, host: &mut State, guest: &mut Guest, cache: &mut BlockCache, description: &Description) -> End {
        let state = &mut guest.state;
        if state.psw_is_invalid() && !engine::complete(state, Err(Interruption::EarlySpecification), 0) {
            return End::Program { why: Interruption::EarlySpecification, ilc: 0 };
        }
        // At most what the host has left of its budget, and at least one instruction.
        let mut left = BUDGET.min(host.budget.max(1));
        loop {
            host.timers_changed();
            if left <= 0 || self.takes(host, host.attention()) {
                return End::Later;
            }
            let flags = description.flags();
            if flags & flag::STOP != 0 {
                return End::Interception(code::STOP);
            }
            ask(state, flags);
            state.timers_changed();
            if let Some(code) = endless_external(state) {
                return End::External(code);
            }
            state.budget = CHUNK.min(left);
            let before = state.instructions;
            let exit = engine::run(state, cache);
            let executed = state.instructions.wrapping_sub(before);
            host.instructions = host.instructions.wrapping_add(executed);
            left -= executed as i64 + 1;
            host.budget -= executed as i64 + 1;
            match exit {
                Exit::Instruction { what: Intercepted::Interpreted { text, executed, unknown }, .. } => {
                    let code = if unknown { code::OPERATION_EXCEPTION } else { code::INSTRUCTION };
                    return End::Instruction { code, text, executed };
                }
                Exit::Instruction { what: Intercepted::MissingPage { text, executed, entries }, .. } => {
                    return End::MissingPage { text, executed, entries };
                }
                Exit::Instruction { what: Intercepted::Wait, .. } => {}
                Exit::Instruction { what: what @ Intercepted::TrueRandomNumbers { .. }, ilc } => {
                    let result = self.perform(state, what);
                    if result == Err(Interruption::Host) {
                        state.ia = state.ia.wrapping_sub(u64::from(ilc)) & state.address_mask;
                        return host_end(state);
                    }
                    if !engine::complete(state, result, ilc) {
                        return End::Program { why: Program::Specification.into(), ilc: 0 };
                    }
                }
                // Other instructions that a configuration performs are intercepted: the host performs them.
                Exit::Instruction { ilc, .. } => {
                    return End::Instruction { code: code::INSTRUCTION, text: text_before(state, ilc), executed: 0 };
                }
                Exit::Host => return host_end(state),
                Exit::Program { why, ilc } => return End::Program { why, ilc },
                Exit::ProgramLoop => return End::Program { why: Program::Specification.into(), ilc: 0 },
                Exit::Wait => return End::Interception(code::WAIT),
                Exit::Request => return End::Interception(code::EXTERNAL_REQUEST),
                Exit::Io => return End::Interception(code::IO_REQUEST),
                Exit::Leave => {
                    state.signals().lower(attention::LEAVE);
                    let purged = state.interpretation.as_mut().is_some_and(|host| std::mem::take(&mut host.purged));
                    if purged {
                        host.purge_all();
                        guest.epoch = host.translation_epoch();
                    }
                }
                Exit::Budget | Exit::Order | Exit::Message | Exit::Step | Exit::Stop(_) => {}
            }
        }
    }
}

/// Why a description is not valid.
fn invalid(values: &StateDescription, space: &HostSpace) -> Option<u16> {
    if values.flags & flag::Z == 0 {
        return Some(validity::ARCHITECTURE);
    }
    if values.flags & flag::NO_LIMIT == 0 && values.first_byte() > values.last_byte() {
        return Some(validity::EXTENT);
    }
    let last = values.prefix() + Architecture::Z.prefix_area() - 1;
    (!space.has(Absolute(last))).then_some(validity::PREFIX)
}

/// A list without what interpretive execution does not offer.
fn offered(list: Facilities) -> Facilities {
    Facilities(std::array::from_fn(|n| list.0[n] & !NOT_OFFERED.0[n]))
}

/// What the guest is told of facilities: the list that its description designates, else the host's. It switches no
/// instruction on or off.
fn reported(host: &State, values: &StateDescription) -> Facilities {
    let mut list = host.facilities();
    let at = u64::from(values.facilities) & 0x7fff_fff8;
    if at != 0 {
        for (n, word) in list.0.iter_mut().enumerate() {
            *word = host.storage().read_u64(Absolute(at + 8 * n as u64)).unwrap_or(*word);
        }
    }
    offered(list)
}

/// Loads the guest's CPU from the description, and general registers 0 to 13, floating-point and access registers
/// from the host.
fn load(guest: &mut State, host: &State, values: &StateDescription) {
    guest.gr[..14].copy_from_slice(&host.gr[..14]);
    guest.gr[14..].copy_from_slice(&values.general.map(U64::get));
    (guest.fpr, guest.fpc, guest.ar) = (host.fpr, host.fpc, host.ar);
    guest.cr = values.control.map(U64::get);
    let [mask, address] = values.psw.map(U64::get);
    guest.set_psw(Psw { mask, address });
    guest.control_changed();
    guest.reported = reported(host, values);
    guest.stopped = false;
    guest.per_pending = None;
    guest.breaking_event = values.breaking_event.get();
    guest.tod_programmable = values.tod_programmable.get();
    let offset = host.shared().tod_offset.load(SeqCst).wrapping_add(values.epoch.get());
    guest.shared().tod_offset.store(offset, SeqCst);
    guest.shared().wrapping.replace(host.shared().wrapping.keys());
    guest.clock_comparator = values.clock_comparator.get();
    guest.set_cpu_timer(values.cpu_timer.get());
    guest.set_timer_running(true);
}

/// Stores the guest's CPU where [`load`] has loaded it from.
fn store(guest: &mut State, host: &mut State, description: &Description) {
    guest.set_timer_running(false);
    host.gr[..14].copy_from_slice(&guest.gr[..14]);
    (host.fpr, host.fpc, host.ar) = (guest.fpr, guest.fpc, guest.ar);
    put!(
        description,
        cpu_timer: guest.cpu_timer(),
        clock_comparator: guest.clock_comparator,
        psw: [guest.psw_word(), guest.ia].map(U64::new),
        general: [guest.gr[14], guest.gr[15]].map(U64::new),
        control: guest.cr.map(U64::new),
        breaking_event: guest.breaking_event,
        tod_programmable: guest.tod_programmable
    );
}

/// Has the guest's CPU leave the engine as soon as it is enabled for an interruption that the description requests.
fn ask(guest: &State, flags: u32) {
    for (request, bit) in [(flag::EXTERNAL, attention::REQUEST), (flag::IO, attention::IO)] {
        if flags & request != 0 {
            guest.signals().raise(bit);
        } else {
            guest.signals().lower(bit);
        }
    }
}

/// The code of a timer's interruption that would repeat without end: it is due, and the external new PSW enables it
/// again.
fn endless_external(guest: &mut State) -> Option<u16> {
    let due = guest.attention() & guest.open;
    let code = match due {
        _ if due & attention::CLOCK_COMPARATOR != 0 => external::CLOCK_COMPARATOR,
        _ if due & attention::CPU_TIMER != 0 => external::CPU_TIMER,
        _ => return None,
    };
    (guest.assigned_u64(Real(lowcore::z::EXTERNAL_NEW)) & mask::EXTERNAL != 0).then_some(code)
}

/// The text of the instruction of `ilc` bytes that ends where the PSW points.
fn text_before(guest: &mut State, ilc: u8) -> [u8; 6] {
    let mut text = [0; 6];
    let at = guest.ia.wrapping_sub(u64::from(ilc)) & guest.address_mask;
    let key = guest.key;
    // The instruction was executed from there. If its page has just become invalid, the text is zeros.
    let _ = guest.read_in(at, Space::Instruction, key, &mut text[..usize::from(ilc).min(6)]);
    text
}

/// How SIE ends after [`Interruption::Host`]: with the host's exception, or without one, to be resumed.
fn host_end(guest: &mut State) -> End {
    let fault = guest.interpretation.as_mut().and_then(|host| host.fault.take());
    fault.map_or(End::Later, End::Host)
}

/// Makes a fault in the host's translation a program interruption of SIE.
fn host_exception(host: &mut State, fault: HostFault) -> Interruption {
    host.translation_exception_id = fault.id;
    host.exception_access_id = 0;
    Interruption::Program(fault.code)
}

/// Leaves in the description what an interruption would have left in the guest's prefix area.
fn tell_program_interruption(guest: &mut State, why: Interruption, ilc: u8, description: &Description) {
    let (program, data) = match why {
        Interruption::Program(program) => (program, 0),
        Interruption::Data(code) => (Program::Data, code),
        Interruption::Vector(code) => (Program::VectorProcessing, code),
        Interruption::EarlySpecification | Interruption::Intercept | Interruption::Host => (Program::Specification, 0),
    };
    let mut code = program as u16;
    if let Some(event) = guest.per_pending.take() {
        code |= Program::PerEvent as u16;
        put!(description, per_code: event.code, per_atmid: event.atmid, per_address: event.address);
    }
    put!(description, program_length: u16::from(ilc), program_code: code, data_code: u32::from(data));
    put!(description, exception_access: guest.exception_access_id, operand_access: guest.operand_access_id);
    let word = if program == Program::MonitorEvent {
        put!(description, monitor_class: u16::from(guest.monitor_class));
        guest.monitor_code
    } else {
        guest.translation_exception_id
    };
    put!(description, translation_exception: word);
}
