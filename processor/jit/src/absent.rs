//! Hosts without a translator.

use crate::{Beside, Exit, Link, Path, Statistics};
use arch::Absolute;
use cpu::State;
use std::io;

/// What never exists here.
pub struct Translator {
    pub statistics: Statistics,
    never: std::convert::Infallible,
}

/// There is no code.
pub fn allow(_: u64) {}

impl Translator {
    pub fn new() -> io::Result<Translator> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the host is not an x86-64 Linux"))
    }
    pub fn confine(&mut self, _: usize) {
        match self.never {}
    }
    pub fn mistake(&mut self, _: u8, _: u8) {
        match self.never {}
    }
    pub fn refuse(&mut self, _: fn(&isa::Instruction) -> bool) {
        match self.never {}
    }
    pub fn has_room(&self) -> bool {
        match self.never {}
    }
    pub fn grow(&mut self, _: u64) -> bool {
        match self.never {}
    }
    pub fn has_grown(&self) -> bool {
        match self.never {}
    }
    pub fn clear(&mut self) {
        match self.never {}
    }
    pub fn mode(_: &State) -> u8 {
        0
    }
    pub fn translate(&mut self, _: &State, _: (Absolute, u32), _: Option<Beside>, _: Path<'_>) -> (u64, u64) {
        match self.never {}
    }
    pub fn connect(&mut self, _: Link, _: Absolute, _: u32, _: u64) {
        match self.never {}
    }
    pub fn remember(&mut self, _: &State, _: u64) {
        match self.never {}
    }
    pub fn take_loosened(&mut self) -> Option<(Absolute, u64)> {
        match self.never {}
    }
    pub fn enter(&mut self, _: &mut State, _: u64) -> Exit {
        match self.never {}
    }
}
