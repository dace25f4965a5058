//! Traces over two pages: the block's, and another. That is the next, the one before, or that of a routine which the
//! block calls. The text there must be what the block was translated from.
//!
//! A block is found by its absolute address, and its version says that its own page's text is as it was. That says
//! nothing about the page beside it: in another space, or later, that may have another frame or other text. So code has
//! a guard where it goes there. The TLB must lead from the page of the program's own address to the frame that the text
//! was read from. That frame's code must have the version that it had. If not, the block is left for the target as by
//! any branch to another page.
//!
//! The guard holds until a handler is called, other than a site's, or the block is left. What makes a page stale keeps
//! a site from coming back. What other CPUs want purged is seen where the attention bits are checked. So a loop has the
//! guard in its first round only, and branches to blocks of that page are links.

use crate::emit::assembler::asm;
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Away, Branching, Cold, Goal};
use crate::emit::relocations::{BESIDE, LATER, OWN, Value};
use crate::emit::tlb_probes::instruction_entry;
use crate::plan::block::Other;
use arch::{Absolute, PAGE};
use cpu::layout;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

impl Emitter<'_> {
    /// The page, a number among the block's, of the text so far from its start, if blocks there can be linked.
    /// `crossed`: the guard of the page beside has been passed.
    pub(crate) fn page_at(&self, at: i64, crossed: bool) -> Option<u8> {
        let place = (self.plan.absolute.0 % PAGE) as i64;
        if (0..PAGE as i64).contains(&(place + at)) {
            return Some(OWN);
        }
        self.plan.beside.as_ref().filter(|other| crossed && other.has(at, at + 1)).map(|_| BESIDE)
    }

    /// The page of so many bytes of text, and where they are, if it is known to be the one that text was read from.
    pub(crate) fn text_at(&self, at: i64, len: usize, crossed: bool) -> Option<(u8, Absolute)> {
        let last = at.checked_add(len as i64 - 1)?;
        let page = self.page_at(at, crossed)?;
        let place = (self.plan.absolute.0 % PAGE) as i64 + at;
        let frame = u64::from(self.pages[page as usize].number) * PAGE;
        (self.page_at(last, crossed)? == page
            && place.div_euclid(PAGE as i64) == (place + len as i64 - 1).div_euclid(PAGE as i64))
        .then(|| (page, Absolute(frame + place.rem_euclid(PAGE as i64) as u64)))
    }

    /// The number among the block's pages of one that it leads to.
    pub(crate) fn page_number(&mut self, page: &Other) -> u8 {
        let known = self.pages.iter().position(|other| other.at == page.at);
        known.unwrap_or_else(|| {
            self.pages.push(*page);
            self.pages.len() - 1
        }) as u8
    }

    /// If the instruction that is going to be emitted is in the page beside, makes sure that it still is there.
    pub(crate) fn cross(&mut self) {
        let fields = &self.plan.ops[self.index].fields;
        let Some(other) = self.plan.beside.filter(|other| other.has(fields.at(), fields.next.into())) else { return };
        if self.map.crossed {
            return;
        }
        self.copy_now();
        let label = self.a.new_dynamic_label();
        self.lea_near(1, other.at as i32);
        instruction_entry(self.a);
        asm!(self, cmp rdx, [BYTE rax + layout::ENTRY_READ as i8] ; jne =>label ; add rcx, [BYTE rax + layout::ENTRY_HOST as i8]
            ; mov rax, QWORD LATER);
        self.relocate(Value::Host { page: BESIDE, offset: 0 });
        asm!(self, cmp rcx, rax ; jne =>label);
        self.compare_version(BESIDE);
        asm!(self, jne =>label);
        let (map, cc, refund, at) = (self.map, self.cc, self.refund() + 1, self.broke);
        let away = Away { map, cc, refund, from: self.index, at, kind: Branching::Plain };
        self.cold.push(Cold::Edge { label, away, goal: Goal::Near(fields.at()) });
        self.map.crossed = true;
    }
}
