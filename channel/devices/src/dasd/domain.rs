//! Parameters of DEFINE EXTENT, LOCATE RECORD and their kin (IBM 3990 Reference, "Define Extent", "Locate Record",
//! "Locate Record Extended", "Prefix").

use super::head::{Extent, Head};
use super::sense::Fault;
use arch::dasd::{DefineExtent, LocateRecord};

/// Which writes and which seeks are allowed: byte 0 of DEFINE EXTENT, the byte of SET FILE MASK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mask(pub u8);

/// What a write command does to a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Write {
    /// Key or data of a record that is there.
    Update,
    /// Records from some place on.
    Format,
    /// Home address or record 0.
    Home,
}

impl Mask {
    pub(super) fn allows(self, write: Write) -> bool {
        match self.0 >> 6 {
            0 => write != Write::Home,
            1 => false,
            2 => write == Write::Update,
            _ => true,
        }
    }

    fn seeks(self) -> u8 {
        self.0 >> 3 & 3
    }

    /// Seek and recalibrate.
    pub(super) fn allows_seek(self) -> bool {
        self.seeks() == 0
    }

    /// Seek Cylinder.
    pub(super) fn allows_seek_cylinder(self) -> bool {
        self.seeks() <= 1
    }

    /// Seek Head, and multitrack commands that go on with the next head.
    pub(super) fn allows_seek_head(self) -> bool {
        self.seeks() <= 2
    }
}

/// DEFINE EXTENT: the mask, and the tracks that may be reached.
pub(super) fn define_extent(b: &DefineExtent, head: &Head) -> Result<(Mask, Extent), Fault> {
    let mask = Mask(b.mask);
    let track = |address| head.address(address).ok_or(Fault::PARAMETER);
    let extent = Extent { first: track(b.first)?, last: track(b.last)? };
    // Bit 2 of the mask and the PCI mode have no meaning here; an operation mode other than CKD and ECKD does not
    // exist.
    if extent.first > extent.last || b.mask & 0x20 != 0 || !matches!(b.attributes >> 6, 0 | 3) {
        return Err(Fault::PARAMETER);
    }
    Ok((mask, extent))
}

/// Where a domain begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Orientation {
    Count,
    Home,
    Data,
    Index,
}

/// Operations of LOCATE RECORD, of which some say what kind of commands may follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Orient,
    WriteData,
    FormatWrite,
    ReadData,
    WriteTrack,
    ReadTracks,
    Read,
    /// Extended operations: whole tracks, or all data of tracks.
    WriteFullTrack,
    WriteTrackData,
}

impl Operation {
    pub(super) fn reads(self) -> bool {
        matches!(self, Operation::Orient | Operation::ReadData | Operation::ReadTracks | Operation::Read)
    }

    /// Whether a write may follow; `first` if it is the first command of the domain.
    pub(super) fn allows(self, write: Write, first: bool) -> bool {
        match self {
            Operation::WriteData => write == Write::Update,
            Operation::FormatWrite => write != Write::Update,
            // Write Track may begin with the data of record 0.
            Operation::WriteTrack => first || write != Write::Update,
            Operation::WriteFullTrack => write == Write::Format,
            Operation::WriteTrackData => write == Write::Update,
            _ => false,
        }
    }
}

/// What LOCATE RECORD announced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Domain {
    pub orientation: Orientation,
    pub operation: Operation,
    /// Records (of whole-track operations, tracks) that commands may still transfer.
    pub left: u32,
    pub track: u32,
    /// CCHHR of the record to be found.
    pub search: [u8; 5],
    /// Transfer length, if it is given: of reads of track data, the bytes of the last track.
    pub length: Option<u16>,
    /// No command of the domain has been performed yet.
    pub fresh: bool,
}

/// LOCATE RECORD; `extended` is the operation of LOCATE RECORD EXTENDED.
pub(super) fn locate_record(b: &LocateRecord, extended: Option<u8>, head: &Head) -> Result<Domain, Fault> {
    let orientation = match b.operation >> 6 {
        0 => Orientation::Count,
        1 => Orientation::Home,
        2 => Orientation::Data,
        _ => Orientation::Index,
    };
    let operation = match b.operation & 0x3f {
        0x00 => Operation::Orient,
        0x01 => Operation::WriteData,
        0x03 => Operation::FormatWrite,
        0x06 => Operation::ReadData,
        0x0b => Operation::WriteTrack,
        0x0c => Operation::ReadTracks,
        0x16 => Operation::Read,
        0x3f if extended == Some(0x11) => Operation::WriteFullTrack,
        0x3f if extended == Some(0x23) => Operation::WriteTrackData,
        _ => return Err(Fault::PARAMETER),
    };
    let left = u32::from(b.count);
    if left == 0 && operation != Operation::Orient || extended.is_none() && b.zeros != 0 {
        return Err(Fault::PARAMETER);
    }
    let track = head.address(b.seek).ok_or(Fault::PARAMETER)?;
    let length = (b.auxiliary & 0x80 != 0).then(|| b.length.get());
    Ok(Domain { orientation, operation, left, track, search: b.search, length, fresh: true })
}
