//! Structured fields, and the query replies among them whose layout is fixed (GA23-0059, *Structured Fields*).

use super::Size;
use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The header of a structured field; its data follow.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    /// Bytes of header and data; 0: all that there are.
    length: U16,
    id: u8,
}
const _: () = assert!(size_of::<Header>() == 3);

/// The identifier and the data of the first structured field, and what follows it. `None` if it is cut off.
pub(crate) fn split(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (header, behind) = Header::ref_from_prefix(bytes).ok()?;
    let length = match usize::from(header.length.get()) {
        0 => behind.len(),
        n => n.checked_sub(size_of::<Header>())?,
    };
    let (data, rest) = behind.split_at_checked(length)?;
    Some((header.id, data, rest))
}

/// Appends a structured field.
pub(crate) fn push(out: &mut Vec<u8>, id: u8, data: &[u8]) {
    let length = U16::new((size_of::<Header>() + data.len()) as u16);
    out.extend(Header { length, id }.as_bytes());
    out.extend(data);
}

/// The size of a screen in query replies.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Extent {
    columns: U16,
    rows: U16,
}
const _: () = assert!(size_of::<Extent>() == 4);

impl Extent {
    /// The size of a screen that can be.
    pub(crate) fn size(self) -> Option<Size> {
        Size::checked(self.rows.get(), self.columns.get())
    }
}

impl From<Size> for Extent {
    fn from(size: Size) -> Extent {
        Extent { columns: size.cols.into(), rows: size.rows.into() }
    }
}

/// The query reply Usable Area.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct UsableArea {
    pub code: u8,
    /// X'01': addresses of 12 and 14 bits.
    pub flags: u8,
    pub more_flags: u8,
    pub extent: Extent,
    /// Of the distances between points: 1 is millimetres.
    pub units: u8,
    /// The distance of two columns of points, as a fraction.
    pub x: [U16; 2],
    /// The distance of two rows of points.
    pub y: [U16; 2],
    /// Points of a character.
    pub cell: [u8; 2],
    /// Characters of the buffer.
    pub buffer: U16,
}
const _: () = assert!(size_of::<UsableArea>() == 20);

/// The query reply Implicit Partition, with its one parameter.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct ImplicitPartition {
    pub code: u8,
    pub reserved_1: [u8; 2],
    /// Bytes of the parameter: this and what follows.
    pub length: u8,
    /// X'01': sizes of screens.
    pub kind: u8,
    pub flags: u8,
    pub default: Extent,
    pub alternate: Extent,
}
const _: () = assert!(size_of::<ImplicitPartition>() == 14);
