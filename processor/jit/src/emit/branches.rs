//! Branches: where they lead, and what has to be in the `State` there.
//!
//! A branch within the page, or to the one of [`crate::emit::second_page`] after its guard, is a jump. To other pages
//! ([`crate::emit::cross_links`]) it is one after a guard of its own. [`translator::Translator::connect`] links it to
//! its target once that is translated. Returns look at the latest calls ([`crate::emit::return_stack`]), other branches
//! go where they went before ([`crate::emit::latest_targets`]). Where the block itself goes on at a branch's target,
//! the branch needs no code but a side exit for the rare way. If the target is in a register, a guard compares it with
//! the expected one. There is no guard if the register is known to have the address of an instruction of the trace, as
//! a return's mostly has.

use crate::emit::assembler::{Assembler, asm, displaced, near, scratch};
use crate::emit::body::not;
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Away, Branching, Cold, Goal};
use crate::emit::recipes::Recipe;
use crate::emit::scratch::*;
use crate::emit::targets;
use crate::emit::words::*;
use arch::Absolute;
use cpu::layout;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::form::{Form, Target};
use isa::{Cc, Fields, Op, Width::*};

/// The register with the address after a call, by all conventions. A branch by another is taken for a jump at first.
const LINK: u8 = 14;

impl Emitter<'_> {
    pub(crate) fn leave(&mut self, answer: u32) {
        asm!(self, mov eax, answer as i32 ; jmp QWORD [rbp + scratch(LEAVE)]);
    }

    pub(crate) fn goal(&mut self, target: Word) -> Goal {
        match target {
            Word::Const(c) => Goal::Const(c),
            Word::Sum { base: None, index: None, disp, own: true } => Goal::Near(disp),
            w => {
                let h = self.host(w, W64);
                match self.owner(h) {
                    // A return to where the trace has been.
                    Owner::Guest(r) if self.plan.mask == u64::MAX => match self.near[r as usize].map(Goal::Near) {
                        // Where the ways of a block come together, only the text decides.
                        Some(goal) if self.follows(goal) || !self.leads_down(goal) => goal,
                        _ => Goal::Host(h),
                    },
                    _ => Goal::Host(h),
                }
            }
        }
    }

    /// Leaves the block; `at` is where the branch is that was taken last, if the state does not have it.
    pub(crate) fn edge(&mut self, away: &Away, goal: Goal) {
        let Away { map, cc, refund, at, kind, .. } = away;
        let (refund, at) = (*refund, *at);
        if let (Goal::Near(d), Some(carried)) = (goal, self.carried)
            && d == carried.at
        {
            let known = carried.broke.is_some();
            if !known || carried.broke == at {
                self.taken(refund, at.filter(|_| !known));
                if self.carry(away) {
                    return;
                }
                self.taken(0, at.filter(|_| known));
            } else {
                self.taken(refund, at);
            }
        } else {
            self.taken(refund, at);
        }
        self.write_back(map, !0);
        self.write_back_floats(&map.floats);
        match goal {
            Goal::Near(d) if self.wants_code(d, map.crossed) => self.settle_code(cc, &map.floats),
            _ => self.store_code(cc, &map.floats),
        }
        if let Branching::Call(next) = *kind {
            self.push_return(next, map.crossed);
        }
        match goal {
            Goal::Near(0) => return asm!(self, jmp =>self.head),
            Goal::Near(d) => self.go_near(d),
            Goal::Const(c) => {
                self.lea(0, Word::Const(c & self.plan.mask));
                asm!(self, mov [BYTE rbp + near(layout::IA)], rax);
            }
            Goal::Host(h) => {
                asm!(self, mov rax, Rq(h));
                self.mask(0);
                asm!(self, mov [BYTE rbp + near(layout::IA)], rax);
            }
        }
        match goal {
            Goal::Near(d) if self.crosses(d, map.crossed) => asm!(self, jmp QWORD [rbp + scratch(AT_LOOKUP)]),
            Goal::Near(d) => match self.page_at(d, map.crossed) {
                Some(page) => self.link(page, false),
                None => match self.plan.page_of(d) {
                    Some(page) => self.cross_link(d, &page),
                    None => self.indirect(),
                },
            },
            Goal::Host(_) if *kind == Branching::Return => self.take_return(),
            _ => self.indirect(),
        }
    }

    /// Goes to the block that is at the state's `ia`, in this one of the block's pages, once that has code; with
    /// `outer` by the entry that compares the version.
    pub(crate) fn link(&mut self, page: u8, outer: bool) {
        let label = self.a.new_dynamic_label();
        asm!(self, jmp =>label);
        let patch = self.here() - 4;
        self.cold.push(Cold::Exit { label, patch, page, outer });
    }

    /// A host register becomes the address of what stands so far from the start of the block. The host's flags stay.
    pub(crate) fn lea_near(&mut self, to: u8, at: i32) {
        asm!(self, mov Rq(to), [BYTE rbp + near(layout::IA)]);
        displaced!(self, at, (lea Rq(to),) [Rq(to)] ());
    }

    /// The state's `ia` becomes the address of what stands so far from the start of the block.
    pub(crate) fn go_near(&mut self, at: i64) {
        let ia = near(layout::IA);
        match i32::try_from(at) {
            Ok(by) => asm!(self, add QWORD [BYTE rbp + ia], by),
            Err(_) => asm!(self, mov rax, QWORD at ; add [BYTE rbp + ia], rax),
        }
        if self.plan.mask != u64::MAX {
            asm!(self, and QWORD [BYTE rbp + ia], self.plan.mask as i32)
        }
    }

    /// Whether the instruction there stands across the end of the page. If its first byte changes this may be wrong,
    /// and only costs time.
    pub(crate) fn crosses(&self, at: i64, crossed: bool) -> bool {
        self.text_at(at, 1, crossed).is_some_and(|(_, from)| self.stands_across(from))
    }

    /// The same of the instruction at an absolute address, in a frame that there is text in.
    pub(crate) fn stands_across(&self, from: Absolute) -> bool {
        let mut first = [0];
        let left = arch::PAGE - from.0 % arch::PAGE;
        if left > 4 {
            return false;
        }
        self.plan.storage.load(from, &mut first).expect("it is in a frame that there is text in");
        isa::length(first[0]) as u64 > left
    }

    /// Whether what stands there branches on the condition code soon.
    fn wants_code(&self, at: i64, crossed: bool) -> bool {
        let mut text = [0; 12];
        let Some((_, from)) = self.text_at(at, text.len(), crossed) else { return false };
        self.plan.storage.load(from, &mut text).expect("it is in a frame that there is text in");
        let branches = |from: usize| {
            let text = text[from..from + 6].try_into().expect("there are six bytes more");
            let row = isa::decode(text, self.plan.architecture, self.plan.facilities);
            row.is_some_and(|row| row.looks_at_code(&Fields::extract(row.format, text)))
        };
        branches(0) || branches(isa::length(text[0]) as usize)
    }

    /// The state has where the branch is that was taken last. The host's flags stay.
    pub(crate) fn settle_break(&mut self) {
        let broke = self.broke.take();
        self.taken(0, broke);
    }

    /// A branch is taken: notes where it is, and what of the block is not executed.
    pub(crate) fn taken(&mut self, refund: i32, at: Option<i64>) {
        if let Some(at) = at {
            self.lea_near(0, at as i32);
            asm!(self, mov [BYTE rbp + near(layout::BREAKING_EVENT)], rax);
        }
        if refund != 0 {
            displaced!(self, refund, (lea r15,) [r15] ());
        }
    }

    /// Instructions after this one that have been counted.
    pub(crate) fn refund(&self) -> i32 {
        self.charged - self.index as i32 - 1
    }

    /// What is where after this instruction. `at` is where the branch is that was taken last, if the state does not
    /// have it.
    pub(crate) fn away(&self, cc: Recipe, at: Option<i64>) -> Away {
        let from = if self.index < self.plan.count { self.index + 1 } else { self.index };
        Away { map: self.map, cc, refund: self.refund(), from, at, kind: self.branching() }
    }

    /// What kind of branch this instruction is.
    fn branching(&self) -> Branching {
        let fields = &self.plan.ops[self.index].fields;
        match self.plan.rows[self.index].map(|row| row.shape.form) {
            Some(Form::BranchAndSave(_)) => Branching::Call(fields.next.into()),
            Some(Form::BranchOnCondition(Target::Register)) if fields.r2 == LINK => Branching::Return,
            _ => Branching::Plain,
        }
    }

    /// The branch at `at` is taken, and what is emitted next is its target. The state gets the branch's address only
    /// when the block is left: a site sets it.
    fn lead(&mut self, at: Option<i64>) {
        self.broke = at.or(self.broke);
        self.led = true;
    }

    /// The instruction emitted next, if one is.
    fn next_op(&self) -> Option<&Op> {
        self.plan.next(self.index).map(|next| &self.plan.ops[next])
    }

    /// The instruction emitted next is the one that this branch leads to.
    pub(crate) fn follows(&self, goal: Goal) -> bool {
        let next = self.next_op();
        matches!(goal, Goal::Near(d) if next.is_some_and(|next| next.fields.at() == d))
    }

    /// The instruction emitted next is where this branch has led so far.
    fn guessed(&self, goal: Goal) -> bool {
        let here = &self.plan.ops[self.index].fields;
        let next = self.next_op().map(|next| next.fields.at());
        let elsewhere = next.is_some_and(|next| next != here.next as i64);
        matches!(goal, Goal::Host(_)) && elsewhere && self.plan.mask == u64::MAX
    }

    /// This branch ends the block, and has led back to its start so far.
    fn led_back(&self, goal: Goal) -> bool {
        let here = &self.plan.ops[self.index].fields;
        let back = self.index + 1 == self.plan.count && here.imm != 0 && here.at() + here.imm == 0;
        matches!(goal, Goal::Host(_)) && back && self.plan.mask == u64::MAX
    }

    /// The branch at `at`, if where it leads is in a register, goes on there only if that is what was guessed.
    fn as_guessed(&mut self, goal: Goal, at: i64) {
        let Goal::Host(h) = goal else { return };
        let next = self.next_op().map_or(0, |next| next.fields.at());
        let label = self.a.new_dynamic_label();
        self.lea_near(0, next as i32);
        asm!(self, cmp rax, Rq(h) ; jne =>label);
        let away = self.away(self.cc, Some(at));
        self.cold.push(Cold::Edge { label, away, goal });
    }

    pub(crate) fn branch(&mut self, truth: Truth, target: Word, at: i64) {
        let goal = self.goal(target);
        // A branch on one condition code makes it known where it is taken; one on all others, where it is not.
        let known = |mask: u8| match mask & self.cc.possible() {
            one if one.is_power_of_two() => Recipe::Named(Cc::Set(3 - one.trailing_zeros() as u8)),
            _ => self.cc,
        };
        let (cc, otherwise) = match truth {
            // Where both ways come together again, they are to have the same recipe.
            Truth::Code(_) if self.leads_down(goal) => (self.cc, self.cc),
            Truth::Code(mask) => (known(mask), known(!mask)),
            _ => (self.cc, self.cc),
        };
        // Where the block goes on at the target, the other way is the one out of it.
        let next = self.plan.ops[self.index].fields.next as i64;
        if self.guessed(goal) || self.follows(goal) && !matches!(goal, Goal::Near(d) if d == next) {
            let label = self.a.new_dynamic_label();
            match self.jump_if(not(truth), label) {
                Some(true) => self.jump_to(Goal::Near(next), None),
                known => {
                    if known.is_none() {
                        let away = self.away(otherwise, self.broke);
                        self.cold.push(Cold::Edge { label, away, goal: Goal::Near(next) });
                        self.cc = cc;
                    }
                    self.as_guessed(goal, at);
                    self.lead(Some(at));
                }
            }
            return;
        }
        self.goes_back(goal, cc, Some(at));
        let label = self.a.new_dynamic_label();
        let known = self.jump_if(truth, label);
        match known {
            Some(true) => self.jump_to(goal, Some(at)),
            Some(false) => {}
            None => {
                let away = self.away(cc, Some(at));
                self.cold.push(Cold::Edge { label, away, goal });
                self.cc = otherwise;
            }
        }
    }

    /// The goal is an instruction further down in the block.
    fn leads_down(&self, goal: Goal) -> bool {
        let following = self.plan.ops[..self.plan.count].get(self.index + 1..).unwrap_or_default();
        matches!(goal, Goal::Near(d) if following.iter().any(|op| op.fields.at() == d))
    }

    /// Goes on there; `at` is where the branch is.
    pub(crate) fn jump_to(&mut self, goal: Goal, at: Option<i64>) {
        if let Some(at) = at.filter(|_| self.guessed(goal)) {
            self.as_guessed(goal, at);
            return self.lead(Some(at));
        }
        if self.follows(goal) {
            return self.lead(at);
        }
        if let Some(at) = at.filter(|_| self.led_back(goal)) {
            self.as_guessed(goal, at);
            return self.jump_to(Goal::Near(0), Some(at));
        }
        let at = at.or(self.broke);
        self.goes_back(goal, self.cc, at);
        let away = self.away(self.cc, at);
        if self.branches_off(goal) {
            let label = self.a.new_dynamic_label();
            asm!(self, jmp =>label);
            self.cold.push(Cold::Edge { label, away, goal });
        } else {
            self.edge(&away, goal);
        }
        self.open = false;
    }
}

