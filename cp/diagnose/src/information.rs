//! DIAGNOSE X'00', X'0C', X'60', X'C8', X'218', X'260', X'270': identity, time, size and language.

use crate::Call;
use arch::diagnose::{ExtendedIdentification, ExtendedTimer, PseudoTimer, StorageExtent};
use arch::{Program, Real};
use base::ebcdic::padded;
use complex::Identity;
use cpu::Interruption;
use zerocopy::IntoBytes;

/// `DIAGNOSE X'00'`: extended identification.
///
/// Rx: the address of a doubleword, Ry: the length there, at least 1. Stores up to 40 bytes for this level of VM: the
/// system's name, the CPU address, the user ID, the time zone; Ry is reduced by the number of bytes stored.
pub fn extended_identification(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    let length = call.gr(call.r3) as u32;
    call.specification(address.0.is_multiple_of(8) && length as i32 > 0)?;
    let entry = ExtendedIdentification {
        system: padded("ENDICOTT"),
        version: 0xff,
        cpu: call.cpu.into(),
        userid: padded(&call.vmdbk.userid),
        zone: call.cp.zone().offset.into(),
        release: [1, 0],
        ..ExtendedIdentification::default()
    };
    let stored = size_of_val(&entry).min(length as usize);
    call.write(address, &entry.as_bytes()[..stored])?;
    call.set_gr(call.r3, u64::from(length) - stored as u64);
    Ok(())
}

/// `DIAGNOSE X'0C'`: the pseudo timer.
///
/// Rx: the address of a doubleword where 32 bytes are stored: the date mm/dd/yy, the time hh:mm:ss, the virtual
/// processor time and the total processor time in microseconds.
pub fn pseudo_timer(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    call.specification(address.0.is_multiple_of(8))?;
    call.write(address, timer(call).as_bytes())
}

/// `DIAGNOSE X'270'`: the pseudo timer with four-digit years.
///
/// Rx: the address of a doubleword, Ry: the length there. After what DIAGNOSE X'0C' stores come the dates mm/dd/yyyy
/// and yyyy-mm-dd and the date formats, 64 bytes in all.
pub fn extended_timer(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    let length = call.gr(call.r3) as u32 as usize;
    call.specification(address.0.is_multiple_of(8) && length >= 32)?;
    let date = call.cp.date();
    let block = ExtendedTimer {
        timer: timer(call),
        full_date: padded(&date.full()),
        iso_date: padded(&date.iso()),
        version: 1,
        user_format: 0x80,
        system_format: 0x80,
        ..ExtendedTimer::default()
    };
    call.write(address, &block.as_bytes()[..length.min(64)])
}

fn timer(call: &Call<'_>) -> PseudoTimer {
    let date = call.cp.date();
    let (virtual_us, total_us) = call.vmdbk.times();
    let (date, time) = (padded(&date.short()), padded(&date.time()));
    PseudoTimer { date, time, virtual_us: virtual_us.into(), total_us: total_us.into() }
}

/// `DIAGNOSE X'60'`: the size of storage.
///
/// Rx gets the number of bytes of the virtual machine's storage.
pub fn storage_size(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r1, call.machine.configuration.storage().size());
    Ok(())
}

/// `DIAGNOSE X'260'`: where storage is.
///
/// Ry is the subcode. X'00': Rx gets the highest address. X'0C' and X'10': Rx is the address of a buffer of Rx+1 bytes,
/// which gets the first and last address of each extent of storage; Ry gets the number of extents. Condition code 0.
pub fn storage_extents(call: &Call<'_>) -> Result<(), Interruption> {
    let size = call.machine.configuration.storage().size();
    match call.gr(call.r3) as u32 {
        0 => call.set_gr(call.r1, size - 1),
        0x0c | 0x10 => {
            call.specification(call.r1.is_multiple_of(2) && call.gr(call.r1 + 1) >= 16)?;
            let Real(address) = call.address(call.r1);
            call.specification(address.is_multiple_of(16))?;
            let extent = StorageExtent { first: 0.into(), last: (size - 1).into() };
            call.write(Real(address), extent.as_bytes())?;
            call.set_gr(call.r3, 1);
            call.set_cc(0);
        }
        _ => return Err(Program::Specification.into()),
    }
    Ok(())
}

/// `DIAGNOSE X'218'`: the real CPU's identification.
///
/// Rx, an even register, and Rx+1 get what STORE CPU ID stores on the real processor. That of a virtual one begins with
/// X'FF', and has the serial number that the directory says.
pub fn real_cpu(call: &Call<'_>) -> Result<(), Interruption> {
    call.specification(call.r1.is_multiple_of(2))?;
    let id = Identity { version: 0, ..Identity::default() }.cpu_id();
    call.set_gr(call.r1, id >> 32);
    call.set_gr(call.r1 + 1, id & 0xffff_ffff);
    Ok(())
}

/// `DIAGNOSE X'C8'`: the language of CP's messages.
///
/// Rx: the address of a language identifier of eight characters; blanks or zeros are the system's own. Rx gets 0, or 2
/// if CP does not have the language; it has AMENG, American English.
pub fn set_language(call: &Call<'_>) -> Result<(), Interruption> {
    let mut wanted = [0; 8];
    call.read(call.address(call.r1), &mut wanted)?;
    let is_known = [padded("AMENG"), padded(""), [0; 8]].contains(&wanted);
    call.set_gr(call.r1, if is_known { 0 } else { 2 });
    Ok(())
}
