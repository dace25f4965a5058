//! The formats of image files: what their bytes mean.

pub mod codec;
pub mod header;
pub mod packed;
