//! Direct access storage devices as media: models and their geometry, tracks with their records, and volumes.
//!
//! A [`Volume`] is a whole disk: a host file in one of the field's formats ([`open`], [`Image`]), a part of another
//! volume ([`Extent`], the medium of a minidisk), or storage ([`Memory`]). Count-key-data volumes are read and written
//! track by track ([`Track`]), fixed-block volumes block by block. What a channel program may do with them is the
//! control unit's business (the `devices` crate), not the medium's.
//!
//! No format loses an acknowledged write when this process ends: plain images keep one write in flight in a journal,
//! compressed images never write over a track in use. What is damaged is found by check sums: of compressed images in
//! their files, of plain ones beside them.

mod ahead;
mod blocks;
mod chain;
mod check;
mod copy;
mod create;
mod extent;
pub mod header;
pub mod host;
mod image;
mod journal;
pub mod label;
mod layer;
mod memory;
pub mod model;
pub mod packed;
mod past;
mod plain;
#[cfg(test)]
mod scratch;
mod sums;
mod sync;
pub mod track;
pub mod volume;

pub use blocks::{BlockError, Blocks};
pub use check::{FileReport, Report, check, repair};
pub use copy::{Existing, copy, rewrite};
pub use create::{Format, Tracks, create, create_with};
pub use extent::Extent;
pub use host::ImageError;
pub use image::{Image, Options, Policy, Progress, open, shadow_path};
pub use memory::Memory;
pub use packed::codec::Method;
pub use track::{Count, Record, Track};
pub use volume::{Change, Kind, MediaError, Spot, Volume};
