//! DIAGNOSE X'14': spool files as blocks.

use crate::Call;
use cpu::Interruption;
use directory::SpoolKind;
use spool::splink::{self, BLOCK};
use spool::{Device, Error, Queue, ReaderFile, SpoolFile};
use unitrecord::{SharedUnit, lock_unit};

/// What a function answers: a condition code, and something for storage or for Ry+1.
enum Answer {
    Code(u8),
    /// Condition code 0, and these bytes go to the address in Rx.
    Store(Vec<u8>),
    /// Condition code 3, and this number goes to Ry+1.
    Error(u64),
}

use Answer::{Code, Store};

/// Numbers of errors.
const NO_DEVICE: Answer = Answer::Error(4);
const NOT_A_READER: Answer = Answer::Error(8);
const IO_ERROR: Answer = Answer::Error(16);
const IN_USE: Answer = Answer::Error(24);

/// `DIAGNOSE X'14'`: manipulates the input spool files.
///
/// Ry+1 is the function, Ry the reader's device number, Rx the address of a buffer or a number. X'0000': the next block
/// of 4096 bytes goes to the buffer; the first call opens the first file that may be read, and the file stays open
/// until CLOSE. X'0004', X'0008': selects the next file that a printer or a punch wrote, and describes it. X'000C':
/// selects file Rx. X'0014' begins again, X'0018' goes back to the block before the last, X'0024' reads the last block
/// again, X'0028' goes to block Rx. X'0010': the file is read Rx times, up to 255, if SPOOL has said CONT; then the end
/// of a file is followed by the next one. X'001C', X'0020': as X'0008' and X'0000' for files of CP's monitor, of which
/// there are none. X'0FFF': the description, 304 bytes, of the file after number Ry in the queue; 0 is before the
/// first. X'0FFE': of the first file that was not described so before; Ry not 0: none was. Condition code 0; 1: end of
/// file, or no other file; 2: no file; 3: an error, Ry+1 says which: 4 no such device, 8 not a reader, 16 the file
/// cannot be read, 24 the file is in use.
pub fn input_spool_file(call: &Call<'_>) -> Result<(), Interruption> {
    call.specification(call.r3 != 15)?;
    let answer = perform(call, call.gr(call.r1), call.gr(call.r3) as u16, call.gr(call.r3 + 1) as u16);
    match answer {
        Code(cc) => call.set_cc(cc),
        Store(bytes) => {
            call.write(call.address(call.r1), &bytes)?;
            call.set_cc(0);
        }
        Answer::Error(number) => {
            call.set_gr(call.r3 + 1, number);
            call.set_cc(3);
        }
    }
    Ok(())
}

fn perform(call: &Call<'_>, rx: u64, ry: u16, function: u16) -> Answer {
    if function == 0x0ffe {
        return next_unseen(call, ry != 0);
    }
    if function == 0x0fff {
        let next = |spool: &spool::Spool| spool.file_after(&call.vmdbk.userid, Queue::Reader, ry).cloned();
        return spool::ask(call.cp.spool(), next).map_or(Code(1), |file| describe(call, &file));
    }
    let Some(unit) = call.vmdbk.unit(ry) else { return NO_DEVICE };
    if lock_unit(&unit).kind != SpoolKind::Reader {
        return NOT_A_READER;
    }
    match function {
        0x0000 => next_block(call, &unit),
        0x0004 => next_of(call, &unit, Device::Printer),
        0x0008 => next_of(call, &unit, Device::Punch),
        0x000c => match u16::try_from(rx & 0xffff_ffff) {
            Ok(spid) => select(call, &unit, spid, || Code(0)),
            Err(_) => Code(2),
        },
        0x0010 => repeat(call, &unit, rx as u32),
        0x0014 => with_file(call, &unit, |file| {
            file.restart();
            Code(0)
        }),
        0x0018 => back(call, &unit, 2),
        0x001c => Code(1),
        0x0020 => Code(2),
        0x0024 => back(call, &unit, 1),
        0x0028 => with_file(call, &unit, |file| Code(if file.position(rx as u32) { 0 } else { 3 })),
        _ => NO_DEVICE,
    }
}

