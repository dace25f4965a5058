//! DIAGNOSE X'24' and X'210': what a virtual device is.

use crate::Call;
use arch::diagnose::{DeviceInformation, DisplayInformation, RealType, TerminalType, VirtualType, display_flag};
use base::layout::U32;
use consoles::terminal::Terminal;
use cpu::Interruption;
use dasd::Kind;
use devices::tape::Model;
use directory::SpoolKind;
use unitrecord::lock_unit;
use zerocopy::{IntoBytes, transmute};

/// Device class and type bytes, status and flags of the virtual device, and what the real one is.
#[derive(Default)]
struct Type {
    class: u8,
    kind: u8,
    status: u8,
    flags: u8,
    /// Model and features, if there is a real device.
    real: Option<(u8, u8)>,
}

impl Type {
    /// What is told of the virtual device.
    fn virtual_type(&self) -> VirtualType {
        let Type { class, kind, status, flags, .. } = *self;
        VirtualType { class, kind, status, flags }
    }
}

/// Four bytes as the right half of a register.
fn register(bytes: [u8; 4]) -> u64 {
    U32::from_bytes(bytes).get().into()
}

const fn unit(class: u8, kind: u8) -> Type {
    Type { class, kind, status: 0, flags: 0, real: None }
}

/// What kind of disk it is: class 04 or 01.
pub fn disk_type(kind: &Kind) -> RealType {
    let (class, kind, model) = match *kind {
        Kind::Ckd { device, model, .. } => {
            let kind = match device {
                0x2305 => 0x02,
                0x2311 => 0x80,
                0x2314 => 0x40,
                0x3330 => 0x10,
                0x3340 => 0x01,
                0x3350 => 0x08,
                0x3375 => 0x04,
                0x3380 => 0x20,
                0x9345 => 0x81,
                _ => 0x82,
            };
            (0x04, kind, model)
        }
        Kind::Fba { device, model, .. } => {
            let kind = match device {
                0x3310 => 0x01,
                0x3370 => 0x02,
                0x9332 => 0x08,
                0x9335 => 0x04,
                0x0671 => 0x20,
                _ => 0x40,
            };
            (0x01, kind, model)
        }
    };
    // Rotational position sensing, extended sense, reserve and release.
    let features = if class == 0x04 { 0xc2 } else { 0x42 };
    RealType { class, kind, model, features }
}

/// What kind of tape drive it is.
pub fn tape_type(model: Model) -> RealType {
    let kind = match model {
        Model::T3420 => 0x10,
        Model::T3480 => 0x01,
        Model::T3490 => 0x81,
    };
    RealType { class: 0x08, kind, model: devices::tape::MODEL, features: 0 }
}

/// The virtual disk, if it is one, with the flag that it is read-only.
fn disk(call: &Call<'_>, vdev: u16) -> Option<Type> {
    let link = call.cp.disks().link(&call.vmdbk.userid, vdev)?;
    let RealType { class, kind, model, features } = disk_type(&link.disk.kind());
    let flags = 0x02 | if link.read_only { 0x80 } else { 0 };
    Some(Type { class, kind, status: 0, flags, real: Some((model, features)) })
}

/// Class and type of a 3278 and its successors.
const DISPLAY: [u8; 2] = [0x40, 0x01];

/// A virtual 3270: the model of the terminal at it says how large it is.
fn display(terminal: Option<&Terminal>) -> Type {
    let size = terminal.and_then(Terminal::size);
    let model = match size.map(|size| (size.rows, size.columns)) {
        Some((32, 80)) => 3,
        Some((43, 80)) => 4,
        Some((27, 132)) => 5,
        _ => 2,
    };
    let real = size.map(|_| (model, 0));
    let [class, kind] = DISPLAY;
    Type { real, ..unit(class, kind) }
}

/// The virtual tape drive, if it is one: a real one that the user has alone.
fn tape(call: &Call<'_>, vdev: u16) -> Option<Type> {
    let held = call.cp.tapes().held(&call.vmdbk.userid, vdev)?;
    let RealType { class, kind, model, features } = tape_type(held.model);
    Some(Type { status: 0x01, real: Some((model, features)), ..unit(class, kind) })
}

/// The virtual device, if there is one. All but disks and tapes are CP's own, without a real device.
fn find(call: &Call<'_>, vdev: u16) -> Option<Type> {
    if let Some(found) = disk(call, vdev).or_else(|| tape(call, vdev)) {
        return Some(found);
    }
    if let Some(graf) = call.vmdbk.graf(vdev) {
        let terminal = graf.terminal().and_then(|id| call.cp.terminal(id));
        return Some(display(terminal.as_deref()));
    }
    let shared = call.vmdbk.unit(vdev)?;
    let terminal = call.vmdbk.console().terminal.clone();
    let found = lock_unit(&shared);
    Some(match (found.kind, found.device.as_str()) {
        _ if found.console && call.vmdbk.glass.is_on() => display(terminal.as_deref()),
        _ if found.console => unit(0x80, 0x00),
        (SpoolKind::Reader, "2501") => unit(0x20, 0x81),
        (SpoolKind::Reader, "3505") => unit(0x20, 0x84),
        (SpoolKind::Reader, _) => unit(0x20, 0x82),
        (SpoolKind::Punch, "3525") => unit(0x10, 0x84),
        (SpoolKind::Punch, _) => unit(0x10, 0x82),
        (SpoolKind::Printer, "3211") => unit(0x10, 0x42),
        (SpoolKind::Printer, "3203") => unit(0x10, 0x43),
        (SpoolKind::Printer, _) => unit(0x10, 0x41),
    })
}

