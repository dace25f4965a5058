//! DIAGNOSE X'18', X'20' and X'A8': channel programs that are over when the instruction is.

use crate::Call;
use arch::Real;
use arch::dasd::Seek;
use arch::diagnose::{Csw, Hcpsgiop, SgioEnd, sgio_flag};
use arch::io::{Ccw, CcwFormat, DeviceStatus, Irb, Orb, Scsw, orb_flag, scsw_flag, subchannel_status};
use base::layout::U24;
use cpu::Interruption;
use css::Sense;
use zerocopy::IntoBytes;

/// Why a channel program was not performed.
enum Refused {
    NoDevice,
    Busy,
}

/// Performs the channel program at `program` on a virtual device. Returns the IRB, and the sense bytes of a unit check.
fn perform(call: &Call<'_>, vdev: u16, program: u32, key: u8, flags: u32) -> Result<(Irb, Option<Sense>), Refused> {
    let mut css = call.machine.configuration.css();
    let id = css.find(vdev).ok_or(Refused::NoDevice)?;
    let flags = u32::from(key >> 4) << 28 | flags | 0x8000;
    let orb = Orb::new(0, flags, program);
    let ended = css.perform(id, &orb).map_err(|cc| if cc == 3 { Refused::NoDevice } else { Refused::Busy });
    let left = css.left(id);
    drop(css);
    call.take(left);
    ended
}

/// Whether the virtual device is a console, on which these services do nothing.
fn is_console(call: &Call<'_>, vdev: u16) -> bool {
    call.vmdbk.unit(vdev).is_some_and(|unit| unitrecord::lock_unit(&unit).console)
}

fn good(irb: &Irb) -> bool {
    irb.scsw.device == DeviceStatus::ENDED && irb.scsw.subchannel & !subchannel_status::PCI == 0
}

fn answer(call: &Call<'_>, code: u64, cc: u8) -> Result<(), Interruption> {
    call.set_gr(15, code);
    call.set_cc(cc);
    Ok(())
}

/// `DIAGNOSE X'18'`: standard disk I/O.
///
/// Rx: a virtual device number; Ry: the address of a channel program of SEEK, SEARCH ID EQUAL, TRANSFER IN CHANNEL and
/// READ or WRITE DATA, once or several times; register 15: how many reads or writes, 1 to 15. Condition code 0, else
/// register 15 says why: with 1, 1 no such device, 2 no count-key-data disk, 3 the disk is read-only, 4 beyond its end,
/// 5 busy; with 2, 6 to 12 what is wrong with the program; with 3, 13 an error: the status is at address 64.
pub fn disk_io(call: &Call<'_>) -> Result<(), Interruption> {
    let (vdev, start, count) = (call.gr(call.r1) as u16, call.address(call.r3), call.gr(15) as u32);
    let disks = call.cp.disks();
    let Some(link) = disks.link(&call.vmdbk.userid, vdev) else {
        let known = call.machine.configuration.css().find(vdev).is_some();
        return answer(call, if known { 2 } else { 1 }, 1);
    };
    let kind = link.disk.kind();
    let dasd::Kind::Ckd { cylinders, .. } = kind else { return answer(call, 2, 1) };
    if !(1..=15).contains(&count) {
        return answer(call, 11, 2);
    }
    if !start.0.is_multiple_of(8) {
        return answer(call, 7, 2);
    }
    // The channel program is checked before it is started.
    let (mut at, mut transfers, mut cylinder) = (start.0, 0, None);
    while transfers < count {
        let mut bytes = [0; 8];
        call.read(Real(at), &mut bytes)?;
        let ccw = Ccw::decode(CcwFormat::Zero, bytes);
        match ccw.command {
            0x07 | 0x0b => {
                let mut seek = Seek::default();
                call.read(Real(ccw.address.into()), seek.as_mut_bytes())?;
                let (to, _) = seek.track.place(kind.wide());
                if to >= cylinders {
                    return answer(call, 4, 1);
                }
                if *cylinder.get_or_insert(to) != to {
                    return answer(call, 12, 2);
                }
            }
            0x31 | 0x08 | 0x03 | 0x23 => (),
            0x06 | 0x86 => transfers += 1,
            0x05 | 0x85 if link.read_only => return answer(call, 3, 1),
            0x05 | 0x85 => transfers += 1,
            _ => return answer(call, 6, 2),
        }
        at += 8;
        if at - start.0 > 8 * 64 {
            return answer(call, 9, 2);
        }
    }
    let key = (call.core().state.key) << 4;
    match perform(call, vdev, start.0 as u32, key, 0) {
        Err(Refused::NoDevice) => answer(call, 1, 1),
        Err(Refused::Busy) => answer(call, 5, 1),
        Ok((irb, _)) if good(&irb) => {
            call.set_cc(0);
            Ok(())
        }
        Ok((irb, _)) => {
            let Scsw { ccw, device, subchannel, count, .. } = irb.scsw;
            let csw = Csw { key, ccw: U24::new(ccw.get()), device, subchannel, count };
            call.write(Real(0x40), csw.as_bytes())?;
            answer(call, 13, 3)
        }
    }
}

