//! The host's storage under virtual machines: what they have in common, and when they give some back; expanded storage.
//!
//! [`sharing`] has the pages of saved systems and segments, once for all their users. [`residency`] says of one
//! virtual machine when its resident pages are counted and when it rests. [`expanded`] is divided among them, and
//! [`frames`] are counted. [`pager`] moves pages of virtual machines. Users are known here by their user IDs, and
//! time is an argument.

pub mod expanded;
pub mod frames;
pub mod pager;
pub mod residency;
pub mod sharing;
