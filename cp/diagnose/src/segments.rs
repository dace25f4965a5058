//! DIAGNOSE X'64': saved segments.

use crate::Call;
use arch::diagnose::FindSegment;
use arch::{Program, Real};
use base::ebcdic;
use cpu::Interruption;
use realstorage::sharing::{self, Use};
use spool::saved::{Kind, PageRange, SavedFile};
use zerocopy::IntoBytes;

/// There is no saved segment of this name.
const NO_SEGMENT: u64 = 44;
/// The segment could not be read.
const PAGING_ERROR: u64 = 177;
/// It would lie where another one lies that is loaded.
const OVERLAPS: u64 = 278;
/// The directory does not let the user have it.
const RESTRICTED: u64 = 449;

/// `DIAGNOSE X'64'`: saved segments.
///
/// Rx: the address of an eight-character name, Ry: the subcode. X'00' loads the segment, sharing what it shares; X'04'
/// loads a copy that is the virtual machine's alone; X'10' loads it as X'00' unless it overlaps another one that is
/// loaded; X'08' purges it from the virtual machine; X'0C' finds it. X'20', X'24', X'28' and X'2C' are the same with
/// 64-bit addresses. Of what is loaded or found Rx gets the first address and Ry the last. The name may be that of a
/// segment space; with a member of one all members are loaded, and they stay until those that were asked for are
/// purged. X'14' finds where all comes that is loaded with the name. Condition code 0: it is loaded (or purged, or
/// found and loaded); 1: it is loaded within the virtual machine's storage, found and not loaded, or purged though it
/// was not loaded; 2: Ry is 44, it does not exist, 177, it cannot be read, 278, it overlaps, 449, it is restricted.
/// X'18' (and X'38' with 64-bit addresses): Rx is the address of a list: X'0C' in byte 0, the name in bytes 8 to 15,
/// the address and the length (two bytes) of a buffer, which gets the first and the last address, the number of ranges,
/// and of each of up to six the first address, with its type in the last byte, and the last address; byte 4 of the list
/// gets 0 or the error.
pub fn saved_segments(call: &Call<'_>) -> Result<(), Interruption> {
    let subcode = call.gr(call.r3) as u32;
    match subcode {
        0x18 | 0x38 => return extended(call, subcode == 0x38),
        0x00 | 0x04 | 0x08 | 0x0c | 0x10 | 0x14 | 0x20 | 0x24 | 0x28 | 0x2c => (),
        _ => {
            call.set_cc(3);
            return Ok(());
        }
    }
    let address = call.address(call.r1);
    call.specification(call.r1 != call.r3)?;
    let name = name_at(call, address)?;
    let answer = match subcode {
        0x00 | 0x20 => load(call, &name, false, false),
        0x04 | 0x24 => load(call, &name, true, false),
        0x10 => load(call, &name, false, true),
        0x08 | 0x28 => purge(call, &name),
        0x14 => find(call, &name, true),
        _ => find(call, &name, false),
    };
    match answer {
        Ok((cc, extent)) => {
            if let Some((first, last)) = extent {
                call.set_gr(call.r1, first);
                call.set_gr(call.r3, last);
            }
            call.set_cc(cc);
        }
        Err(error) => {
            call.set_gr(call.r3, error);
            call.set_cc(2);
        }
    }
    Ok(())
}

/// What a function answers: the condition code and the segment's addresses, or an error.
type Answer = Result<(u8, Option<(u64, u64)>), u64>;

fn name_at(call: &Call<'_>, address: Real) -> Result<String, Interruption> {
    let mut name = [0; 8];
    call.read(address, &mut name)?;
    Ok(ebcdic::to_string(&name).trim_end().to_string())
}

/// Whether this is the name of the segment in use, or of its segment space.
fn is_called(used: &Use, name: &str) -> bool {
    used.file.name == name || used.file.space.as_deref() == Some(name)
}

/// The segment that was asked for by its own name, or else all members of the space.
fn named<'a>(parts: &'a [SavedFile], name: &str) -> &'a [SavedFile] {
    if parts[0].name == name { &parts[..1] } else { parts }
}

fn known(call: &Call<'_>, name: &str) -> Result<Vec<SavedFile>, u64> {
    let parts = call.cp.saved().parts(name);
    if parts.is_empty() { Err(NO_SEGMENT) } else { Ok(parts) }
}

