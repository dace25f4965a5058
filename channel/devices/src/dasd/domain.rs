//! Parameters of DEFINE EXTENT, LOCATE RECORD and their kin (IBM 3990 Reference, "Define Extent", "Locate Record",
//! "Locate Record Extended", "Prefix"). The extended operations are those of IBM's Internal Disk Subsystem Reference
//! Guide, SA22-1025, chapter 4.

use super::code;
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
    /// Extended operations: records of one track, whichever comes first, round and round.
    WriteAny,
    ReadAny,
    /// Whole tracks of a set, or all data of tracks.
    ReadTrackset,
    WriteTrackset,
    WriteTrackData,
}

impl Operation {
    pub(super) fn reads(self) -> bool {
        use Operation::{Orient, Read, ReadAny, ReadData, ReadTracks, ReadTrackset};
        matches!(self, Orient | ReadData | ReadTracks | Read | ReadAny | ReadTrackset)
    }

    /// Whether a write may follow; `first` if it is the first command of the domain.
    pub(super) fn allows(self, write: Write, first: bool) -> bool {
        match self {
            Operation::WriteData | Operation::WriteAny | Operation::WriteTrackData => write == Write::Update,
            Operation::FormatWrite => write != Write::Update,
            // Write Track may begin with the data of record 0.
            Operation::WriteTrack => first || write != Write::Update,
            Operation::WriteTrackset => write == Write::Format,
            _ => false,
        }
    }

    /// What the file mask must allow before any command of the domain comes.
    pub(super) fn wants(self) -> Option<Write> {
        match self {
            Operation::WriteAny => Some(Write::Update),
            Operation::WriteTrackset => Some(Write::Format),
            _ => None,
        }
    }

    /// Whether records are taken as they come, without a search, and those of one track alone.
    pub(super) fn any(self) -> bool {
        matches!(self, Operation::WriteAny | Operation::ReadAny)
    }

    /// Whether the extended parameter is a map of tracks.
    fn has_set(self) -> bool {
        matches!(self, Operation::ReadTrackset | Operation::WriteTrackset)
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
    /// The last command is READ COUNT.
    pub suffix: bool,
    /// Of operations with a set of tracks: the track in hand, by the leftmost bit, and those after it.
    set: u16,
}

impl Domain {
    /// Whether a command may come next, as far as the operation names commands.
    pub(super) fn permits(&self, command: u8) -> bool {
        const READ_COUNT: u8 = code::READ_COUNT | code::MULTITRACK;
        const READ_DATA: u8 = code::READ_DATA | code::MULTITRACK;
        const READ_CKD: u8 = code::READ_CKD | code::MULTITRACK;
        match self.operation {
            _ if self.left == 0 => true,
            _ if self.suffix && self.left == 1 => command == READ_COUNT,
            Operation::WriteAny => command == code::WRITE_UPDATE_DATA,
            Operation::ReadAny => matches!(command, READ_COUNT | READ_CKD | READ_DATA),
            Operation::ReadTrackset => command == code::READ_TRACK,
            Operation::WriteTrackset => command == code::WRITE_FULL_TRACK,
            _ => true,
        }
    }

    /// How far it is from the track in hand to the next one of the domain, which becomes the track in hand.
    pub(super) fn step(&mut self) -> u32 {
        if !self.operation.has_set() {
            return 1;
        }
        self.set <<= 1;
        let skipped = self.set.leading_zeros();
        self.set <<= skipped;
        skipped + 1
    }

    /// How far the last track is from the first.
    pub(super) fn reach(&self) -> u32 {
        if self.operation.has_set() { u16::BITS - 1 - self.set.trailing_zeros() } else { 0 }
    }
}

/// What LOCATE RECORD EXTENDED says beside what LOCATE RECORD does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extended {
    pub operation: u8,
    /// The extended parameter, and how many bytes of it there are.
    pub parameter: [u8; 2],
    pub length: u16,
}

/// An operation: its code, what byte 17 of LOCATE RECORD EXTENDED has with it, what else that command wants.
struct Row {
    code: u8,
    extended: u8,
    operation: Operation,
    /// Orientations that may go with it.
    orientations: &'static [Orientation],
    /// Bytes of the extended parameter.
    lengths: &'static [u16],
    /// READ COUNT may be the last command.
    suffix: bool,
}

const fn row(
    (code, extended): (u8, u8),
    operation: Operation,
    orientations: &'static [Orientation],
    lengths: &'static [u16],
    suffix: bool,
) -> Row {
    Row { code, extended, operation, orientations, lengths, suffix }
}

