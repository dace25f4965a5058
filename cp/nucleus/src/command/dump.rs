//! DUMP and VMDUMP: storage and registers of a virtual machine, on its printer or in a spool file.

use super::spool_files::message_of;
use super::{Issuer, Response, close, display};
use crate::intercept::print;
use crate::system::Cp;
use arch::diagnose::{DumpCpu, DumpHeader, DumpPart, DumpText, PART};
use base::Tod;
use base::ebcdic::padded;
use base::layout::{U16, U32, U64};
use cpu::{Architecture, State};
use message::Message;
use message::words::{Word, Words};
use spool::{Attributes, Device, OutputFile, Queue};
use virtualmachine::examine::{self, Area, Meaning};
use virtualmachine::machine::Machine;
use zerocopy::{FromZeros, IntoBytes};

/// WRITE, SPACE 1 AFTER WRITE: how records of a VMDUMP file are written.
const WRITE: u8 = 0x09;
/// Bytes that one look at storage shows: as much as DISPLAY does.
const PIECE: u64 = 0x10000;

/// `DUmp [T|K|I][V|L|R|N|PRI|SEC|HOM]hexloc[-hexloc|.count] ... [*text]`
///
/// Prints storage of your virtual machine on its first virtual printer, after PSW and registers. The operands are those
/// of DISPLAY for storage; without one it is all of storage. What is equal to the line before is left out. A
/// range is 16 gigabytes at most. The text after the asterisk heads the dump. CLOSE PRT makes a file of it.
pub fn dump(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let machine = issuer.vmdbk.machine();
    let end = machine.configuration.storage().size() - 1;
    let mut areas = Vec::new();
    let mut text = "";
    while let Some(word) = words.peek() {
        if word.0.starts_with('*') {
            text = &words.rest()[1..];
            break;
        }
        words.next();
        areas.push(Area::parse(word, end)?);
    }
    if areas.is_empty() {
        areas.push(Area::parse(Word("T0-END"), end)?);
    }
    let head = format!("DUMP OF {:<8} {} {}", issuer.userid(), cp.long_date(), text.trim());
    if !print(cp, &issuer.vmdbk, head.trim_end()) {
        return Err(message::no_printer());
    }
    let out = |lines: &[String]| {
        for line in lines {
            print(cp, &issuer.vmdbk, line);
        }
    };
    out(&display::display(cp, issuer, Words::new("PSW PREFIX G X Y AR"))?.lines);
    for area in areas {
        let last = area.last.unwrap_or(area.first);
        bounded(area.first, last)?;
        let mut first = area.first;
        loop {
            let piece = Area { first, last: Some(last.min(first | (PIECE - 1))), ..area };
            // The virtual CPU is held up for one piece at a time.
            let lines = {
                let mut core = machine.configuration.interrupted_cpu(issuer.cpu());
                examine::storage(&mut core.state, &piece)?
            };
            out(&lines);
            match piece.last.and_then(|end| end.checked_add(1)) {
                Some(next) if next <= last => first = next,
                _ => break,
            }
        }
    }
    Ok("Command complete".into())
}

/// The most of storage that one range may have.
const LONGEST: u64 = 16 << 30;

/// A range that is not too long: nothing else is done for the user meanwhile.
fn bounded(first: u64, last: u64) -> Result<(), Message> {
    match last - first < LONGEST {
        true => Ok(()),
        false => Err(message::invalid_range(format!("{first:X}-{last:X}"))),
    }
}

/// What VMDUMP says.
struct Wanted {
    ranges: Vec<(u64, u64)>,
    to: String,
    format: String,
    text: String,
}

impl Wanted {
    fn parse(cp: &Cp, issuer: &Issuer, words: &mut Words<'_>) -> Result<Wanted, Message> {
        let end = issuer.vmdbk.machine().configuration.storage().size() - 1;
        let (to, format) = (issuer.userid().to_string(), "CP".to_string());
        let mut wanted = Wanted { ranges: Vec::new(), to, format, text: String::new() };
        while let Some(word) = words.peek() {
            if word.0.starts_with('*') {
                wanted.text = words.rest()[1..].trim().to_string();
                break;
            }
            words.next();
            match () {
                () if word.is("TO") => {
                    wanted.to = match words.need()? {
                        word if word.0 == "*" => issuer.userid().into(),
                        word if word.is("SYSTEM") => cp.config.operator.clone(),
                        word => word.userid()?,
                    };
                    if cp.user(&wanted.to).is_none() {
                        return Err(message::not_in_directory(&wanted.to).from("VMD"));
                    }
                }
                () if word.is("FORMAT") => wanted.format = words.need()?.userid()?,
                () if word.is("DCSS") => {
                    let segments = issuer.vmdbk.segments();
                    let pages = segments.iter().flat_map(|used| &used.file.ranges);
                    let bytes =
                        pages.map(|pages| (u64::from(pages.first) << 12, (u64::from(pages.last) << 12) + 0xfff));
                    wanted.ranges.extend(bytes.filter(|range| range.0 > end));
                }
                () => {
                    let (first, last) = examine::range(word.0, end, 16)?;
                    wanted.ranges.push((first, last.unwrap_or(first)));
                }
            }
        }
        if wanted.ranges.iter().all(|range| range.0 > end) {
            wanted.ranges.insert(0, (0, end));
        }
        wanted.ranges.iter().try_for_each(|&(first, last)| bounded(first, last))?;
        Ok(wanted)
    }
}