fn load(call: &Call<'_>, name: &str, nonshared: bool, no_overlay: bool) -> Answer {
    let parts = known(call, name)?;
    let namesave = &call.vmdbk.user.namesave;
    let admitted = |file: &SavedFile| sharing::admits(namesave, file) || nonshared && file.load_nonshared;
    if !parts.iter().all(admitted) {
        return Err(RESTRICTED);
    }
    let configuration = &call.machine.configuration;
    if sharing::extent(&parts).1 >= configuration.storage().room() {
        return Err(PAGING_ERROR);
    }
    let extent = sharing::extent(named(&parts, name));
    let within = u8::from(sharing::extent(&parts).0 < configuration.storage().size());
    let is = |used: &Use, file: &SavedFile| used.file.id == file.id && used.nonshared == nonshared;
    let overlaid = |other: &Use| {
        let part = parts.iter().any(|file| is(other, file));
        !part && parts.iter().any(|file| sharing::overlaps(file, &other.file))
    };
    let missing: Vec<&SavedFile> = {
        let segments = call.vmdbk.segments();
        if no_overlay && segments.iter().any(overlaid) {
            return Err(OVERLAPS);
        }
        parts.iter().filter(|file| !segments.iter().any(|used| is(used, file))).collect()
    };
    let begin = |file: &SavedFile| call.cp.saved().begin_use(&call.vmdbk.userid, file.clone(), nonshared);
    let new: Vec<Use> = missing.into_iter().map(begin).collect::<Result<_, _>>().map_err(|_| PAGING_ERROR)?;
    // Segments that the new ones overlap are detached first.
    let gone: Vec<Use> = call.vmdbk.segments().extract_if(.., |other| overlaid(other)).collect();
    gone.iter().for_each(|other| other.detach(configuration));
    for used in new {
        used.attach(configuration).map_err(|_| PAGING_ERROR)?;
        call.vmdbk.segments().push(used);
    }
    for used in call.vmdbk.segments().iter_mut().filter(|used| parts.iter().any(|file| is(used, file))) {
        used.asked |= used.file.name == name;
        used.space_asked |= used.file.name != name && used.file.space.as_deref() == Some(name);
    }
    Ok((within, Some(extent)))
}

fn purge(call: &Call<'_>, name: &str) -> Answer {
    let mut segments = call.vmdbk.segments();
    let mut purged = false;
    for used in segments.iter_mut() {
        let own = used.file.name == name;
        let asked = if own { &mut used.asked } else { &mut used.space_asked };
        if own || used.file.space.as_deref() == Some(name) {
            purged |= std::mem::take(asked);
        }
    }
    let wanted = |used: &Use| used.asked || used.space_asked || used.file.kind == Kind::System;
    let spaces: Vec<String> =
        segments.iter().filter(|used| wanted(used)).filter_map(|used| used.file.space.clone()).collect();
    let keeps = |used: &Use| wanted(used) || used.file.space.as_ref().is_some_and(|space| spaces.contains(space));
    let gone: Vec<Use> = segments.extract_if(.., |used| !keeps(used)).collect();
    drop(segments);
    gone.iter().for_each(|used| used.detach(&call.machine.configuration));
    drop(gone);
    if purged { Ok((0, None)) } else { known(call, name).map(|_| (1, None)) }
}

/// The segments that the virtual machine has loaded with this name, or else the active ones, the named one first. Also
/// whether they are loaded.
fn looked_for(call: &Call<'_>, name: &str) -> Result<(Vec<SavedFile>, bool), u64> {
    let loaded: Vec<SavedFile> = {
        let segments = call.vmdbk.segments();
        let called = segments.iter().find(|used| is_called(used, name));
        let space = called.and_then(|used| used.file.space.clone());
        let member = |used: &&Use| space.is_some() && used.file.space == space && used.file.name != name;
        let itself = segments.iter().find(|used| used.file.name == name);
        itself.into_iter().chain(segments.iter().filter(member)).map(|used| used.file.clone()).collect()
    };
    if loaded.is_empty() { known(call, name).map(|parts| (parts, false)) } else { Ok((loaded, true)) }
}

fn find(call: &Call<'_>, name: &str, whole: bool) -> Answer {
    let (parts, loaded) = looked_for(call, name)?;
    let extent = sharing::extent(if whole { &parts } else { named(&parts, name) });
    Ok((u8::from(!loaded), Some(extent)))
}

/// FINDSEGA: where the parts of a segment are.
fn extended(call: &Call<'_>, wide: bool) -> Result<(), Interruption> {
    const MOST: usize = 6;
    let list = call.address(call.r1);
    let mut parameters = FindSegment::default();
    call.read(list, parameters.as_mut_bytes())?;
    if parameters.function != 0x0c {
        return Err(Program::Specification.into());
    }
    let name = ebcdic::to_string(&parameters.name);
    let (parts, loaded) = match looked_for(call, name.trim_end()) {
        Ok(found) => found,
        Err(error) => {
            call.write(Real(list.0 + 4), &[error as u8])?;
            call.set_gr(call.r3, error);
            call.set_cc(2);
            return Ok(());
        }
    };
    let mut answer = Vec::new();
    let mut put = |address: u64| match wide {
        true => answer.extend(address.to_be_bytes()),
        false => answer.extend((address as u32).to_be_bytes()),
    };
    let files = named(&parts, name.trim_end());
    let mut ranges: Vec<PageRange> = files.iter().flat_map(|file| file.ranges.clone()).collect();
    ranges.sort_by_key(|range| range.first);
    let (first, last) = sharing::extent(files);
    put(first);
    put(last);
    let told = ranges.len().min(MOST);
    // Two words in either form: how many there are, and how many of them follow.
    let counts = [ranges.len() as u32, told as u32];
    match wide {
        true => put(u64::from(counts[0]) << 32 | u64::from(counts[1])),
        false => counts.into_iter().for_each(|count| put(count.into())),
    }
    for range in &ranges[..told] {
        let addresses = sharing::addresses(range);
        put(addresses.start | range.kind as u64);
        put(addresses.end - 1);
    }
    answer.truncate(parameters.length.get().into());
    call.write(Real(parameters.buffer.into()), &answer)?;
    call.write(Real(list.0 + 4), &[0])?;
    call.set_cc(u8::from(!loaded));
    Ok(())
}
