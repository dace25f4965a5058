//! What disks say they are: Sense ID, Read Device Characteristics, Read Configuration Data.
//!
//! Geometry is the model's ([`dasd::model`]); layouts of the answers are those that Linux's drivers and CP read.

use super::{ControlUnit, Options, code};
use arch::dasd::{
    CkdCharacteristics, ConfigurationData, FbaCharacteristics, GeneralQualifier, NodeElement, RoundedFactors,
    TokenQualifier,
};
use arch::io::{Ciw, SenseId};
use base::ebcdic;
use base::layout::{U16, U24, U32};
use dasd::Kind;
use dasd::model::{CkdModel, FbaModel, Formula};
use zerocopy::{FromZeros, transmute};

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

/// Read Device Characteristics of a count-key-data device.
pub(super) fn characteristics(kind: &Kind, unit: ControlUnit) -> CkdCharacteristics {
    let mut told = CkdCharacteristics::default();
    let Kind::Ckd { device, model, cylinders, heads, .. } = *kind else { return told };
    let Some(g) = self::model(kind) else { return told };
    told.control_unit.set(unit.kind);
    told.control_unit_model = unit.model;
    told.device.set(device);
    told.device_model = model;
    // The flags and bytes 43 and 47 are those of SA22-1025, "Read Device Characteristics".
    if unit.extended() {
        told.facilities = 0xd0;
        (told.longest_trackset, told.any_tracks) = (2, 1);
    }
    if unit.whole_tracks() {
        told.facilities |= 0x0a;
        told.facilities_08 = 0x0a;
    }
    told.device_class = 0x20;
    told.unit_type = g.unit_type;
    told.cylinders.set(if cylinders > 0xfffd { 0xfffe } else { cylinders as u16 });
    told.heads.set(heads as u16);
    told.sectors = g.sectors as u8;
    told.track = U24::new(g.track);
    told.longest_r0.set(g.longest_r0 as u16);
    match g.formula {
        Formula::Rounded { f1, f2, f3 } => {
            told.formula = 1;
            let (f2, f3) = (U16::new(f2 as u16), U16::new(f3 as u16));
            told.factors = transmute!(RoundedFactors { f1: f1 as u8, f2, f3 });
        }
        Formula::Segments { f1, f2, f3, f4, f5, f6 } => {
            told.formula = 2;
            told.factors = [f1, f2, f3, f4, f5].map(|f| f as u8);
            told.factor_6 = f6 as u8;
        }
        Formula::Tolerance { .. } | Formula::Gaps { .. } => {}
    }
    // Error recording identifications are those of the device type.
    told.mdr_record = g.unit_type;
    told.obr_record = g.unit_type;
    told.control_unit_class = (unit.kind >> 8) as u8;
    told.longest_r0_2c = told.longest_r0;
    told.long_cylinders.set(cylinders);
    told
}

/// Read Device Characteristics of a fixed-block device.
pub(super) fn fixed_characteristics(kind: &Kind) -> FbaCharacteristics {
    let Kind::Fba { device, model, blocks } = *kind else { return FbaCharacteristics::default() };
    let model = FbaModel::of(device, model, blocks).unwrap_or_else(|| FbaModel::of_size(Some(device), blocks));
    FbaCharacteristics {
        // Data chaining within a block is possible, and the device may be shared.
        modes: 0x30,
        features: 0x08,
        device_class: 0x21,
        unit_type: model.unit_type,
        block_size: U16::new(Kind::BLOCK as u16),
        per_group: U32::new(model.per_group),
        per_position: U32::new(model.per_position),
        blocks: U32::new(u32::try_from(blocks).unwrap_or(u32::MAX)),
        ..FbaCharacteristics::default()
    }
}

/// Six characters of a type: X'3390' is "3390  ".
fn digits(kind: u16, model: u8) -> [u8; 9] {
    ebcdic::padded(&format!("{kind:04X}  {model:03X}"))
}

/// Read Configuration Data: node-element descriptors of device, control unit and token, and a node-element qualifier at
/// the end.
pub(super) fn configuration(kind: &Kind, unit: ControlUnit, options: &Options) -> ConfigurationData {
    let (device, model) = match *kind {
        Kind::Ckd { device, model, .. } | Kind::Fba { device, model, .. } => (device, model),
    };
    let serial: String = options.serial.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    let serial = ebcdic::padded(&format!("IBM01{serial:0>12}"));
    let element = |flags: u8, kind: u8, class: u8, model: [u8; 9], tag: u16| {
        let tag = U16::new(tag);
        NodeElement { flags, kind, class, model, serial, tag, ..NodeElement::default() }
    };
    let mut told = ConfigurationData::new_zeroed();
    told.elements = [
        // Serial numbers are valid; of the device, descriptor 1 (an I/O device), class 1 (direct access).
        element(0xdc, 1, 1, digits(device, model), u16::from(options.unit)),
        element(0xd4, 2, 0, digits(unit.kind, unit.model), 0),
        element(0xd0, 0, 0, digits(unit.kind, unit.model), options.ssid),
    ];
    if let Some(token) = options.token {
        // A specific qualifier, format 4: of a virtual disk.
        told.specific = TokenQualifier { flags: 0x40, format: 4, token, ..TokenQualifier::default() };
    }
    let ssid = U16::new(options.ssid);
    // Missing-interruption time: 30 seconds.
    told.general = GeneralQualifier { flags: 0x80, interval: 0x03, ssid, ..GeneralQualifier::default() };
    told
}
