//! DISPLAY: registers, PSW and storage of a virtual CPU.

use super::{Issuer, Response};
use crate::system::Cp;
use arch::io::Schib;
use message::Message;
use message::words::Words;
use virtualmachine::examine::{self, Area, File};
use zerocopy::IntoBytes;

/// `Display G|GG|GH|X|XG|Y|AR[reg[-reg|.count]] | PSW [ALL] | PREFIX | SCHIB [vdev[-vdev]|ALL] |
/// [T|K|I][V|L|R|N|PRI|SEC|HOM]hexloc[-hexloc|.count] ...`
///
/// Shows what is in registers and storage of your virtual machine, as many operands as you like in one line. G, X, Y
/// and AR are the general, control, floating-point and access registers; GG and XG show all 64 bits of a register, GH
/// the left half of a general one. PSW ALL shows the old and new PSWs of the prefix area too. SCHIB shows the
/// subchannel-information block of a device, or of all of them, as STORE SUBCHANNEL would store it: path management
/// control word, then the status word.
///
/// Before a storage address, T shows characters beside the words, K shows storage keys, I shows instructions; V takes
/// the address through the virtual machine's tables, PRI, SEC and HOM through those of the primary, secondary and home
/// space, R is a real address, N one without prefixing. L, and none of these, is what the PSW makes of it. A range ends
/// with an address or END, or is a number of bytes after a period, in hexadecimal. CPU n DISPLAY shows another virtual
/// CPU.
pub fn display(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let machine = issuer.vmdbk.machine();
    let end = machine.configuration.storage().size() - 1;
    words.peek().ok_or_else(message::operand_missing)?;
    // All operands are parsed before the virtual CPU is interrupted, so that it is held up only while it is read.
    let mut wanted = Vec::new();
    while let Some(word) = words.next() {
        let upper = word.upper();
        wanted.push(match upper.as_str() {
            "PSW" if words.accept("ALL") => Wanted::AllPsws,
            "PSW" => Wanted::Psw,
            "PREFIX" => Wanted::Prefix,
            "SCHIB" => Wanted::Subchannels(subchannels(&mut words)?),
            _ => match File::parse(&upper) {
                Some((file, rest)) => {
                    let (first, last) = file.range(rest)?;
                    Wanted::Registers(file, first, last)
                }
                None => Wanted::Storage(Area::parse(word, end)?),
            },
        });
    }
    // Operands of SCHIB are looked up before the virtual CPU is locked: the lock of the channel subsystem comes after.
    let blocks = |range: &(u16, u16)| -> Result<Vec<String>, Message> {
        let css = machine.configuration.css();
        let there = css.devices().filter(|(_, number)| (range.0..=range.1).contains(number));
        let lines: Vec<String> =
            there.filter_map(|(id, number)| Some(block(number, id.number(), &css.schib(id)?))).flatten().collect();
        match lines.is_empty() {
            true => Err(message::device_absent(format!("{:04X}", range.0)).from("CDB")),
            false => Ok(lines),
        }
    };
    let blocks: Vec<Vec<String>> = wanted
        .iter()
        .filter_map(|wanted| if let Wanted::Subchannels(range) = wanted { Some(blocks(range)) } else { None })
        .collect::<Result<_, _>>()?;
    let mut blocks = blocks.into_iter();
    let mut core = machine.configuration.interrupted_cpu(issuer.cpu());
    let state = &mut core.state;
    let mut response = Response::none();
    for wanted in wanted {
        match wanted {
            Wanted::Psw => response.push(examine::psw(state)),
            Wanted::AllPsws => response.lines.extend(examine::all_psws(state)),
            Wanted::Prefix => response.push(format!("PREFIX = {:08X}", state.prefix)),
            Wanted::Registers(file, first, last) => {
                response.lines.extend(examine::registers(state, file, first, last));
            }
            Wanted::Subchannels(_) => response.lines.extend(blocks.next().unwrap_or_default()),
            Wanted::Storage(area) => response.lines.extend(examine::storage(state, &area)?),
        }
    }
    Ok(response)
}

enum Wanted {
    Psw,
    AllPsws,
    Prefix,
    /// Those of the devices with numbers from the first to the last.
    Subchannels((u16, u16)),
    Registers(File, usize, usize),
    Storage(Area),
}

/// The operand of SCHIB: the first and the last device number.
fn subchannels(words: &mut Words<'_>) -> Result<(u16, u16), Message> {
    let Some(word) = words.peek().filter(|word| !word.is("ALL")) else {
        words.accept("ALL");
        return Ok((0, u16::MAX));
    };
    words.next();
    let (first, last) = examine::range(word.0, 0xffff, 16)?;
    let last = last.unwrap_or(first);
    if last > 0xffff { Err(word.invalid()) } else { Ok((first as u16, last as u16)) }
}

/// The lines that show one subchannel-information block.
fn block(device: u16, number: u16, schib: &Schib) -> Vec<String> {
    let (pmcw, scsw) = (&schib.pmcw, &schib.scsw);
    let chpids: String = pmcw.chpid.iter().map(|chpid| format!("{chpid:02X}")).collect();
    let status = scsw.as_bytes();
    let words: Vec<String> = status.chunks(4).map(|word| word.iter().map(|b| format!("{b:02X}")).collect()).collect();
    vec![
        format!(
            "SCHIB DEV {device:04X} SCH {number:04X}  INTPARM {:08X}  FLAGS {:04X}",
            pmcw.parameter,
            pmcw.flags >> 16
        ),
        format!(
            "      LPM {:02X} PNOM {:02X} LPUM {:02X} PIM {:02X} MBI {:04X} POM {:02X} PAM {:02X}  CHPIDS {chpids}",
            pmcw.lpm, pmcw.pnom, pmcw.lpum, pmcw.pim, pmcw.mbi, pmcw.pom, pmcw.pam
        ),
        format!("      SCSW {}  CTL {:08X}", words.join(" "), pmcw.characteristics),
    ]
}
