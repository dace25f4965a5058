//! DIAGNOSE X'DC', X'204', X'2FC', X'304': data about virtual machines and partitions.

use super::Call;
use arch::{Program, Real};
use base::ebcdic::{padded, to_string};
use cpu::Interruption;

/// Not authorised, or monitoring is not active.
const NOT_AUTHORISED: u64 = 5;

/// `DIAGNOSE X'DC'`: application monitor data.
///
/// Rx: the address of a parameter list. No program reads such data here: Ry gets 5, not authorised.
pub fn application_data(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r3, NOT_AUTHORISED);
    Ok(())
}

/// `DIAGNOSE X'204'`: logical partitions.
///
/// There are none: a specification exception, by which a program knows.
pub fn partition_data(_: &Call<'_>) -> Result<(), Interruption> {
    Err(Program::Specification.into())
}

/// `DIAGNOSE X'304'`: partition resources.
///
/// There are no partitions: Ry gets 4, and nothing is stored.
pub fn partition_resources(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r3, 4);
    Ok(())
}

/// `DIAGNOSE X'2FC'`: data about guests.
///
/// Rx: the address of a list: a user ID or `*`, a group, a buffer's address, its size and the format 2. The buffer gets
/// 112 bytes about the virtual machine that asks. Ry gets 0, or -2 if the buffer is too small; Rx gets minus the number
/// of bytes that did not fit.
pub fn guest_data(call: &Call<'_>) -> Result<(), Interruption> {
    const RECORD: usize = 112;
    let list = call.address(call.r1);
    let mut parameters = [0; 32];
    call.read(list, &mut parameters)?;
    let number = |at: usize, length: usize| parameters[at..at + length].iter().fold(0, |n: u64, &b| n << 8 | u64::from(b));
    let (buffer, size) = (number(16, 8), number(24, 4) as usize);
    let wanted = to_string(&parameters[..8]);
    let wanted = wanted.trim_end();
    if wanted != "*" && wanted != call.vmdbk.userid {
        call.set_gr(call.r1, 0);
        call.set_gr(call.r3, 0);
        return Ok(());
    }
    if size < RECORD {
        call.set_gr(call.r1, (size as u64).wrapping_sub(RECORD as u64));
        call.set_gr(call.r3, -2i64 as u64);
        return Ok(());
    }
    let (virtual_us, _) = call.vmdbk.times();
    let elapsed = call.cp.now().micros_since(call.vmdbk.logged_on);
    let storage = call.machine.configuration.storage().size() >> 10;
    let cpus = call.machine.configuration.cpus().count() as u32;
    let mut record = [0; RECORD];
    record[3] = 2;
    let doublewords = [(8, virtual_us), (16, elapsed), (24, 0), (32, storage), (40, storage), (48, storage)];
    doublewords.iter().for_each(|&(at, n)| record[at..at + 8].copy_from_slice(&n.to_be_bytes()));
    let real = call.cp.processors.count() as u32;
    for (at, n) in [(56, real), (60, real), (64, cpus), (68, cpus), (72, cpus), (76, 100)] {
        record[at..at + 4].copy_from_slice(&n.to_be_bytes());
    }
    record[104..].copy_from_slice(&padded::<8>(&call.vmdbk.userid));
    call.write(Real(buffer), &record)?;
    call.set_gr(call.r1, 0);
    call.set_gr(call.r3, 0);
    Ok(())
}
