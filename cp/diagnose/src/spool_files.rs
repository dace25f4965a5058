//! DIAGNOSE X'BC' and X'F8': what a spool file is, and where it is from.

use crate::Call;
use arch::diagnose::{SpoolCharacteristics, SpoolOrigin};
use base::ebcdic::{padded, to_string};
use cpu::Interruption;
use directory::{Opt, SpoolKind};
use spool::splink::date_and_time;
use spool::SpoolFile;
use unitrecord::lock_unit;
use zerocopy::{FromZeros, IntoBytes};

/// `DIAGNOSE X'BC'`: opens a spool file and tells what it is.
///
/// Rx: the address of 79 bytes, Ry: a reader's device number, Ry+1: the subfunction, 0. The file that is open on the
/// reader is told, or the first one that it may read, which is open then. The bytes are characters: number (4), owner
/// (8), class (1), what wrote it (3), records (8), copies (3), name (12), type (12), date (8), time (8), distribution
/// code (8), and what holds it (4), as QUERY READER says them. Condition code 0; 2: there is no file; 3: an error, Ry+1
/// says which: 4 no such device, 8 not a reader.
pub fn spool_characteristics(call: &Call<'_>) -> Result<(), Interruption> {
    call.specification(call.r3 != 15)?;
    let (at, vdev, subfunction) = (call.address(call.r1), call.gr(call.r3), call.gr(call.r3 + 1) as u32);
    call.specification(subfunction == 0)?;
    let refuse = |number: u64| {
        call.set_gr(call.r3 + 1, number);
        call.set_cc(3);
    };
    let Some(unit) = u16::try_from(vdev & 0xffff_ffff).ok().and_then(|vdev| call.vmdbk.unit(vdev)) else {
        refuse(4);
        return Ok(());
    };
    if lock_unit(&unit).kind != SpoolKind::Reader {
        refuse(8);
        return Ok(());
    }
    let spid = {
        let mut unit = lock_unit(&unit);
        unit.open_input(call.cp.spool());
        unit.input.as_ref().map(spool::ReaderFile::spid)
    };
    let file = spid.and_then(|spid| file(call, spid));
    if let Some(file) = &file {
        call.write(at, characteristics(call, file).as_bytes())?;
    }
    call.set_cc(if file.is_some() { 0 } else { 2 });
    Ok(())
}

/// A file of the virtual machine.
fn file(call: &Call<'_>, spid: u16) -> Option<SpoolFile> {
    spool::ask(call.cp.spool(), |spool| spool.file(&call.vmdbk.userid, spid).cloned())
}

fn characteristics(call: &Call<'_>, file: &SpoolFile) -> SpoolCharacteristics {
    let (date, time) = date_and_time(file.created, call.cp.zone().offset.into());
    SpoolCharacteristics {
        number: padded(&format!("{:04}", file.spid)),
        owner: padded(&file.owner),
        class: padded(&file.class.to_string()),
        device: padded(file.device.name()),
        records: padded(&format!("{:08}", file.records)),
        copies: padded(&format!("{:03}", file.copies)),
        name: padded(&file.name),
        kind: padded(&file.kind),
        date: padded(&date),
        time: padded(&time),
        distribution: padded(&file.dist),
        status: padded(file.hold.name()),
    }
}

/// Return codes of DIAGNOSE X'F8'.
mod code {
    pub(super) const DONE: u64 = 0;
    /// OPTION SETORIG is missing.
    pub(super) const NOT_ALLOWED: u64 = 4;
    /// No such device, or none for output.
    pub(super) const DEVICE: u64 = 8;
    /// No such file.
    pub(super) const FILE: u64 = 12;
    /// The list has another version, or an empty name.
    pub(super) const LIST: u64 = 16;
}

/// `DIAGNOSE X'F8'`: where a spool file is from.
///
/// Rx: the subcode, Ry: the address of DF8PARM, 20 bytes: a version of 0, a number, a node and a user in eight
/// characters each. Subcode 0: the next file that the unit record device of this number makes is from that user of that
/// node; the directory must say OPTION SETORIG. Subcode 4: node and user of the file of this number are stored; of a
/// file without such a word this system and its writer. Rx gets 0; 4: OPTION SETORIG is missing; 8: no such device for
/// output; 12: no such file; 16: the version is another one, or a name is missing.
pub fn spool_origin(call: &Call<'_>) -> Result<(), Interruption> {
    const SET: u32 = 0;
    const TELL: u32 = 4;
    let (subcode, at) = (call.gr(call.r1) as u32, call.address(call.r3));
    call.specification(at.0.is_multiple_of(4) && matches!(subcode, SET | TELL))?;
    let mut list = SpoolOrigin::new_zeroed();
    call.read(at, list.as_mut_bytes())?;
    let answer = match () {
        () if list.version != 0 => code::LIST,
        () if subcode == SET => set_origin(call, &list),
        () => match file(call, list.number.get()) {
            Some(file) => {
                let (node, user) = file.origin.unwrap_or((call.cp.system_name().to_string(), file.originator));
                (list.node, list.user) = (padded(&node), padded(&user));
                call.write(at, list.as_bytes())?;
                code::DONE
            }
            None => code::FILE,
        },
    };
    call.set_gr(call.r1, answer);
    Ok(())
}

fn set_origin(call: &Call<'_>, list: &SpoolOrigin) -> u64 {
    let [node, user] = [list.node, list.user].map(|name| to_string(&name).trim_end().to_uppercase());
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic());
    if !call.vmdbk.user.options.has(Opt::SetOrig) {
        return code::NOT_ALLOWED;
    }
    let unit = call.vmdbk.unit(list.number.get());
    let Some(unit) = unit.filter(|unit| lock_unit(unit).kind != SpoolKind::Reader) else { return code::DEVICE };
    if !is_name(&node) || !is_name(&user) {
        return code::LIST;
    }
    lock_unit(&unit).origin = Some((node, user));
    code::DONE
}
