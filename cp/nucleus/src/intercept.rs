//! Interceptions: what a virtual CPU leaves to CP when a processor runs it.

use crate::command::{self, Issuer, Origin};
use crate::system::Cp;
use arch::Psw;
use base::{Tod, ebcdic};
use complex::Exit;
use consoles::FLOOD;
use consoles::display::Tone;
use consoles::host::Ending;
use directory::SpoolKind;
use dispatch::Return;
use message::Message;
use monitor::processor::Cause;
use realstorage::pager::{Full, Pages};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use unitrecord::lock_unit;
use virtualmachine::machine::Machine;
use virtualmachine::processor::Work;
use virtualmachine::vmdbk::Vmdbk;

/// Runs the virtual CPU that a processor was given. Returns why it came back, and when it has something to do next.
pub fn run(cp: &Cp, work: &Work) -> (Return, Option<Tod>) {
    let (vmdbk, cpu) = (&work.vmdbk, work.cpu);
    let start = cp.now();
    let _inside = vmdbk.enter();
    loop {
        if !vmdbk.may_run() {
            return (Return::Stopped, None);
        }
        let machine = vmdbk.machine();
        if !machine.configuration.is_defined(cpu) {
            return (Return::Stopped, None);
        }
        let now = cp.now();
        if let Some(until) = machine.deferred_until(cpu, now) {
            return (Return::Wait, Some(until));
        }
        let used = now.micros_since(start);
        if used >= work.slice {
            return (Return::SliceEnd, None);
        }
        if let Some(why) = machine.pages.as_ref().and_then(pages_wanting) {
            end(cp, vmdbk, &why, &Ending::Stopped);
            return (Return::Stopped, None);
        }
        let traced = vmdbk.trace.is_active();
        if traced {
            vmdbk.trace.before(&machine.configuration, cpu);
        }
        let exit = machine.configuration.run(cpu, work.slice - used);
        cp.counts[work.processor].ended(cause(&exit));
        match exit {
            Exit::SliceEnd | Exit::Left => return (Return::SliceEnd, None),
            Exit::Wait { until } => return (Return::Wait, until),
            Exit::Stopped => {
                stopped(cp, vmdbk, &machine, cpu);
                return (Return::Stopped, None);
            }
            Exit::DisabledWait(psw) => {
                // The machine goes on as long as another of its CPUs does.
                if machine.configuration.all_at_rest() {
                    disabled_wait(cp, vmdbk, psw);
                }
                return (Return::Stopped, None);
            }
            Exit::ProgramLoop => {
                end(cp, vmdbk, &message::program_loop(), &Ending::ProgramLoop);
                return (Return::Stopped, None);
            }
            Exit::Diagnose { r1, r3, code, ilc } => {
                let before = cp.now();
                let generation = vmdbk.generation.load(Ordering::Acquire);
                let call = diagnose::Call { cp, vmdbk, machine: &machine, cpu, ilc, r1, r3, generation };
                let result = diagnose::perform(&call, code);
                machine.configuration.charge(cpu, cp.now().micros_since(before));
                // A DIAGNOSE that has reset or replaced the machine has no instruction to complete any more.
                let current = call.is_current();
                if current && !machine.configuration.complete(cpu, result, ilc) {
                    end(cp, vmdbk, &message::program_loop(), &Ending::ProgramLoop);
                    return (Return::Stopped, None);
                }
                if current && traced {
                    traced_step(cp, vmdbk, &machine, cpu);
                }
            }
            Exit::Iucv { ilc } => {
                let generation = vmdbk.generation.load(Ordering::Acquire);
                let call = diagnose::Call { cp, vmdbk, machine: &machine, cpu, ilc, r1: 0, r3: 1, generation };
                let result = diagnose::iucv::perform(&call);
                if !machine.configuration.complete(cpu, result, ilc) {
                    end(cp, vmdbk, &message::program_loop(), &Ending::ProgramLoop);
                    return (Return::Stopped, None);
                }
                if traced {
                    traced_step(cp, vmdbk, &machine, cpu);
                }
            }
            Exit::Message => {
                if !diagnose::iucv::present(vmdbk, &machine, cpu) {
                    end(cp, vmdbk, &message::program_loop(), &Ending::ProgramLoop);
                    return (Return::Stopped, None);
                }
                if traced {
                    traced_step(cp, vmdbk, &machine, cpu);
                }
            }
            Exit::Step => traced_step(cp, vmdbk, &machine, cpu),
        }
    }
}

/// Why the virtual machine cannot go on for lack of a page: one is lost, or there is no frame. Where it owes frames,
/// this waits until there are some.
fn pages_wanting(pages: &Pages) -> Option<Message> {
    if let Some(page) = pages.lost() {
        return Some(message::page_lost(format!("{:X}", page * arch::PAGE)));
    }
    if !pages.owes() {
        return None;
    }
    pages.settle().err().map(|Full| message::no_frame())
}

