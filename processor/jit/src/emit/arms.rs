//! Emits the arms of a block, after the block itself ([`crate::plan::arms`]).

use crate::emit::assembler::asm;
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Away, Branching, Cold, Goal};
use crate::emit::loop_carried::way;
use crate::emit::notes::Place;
use crate::emit::recipes::Recipe;
use crate::plan::footprints::Round;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

/// Instructions of a block that an arm does before it gives up.
const AGAIN: usize = 12;
/// Instructions of all arms of a block, as often as each is emitted.
const MOST: usize = 128;

/// At most so many instructions are executed in arms before they are counted, as a negative refund. Arms that go on in
/// others may go round a loop, and count only when they are back. What an arm may add must fit into a site's byte, too.
const FARTHEST: i32 = -64;

impl Emitter<'_> {
    /// This instruction's place among [`crate::plan::spans`]' steps: the end of the block, after its last instruction,
    /// is a place, too.
    pub(crate) fn position(&self) -> usize {
        self.index + (self.index >= self.plan.count) as usize
    }

    /// An instruction of the block begins here: arms may come back to it.
    pub(crate) fn mark_place(&mut self) {
        let (plan, index) = (self.plan, self.index);
        let first_copy = plan.round.is_some() && self.carried.is_none();
        if self.waiting.is_some() {
            return;
        }
        if plan.arms.ways().is_empty() || first_copy || plan.round.is_some_and(|round| !round.has(index)) {
            return;
        }
        if plan.arms.joins(index) {
            self.settle_break();
            plan.spans.leave_off(&mut self.map.spans, index);
            for &(from, to) in plan.arms.ways().iter().filter(|(_, to)| *to == index) {
                plan.spans.go_over(&mut self.map.spans, from + 1, to);
            }
        }
        // An arm that comes back here has other flags.
        let here = self.a.offset().0;
        if plan.arms.joins(index) {
            self.distance = None;
        }
        if self.distance.is_some_and(|(at, _)| at == here)
            || self.tested.is_some_and(|(at, ..)| at == self.a.offset().0)
        {
            return;
        }
        let label = self.a.new_dynamic_label();
        asm!(self, =>label);
        let (map, cc, broke, near, known) = (self.map, self.cc, self.broke, self.near, self.known);
        self.places.push(Place { index, label, map, cc, broke, near, known });
    }

    /// The number of the instruction that an arm to this goal begins with.
    fn arm_to(&self, goal: Goal) -> Option<usize> {
        let Goal::Near(to) = goal else { return None };
        let plan = self.plan;
        let is = |&n: &usize| plan.ops[n].fields.at() == to;
        let arm = plan.arms.list().iter().map(|arm| arm.first).find(is);
        // In the loop, or on the way to it.
        arm.or_else(|| plan.round.and_then(|Round { first, last }| (first..=last).chain(0..first).find(is)))
    }

    /// A branch that is always taken leads to where an arm may begin.
    pub(crate) fn branches_off(&self, goal: Goal) -> bool {
        let start = |n| self.carried.is_some_and(|carried| carried.first == n);
        !self.plan.arms.ways().is_empty() && self.arm_to(goal).is_some_and(|n| !start(n))
    }

    /// Begins another arm, if there is one: with the instruction that has this number.
    pub(crate) fn next_arm(&mut self) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        if !self.branched_off.now {
            self.branched_off.own = self.cold.len();
            self.branched_off.now = true;
        }
        while self.branched_off.looked < self.cold.len() && self.branched_off.emitted < MOST {
            let k = self.branched_off.looked;
            self.branched_off.looked += 1;
            let Cold::Edge { label, away, goal } = self.cold[k] else { continue };
            let fits = |n: &usize| away.refund >= FARTHEST && !self.leads_back(&away, *n) && !self.stands_at(&away, *n);
            let Some(n) = self.arm_to(goal).filter(fits) else { continue };
            self.cold[k] = Cold::Done;
            asm!(self, =>label);
            let Away { mut map, cc, refund, from, at, .. } = away;
            self.plan.spans.go_over(&mut map.spans, from, n + (n >= self.plan.count) as usize);
            self.begin_with(map, cc, at);
            self.charged = refund + n as i32;
            self.branched_off.after = (k < self.branched_off.own).then(|| from.saturating_sub(1));
            self.branched_off.again = 0;
            self.look_at_budget(n, refund);
            return Some(n);
        }
        None
    }

    /// An arm that begins with instruction `n` is left at once if the budget may end in it: so many of what has been
    /// counted are not executed.
    fn look_at_budget(&mut self, n: usize, refund: i32) {
        let plan = self.plan;
        let own = plan.arms.with(n).map_or(0, |arm| arm.end - n);
        let more = (own + AGAIN) as i32 - refund;
        let label = self.a.new_dynamic_label();
        asm!(self, cmp r15, more ; jl =>label);
        let from = n + (n >= plan.count) as usize;
        let away = Away { map: self.map, cc: self.cc, refund, from, at: self.broke, kind: Branching::Plain };
        self.cold.push(Cold::Edge { label, away, goal: Goal::Near(plan.ops[n].fields.at()) });
    }

    /// How many arms lead back into the block.
    pub(crate) fn came_back(&self) -> u64 {
        self.branched_off.back
    }

    /// The way out leads to the start of the loop's second copy.
    fn leads_back(&self, away: &Away, n: usize) -> bool {
        let straight = |broke: Option<i64>| broke.is_none() || broke == away.at;
        self.carried.is_some_and(|carried| carried.first == n && straight(carried.broke))
            && self.way_back(away).is_some()
    }

    /// The way out is that of an instruction that cannot be executed here, as its page is another's now.
    fn stands_at(&self, away: &Away, n: usize) -> bool {
        away.from == n + (n >= self.plan.count) as usize
    }

    /// Before instruction `n` of an arm: goes back to the block, if that can be here; `true`: this is the end of the
    /// arm.
    pub(crate) fn comes_back(&mut self, n: usize) -> bool {
        if n < self.plan.count && self.waiting.is_none() {
            if self.join_place(n) {
                self.branched_off.back += 1;
                return true;
            }
            self.branched_off.again += 1;
        }
        self.branched_off.emitted += 1;
        if self.branched_off.again > AGAIN && self.waiting.is_none() {
            self.leave_arm(n);
            return true;
        }
        false
    }

    /// After an instruction of an arm: the number of the next, if the arm goes on.
    pub(crate) fn next_of_arm(&mut self) -> Option<usize> {
        if !self.goes_on() {
            self.finish();
            return None;
        }
        let next = self.plan.next(self.index).expect("the arm goes on with one");
        self.charged += next as i32 - self.index as i32 - 1;
        let to = next + (next >= self.plan.count) as usize;
        let from = if self.index < self.plan.count { self.index + 1 } else { self.position() };
        self.plan.spans.go_over(&mut self.map.spans, from, to);
        Some(next)
    }

    /// Leaves the block for the one that begins with instruction `n`.
    fn leave_arm(&mut self, n: usize) {
        let refund = self.charged - n as i32;
        // It must not come round to the loop without having done anything.
        let away = Away { map: self.map, cc: self.cc, refund, from: n, at: self.broke, kind: Branching::Plain };
        self.edge(&away, Goal::Near(self.plan.ops[n].fields.at()));
        self.open = false;
    }

    /// Jumps to where the block has instruction `n`; `false`: there is no such place, or it knows more.
    fn join_place(&mut self, n: usize) -> bool {
        let Some(k) = self.places.iter().position(|place| place.index == n) else { return false };
        let Place { label, map, cc, broke, near: ref distances, ref known, .. } = self.places[k];
        let here = self.map;
        let knows = distances.iter().zip(&self.near).all(|(there, here)| there.is_none() || there == here)
            && known.iter().zip(&self.known).all(|(there, here)| there.is_none() || there == here);
        let moved = (0..16).any(|r| map.spans.has(r) && (here.spans.moved & !map.spans.moved) >> r & 1 == 1);
        // Two that share a host register there.
        let shared = map.floats.parted() != map.floats && here.floats != map.floats;
        let unchecked = map.floats.checked && !here.floats.checked;
        if !knows || moved || shared || unchecked || broke.is_some() && broke != self.broke {
            return false;
        }
        let stored = cc == Recipe::Stored;
        let Some(way) = way(&here, if stored { &cc } else { &self.cc }, &map, &cc) else { return false };
        if stored {
            let cc = self.cc;
            self.store_code(&cc, &here.floats);
            self.cc = Recipe::Stored;
        }
        if broke.is_none() {
            self.settle_break();
        }
        // What has been counted and not been executed, less what is going to be.
        let more = self.charged - self.plan.count as i32;
        let forward = self.branched_off.after.is_some_and(|after| n > after);
        let looks_at_budget = !forward || more < 0;
        let ends = self.a.new_dynamic_label();
        if more != 0 || !forward {
            asm!(self, add r15, more);
        }
        if looks_at_budget {
            asm!(self, js =>ends);
        }
        let goes = self.floats_go(&here.floats, &map.floats);
        assert!(goes, "that was looked at");
        self.go(&here, way);
        asm!(self, jmp =>label);
        if looks_at_budget {
            asm!(self, =>ends ; sub r15, more);
            self.leave_arm(n);
        }
        self.open = false;
        true
    }
}