/// The code of extended operations.
const EXTENDED: u8 = 0x3f;

const COUNT: &[Orientation] = &[Orientation::Count];
const COUNT_HOME: &[Orientation] = &[Orientation::Count, Orientation::Home];
const COUNT_DATA: &[Orientation] = &[Orientation::Count, Orientation::Data];
const ALL: &[Orientation] = &[Orientation::Count, Orientation::Home, Orientation::Data, Orientation::Index];

/// SA22-1025, tables 4-13 and 4-16. Of its operations, Prestage Trackset (10) and Update Write Trackset (13) are not
/// here: no text at hand says which commands follow them. READ DEVICE CHARACTERISTICS tells that they are missing.
/// Read Data is not in that table, but in z/VM's LEDA and in what Linux sends. So is Write Track Data (23) in what
/// Linux sends, without a parameter.
static OPERATIONS: &[Row] = &[
    row((0x00, 0x00), Operation::Orient, &[], &[0], false),
    row((0x01, 0x00), Operation::WriteData, COUNT_DATA, &[0], true),
    row((0x03, 0x00), Operation::FormatWrite, COUNT_HOME, &[0], false),
    row((0x06, 0x00), Operation::ReadData, ALL, &[0], false),
    row((0x0b, 0x00), Operation::WriteTrack, COUNT, &[0], false),
    row((0x0c, 0x00), Operation::ReadTracks, COUNT_HOME, &[0], false),
    row((0x16, 0x00), Operation::Read, ALL, &[0], true),
    row((EXTENDED, 0x09), Operation::WriteAny, COUNT, &[1], true),
    row((EXTENDED, 0x0a), Operation::ReadAny, COUNT, &[1], true),
    row((EXTENDED, 0x0e), Operation::ReadTrackset, COUNT_HOME, &[1, 2], false),
    row((EXTENDED, 0x11), Operation::WriteTrackset, COUNT, &[1, 2], false),
    row((EXTENDED, 0x23), Operation::WriteTrackData, COUNT, &[0], false),
];

/// Bits of the auxiliary byte.
mod auxiliary {
    /// The transfer length is given.
    pub(super) const LENGTH: u8 = 0x80;
    /// The last command is READ COUNT.
    pub(super) const SUFFIX: u8 = 0x01;
}

/// LOCATE RECORD, or LOCATE RECORD EXTENDED with what that has beside it.
pub(super) fn locate_record(b: &LocateRecord, extended: Option<Extended>, head: &Head) -> Result<Domain, Fault> {
    let orientation = match b.operation >> 6 {
        0 => Orientation::Count,
        1 => Orientation::Home,
        2 => Orientation::Data,
        _ => Orientation::Index,
    };
    let codes = (b.operation & 0x3f, extended.map_or(0, |extended| extended.operation));
    let row = OPERATIONS.iter().find(|row| (row.code, row.extended) == codes).ok_or(Fault::PARAMETER)?;
    let (operation, left) = (row.operation, u32::from(b.count));
    let suffix = b.auxiliary & auxiliary::SUFFIX != 0;
    if let Some(extended) = extended {
        let other = b.auxiliary & !(auxiliary::LENGTH | auxiliary::SUFFIX);
        let fits = row.orientations.contains(&orientation) && row.lengths.contains(&extended.length);
        if !fits || other != 0 || suffix && (left < 2 || !row.suffix) {
            return Err(Fault::PARAMETER);
        }
    }
    if b.zeros != 0 || left == 0 && operation != Operation::Orient {
        return Err(Fault::PARAMETER);
    }
    let [first, second] = extended.map_or([0; 2], |extended| extended.parameter);
    let set = u16::from(first) << 8 | u16::from(second);
    // A set of tracks begins with the first one, and has as many as are counted. Records may come from one track.
    if operation.has_set() && (first & 0x80 == 0 || set.count_ones() != left) || operation.any() && first != 1 {
        return Err(Fault::PARAMETER);
    }
    let track = head.address(b.seek).ok_or(Fault::PARAMETER)?;
    let length = (b.auxiliary & auxiliary::LENGTH != 0).then(|| b.length.get());
    // LOCATE RECORD's own list of operations with a suffix is not at hand; without effect there, it does no harm.
    let suffix = suffix && row.suffix && left > 1;
    Ok(Domain { orientation, operation, left, track, search: b.search, length, fresh: true, suffix, set })
}
