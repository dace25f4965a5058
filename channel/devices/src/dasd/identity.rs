//! What disks say they are: Sense ID, Read Device Characteristics, Read Configuration Data.
//!
//! Geometry is the model's ([`dasd::model`]); layouts of the answers are those that Linux's drivers and CP read.

use super::{ControlUnit, Options, code};
use arch::io::{Ciw, SenseId};
use base::ebcdic;
use dasd::Kind;
use dasd::model::{CkdModel, FbaModel, Formula};

/// The model of a count-key-data disk, which tells its geometry.
pub(super) fn model(kind: &Kind) -> Option<&'static CkdModel> {
    let Kind::Ckd { device, model, cylinders, .. } = *kind else { return None };
    CkdModel::of(device, model, cylinders).or_else(|| CkdModel::of_size(device, cylinders))
}

/// The answer to Sense ID; `None` if the control unit does not know it.
pub(super) fn sense_id(kind: &Kind, unit: ControlUnit) -> Option<SenseId> {
    let (device, model) = match *kind {
        Kind::Ckd { device, model, .. } | Kind::Fba { device, model, .. } => (device, model),
    };
    let mut id = unit.tells().then(|| SenseId::new(unit.kind, unit.model, device, model))?;
    if unit.extended() {
        id.commands = vec![
            Ciw::new(0, code::READ_CONFIGURATION_DATA, 256),
            Ciw::new(1, code::PERFORM_SUBSYSTEM_FUNCTION, 4),
            Ciw::new(2, code::READ_SUBSYSTEM_DATA, 64),
        ];
    }
    Some(id)
}

/// Read Device Characteristics of a count-key-data device: 64 bytes.
pub(super) fn characteristics(kind: &Kind, unit: ControlUnit) -> [u8; 64] {
    let mut b = [0; 64];
    let Kind::Ckd { device, model, cylinders, heads, .. } = *kind else { return b };
    let Some(g) = self::model(kind) else { return b };
    b[0..2].copy_from_slice(&unit.kind.to_be_bytes());
    b[2] = unit.model;
    b[3..5].copy_from_slice(&device.to_be_bytes());
    b[5] = model;
    // Locate Record and Define Extent are there; read-track operation in Locate Record.
    b[6] = if unit.extended() { 0xd0 } else { 0x00 };
    b[10] = 0x20;
    b[11] = g.unit_type;
    let short = if cylinders > 0xfffd { 0xfffe } else { cylinders as u16 };
    b[12..14].copy_from_slice(&short.to_be_bytes());
    b[14..16].copy_from_slice(&(heads as u16).to_be_bytes());
    b[16] = g.sectors as u8;
    b[17..20].copy_from_slice(&g.track.to_be_bytes()[1..]);
    b[20..22].copy_from_slice(&(g.longest_r0 as u16).to_be_bytes());
    // How the length of records is reckoned.
    match g.formula {
        Formula::Rounded { f1, f2, f3 } => {
            b[22] = 1;
            b[23] = f1 as u8;
            b[24..26].copy_from_slice(&(f2 as u16).to_be_bytes());
            b[26..28].copy_from_slice(&(f3 as u16).to_be_bytes());
        }
        Formula::Segments { f1, f2, f3, f4, f5, f6 } => {
            b[22] = 2;
            b[23..28].copy_from_slice(&[f1, f2, f3, f4, f5].map(|f| f as u8));
            b[48] = f6 as u8;
        }
        Formula::Tolerance { .. } | Formula::Gaps { .. } => {}
    }
    // Error recording identifications are those of the device type.
    b[40] = g.unit_type;
    b[41] = g.unit_type;
    b[42] = (unit.kind >> 8) as u8;
    b[44..46].copy_from_slice(&(g.longest_r0 as u16).to_be_bytes());
    b[60..64].copy_from_slice(&cylinders.to_be_bytes());
    b
}

/// Read Device Characteristics of a fixed-block device: 32 bytes, followed by zeros to 64.
pub(super) fn fixed_characteristics(kind: &Kind) -> [u8; 64] {
    let mut b = [0; 64];
    let Kind::Fba { device, model, blocks } = *kind else { return b };
    let model = FbaModel::of(device, model, blocks).unwrap_or_else(|| FbaModel::of_size(Some(device), blocks));
    // Data chaining within a block is possible, and the device may be shared.
    b[0] = 0x30;
    b[1] = 0x08;
    b[2] = 0x21;
    b[3] = model.unit_type;
    b[4..6].copy_from_slice(&(Kind::BLOCK as u16).to_be_bytes());
    b[6..10].copy_from_slice(&model.per_group.to_be_bytes());
    b[10..14].copy_from_slice(&model.per_position.to_be_bytes());
    b[14..18].copy_from_slice(&u32::try_from(blocks).unwrap_or(u32::MAX).to_be_bytes());
    b
}

/// Six characters of a type: X'3390' is "3390  ".
fn digits(kind: u16, model: u8) -> [u8; 9] {
    ebcdic::padded(&format!("{kind:04X}  {model:03X}"))
}

/// Read Configuration Data: 256 bytes, node-element descriptors of device, control unit and token, and a node-element
/// qualifier at the end.
pub(super) fn configuration(kind: &Kind, unit: ControlUnit, options: &Options) -> [u8; 256] {
    let mut b = [0; 256];
    let (device, model) = match *kind {
        Kind::Ckd { device, model, .. } | Kind::Fba { device, model, .. } => (device, model),
    };
    let serial: String = options.serial.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    let serial = format!("{serial:0>12}");
    let mut descriptor = |at: usize, flags: u8, kind: u8, class: u8, name: [u8; 9], tag: u16| {
        let ned = &mut b[at..at + 32];
        (ned[0], ned[1], ned[2]) = (flags, kind, class);
        ned[4..13].copy_from_slice(&name);
        ned[13..30].copy_from_slice(&ebcdic::padded::<17>(&format!("IBM01{serial}")));
        ned[30..32].copy_from_slice(&tag.to_be_bytes());
    };
    // Serial numbers are valid; of the device, descriptor 1 (an I/O device), class 1 (direct access).
    descriptor(0, 0xcc, 1, 1, digits(device, model), u16::from(options.unit));
    descriptor(32, 0xd4, 2, 0, digits(unit.kind, unit.model), 0);
    descriptor(64, 0xd0, 0, 0, digits(unit.kind, unit.model), options.ssid);
    if let Some(token) = options.token {
        // A specific qualifier, format 4: of a virtual disk.
        b[96] = 0x40;
        b[99] = 4;
        b[104..120].copy_from_slice(&token);
    }
    let gneq = &mut b[224..256];
    gneq[0] = 0x80;
    // Missing-interruption time: 30 seconds.
    gneq[6] = 0x03;
    gneq[8..10].copy_from_slice(&options.ssid.to_be_bytes());
    b
}
