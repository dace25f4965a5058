//! DIAGNOSE X'24' and X'210': what a virtual device is.

use super::Call;
use crate::spooling::lock_unit;
use cpu::Interruption;
use directory::SpoolKind;

/// Device class and type bytes.
struct Type {
    class: u8,
    kind: u8,
}

/// The virtual device, if there is one. All devices here are CP's own: none has a real one behind it.
fn find(call: &Call<'_>, vdev: u16) -> Option<Type> {
    let unit = call.vmdbk.unit(vdev)?;
    let unit = lock_unit(&unit);
    Some(match (unit.kind, unit.device.as_str()) {
        _ if unit.console => Type { class: 0x80, kind: 0x00 },
        (SpoolKind::Reader, "2501") => Type { class: 0x20, kind: 0x81 },
        (SpoolKind::Reader, "3505") => Type { class: 0x20, kind: 0x84 },
        (SpoolKind::Reader, _) => Type { class: 0x20, kind: 0x82 },
        (SpoolKind::Punch, "3525") => Type { class: 0x10, kind: 0x84 },
        (SpoolKind::Punch, _) => Type { class: 0x10, kind: 0x82 },
        (SpoolKind::Printer, "3211") => Type { class: 0x10, kind: 0x42 },
        (SpoolKind::Printer, "3203") => Type { class: 0x10, kind: 0x43 },
        (SpoolKind::Printer, _) => Type { class: 0x10, kind: 0x41 },
    })
}

/// `DIAGNOSE X'24'`: device type and features.
///
/// Rx: a virtual device number, or -1 for the console's, which Rx then gets. Ry gets the class, type, status and flags of the virtual device,
/// Ry+1 those of the real one. Condition code 0; 2: there is no real device; 3: there is no such device.
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
    call.set_gr(call.r3, u64::from(found.class) << 24 | u64::from(found.kind) << 16);
    let terminal = console == Some(vdev);
    if call.r3 != 15 && terminal {
        call.set_gr(call.r3 + 1, 0x8000_0000 | u64::from(call.vmdbk.console().settings.line_size));
    }
    call.set_cc(if terminal { 0 } else { 2 });
    Ok(())
}

/// `DIAGNOSE X'210'`: device information.
///
/// Rx: the address of a block that begins with the virtual device number and the block's length, at least 8. It gets the class, type,
/// status and flags of the virtual device and of the real one. Condition code 0; 2: there is no real device; 3: there is no such device.
pub fn device_information(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    let mut block = [0; 12];
    call.specification(address.0.is_multiple_of(4))?;
    call.read(address, &mut block[..4])?;
    let vdev = u16::from_be_bytes([block[0], block[1]]);
    let length = usize::from(u16::from_be_bytes([block[2], block[3]]));
    call.specification(length >= 8)?;
    let Some(found) = find(call, vdev) else {
        call.set_cc(3);
        return Ok(());
    };
    (block[4], block[5]) = (found.class, found.kind);
    call.write(address, &block[..length.min(12)])?;
    call.set_cc(2);
    Ok(())
}
