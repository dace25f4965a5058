//! What disks say they are: Sense ID, Read Device Characteristics, Read Configuration Data.
//!
//! Geometry is from IBM 3990 Reference and the device descriptions; layouts of the answers are those that Linux's drivers
//! and CP read.

use super::{Options, code};
use arch::io::{Ciw, SenseId};
use base::ebcdic;
use dasd::Kind;

/// A control unit, as Sense ID names it: type in hexadecimal digits, and model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlUnit {
    pub kind: u16,
    pub model: u8,
}

impl ControlUnit {
    /// 3990 model 6: extended count key data, and all its commands.
    pub const C3990_6: ControlUnit = ControlUnit { kind: 0x3990, model: 0xe9 };
    /// 3990 model 3.
    pub const C3990_3: ControlUnit = ControlUnit { kind: 0x3990, model: 0xec };
    /// 3880 without a cache: count key data.
    pub const C3880: ControlUnit = ControlUnit { kind: 0x3880, model: 0x05 };
    pub const C9343: ControlUnit = ControlUnit { kind: 0x9343, model: 0xe0 };
    pub const C6310: ControlUnit = ControlUnit { kind: 0x6310, model: 0x80 };

    /// The one that such a disk usually has.
    pub fn usual(kind: &Kind) -> ControlUnit {
        match *kind {
            Kind::Ckd { device: 0x3390 | 0x3380, .. } => ControlUnit::C3990_6,
            Kind::Ckd { device: 0x9345, .. } => ControlUnit::C9343,
            Kind::Ckd { device: 0x3330 | 0x3340 | 0x3350, .. } => ControlUnit { kind: 0x3830, model: 2 },
            Kind::Ckd { device: 0x2311, .. } => ControlUnit { kind: 0x2841, model: 0 },
            Kind::Ckd { device: 0x2314, .. } => ControlUnit { kind: 0x2314, model: 0 },
            Kind::Ckd { .. } => ControlUnit::C3880,
            Kind::Fba { device: 0x3370, .. } => ControlUnit { kind: 0x3880, model: 0x01 },
            Kind::Fba { .. } => ControlUnit::C6310,
        }
    }

    /// Whether it knows DEFINE EXTENT, LOCATE RECORD and what goes with them.
    pub fn extended(self) -> bool {
        matches!(self.kind, 0x3990 | 0x9343 | 0x2105 | 0x2107 | 0x1750)
    }

    /// Control units older than 1978 do not know Sense ID.
    pub fn tells(self) -> bool {
        self.extended() || matches!(self.kind, 0x3880 | 0x6310)
    }

    /// Sense bytes.
    pub fn sense_bytes(self) -> usize {
        match self.kind {
            0x2314 | 0x2841 => 6,
            _ if self.extended() => 32,
            _ => 24,
        }
    }
}

/// What a count-key-data device type adds to what a [`Kind`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    /// Device class X'20' has this type code.
    pub unit_type: u8,
    /// Sectors of a track, for SET SECTOR; 0: the device has no rotational position sensing.
    pub sectors: u8,
    /// Bytes of a track, and of record 0's largest data area.
    pub track: u32,
    pub r0: u16,
    /// How to compute record lengths, and the numbers for that.
    formula: u8,
    factors: [u8; 5],
    factor6: u8,
}

impl Geometry {
    pub fn of(device: u16) -> Geometry {
        let g = |unit_type, sectors, track, r0, formula, factors, factor6| Geometry {
            unit_type,
            sectors,
            track,
            r0,
            formula,
            factors,
            factor6,
        };
        match device {
            0x3390 => g(0x26, 224, 58786, 57326, 2, [34, 19, 9, 6, 116], 6),
            0x9345 => g(0x24, 213, 48280, 48174, 2, [34, 18, 7, 6, 116], 6),
            0x3380 => g(0x2e, 222, 47968, 47988, 1, [32, 1, 236, 0, 236], 0),
            0x3375 => g(0x2c, 196, 36000, 36000, 1, [32, 1, 128, 0, 160], 0),
            0x3350 => g(0x2b, 128, 19254, 19254, 0, [0; 5], 0),
            0x3340 => g(0x2a, 64, 8535, 8535, 0, [0; 5], 0),
            0x3330 => g(0x29, 128, 13165, 13165, 0, [0; 5], 0),
            0x2314 => g(0x28, 0, 7294, 7294, 0, [0; 5], 0),
            0x2311 => g(0x21, 0, 3625, 3625, 0, [0; 5], 0),
            0x2305 => g(0x27, 90, 14858, 14858, 0, [0; 5], 0),
            _ => g(0x20, 0, 0, 0, 0, [0; 5], 0),
        }
    }

