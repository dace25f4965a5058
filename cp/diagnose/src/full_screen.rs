//! DIAGNOSE X'58': the display of the virtual console, without a channel program of the guest's; X'264': another
//! terminal.

use crate::Call;
use arch::diagnose::ConsoleCcw;
use arch::io::DeviceStatus;
use arch::{Program, Real};
use base::ebcdic;
use consoles::device::VirtualConsole;
use consoles::glass::{Buffer, Called};
use cpu::Interruption;
use tn3270::datastream::command;
use zerocopy::IntoBytes;

/// Commands of the CCWs.
const DISPLAY: u8 = 0x19;
const WRITE: u8 = 0x29;
const READ: u8 = 0x2a;
/// Flags of a CCW.
const CHAIN_DATA: u8 = 0x80;
const CHAIN_COMMAND: u8 = 0x40;
/// The most CCWs of one DIAGNOSE.
const CCWS: usize = 256;
/// Attention, channel end, device end and unit check: CP has had the screen, and nothing is on it.
const ERASED: DeviceStatus = DeviceStatus(0x8e);
/// Channel end, device end and unit check: the data stream is not one.
const INVALID: DeviceStatus = DeviceStatus(0x0e);

/// How many microseconds a terminal has for the answer to a Read Buffer. After that the screen in memory answers.
const PATIENCE: u64 = 3_000_000;

/// How a command went.
enum Performed {
    Done,
    /// The console has a status to report.
    Refused,
    /// The terminal has been asked, and the instruction is to be executed again.
    Awaited,
}

/// A CCW: like those of format 0, with a control byte where they have a zero.
struct Ccw {
    command: u8,
    address: Real,
    flags: u8,
    control: u8,
    count: u16,
}

/// `DIAGNOSE X'58'`: 3270 virtual console.
///
/// Rx: the address of CCWs, which chain; Ry: the console's device number. Command 19 shows up to 1760 characters from
/// the line that the control byte names (X'80' erases first, X'FF' only erases); 29 writes a data stream that begins
/// with its write control character (X'80' erase/write, X'C0' erase/write alternate, X'20' structured fields, 0 write);
/// 2A reads (X'80' what was modified, else the buffer). Lines that have been shown stay until the user has cleared them
/// (MORE...), unless the virtual machine has erased them. From the first erase/write on every key is an attention,
/// until the virtual machine writes or reads a line. Condition code 0; 1: the status of the console says why: X'8E'
/// wants an erase/write first, X'0E' has found the data stream invalid; 3: no such device. The buffer is read from the
/// terminal, with the nulls in it and what was typed before a PA key; the instruction ends when it has come.
pub fn console_io(call: &Call<'_>) -> Result<(), Interruption> {
    let vdev = call.gr(call.r3) as u16;
    let mut at = call.address(call.r1);
    call.specification(at.0.is_multiple_of(8))?;
    let console = call.vmdbk.unit(vdev).is_some_and(|unit| unitrecord::lock_unit(&unit).console);
    if !console {
        call.set_cc(3);
        return Ok(());
    }
    call.count_io(false);
    for _ in 0..CCWS {
        let first = ccw(call, &mut at)?;
        let mut areas = vec![(first.address, first.count)];
        let mut flags = first.flags;
        while flags & CHAIN_DATA != 0 && areas.len() < CCWS {
            let next = ccw(call, &mut at)?;
            areas.push((next.address, next.count));
            flags = next.flags;
        }
        match perform(call, vdev, &first, &areas)? {
            Performed::Done => (),
            Performed::Refused => {
                call.set_cc(1);
                return Ok(());
            }
            Performed::Awaited => {
                call.again(PATIENCE);
                return Ok(());
            }
        }
        if flags & CHAIN_COMMAND == 0 {
            break;
        }
    }
    call.set_cc(0);
    Ok(())
}

fn ccw(call: &Call<'_>, at: &mut Real) -> Result<Ccw, Interruption> {
    let mut ccw = ConsoleCcw::default();
    call.read(*at, ccw.as_mut_bytes())?;
    at.0 += size_of::<ConsoleCcw>() as u64;
    let ConsoleCcw { command, address, flags, control, count } = ccw;
    Ok(Ccw { command, address: Real(address.get().into()), flags, control, count: count.get() })
}

