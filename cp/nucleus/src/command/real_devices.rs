//! ATTACH and VARY: what real disks and tape drives are used for.

use super::{Issuer, Response, target};
use crate::system::Cp;
use directory::{DasdControl, DasdOptions};
use message::Message;
use message::words::Words;
use minidisk::real;
use std::sync::Arc;
use virtualmachine::tape::{self, Holder};

/// `ATTach rdev [TO] userid|* [[AS] vdev] [R/O|R/W] | rdev [TO] SYSTEM [volid] | XSTORe [TO] userid|* [nM|nG|*|ALL]`
///
/// Gives a real disk or tape drive that is free to one user, who alone has it until DETACH or LOGOFF, or a disk to the
/// system: minidisks may lie on it then. With a volid, only if that is its serial. XSTORE gives a user so much of the
/// system's expanded storage, or without a size all that is available. The virtual machine's blocks have numbers from 0
/// on, and are zeros.
pub fn attach(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    if words.accept("XSTORe") {
        return super::expanded::attach(cp, issuer, words);
    }
    let rdev = words.need_real_device()?;
    words.accept("TO");
    let to = words.need()?;
    if to.is("SYSTEM") {
        let wanted = words.next().map(|word| word.upper());
        words.end()?;
        let reals = cp.disks.reals();
        let shown = format!("{rdev:04X}");
        let found = reals.iter().find(|real| real.number == rdev);
        let found = found.ok_or_else(|| message::no_real_device(&shown))?;
        match (&found.state, wanted) {
            (_, Some(wanted)) if wanted != found.serial => {
                return Err(message::real_device_in_use(&shown, format!("its volid is {}", found.serial)));
            }
            (real::State::Free, _) => (),
            (real::State::Offline, _) => return Err(message::real_device_in_use(&shown, "offline")),
            _ => return Err(message::real_device_in_use(&shown, "in use already")),
        }
        if reals.iter().any(|real| real.has_minidisks() && real.serial == found.serial) || found.serial.is_empty() {
            return Err(message::real_device_in_use(&shown, format!("volid {} is there already", found.serial)));
        }
        let real = cp.disks.set_real(rdev, real::State::System)?;
        return Ok(format!("DASD {rdev:04X} ATTACHED TO SYSTEM {}", real.serial).into());
    }
    let userid = if to.0 == "*" { "*".to_string() } else { to.userid()? };
    let vmdbk = target(cp, issuer, &userid)?;
    let (mut vdev, mut read_only) = (rdev, false);
    while let Some(word) = words.next() {
        match () {
            () if word.is("AS") => vdev = words.need_device()?,
            () if word.is("R/O") => read_only = true,
            () if word.is("R/W") => (),
            () => vdev = word.device().ok_or_else(|| word.invalid())?,
        }
    }
    let line = if cp.tapes.real(rdev).is_some() {
        let holder = Holder { userid: vmdbk.userid.clone(), vdev, read_only, since: cp.now() };
        cp.tapes.attach(&vmdbk.machine().configuration, rdev, holder)?
    } else {
        let dasd = DasdOptions { control: DasdControl::Device, working_allegiance: false };
        cp.disks.dedicate(&vmdbk.guest(), rdev, vdev, read_only, dasd)?;
        cp.monitor_attach(rdev, &vmdbk.userid, vdev);
        format!("DASD {rdev:04X} ATTACHED TO {} {vdev:04X} WITH DEVCTL", vmdbk.userid)
    };
    if !Arc::ptr_eq(&vmdbk, &issuer.vmdbk) {
        vmdbk.write(&line, consoles::display::Tone::Normal, cp.now());
    }
    Ok(line.into())
}