/// `DIAGNOSE X'20'`: general I/O.
///
/// Rx: a virtual device number, not the console's; Ry: the address of the first CCW of a channel program. Condition
/// code 0; 1: register 15 is 1, there is no such device, or 5, it is busy; 2: register 15 is 2, unit exception or wrong
/// length; 3: register 15 has two sense bytes, then 13.
pub fn general_io(call: &Call<'_>) -> Result<(), Interruption> {
    let (vdev, start) = (call.gr(call.r1) as u16, call.gr(call.r3) as u32);
    if is_console(call, vdev) {
        return answer(call, 1, 1);
    }
    let key = (start >> 24) as u8 & 0xf0;
    match perform(call, vdev, start & 0x00ff_ffff, key, 0) {
        Err(Refused::NoDevice) => answer(call, 1, 1),
        Err(Refused::Busy) => answer(call, 5, 1),
        Ok((irb, _)) if good(&irb) => {
            call.set_cc(0);
            Ok(())
        }
        Ok((irb, sense)) => {
            let exception = irb.scsw.device.0 & DeviceStatus::UNIT_EXCEPTION.0 != 0;
            let length = irb.scsw.subchannel == subchannel_status::INCORRECT_LENGTH;
            if sense.is_none() && (exception || length) {
                return answer(call, 2, 2);
            }
            let sense = sense.unwrap_or(Sense::new(2));
            let bytes = sense.bytes();
            let first = u64::from(bytes.first().copied().unwrap_or(0)) << 8;
            answer(call, (first | u64::from(bytes.get(1).copied().unwrap_or(0))) << 16 | 13, 3)
        }
    }
}

/// `DIAGNOSE X'A8'`: synchronous general I/O.
///
/// Rx: the address of a block of 88 bytes: device number, key, X'80' for format-1 CCWs, and at 8 the address of the
/// first CCW. It gets the last CCW's address (at 16), unit and subchannel status, residual count, path and sense bytes.
/// Condition code 0; 1: register 15 is 1, there is no such device, or 5, it is busy; 3: register 15 is 13, an error.
pub fn synchronous_general_io(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    call.specification(address.0.is_multiple_of(4))?;
    let mut block = Hcpsgiop::default();
    call.read(address, block.as_mut_bytes())?;
    if block.key & 0x0f != 0 || block.flags & sgio_flag::RESERVED != 0 || block.reserved != [0; 4] {
        return Err(arch::Program::Operand.into());
    }
    let vdev = block.device.get();
    let format = if block.flags & sgio_flag::FORMAT_1 != 0 { orb_flag::FORMAT_1 } else { 0 };
    if is_console(call, vdev) {
        return answer(call, 1, 1);
    }
    let (irb, sense) = match perform(call, vdev, block.program.get(), block.key, format) {
        Err(Refused::NoDevice) => return answer(call, 1, 1),
        Err(Refused::Busy) => return answer(call, 5, 1),
        Ok(ended) => ended,
    };
    let Scsw { ccw, device: status, subchannel, count, .. } = irb.scsw;
    block.ended = SgioEnd { ccw, status, subchannel, count, path: 0x80, ..SgioEnd::default() };
    if let Some(sense) = sense {
        let bytes = sense.bytes();
        block.ended.sense_count.set(bytes.len() as u16);
        block.ended.sense[..bytes.len()].copy_from_slice(bytes);
    }
    call.write(address, block.as_bytes())?;
    if good(&irb) && irb.scsw.control & scsw_flag::ALERT == 0 {
        call.set_cc(0);
        return Ok(());
    }
    answer(call, 13, 3)
}
