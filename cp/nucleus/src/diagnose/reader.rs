//! DIAGNOSE X'14': spool files as blocks.

use super::Call;
use crate::calendar::Date;
use crate::spooling::{Unit, lock, lock_unit};
use arch::{Program, Real};
use base::ebcdic::{FROM_LATIN1, padded};
use cpu::Interruption;
use directory::SpoolKind;
use spool::{Queue, SpoolFile};

/// The length of a spool file block.
const SFBLOK: usize = 304;

/// `DIAGNOSE X'14'`: manipulates the input spool files.
///
/// Ry+1 is the subcode, Ry the reader's device number. X'0000': the next block of 4096 bytes goes to the address in Rx; the first call opens the first
/// file that may be read, the end closes it. X'0014' begins again. X'0028' goes to block Rx. X'0FFF': Rx is the address of 304 bytes for the
/// description of the file after number Ry; 0 is the first. Condition code 0; 1: end of file, or no other; 2: no file; 3: an error, Ry+1 says which.
pub fn input_spool_file(call: &Call<'_>) -> Result<(), Interruption> {
    call.specification(call.r3 != 15)?;
    let subcode = call.gr(call.r3 + 1) as u16;
    if subcode == 0x0fff {
        return next_description(call);
    }
    let vdev = call.gr(call.r3) as u16;
    let Some(unit) = call.vmdbk.unit(vdev) else { return failed(call, 4) };
    let mut unit = lock_unit(&unit);
    if unit.kind != SpoolKind::Reader {
        return failed(call, 8);
    }
    match subcode {
        0x0000 => next_block(call, &mut unit),
        0x0014 => {
            let cc = match &mut unit.input {
                Some(file) => {
                    file.restart();
                    0
                }
                None => 2,
            };
            call.set_cc(cc);
            Ok(())
        }
        0x0028 => {
            let number = call.gr(call.r1) as u32;
            let cc = match (open(call, &mut unit), &mut unit.input) {
                (false, _) | (_, None) => 2,
                (true, Some(file)) => {
                    if file.position(number) {
                        0
                    } else {
                        3
                    }
                }
            };
            call.set_cc(cc);
            Ok(())
        }
        _ => Err(Program::Specification.into()),
    }
}

fn failed(call: &Call<'_>, code: u64) -> Result<(), Interruption> {
    call.set_gr(call.r3 + 1, code);
    call.set_cc(3);
    Ok(())
}

/// Opens the first file of the reader unless one is open. Whether one is now.
fn open(call: &Call<'_>, unit: &mut Unit) -> bool {
    if unit.input.is_none()
        && let Some(spool) = &mut *lock(&call.cp.spool)
    {
        unit.input = spool.open_reader(&unit.userid, unit.settings.class).ok().flatten();
    }
    unit.input.is_some()
}

fn next_block(call: &Call<'_>, unit: &mut Unit) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    call.specification(address.0.is_multiple_of(4096))?;
    if !open(call, unit) {
        call.set_cc(2);
        return Ok(());
    }
    let mut block = [0; 4096];
    let file = unit.input.as_mut().expect("a file was opened above");
    match file.next_block(&mut block) {
        Ok(true) => {
            call.write(address, &block)?;
            call.set_cc(0);
        }
        Ok(false) => {
            unit.close_input(&call.cp.spool, None);
            call.set_cc(1);
        }
        Err(_) => return failed(call, 16),
    }
    Ok(())
}

fn next_description(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    let after = call.gr(call.r3) as u16;
    let file = {
        let spool = lock(&call.cp.spool);
        spool.as_ref().and_then(|spool| spool.file_after(&call.vmdbk.userid, Queue::Reader, after).cloned())
    };
    let Some(file) = file else {
        call.set_cc(1);
        return Ok(());
    };
    call.write(Real(address.0), &description(call, &file))?;
    call.set_cc(0);
    Ok(())
}

/// The spool file block of `file`.
fn description(call: &Call<'_>, file: &SpoolFile) -> [u8; SFBLOK] {
    let date = Date::at(file.created, &call.cp.config.zone);
    let status = [(file.in_use, 0x80), (file.hold.user, 0x20), (file.hold.system, 0x04)];
    let mut block = [0; SFBLOK];
    block[8..16].copy_from_slice(&padded::<8>(&file.owner));
    block[16..24].copy_from_slice(&padded::<8>(&file.originator));
    block[24..28].copy_from_slice(&file.records.to_be_bytes());
    block[28..30].copy_from_slice(&file.record_length.to_be_bytes());
    block[30..32].copy_from_slice(&file.spid.to_be_bytes());
    block[32] = status.iter().filter(|(on, _)| *on).fold(0, |bits, (_, bit)| bits | bit);
    block[33] = file.device.code();
    block[40..52].copy_from_slice(&padded::<12>(&file.name));
    block[52..64].copy_from_slice(&padded::<12>(&file.kind));
    block[64..72].copy_from_slice(&padded::<8>(&date.short()));
    block[72..80].copy_from_slice(&padded::<8>(&date.time()));
    block[86] = FROM_LATIN1[usize::from(file.class as u8)];
    block[88..96].copy_from_slice(&padded::<8>(&file.dist));
    block
}