/// What lies in the areas, one after the other.
fn fetch(call: &Call<'_>, areas: &[(Real, u16)]) -> Result<Vec<u8>, Interruption> {
    let mut data = Vec::new();
    for &(address, count) in areas {
        let from = data.len();
        data.resize(from + usize::from(count), 0);
        call.read(address, &mut data[from..])?;
    }
    Ok(data)
}

/// Performs one command.
fn perform(call: &Call<'_>, vdev: u16, ccw: &Ccw, areas: &[(Real, u16)]) -> Result<Performed, Interruption> {
    let glass = &call.vmdbk.glass;
    let terminal = call.vmdbk.console().terminal.clone().filter(|terminal| terminal.is_display());
    let Some(terminal) = terminal else { return Ok(refuse(call, vdev, ERASED)) };
    let done = match ccw.command {
        DISPLAY => {
            /// 22 lines of 80 characters.
            const LONGEST: usize = 1760;
            let data = if ccw.control == 0xff { Vec::new() } else { fetch(call, areas)? };
            call.specification(data.len() <= LONGEST)?;
            glass.end_call();
            if ccw.control & 0x80 != 0 {
                terminal.erase();
            }
            let text: Vec<char> = ebcdic::to_string(&data).chars().collect();
            let lines: Vec<String> = text.chunks(80).map(|line| line.iter().collect()).collect();
            terminal.place(usize::from(ccw.control & 0x7f), &lines);
            Called::Done
        }
        WRITE => {
            let code = match ccw.control {
                0x80 => command::EW,
                0xc0 => command::EWA,
                0x20 => command::WSF,
                _ => command::W,
            };
            let mut record = vec![code];
            record.extend(fetch(call, areas)?);
            let size = terminal.size().map(tn3270::Size::from);
            if glass.has_none() && code != command::W && code != command::WSF {
                terminal.keep(call.cp.now());
            }
            let bell = {
                let mut css = call.machine.configuration.css();
                let id = css.find(vdev);
                id.and_then(|id| css.device_mut::<VirtualConsole>(id)?.bell())
            };
            glass.call(record, size, bell)
        }
        READ if glass.has_none() => Called::Erased,
        READ => {
            // If it has been asked before, it has had its time.
            let late = glass.is_asked();
            let data = match ccw.control & 0x80 {
                0 => glass.read_buffer(late),
                _ => Buffer::Here(glass.called_read()),
            };
            let Buffer::Here(data) = data else {
                terminal.touch();
                return Ok(Performed::Awaited);
            };
            let mut data = data.as_slice();
            for &(address, count) in areas {
                let (now, later) = data.split_at(data.len().min(count.into()));
                call.write(address, now)?;
                data = later;
            }
            Called::Done
        }
        _ => return Err(arch::Program::Specification.into()),
    };
    terminal.touch();
    Ok(match done {
        Called::Done => Performed::Done,
        Called::Erased => refuse(call, vdev, ERASED),
        Called::Invalid => refuse(call, vdev, INVALID),
    })
}

/// Has the console present this status.
fn refuse(call: &Call<'_>, vdev: u16, why: DeviceStatus) -> Performed {
    call.vmdbk.glass.report(why);
    let mut css = call.machine.configuration.css();
    if let Some(id) = css.find(vdev) {
        css.signal(id);
    }
    Performed::Refused
}

/// `DIAGNOSE X'264'`: CP communication.
///
/// Rx is the address of two words on a doubleword boundary, Ry 0: from then on CP sets bit 0 of the first word when the
/// user has come back at another terminal. The program turns it off. Ry 4: no more. IPL ends it, too.
pub fn communication(call: &Call<'_>) -> Result<(), Interruption> {
    match call.gr(call.r3) as u32 {
        0 => {
            let area = call.address(call.r1);
            call.specification(area.0.is_multiple_of(8))?;
            let core = call.core();
            let absolute = core.state.absolute(area);
            core.state.storage().read_u64(absolute).map_err(|_| Program::Addressing)?;
            drop(core);
            call.vmdbk.communicate(Some(absolute));
        }
        4 => call.vmdbk.communicate(None),
        _ => return Err(Program::Specification.into()),
    }
    Ok(())
}
