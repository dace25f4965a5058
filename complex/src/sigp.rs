//! SIGNAL PROCESSOR (POP, chapter 4, "CPU signaling and response").
//!
//! A target that no thread runs is acted on at once. For a target that is being run, the order is noted in its
//! signals. It carries the order out between two instructions, and is busy for others until then, SENSE too.

use crate::{Configuration, VirtualCpu};
use arch::Absolute;
use base::Held;
use cpu::{Architecture, Interruption, Order, State};
use std::ops::Range;
use std::sync::atomic::Ordering::SeqCst;

const GUARDED_STORAGE: u32 = 133;

/// Status bits.
mod status {
    pub(super) const INCORRECT_STATE: u32 = 0x200;
    pub(super) const INVALID_PARAMETER: u32 = 0x100;
    pub(super) const EXTERNAL_CALL_PENDING: u32 = 0x80;
    pub(super) const STOPPED: u32 = 0x40;
    pub(super) const INVALID_ORDER: u32 = 0x02;
    pub(super) const NOT_RUNNING: u32 = 0x400;
}

/// The order that exchanges PSWs.
const RESTART: u8 = 0x06;
/// Whether the target runs on a real processor is known even while it is busy.
const SENSE_RUNNING_STATUS: u8 = 0x15;

/// Does on a CPU what an order says.
pub(crate) fn carry_out(s: &mut State, order: Order) {
    match order {
        Order::Stop => s.stopped = true,
        Order::StopAndStoreStatus => {
            s.stopped = true;
            s.store_status();
        }
        Order::InitialReset => s.initial_reset(),
        Order::Reset => s.reset(),
        Order::Restart => {
            s.stopped = false;
            let result = s.restart_interruption();
            engine::complete(s, result, 0);
        }
    }
}

/// How an order was answered.
enum Answer {
    Accepted,
    Status(u32),
    Busy,
    NotOperational,
}

impl Configuration {
    pub(crate) fn signal_processor(&self, state: &mut State, r1: u8, r3: u8, order: u8) -> Result<(), Interruption> {
        let target = state.gr[r3 as usize] as u16;
        let parameter = state.gr[(r1 | 1) as usize];
        if order == RESTART && target == state.address {
            // The condition code belongs to the PSW that becomes the old one, not to the new one.
            state.cc = 0;
            return state.restart_interruption();
        }
        let answer = if order == 0x12 {
            self.set_architecture(state, parameter as u8)
        } else if !self.is_defined(target) {
            Answer::NotOperational
        } else {
            self.order(state, target, order, parameter)
        };
        state.cc = match answer {
            Answer::Accepted => 0,
            Answer::Status(bits) => {
                let register = &mut state.gr[r1 as usize];
                *register = *register & !0xffff_ffff | bits as u64;
                1
            }
            Answer::Busy => 2,
            Answer::NotOperational => 3,
        };
        Ok(())
    }

    fn order(&self, state: &mut State, target: u16, order: u8, parameter: u64) -> Answer {
        let signals = &self.shared.signals[target as usize];
        let cpu = &self.cpus[target as usize];
        let oneself = target == state.address;
        if signals.has_order() && !oneself && order != SENSE_RUNNING_STATUS {
            return Answer::Busy;
        }
        match order {
            // Sense.
            0x01 => {
                let mut bits = 0;
                if cpu.stopped.load(SeqCst) && !oneself {
                    bits |= status::STOPPED;
                }
                if signals.external_call_pending() {
                    bits |= status::EXTERNAL_CALL_PENDING;
                }
                if bits == 0 { Answer::Accepted } else { Answer::Status(bits) }
            }
            // External call.
            0x02 => {
                if !signals.external_call(state.address) {
                    return Answer::Status(status::EXTERNAL_CALL_PENDING);
                }
                self.wake(target);
                Answer::Accepted
            }
            // Emergency signal, and its conditional form, whose condition is taken as met.
            0x03 | 0x13 => {
                signals.emergency_signal(state.address);
                self.wake(target);
                Answer::Accepted
            }
            // Start, stop, restart, stop and store status, initial CPU reset, CPU reset.
            0x04 => self.act(state, target, None),
            0x05 => self.act(state, target, Some(Order::Stop)),
            RESTART => self.act(state, target, Some(Order::Restart)),
            0x09 => self.act(state, target, Some(Order::StopAndStoreStatus)),
            0x0b => self.act(state, target, Some(Order::InitialReset)),
            0x0c => self.act(state, target, Some(Order::Reset)),
            // Set prefix: the target must be stopped.
            0x0d => {
                let mut answer = Answer::Accepted;
                let stopped = self.when_stopped(state, target, |s| {
                    if s.set_prefix(parameter & 0x7fff_ffff).is_err() {
                        answer = Answer::Status(status::INVALID_PARAMETER);
                    }
                });
                stopped.unwrap_or(answer)
            }
            // Store status at address.
            0x0e => {
                let at = parameter & 0x7fff_fe00;
                if self.storage().key(Absolute(at + 0x1ff)).is_err() {
                    return Answer::Status(status::INVALID_PARAMETER);
                }
                let stopped = self.when_stopped(state, target, |s| {
                    if s.architecture() == Architecture::Z {
                        s.store_status_at(at);
                    }
                });
                stopped.unwrap_or(Answer::Accepted)
            }
            // Store additional status at address.
            0x17 if self.shared.facilities.has(129) && state.architecture() == Architecture::Z => {
                let Some(area) = self.additional_status_area(parameter) else {
                    return Answer::Status(status::INVALID_PARAMETER);
                };
                let store = |s: &mut State| s.store_additional_status(area).expect("the frame has just been looked at");
                self.when_stopped(state, target, store).unwrap_or(Answer::Accepted)
            }
            SENSE_RUNNING_STATUS => {
                if oneself || cpu.running.load(SeqCst) {
                    Answer::Accepted
                } else {
                    Answer::Status(status::NOT_RUNNING)
                }
            }
            _ => Answer::Status(status::INVALID_ORDER),
        }
    }

