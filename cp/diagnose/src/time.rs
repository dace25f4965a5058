//! DIAGNOSE X'44', X'9C', X'288': giving up the processor, and the watchdog.

use crate::{Call, ControlProgram};
use virtualmachine::issuer::{Issuer, Origin};
use virtualmachine::machine::Watchdog;
use virtualmachine::vmdbk::Vmdbk;
use base::{Tod, ebcdic};
use consoles::display::Tone;
use cpu::Interruption;
use std::sync::Arc;

/// `DIAGNOSE X'44'`: ends the time slice.
///
/// The virtual CPU has nothing useful to do at the moment: others run first.
pub fn end_time_slice(call: &Call<'_>) -> Result<(), Interruption> {
    call.machine.configuration.leave(call.cpu);
    Ok(())
}

/// `DIAGNOSE X'9C'`: ends the time slice in favour of another virtual CPU.
///
/// Rx: the address of the virtual CPU that this one waits for. It is made ready to run.
pub fn directed_yield(call: &Call<'_>) -> Result<(), Interruption> {
    let other = call.gr(call.r1) as u16;
    let configuration = &call.machine.configuration;
    if other != call.cpu && configuration.is_defined(other) && !configuration.is_stopped(other) {
        call.cp.processors().wake_one(call.vmdbk, other);
        configuration.leave(call.cpu);
    }
    Ok(())
}

/// The shortest time, in seconds, for which a watchdog can be set.
const SHORTEST: u32 = 15;

/// `DIAGNOSE X'288'`: the virtual machine's watchdog.
///
/// Rx, an even register, is the function. X'00' sets the watchdog: CP commands are performed in so many seconds as Rx+1
/// says, at least 15, unless the program has set it anew by then. Ry, an even register, is the real address of the
/// commands, separated by X'15', and Ry+1 their length, at most 240. X'01' changes the time alone, X'02' cancels the
/// watchdog; there must be one. The bit X'80000000' (CONCEAL) is accepted and changes nothing. A reset cancels it, too.
pub fn watchdog(call: &Call<'_>) -> Result<(), Interruption> {
    const CONCEAL: u32 = 0x8000_0000;
    const LONGEST: u32 = 240;
    let word = |n: u8| call.gr(n) as u32;
    call.specification(call.r1.is_multiple_of(2) && call.r3.is_multiple_of(2))?;
    let (function, seconds) = (word(call.r1) & !CONCEAL, word(call.r1 + 1));
    call.specification(function <= 2 && (function == 2 || seconds >= SHORTEST))?;
    let due = call.cp.now().plus_micros(u64::from(seconds) * 1_000_000);
    if function == 0 {
        let length = word(call.r3 + 1);
        call.specification((1..=LONGEST).contains(&length))?;
        let mut commands = vec![0; length as usize];
        call.read(call.address(call.r3), &mut commands)?;
        *call.machine.watchdog() = Some(Watchdog { due, commands });
    } else {
        let mut watchdog = call.machine.watchdog();
        call.specification(watchdog.is_some())?;
        match watchdog.as_mut().filter(|_| function == 1) {
            Some(set) => set.due = due,
            None => *watchdog = None,
        }
    }
    call.cp.set_watchdog(call.vmdbk, Some(due).filter(|_| function != 2));
    Ok(())
}

/// Performs the commands of a watchdog that is due.
pub fn watch(cp: &dyn ControlProgram, vmdbk: &Arc<Vmdbk>, now: Tod) {
    let Some(watchdog) = vmdbk.machine().watchdog().take_if(|watchdog| watchdog.due <= now) else { return };
    for line in ebcdic::to_string(&watchdog.commands).split('\u{85}') {
        let issuer = Issuer { vmdbk: vmdbk.clone(), origin: Origin::Console, cpu: None };
        match cp.execute(&issuer, line.trim_matches(['\0', ' ', '\n'])) {
            Ok(response) => response.lines.iter().for_each(|line| vmdbk.write(line, Tone::Normal, cp.now())),
            Err(message) => vmdbk.write_message(&message, cp.now()),
        }
        if vmdbk.is_leaving() {
            return;
        }
    }
}
