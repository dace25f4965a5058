//! Direct access storage devices as media: models and their geometry, tracks with their records, and volumes.
//!
//! A [`Volume`] is a whole disk: a host file in one of the field's formats, a part of another volume (a minidisk), or
//! storage. Count-key-data volumes are read and written track by track ([`Track`]), fixed-block volumes block by block.
//! What a channel program may do with them is the control unit's business (the `devices` crate), not the medium's.

pub mod track;
pub mod volume;

pub use track::{Count, Record, Track};
pub use volume::{Kind, MediaError, Volume};
