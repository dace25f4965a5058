//! The vector facility (POP, chapters 21 to 24): 32 registers of 128 bits, the floating-point registers their left
//! halves.
//!
//! A vector is a `u128` here, its element 0 leftmost. Most instructions do the same to elements of several sizes, which
//! a modifier chooses: [`sized`] writes the body once for all of them. What moves whole vectors is written over `trait
//! Cpu`; the rest are routines on the exact state.

mod element;
mod floating;
mod integer;
mod multiply;
mod packed;
mod reversed;
mod shift;
mod string;
mod support;
mod transfer;

pub(crate) use element::*;
pub(crate) use floating::*;
pub(crate) use integer::*;
pub(crate) use multiply::*;
pub(crate) use packed::*;
pub(crate) use reversed::*;
pub(crate) use shift::*;
pub(crate) use string::*;
pub(crate) use support::*;
pub(crate) use transfer::*;