/// Does something with the reader's file, opened if none is.
fn with_file(call: &Call<'_>, unit: &SharedUnit, action: impl FnOnce(&mut ReaderFile) -> Answer) -> Answer {
    let mut unit = lock_unit(unit);
    unit.open_input(call.cp.spool());
    unit.input.as_mut().map_or(Code(2), action)
}

/// The file that is open, or the first one, is read so many times.
fn repeat(call: &Call<'_>, unit: &SharedUnit, times: u32) -> Answer {
    let mut unit = lock_unit(unit);
    match u8::try_from(times) {
        Ok(times) if unit.open_input(call.cp.spool()) => {
            unit.repeats = times.saturating_sub(1);
            Code(0)
        }
        _ => Code(2),
    }
}

/// The first file that was not described before, or of all files the first.
fn next_unseen(call: &Call<'_>, anew: bool) -> Answer {
    let mut seen = call.vmdbk.seen();
    let name = |file: &SpoolFile| (file.spid, file.created.0);
    let files: Vec<SpoolFile> =
        spool::ask(call.cp.spool(), |spool| spool.files(&call.vmdbk.userid, Queue::Reader).cloned().collect());
    // Those that are gone need not be known.
    seen.retain(|known| !anew && files.iter().any(|file| name(file) == *known));
    match files.iter().find(|file| !seen.contains(&name(file))) {
        Some(file) => {
            seen.insert(name(file));
            describe(call, file)
        }
        None => Code(1),
    }
}

fn next_block(call: &Call<'_>, unit: &SharedUnit) -> Answer {
    let mut unit = lock_unit(unit);
    let mut block = [0; BLOCK];
    let mut answer = Code(2);
    while unit.open_input(call.cp.spool())
        && let Some(file) = &mut unit.input
    {
        match file.next_block(&mut block) {
            Ok(true) => return Store(block.to_vec()),
            Err(_) => return IO_ERROR,
            Ok(false) => answer = Code(1),
        }
        if !unit.settings.cont {
            break;
        }
        match unit.repeats.checked_sub(1) {
            Some(left) => {
                unit.repeats = left;
                unit.input.as_mut().map(ReaderFile::restart);
            }
            None => unit.end_input(call.cp.spool(), None),
        }
    }
    answer
}

/// Reads a block again that lies before the next one.
fn back(call: &Call<'_>, unit: &SharedUnit, blocks: u32) -> Answer {
    let to = |file: &mut ReaderFile| Code(!file.position((file.block_number() + 1).saturating_sub(blocks)) as u8);
    match with_file(call, unit, to) {
        Code(0) => next_block(call, unit),
        other => other,
    }
}

/// Selects the first file that `device` wrote, and shows its description.
fn next_of(call: &Call<'_>, unit: &SharedUnit, device: Device) -> Answer {
    let fits = |file: &&SpoolFile| file.device == device && !file.hold.any() && !file.in_use;
    let next = |spool: &spool::Spool| spool.files(&call.vmdbk.userid, Queue::Reader).find(fits).cloned();
    match spool::ask(call.cp.spool(), next) {
        Some(file) => select(call, unit, file.spid, || describe(call, &file)),
        None => Code(1),
    }
}

fn select(call: &Call<'_>, unit: &SharedUnit, spid: u16, then: impl FnOnce() -> Answer) -> Answer {
    match lock_unit(unit).select_input(call.cp.spool(), spid) {
        Ok(()) => then(),
        Err(Error::NoFile(..)) => Code(2),
        Err(Error::InUse(..)) => IN_USE,
        Err(_) => IO_ERROR,
    }
}

/// The spool file block of `file`.
fn describe(call: &Call<'_>, file: &SpoolFile) -> Answer {
    Store(splink::sfblok(file, call.cp.zone().offset.into()).to_vec())
}
