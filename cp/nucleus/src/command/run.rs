//! BEGIN, STOP, SYSTEM, ATTN, REQUEST, EXTERNAL, SIGNAL: the keys of a virtual machine's operator panel.

use super::dial;
use super::{Issuer, Response};
use crate::system::Cp;
use consoles::graf::Line;
use cpu::External;
use message::Message;
use message::words::Words;
use std::sync::atomic::Ordering;

/// `Begin [hexloc]`
///
/// Lets the virtual machine go on after CP READ: all virtual CPUs that were stopped by CP, from where they stopped, or
/// the first one from the address given.
pub fn begin(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let address = match words.next() {
        Some(word) => Some(word.hexadecimal().ok_or_else(|| word.invalid())?),
        None => None,
    };
    words.end()?;
    let machine = issuer.vmdbk.machine();
    let cpu = issuer.cpu();
    {
        let mut core = machine.configuration.interrupted_cpu(cpu);
        if let Some(address) = address {
            core.state.ia = address & core.state.address_mask;
        } else if core.state.psw() == arch::Psw::default() && issuer.vmdbk.lock().ipl.is_none() {
            return Err(message::not_operational());
        }
    }
    if machine.configuration.all_stopped() || issuer.cpu.is_some() {
        issuer.vmdbk.started.store(true, Ordering::Release);
        machine.configuration.start(cpu);
    }
    cp.set_cp_read(&issuer.vmdbk, false);
    cp.processors.wake(&issuer.vmdbk);
    Ok(Response::none())
}

/// `STOP [CPU n]`
///
/// Stops the virtual machine, or one virtual CPU, as the stop key does. BEGIN starts it again.
pub fn stop(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let machine = issuer.vmdbk.machine();
    if words.accept("CPU") {
        let word = words.need()?;
        let cpu = word.hexadecimal().and_then(|n| u16::try_from(n).ok()).ok_or_else(|| word.invalid())?;
        words.end()?;
        if !machine.configuration.is_defined(cpu) {
            return Err(message::no_cpu(format!("{cpu:02X}")));
        }
        machine.configuration.stop(cpu);
        return Ok(Response::none());
    }
    words.end()?;
    cp.set_cp_read(&issuer.vmdbk, true);
    Ok(Response::none())
}

/// `SYStem CLEAR|RESET|RESTART|STORE`
///
/// Performs a function of the operator panel: CLEAR resets the virtual machine and zeroes its storage, RESET resets it,
/// RESTART interrupts it with a restart interruption, STORE stores the registers in their save areas.
pub fn system(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let function = words.need()?;
    let vmdbk = &issuer.vmdbk;
    let machine = vmdbk.machine();
    match () {
        () if function.is("CLEAR") || function.is("RESET") => {
            words.end()?;
            let clear = function.is("CLEAR");
            vmdbk.begin_reset();
            if clear {
                vmdbk.release_segments();
            }
            machine.configuration.reset(clear);
            cp.set_cp_read(vmdbk, true);
            Ok(if clear { "STORAGE CLEARED - SYSTEM RESET." } else { "SYSTEM RESET." }.into())
        }
        () if function.is("STORE") => {
            words.end()?;
            machine.configuration.interrupted_cpu(issuer.cpu()).state.store_status();
            Ok("STORE COMPLETE.".into())
        }
        () if function.is("RESTART") => {
            words.end()?;
            vmdbk.started.store(true, Ordering::Release);
            let cpu = issuer.cpu();
            {
                let mut core = machine.configuration.interrupted_cpu(cpu);
                let result = core.state.restart_interruption();
                engine::complete(&mut core.state, result, 0);
            }
            machine.configuration.start(cpu);
            cp.set_cp_read(vmdbk, false);
            cp.processors.wake(vmdbk);
            Ok(Response::none())
        }
        () => Err(function.invalid()),
    }
}

/// `ATTN`
///
/// Presents an attention at the virtual console, as its request key does.
pub fn attn(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    issuer.vmdbk.machine().keyboard.attention();
    Ok(Response::none())
}

/// `REQuest`
///
/// The same as ATTN.
pub fn request(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    attn(cp, issuer, words)
}

/// `EXTernal [code]`
///
/// Presents an external interruption to the virtual machine: the interruption key (40) or another code.
pub fn external(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let code = match words.next() {
        None => 0x40,
        Some(word) => word.hexadecimal().and_then(|n| u16::try_from(n).ok()).ok_or_else(|| word.invalid())?,
    };
    words.end()?;
    let external = External { code, subcode: 0, parameter: None, parameter64: None };
    issuer.vmdbk.machine().configuration.external(external);
    Ok(Response::none())
}

/// `SIGnal SHUTDOWN [userid|ALL]`
///
/// Asks an operating system to shut down: your own, or (class C) another user's or all users'. One that has not asked
/// to be told is not.
pub fn signal(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let what = words.need()?;
    if !what.is("SHUTdown") {
        return Err(what.invalid());
    }
    let target = words.next();
    words.end()?;
    let vmdbks = match target {
        None => vec![issuer.vmdbk.clone()],
        Some(_) if !issuer.has("AC") => return Err(message::not_authorised()),
        Some(word) if word.is("ALL") => cp.vmdbks(),
        Some(word) => {
            let userid = word.userid()?;
            vec![cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("SIG"))?]
        }
    };
    let mut response = Response::none();
    for vmdbk in vmdbks {
        if vmdbk.machine().configuration.signal_quiesce() {
            response.push(format!("Shutdown signal sent to {}", vmdbk.userid));
        } else if target.is_none_or(|word| !word.is("ALL")) {
            return Err(message::not_signalled(&vmdbk.userid));
        }
    }
    Ok(response)
}

/// `READY vdev`
///
/// Presents a device end at a virtual device that has become ready: a reader that has got cards, a console that is
/// wanted.
pub fn ready(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    words.end()?;
    let machine = issuer.vmdbk.machine();
    let there = machine.configuration.css().find(vdev).is_some();
    if !there {
        return Err(message::device_absent(format!("{vdev:04X}")).from("RDY"));
    }
    let unit = issuer.vmdbk.unit(vdev);
    let (console, switch) = unit.map_or((false, None), |unit| {
        let mut unit = unitrecord::lock_unit(&unit);
        unit.not_ready = false;
        (unit.console, unit.ready.clone())
    });
    match switch {
        Some(switch) => switch.press(),
        None if console => machine.keyboard.attention(),
        // Punches and printers are always ready, and no program waits for them.
        None => (),
    }
    Ok(Response::none())
}

/// `NOTReady vdev`
///
/// Makes a spooled unit record device not ready, so that a program that uses it finds that intervention is required.
/// READY ends it.
pub fn not_ready(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    words.end()?;
    let unit = issuer.vmdbk.unit(vdev).filter(|unit| !unitrecord::lock_unit(unit).console);
    let unit = unit.ok_or_else(|| message::device_absent(format!("{vdev:04X}")).from("NRD"))?;
    unitrecord::lock_unit(&unit).not_ready = true;
    Ok(Response::none())
}

/// `RESET vdev`
///
/// Resets a virtual device: what it was doing is abandoned, and no interruption of it is pending any more. A terminal
/// that was dialed to it is dropped.
pub fn reset(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    words.end()?;
    if let Some(graf) = issuer.vmdbk.graf(vdev) {
        dial::drop_line(cp, &Line { userid: issuer.userid().into(), graf });
    }
    match issuer.vmdbk.machine().configuration.css().reset_device(vdev) {
        true => Ok(Response::none()),
        false => Err(message::device_absent(format!("{vdev:04X}")).from("RES")),
    }
}
