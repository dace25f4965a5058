//! Direct access storage devices as media: models and their geometry, tracks with their records, and volumes.
//!
//! A [`Volume`] is a whole disk. It is a host file in one of the field's formats ([`open`], [`Image`]) or storage
//! ([`Memory`]). Or it is a part of another volume ([`Extent`], the medium of a minidisk). Count-key-data volumes are
//! read and written track by track ([`Track`]), fixed-block volumes block by block. What a channel program may do with
//! them is the control unit's business (the `devices` crate), not the medium's.
//!
//! No format loses an acknowledged write when this process ends. Plain images keep one write in flight in a journal,
//! and compressed images never write over a track in use. What is damaged is found by check sums: of compressed images
//! in their files, of plain ones beside them.
//!
//! From below: `model` is what a disk is, [`Volume`] what can be done with one, `format` what the bytes of image files
//! mean, [`host`] the files. `image` is one disk in such files, and `store` what tools do with whole images.

mod error;
mod format;
pub mod host;
mod image;
pub mod model;
mod progress;
mod store;
mod volume;

pub use error::{ImageError, MediaError};
pub use format::Format;
pub use format::codec::Method;
pub use image::draft::Existing;
pub use image::{Image, Options, open, shadow_path};
pub use model::Kind;
pub use model::track::{Count, Record, Track};
pub use progress::Progress;
pub use store::check::{FileReport, Report, check, repair};
pub use store::copy::{copy, rewrite};
pub use store::create::{Tracks, create, create_with};
pub use volume::{BlockError, Blocks, Change, Extent, Memory, Pages, Policy, Spot, Volume, allocation, label};