/// Goes to the block at r14, which is the state's `ia`, if its code is among the targets.
pub(crate) fn find(a: &mut Assembler) {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    look(e.a);
    asm!(e, jmp QWORD [BYTE rdx + targets::CODE] ; miss: ; jmp QWORD [rbp + scratch(AT_LOOKUP)]);
}

/// Looks among the targets for the block at r14: rdx becomes its place. If it is none of them, goes to the label `miss`
/// that the caller emits next. Changes rax, rcx and rsi.
pub(crate) fn look(a: &mut Assembler) {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    asm!(e, rorx eax, r14d, 7 ; mov rcx, [rbp + scratch(KEY)] ; xor eax, r14d ; xor eax, ecx
        ; mov rdx, [rbp + scratch(TARGETS)] ; and eax, [rbp + scratch(TARGET_MASK)]
        ; mov rsi, [rbp + scratch(ROWS)] ; shl eax, 4 ; add rdx, rax
        ; cmp r14, [BYTE rdx + targets::IA] ; jne >miss
        ; cmp rcx, [BYTE rdx + targets::KEY] ; jne >miss
        ; mov ecx, [BYTE rdx + targets::ROW] ; mov ecx, [rsi + 4 * rcx]
        ; cmp ecx, [BYTE rdx + targets::FORGOTTEN] ; jne >miss);
}