/// `DIAGNOSE X'24'`: device type and features.
///
/// Rx: a virtual device number, or -1 for the console's, which Rx then gets. Ry gets the class, type, status and flags
/// of the virtual device, Ry+1 those of the real one; of a console in line mode the class and type of the terminal, and
/// the length of its lines. Condition code 0; 2: there is no real device; 3: there is no such device.
pub fn device_type(call: &Call<'_>) -> Result<(), Interruption> {
    let asked = call.gr(call.r1) as u32;
    let console = call.vmdbk.user.console().map(|(vdev, _)| vdev);
    let vdev = if asked == u32::MAX { console } else { u16::try_from(asked).ok() };
    let Some((vdev, found)) = vdev.and_then(|vdev| Some((vdev, find(call, vdev)?))) else {
        call.set_cc(3);
        return Ok(());
    };
    if asked == u32::MAX {
        call.set_gr(call.r1, vdev.into());
    }
    call.set_gr(call.r3, register(transmute!(found.virtual_type())));
    if let Some((model, features)) = found.real {
        if call.r3 != 15 {
            let (class, kind) = (found.class, found.kind);
            call.set_gr(call.r3 + 1, register(transmute!(RealType { class, kind, model, features })));
        }
        call.set_cc(0);
        return Ok(());
    }
    let terminal = console == Some(vdev);
    if call.r3 != 15 && terminal {
        let console = call.vmdbk.console();
        let display = console.terminal.as_ref().is_some_and(|terminal| terminal.is_display());
        let [class, kind] = if display { DISPLAY } else { [0x80, 0x00] };
        let line_size = console.settings.line_size.into();
        call.set_gr(call.r3 + 1, register(transmute!(TerminalType { class, kind, line_size })));
    }
    call.set_cc(if terminal { 0 } else { 2 });
    Ok(())
}

/// `DIAGNOSE X'210'`: device information.
///
/// Rx: the address of a block that begins with the virtual device number and the block's length, at least 8. It gets
/// the class, type, status and flags of the virtual device and of the real one. Condition code 0; 2: there is no real
/// device; 3: there is no such device.
pub fn device_information(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    let mut block = DeviceInformation::default();
    call.specification(address.0.is_multiple_of(4))?;
    call.read(address, &mut block.as_mut_bytes()[..4])?;
    let length = usize::from(block.length.get());
    call.specification(length >= 8)?;
    let Some(found) = find(call, block.device.get()) else {
        call.set_cc(3);
        return Ok(());
    };
    block.virtual_type = found.virtual_type();
    if let Some((model, features)) = found.real {
        block.real_type = RealType { class: found.class, kind: found.kind, model, features };
    }
    call.write(address, &block.as_bytes()[..length.min(12)])?;
    call.set_cc(if found.real.is_some() { 0 } else { 2 });
    Ok(())
}

/// `DIAGNOSE X'8C'`: a display.
///
/// Rx: the address of a buffer, Ry its length, Ry+1 a virtual device number. The buffer gets six bytes: flags, the
/// number of partitions, columns and rows of the screen. Flags say colours and highlighting, which the screen in memory
/// that a guest writes to always has. The replies of the terminal itself do not follow: CP does not keep them.
/// Condition code 0; 1: the buffer is shorter; 2: the device is no display.
pub fn display_information(call: &Call<'_>) -> Result<(), Interruption> {
    call.specification(call.r3 != 15)?;
    let (at, length, vdev) = (call.address(call.r1), call.gr(call.r3) as u32, call.gr(call.r3 + 1));
    let terminal = u16::try_from(vdev & 0xffff_ffff).ok().and_then(|vdev| match call.vmdbk.graf(vdev) {
        Some(graf) => graf.terminal().and_then(|id| call.cp.terminal(id)),
        None => call.vmdbk.console().terminal.clone().filter(|_| console_at(call, vdev)),
    });
    let Some(size) = terminal.as_deref().and_then(Terminal::size) else {
        call.set_cc(2);
        return Ok(());
    };
    let (columns, rows) = ((size.columns as u16).into(), (size.rows as u16).into());
    let flags = display_flag::COLOUR | display_flag::HIGHLIGHT;
    let told = DisplayInformation { flags, partitions: 0, columns, rows };
    let stored = size_of_val(&told).min(length as usize);
    call.write(at, &told.as_bytes()[..stored])?;
    call.set_cc((stored < size_of_val(&told)).into());
    Ok(())
}

/// Whether the console has this device number.
fn console_at(call: &Call<'_>, vdev: u16) -> bool {
    call.vmdbk.user.console().is_some_and(|(console, _)| console == vdev)
}
