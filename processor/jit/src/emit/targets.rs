//! How a target of indirect branches lies in the table that code looks in, and in the place of a branch of its own.

/// A place: when it is one, and where its code is.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Target {
    pub ia: u64,
    pub code: u64,
    pub key: u64,
    pub forgotten: u32,
    /// The low byte of the page's number.
    pub row: u32,
}

const _: () = assert!(size_of::<Target>() == 32);

/// No target: no key is all ones.
pub(crate) const NOTHING: Target = Target { ia: 0, code: 0, key: u64::MAX, forgotten: 0, row: 0 };

// Where these stand in a place.
pub(crate) const IA: i8 = std::mem::offset_of!(Target, ia) as i8;
pub(crate) const CODE: i8 = std::mem::offset_of!(Target, code) as i8;
pub(crate) const KEY: i8 = std::mem::offset_of!(Target, key) as i8;
pub(crate) const FORGOTTEN: i8 = std::mem::offset_of!(Target, forgotten) as i8;
pub(crate) const ROW: i8 = std::mem::offset_of!(Target, row) as i8;