/// What the processor's counters call it.
fn cause(exit: &Exit) -> Cause {
    match exit {
        Exit::SliceEnd | Exit::Left => Cause::Slice,
        Exit::Wait { .. } => Cause::Wait,
        Exit::Stopped | Exit::DisabledWait(_) | Exit::ProgramLoop => Cause::Stop,
        Exit::Diagnose { .. } => Cause::Diagnose,
        Exit::Iucv { .. } => Cause::Iucv,
        Exit::Message => Cause::Message,
        Exit::Step => Cause::Step,
    }
}

/// Endicott itself has panicked while it ran this virtual CPU, which is put into the check-stop state.
pub fn failed(cp: &Cp, work: &Work, failure: &(dyn Any + Send)) -> (Return, Option<Tod>) {
    let text = failure.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| failure.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
    cp.counts[work.processor].soft_abends.fetch_add(1, Ordering::Relaxed);
    end(cp, &work.vmdbk, &message::check_stop(text), &Ending::CheckStop);
    (Return::Stopped, None)
}

/// A CPU has stopped. If it was the last one, and CP did not stop it, the guest has stopped itself; or it waits for
/// ever with those that have not stopped.
fn stopped(cp: &Cp, vmdbk: &Arc<Vmdbk>, machine: &Machine, cpu: u16) {
    let configuration = &machine.configuration;
    if configuration.all_stopped() && vmdbk.started.swap(false, Ordering::AcqRel) {
        return end(cp, vmdbk, &message::stopped_itself(format!("{cpu:02X}")), &Ending::Stopped);
    }
    if vmdbk.started.load(Ordering::Acquire)
        && configuration.all_at_rest()
        && let Some(psw) = configuration.cpus().find_map(|n| configuration.disabled_wait(n))
    {
        disabled_wait(cp, vmdbk, psw);
    }
}

fn disabled_wait(cp: &Cp, vmdbk: &Arc<Vmdbk>, psw: Psw) {
    let words =
        |high: u64, low: u64| format!("{:08X} {:08X} {:08X} {:08X}", high >> 32, high as u32, low >> 32, low as u32);
    let text = if psw.is(arch::mask::EXTENDED_ADDRESSING) || psw.address >> 31 != 0 {
        words(psw.mask, psw.address)
    } else {
        words(psw.to_short(), 0)[..17].to_string()
    };
    end(cp, vmdbk, &message::disabled_wait(text), &Ending::DisabledWait(psw));
}

/// The virtual machine cannot go on by itself: its user is told and CP reads.
pub fn end(cp: &Cp, vmdbk: &Arc<Vmdbk>, message: &message::Message, how: &Ending) {
    // CP READ begins before the message, or a line typed at once would go to the guest.
    cp.set_cp_read(vmdbk, true);
    vmdbk.write_message(message, cp.now());
    cp.host.ended(&vmdbk.userid, how);
}

/// One instruction was executed or one interruption taken: shows TRACE's lines and performs its commands.
fn traced_step(cp: &Cp, vmdbk: &Arc<Vmdbk>, machine: &Machine, cpu: u16) {
    let Some(seen) = vmdbk.trace.stepped(&machine.configuration, cpu) else { return };
    for line in &seen.lines {
        if seen.terminal {
            vmdbk.write(line, Tone::Normal, cp.now());
        }
        if seen.printer {
            print(cp, vmdbk, line);
        }
    }
    // A trace with RUN waits when too many lines wait for the terminal, as a guest does that writes too fast.
    if seen.terminal && !seen.stops && vmdbk.console().backlog() > FLOOD {
        vmdbk.flooded.store(true, Ordering::Release);
        if vmdbk.console().backlog() < FLOOD / 2 {
            vmdbk.flooded.store(false, Ordering::Release);
        }
    }
    for line in &seen.commands {
        let issuer = Issuer { vmdbk: vmdbk.clone(), origin: Origin::Console, cpu: Some(cpu) };
        match command::execute(cp, &issuer, line) {
            Ok(response) => response.lines.iter().for_each(|line| vmdbk.write(line, Tone::Normal, cp.now())),
            Err(message) => vmdbk.write_message(&message, cp.now()),
        }
    }
    if seen.stops {
        cp.set_cp_read(vmdbk, true);
    }
}

/// Prints a line on the first virtual printer. Whether there is one: without it the line is lost.
pub(crate) fn print(cp: &Cp, vmdbk: &Vmdbk, line: &str) -> bool {
    /// WRITE, SPACE 1 AFTER WRITE.
    const WRITE: u8 = 0x09;
    for unit in vmdbk.units() {
        let mut unit = lock_unit(&unit);
        if unit.kind == SpoolKind::Printer && !unit.console {
            // A spool that is full loses the line, and CLOSE tells its user so.
            let _ = unit.write(&cp.spool, WRITE, &ebcdic::from_str(line));
            return true;
        }
    }
    false
}