/// DETACH rdev FROM userid|SYSTEM.
pub(super) fn detach_from(cp: &Cp, issuer: &Issuer, rdev: u16, from: &str) -> Result<Response, Message> {
    let shown = format!("{rdev:04X}");
    if let Some(real) = cp.tapes.real(rdev) {
        return detach_tape(cp, issuer, &real, from);
    }
    let real = cp.disks.reals().into_iter().find(|real| real.number == rdev);
    let real = real.ok_or_else(|| message::no_real_device(&shown))?;
    if from == "SYSTEM" {
        if !real.has_minidisks() {
            return Err(message::not_attached(shown, from));
        }
        cp.disks.set_real(rdev, real::State::Free)?;
        return Ok(format!("DASD {rdev:04X} DETACHED SYSTEM {}", real.serial).into());
    }
    let userid = if from == "*" { issuer.userid() } else { from };
    match real.state {
        real::State::Attached { userid: holder, vdev, .. } if holder == userid => {
            let vmdbk = cp.vmdbk(userid).ok_or_else(|| message::not_logged_on(userid).from("DTS"))?;
            super::link::detach(cp, &vmdbk, vdev);
            cp.monitor_detach(rdev);
            let line = format!("DASD {rdev:04X} DETACHED {userid} {vdev:04X}");
            if !Arc::ptr_eq(&vmdbk, &issuer.vmdbk) {
                vmdbk.write(&line, consoles::display::Tone::Normal, cp.now());
            }
            Ok(line.into())
        }
        _ => Err(message::not_attached(shown, userid)),
    }
}

/// DETACH rdev FROM userid, of a tape drive.
fn detach_tape(cp: &Cp, issuer: &Issuer, real: &tape::Real, from: &str) -> Result<Response, Message> {
    let userid = if from == "*" { issuer.userid() } else { from };
    let rdev = real.number;
    let Some(holder) = real.holder.as_ref().filter(|holder| holder.userid == userid) else {
        return Err(message::tape_not_attached(format!("{rdev:04X}"), userid));
    };
    let vmdbk = cp.vmdbk(userid).ok_or_else(|| message::not_logged_on(userid).from("DTS"))?;
    cp.tapes.detach(&vmdbk.machine().configuration, real);
    cp.account_tape(&vmdbk, real);
    let line = format!("TAPE {rdev:04X} DETACHED {userid} {:04X}", holder.vdev);
    if !Arc::ptr_eq(&vmdbk, &issuer.vmdbk) {
        vmdbk.write(&line, consoles::display::Tone::Normal, cp.now());
    }
    Ok(line.into())
}

/// `VARY ON|OFF rdev[-rdev]`
///
/// Takes offline real disks and tape drives that are not in use, or brings them back to be attached.
pub fn vary(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    let on = match () {
        () if word.is("ON") || word.is("ONline") => true,
        () if word.is("OFF") || word.is("OFFline") => false,
        () => return Err(word.invalid()),
    };
    let range = words.need()?;
    words.end()?;
    let (first, last) = virtualmachine::examine::range(range.0, 0xffff, 16).map_err(|_| range.invalid())?;
    let range = first..=last.unwrap_or(first);
    let mut response = Response::none();
    let reals = cp.disks.reals();
    let chosen: Vec<_> = reals.iter().filter(|real| range.contains(&real.number.into())).collect();
    let tapes: Vec<_> = cp.tapes.reals().into_iter().filter(|real| range.contains(&real.number.into())).collect();
    if chosen.is_empty() && tapes.is_empty() {
        return Err(message::no_real_device(format!("{first:04X}")));
    }
    for real in &tapes {
        let shown = format!("{:04X}", real.number);
        if !on && !cp.tapes.vary(real.number, on) {
            let by = real.holder.as_ref().map_or(String::new(), |holder| holder.userid.clone());
            return Err(message::tape_in_use(shown, format!("attached to {by}")));
        }
        cp.tapes.vary(real.number, on);
        response.push(format!("{shown} varied {}", if on { "online" } else { "offline" }));
    }
    for real in &chosen {
        let state = match (on, &real.state) {
            (true, real::State::Offline) => real::State::Free,
            (false, real::State::Free | real::State::System) => real::State::Offline,
            (true, state) => state.clone(),
            (false, _) => {
                let users = cp.disks.users_of(real.number);
                return Err(message::volume_in_use(format!("{:04X}", real.number), users));
            }
        };
        if state != real.state {
            cp.disks.set_real(real.number, state)?;
        }
        response.push(format!("{:04X} varied {}", real.number, if on { "online" } else { "offline" }));
    }
    let count = chosen.len() + tapes.len();
    response.push(format!(
        "{count} device(s) specified; {count} device(s) successfully varied {}",
        if on { "online" } else { "offline" }
    ));
    Ok(response)
}
