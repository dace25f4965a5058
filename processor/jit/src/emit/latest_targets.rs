//! Where each branch by a register has led last: such a branch goes there again without a look in the table of targets.
//!
//! A branch has a place of its own for that, of the table's kind ([`crate::emit::targets`]): for the address, and good
//! as long as an entry of the table is. If the program goes elsewhere, a routine looks at the return stack, since a
//! return may be by any register, then in the table and among all blocks with code. What it finds in these is where the
//! branch has led last from then on. So targets that share a place of the table do not drive out each other as long as
//! branches differ, and the host foretells each branch by itself.
//!
//! What is stale by now says so when it is entered, and the branch forgets it ([`LATEST`] is how it is found).

use crate::emit::assembler::{Assembler, asm, near, scratch};
use crate::emit::branches::look;
use crate::emit::emitter::Emitter;
use crate::emit::return_stack;
use crate::emit::scratch::*;
use crate::emit::targets::{self, NOTHING, Target};
use cpu::layout;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use std::cell::UnsafeCell;

/// So many places are made at once. They stay where they are: code has their addresses.
const AT_ONCE: usize = 64;

/// The places of a code cache, in the order in which they were given.
pub(crate) struct LatestTargets {
    chunks: Vec<Box<[UnsafeCell<Target>; AT_ONCE]>>,
    given: usize,
}

impl LatestTargets {
    pub(crate) fn new() -> LatestTargets {
        LatestTargets { chunks: Vec::new(), given: 0 }
    }

    /// How many places have been given.
    pub(crate) fn given(&self) -> usize {
        self.given
    }

    /// Takes back those that were given after the first so many, which no code has used.
    pub(crate) fn take_back(&mut self, given: usize) {
        self.given = given;
    }

    /// The address of another place, where there is nothing yet.
    fn give(&mut self) -> u64 {
        let (chunk, place) = (self.given / AT_ONCE, self.given % AT_ONCE);
        if chunk == self.chunks.len() {
            self.chunks.push(Box::new([const { UnsafeCell::new(NOTHING) }; AT_ONCE]));
        }
        self.given += 1;
        self.chunks[chunk][place].get() as u64
    }

    /// All code is gone, and its places with it.
    pub(crate) fn clear(&mut self) {
        *self = LatestTargets::new();
    }
}

/// The branch with this place has led to `target`; place 0 is no branch's.
///
/// # Safety
/// Generated code has the place, and is not left yet.
pub(crate) unsafe fn lead(place: u64, target: Target) {
    if place != 0 {
        // SAFETY: places are as long as the code is, and only its own CPU uses them.
        unsafe { *(place as *mut Target) = target };
    }
}

impl Emitter<'_> {
    /// Goes to the block at the state's `ia`. Everything else is in the state, too, so all registers are free.
    pub(crate) fn indirect(&mut self) {
        let place = self.latest.give();
        asm!(self, mov r14, [BYTE rbp + near(layout::IA)] ; mov rdx, QWORD place as i64
            ; mov rsi, [rbp + scratch(ROWS)] ; mov rcx, [rbp + scratch(KEY)]
            ; cmp r14, [BYTE rdx + targets::IA] ; jne >other ; cmp rcx, [BYTE rdx + targets::KEY] ; jne >other
            ; mov ecx, [BYTE rdx + targets::ROW] ; mov ecx, [rsi + 4 * rcx]
            ; cmp ecx, [BYTE rdx + targets::FORGOTTEN] ; jne >other
            ; mov [rbp + scratch(LATEST)], rdx ; jmp QWORD [BYTE rdx + targets::CODE]
            ; other: ; jmp QWORD [rbp + scratch(ELSEWHERE)]);
    }
}

/// Emits the routine that a branch goes by which leads elsewhere than last: to r14, which is the state's `ia`. rdx is
/// its place.
pub(crate) fn emit(a: &mut Assembler) -> usize {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let elsewhere = e.a.offset().0;
    asm!(e, mov rdi, rdx);
    return_stack::take(e.a);
    look(e.a);
    asm!(e, movups xmm0, [rdx] ; movups xmm1, [BYTE rdx + 16] ; movups [rdi], xmm0 ; movups [BYTE rdi + 16], xmm1
        ; mov [rbp + scratch(LATEST)], rdi ; jmp QWORD [BYTE rdx + targets::CODE]
        ; miss: ; mov rsi, rdi ; jmp QWORD [rbp + scratch(AT_LOOKUP_FOR)]);
    elsewhere
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_differ_stay_and_are_given_again_once_they_were_taken_back() {
        let mut latest = LatestTargets::new();
        let mut places: Vec<u64> = (0..1000).map(|_| latest.give()).collect();
        assert_eq!(latest.given(), 1000);
        latest.take_back(900);
        assert_eq!((0..100).map(|_| latest.give()).collect::<Vec<_>>(), places[900..]);
        // SAFETY: there is no code that uses them.
        let target = |place: u64| unsafe { *(place as *const Target) };
        assert!(places.iter().all(|&place| target(place).key == u64::MAX), "nothing is led to yet");
        places.sort_unstable();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= size_of::<Target>() as u64));
    }
}