/// `VMDump [hexloc-hexloc|hexloc.count ...] [TO userid|*|SYSTEM] [FORMAT type] [DCSS] [*text]`
///
/// Writes storage and registers of your virtual machine to a spool file of class V on a reader: your own, another
/// user's, or (SYSTEM) the operator's. Without a range it is all of storage. DCSS adds the saved segments beyond it
/// that are in use. A range is 16 gigabytes at most. FORMAT names the operating system, which is the file's type; the
/// text is in its first record.
///
/// The first record is a header of 148 bytes: VMDUMP, the type and your userid in eight characters each, TOD clock and
/// size of storage in eight bytes each, in four bytes how many records of virtual CPUs follow and the bytes of storage
/// in a record, then the text. A virtual CPU has 476 bytes: address and architecture (0 S/370, 1 ESA, 2 z) in two bytes
/// each, the prefix, the PSW in 16 bytes, 16 general, control and floating-point registers of eight bytes each, access
/// registers. All others are storage that is not zero: eight bytes for the address, then 2048 bytes.
pub fn vm_dump(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let wanted = Wanted::parse(cp, issuer, &mut words)?;
    let failed = |error: spool::Error| message_of(&error);
    let mut file = spool::with(&cp.spool, |spool| spool.open_output(issuer.userid(), Device::Dump)).map_err(failed)?;
    let written = write(&mut file, &wanted, issuer, cp.now()).and_then(|()| file.finish());
    if let Err(error) = written {
        let discard = |spool: &mut spool::Spool| {
            spool.discard_output(file);
            Ok(())
        };
        spool::with(&cp.spool, discard).map_err(failed)?;
        return Err(failed(error));
    }
    let was = file.spid();
    let attributes = Attributes {
        class: 'V',
        name: "VMDUMP".into(),
        kind: wanted.format.clone(),
        ..Attributes::new(&wanted.to, Queue::Reader, cp.now())
    };
    let closed = spool::with(&cp.spool, |spool| match spool.close_output(file, &attributes) {
        Ok(file) => Ok(file),
        Err(refused) => {
            spool.discard_output(refused.output);
            Err(refused.error)
        }
    });
    if let Some(file) = closed.map_err(failed)? {
        close::announce(cp, issuer.userid(), &file, "DMP", was);
    }
    Ok("Command complete".into())
}

fn write(file: &mut OutputFile, wanted: &Wanted, issuer: &Issuer, now: Tod) -> Result<(), spool::Error> {
    let machine = issuer.vmdbk.machine();
    let configuration = &machine.configuration;
    let cpus: Vec<u16> = configuration.cpus().collect();
    let header = DumpHeader {
        name: padded("VMDUMP"),
        format: padded(&wanted.format),
        userid: padded(issuer.userid()),
        time: now.0.into(),
        storage: configuration.storage().size().into(),
        cpus: (cpus.len() as u32).into(),
        part: (PART as u32).into(),
        text: DumpText(padded(&wanted.text)),
    };
    file.write(WRITE, header.as_bytes())?;
    for &cpu in &cpus {
        let record = registers(cpu, &configuration.interrupted_cpu(cpu).state);
        file.write(WRITE, record.as_bytes())?;
    }
    for &(first, last) in &wanted.ranges {
        storage(file, &machine, issuer.cpu(), first, last)?;
    }
    Ok(())
}

/// The parts of a range that are not zero. What cannot be read is left out.
fn storage(file: &mut OutputFile, machine: &Machine, cpu: u16, first: u64, last: u64) -> Result<(), spool::Error> {
    let mut part = DumpPart::new_zeroed();
    let mut at = first & !(PART as u64 - 1);
    loop {
        let read = {
            let mut core = machine.configuration.interrupted_cpu(cpu);
            examine::read(&mut core.state, Meaning::Real, at, &mut part.data)
        };
        if read.is_ok() && part.data.iter().any(|&byte| byte != 0) {
            part.address = at.into();
            file.write(WRITE, part.as_bytes())?;
        }
        match at.checked_add(PART as u64) {
            Some(next) if next <= last => at = next,
            _ => return Ok(()),
        }
    }
}

fn registers(address: u16, state: &State) -> DumpCpu {
    let psw = state.psw();
    DumpCpu {
        address: address.into(),
        architecture: U16::new(match state.architecture() {
            Architecture::S370 => 0,
            Architecture::Esa => 1,
            Architecture::Z => 2,
        }),
        prefix: U32::new(state.prefix as u32),
        psw: [psw.mask, psw.address].map(U64::new),
        general: state.gr.map(U64::new),
        control: state.cr.map(U64::new),
        floating_point: state.fpr.floating().map(U64::new),
        access: state.ar.map(U32::new),
        end: U32::ZERO,
    }
}