    /// Has the host run a CPU that may be idle: something is pending for it.
    fn wake(&self, target: u16) {
        let cpu = &self.cpus[target as usize];
        if !cpu.running.load(SeqCst) {
            self.host.runnable(target);
        }
    }

    /// Where additional status goes, if the parameter designates a place for it. Its rightmost four bits are the
    /// length code: so many bits of an address are zeros on the right. 0 is 1024 bytes, and others come with the
    /// guarded-storage facility.
    fn additional_status_area(&self, parameter: u64) -> Option<Range<u64>> {
        let code = parameter & 0xf;
        let bits = match code {
            0 => 10,
            10..=12 if self.shared.facilities.has(GUARDED_STORAGE) => code,
            _ => return None,
        };
        let (at, length) = (parameter & !0xf, 1 << bits);
        let there = at % length == 0 && self.storage().key(Absolute(at)).is_ok();
        there.then_some(at..at + length)
    }

    /// Acts on the target at once if it is the issuing CPU or is not being run; otherwise leaves `order` with it. None
    /// is START.
    fn act(&self, state: &mut State, target: u16, order: Option<Order>) -> Answer {
        let cpu = &self.cpus[target as usize];
        let act = |s: &mut State| match order {
            Some(order) => carry_out(s, order),
            None => s.stopped = false,
        };
        if target == state.address {
            act(state);
            cpu.stopped.store(state.stopped, SeqCst);
            return Answer::Accepted;
        }
        let signals = &self.shared.signals[target as usize];
        match cpu.core.try_lock() {
            // Another CPU's order came since this one looked.
            Ok(_) if signals.has_order() => Answer::Busy,
            Ok(mut core) => {
                act(&mut core.state);
                cpu.stopped.store(core.state.stopped, SeqCst);
                drop(core);
                self.host.runnable(target);
                Answer::Accepted
            }
            Err(_) => match order {
                Some(order) if !signals.order(order) => Answer::Busy,
                Some(_) => {
                    self.host.runnable(target);
                    Answer::Accepted
                }
                // START does nothing to a CPU that is not stopped. One that is just being stopped answers busy, and
                // the program asks again.
                None if cpu.stopped.load(SeqCst) || !cpu.running.load(SeqCst) => Answer::Busy,
                None => Answer::Accepted,
            },
        }
    }

    /// Does something to a stopped CPU, and returns `None`; if it is not stopped, returns how the order ends.
    fn when_stopped(&self, state: &mut State, target: u16, what: impl FnOnce(&mut State)) -> Option<Answer> {
        if target == state.address {
            return Some(Answer::Status(status::INCORRECT_STATE));
        }
        let cpu = &self.cpus[target as usize];
        match cpu.core.try_lock() {
            // Another CPU's order came since this one looked.
            Ok(_) if self.shared.signals[target as usize].has_order() => Some(Answer::Busy),
            Ok(mut core) if core.state.stopped => {
                what(&mut core.state);
                None
            }
            Ok(_) => Some(Answer::Status(status::INCORRECT_STATE)),
            Err(_) if cpu.running.load(SeqCst) && !cpu.stopped.load(SeqCst) => {
                Some(Answer::Status(status::INCORRECT_STATE))
            }
            Err(_) => Some(Answer::Busy),
        }
    }

    /// SET ARCHITECTURE: all CPUs at once; the others must be stopped.
    fn set_architecture(&self, state: &mut State, code: u8) -> Answer {
        let to = match code {
            0 => Architecture::Esa,
            1 | 2 => Architecture::Z,
            _ => return Answer::Status(status::INVALID_PARAMETER),
        };
        if to == state.architecture() {
            return Answer::Status(status::INVALID_PARAMETER);
        }
        let others: Vec<&VirtualCpu> =
            self.cpus.iter().enumerate().filter(|&(n, _)| n != state.address as usize).map(|(_, cpu)| cpu).collect();
        if !others.iter().all(|cpu| cpu.stopped.load(SeqCst)) {
            return Answer::Status(status::INCORRECT_STATE);
        }
        let psw = state.psw();
        if to == Architecture::Esa && (psw.is(arch::mask::EXTENDED_ADDRESSING) || psw.address > 0x7fff_ffff) {
            return Answer::Status(status::INVALID_PARAMETER);
        }
        for cpu in others {
            cpu.core.lock().held().state.set_architecture(to);
        }
        state.set_architecture(to);
        state.set_psw(psw);
        Answer::Accepted
    }
}