    /// What a record takes of a track: key, data, and the gaps that go with them. In the units of [`Geometry::track`].
    pub fn space(&self, device: u16, key: u32, data: u32) -> u32 {
        let up = |n: u32, unit: u32| n.div_ceil(unit) * unit;
        let keyed = |n: u32| if key == 0 { 0 } else { n };
        let f = self.factors.map(u32::from);
        match self.formula {
            1 => {
                let (f2, f3) = (f[1] << 8 | f[2], f[3] << 8 | f[4]);
                up(data + f2, f[0]) + keyed(up(key + f3, f[0]))
            }
            2 => {
                let f6 = u32::from(self.factor6);
                let cells = |n: u32| (n + f6).div_ceil(2 * f[4]);
                up(f[0] * f[1] + data + f6 + f[3] * cells(data), f[0])
                    + keyed(up(f[0] * f[2] + key + f6 + f[3] * cells(key), f[0]))
            }
            _ => match device {
                0x3350 => key + data + keyed(82) + 185,
                0x3340 => key + data + keyed(75) + 167,
                0x3330 => key + data + keyed(56) + 135,
                0x2305 => key + data + keyed(91) + 198,
                0x2314 => (key + data) * 2137 / 2048 + keyed(45) + 101,
                0x2311 => (key + data) * 537 / 512 + keyed(20) + 61,
                _ => key + data,
            },
        }
    }
}

/// The answer to Sense ID; `None` if the control unit does not know it.
pub(super) fn sense_id(kind: &Kind, unit: ControlUnit) -> Option<SenseId> {
    let (device, model) = match *kind {
        Kind::Ckd { device, model, .. } | Kind::Fba { device, model, .. } => (device, model),
    };
    let mut id = unit.tells().then(|| SenseId::new(unit.kind, unit.model, device, model))?;
    if unit.extended() {
        id.commands = vec![
            Ciw { kind: 0, command: code::READ_CONFIGURATION_DATA, count: 256 },
            Ciw { kind: 1, command: code::PERFORM_SUBSYSTEM_FUNCTION, count: 4 },
            Ciw { kind: 2, command: code::READ_SUBSYSTEM_DATA, count: 64 },
        ];
    }
    Some(id)
}

/// Read Device Characteristics of a count-key-data device: 64 bytes.
pub(super) fn characteristics(kind: &Kind, unit: ControlUnit) -> [u8; 64] {
    let mut b = [0; 64];
    let Kind::Ckd { device, model, cylinders, heads, .. } = *kind else { return b };
    let g = Geometry::of(device);
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
    b[16] = g.sectors;
    b[17..20].copy_from_slice(&g.track.to_be_bytes()[1..]);
    b[20..22].copy_from_slice(&g.r0.to_be_bytes());
    b[22] = g.formula;
    b[23..28].copy_from_slice(&g.factors);
    // Error recording identifications are those of the device type.
    b[40] = g.unit_type;
    b[41] = g.unit_type;
    b[42] = (unit.kind >> 8) as u8;
    b[44..46].copy_from_slice(&g.r0.to_be_bytes());
    b[48] = g.factor6;
    b[60..64].copy_from_slice(&cylinders.to_be_bytes());
    b
}

/// Read Device Characteristics of a fixed-block device: 32 bytes, followed by zeros to 64.
pub(super) fn fixed_characteristics(kind: &Kind) -> [u8; 64] {
    let mut b = [0; 64];
    let Kind::Fba { device, model, blocks } = *kind else { return b };
    let (unit_type, group, position): (u8, u32, u32) = match (device, model) {
        (0x3310, _) => (0x01, 32, 352),
        (0x3370, 0) => (0x02, 62, 744),
        (0x3370, _) => (0x05, 62, 744),
        (0x9313, _) => (0x08, 96, 480),
        (0x9332, _) => (0x07, 73, 292),
        (0x9335, _) => (0x06, 71, 426),
        (0x0671, _) => (0x12, 63, 504),
        (0x9336, 0) => (0x11, 63, 315),
        _ => (0x11, 111, 777),
    };
    // Data chaining within a block is possible, and the device may be shared.
    b[0] = 0x30;
    b[1] = 0x08;
    b[2] = 0x21;
    b[3] = unit_type;
    b[4..6].copy_from_slice(&(Kind::BLOCK as u16).to_be_bytes());
    b[6..10].copy_from_slice(&group.to_be_bytes());
    b[10..14].copy_from_slice(&position.to_be_bytes());
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
    let gneq = &mut b[224..256];
    gneq[0] = 0x80;
    // Missing-interruption time: 30 seconds.
    gneq[6] = 0x03;
    gneq[8..10].copy_from_slice(&options.ssid.to_be_bytes());
    b
}
