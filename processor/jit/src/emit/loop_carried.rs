//! Branches within a block: registers stay in host registers across them.
//!
//! A branch to an instruction further down in its block joins it there. Registers stay where the instructions in
//! between have them. Cold code after the block brings the branch's registers to the same places.
//!
//! A block that branches to its own start is emitted twice. The first copy begins, as every block does, with everything
//! in the `State`. The first branch back in it says what is where at that point, and so the second copy begins: with
//! loop-carried registers. Each branch back in either copy brings its registers there. It stores nothing that the
//! second copy would load again. The way out of the second copy is as any other's. A block's loop may begin after its
//! start ([`Round`]), as when a program comes to the loop in another loop. Then so does the second copy.

use crate::emit::assembler::{asm, gr, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Away, Cold, Goal, OUT};
use crate::emit::map::Map;
use crate::emit::notes::Carried;
use crate::emit::recipes::Recipe;
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::footprints::{Round, goes_back};
use crate::plan::passes::Pass;
use crate::plan::spans::CLOSED;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::Width::*;

/// With fewer registers a second copy saves nothing.
const WORTH: usize = 2;

/// What has to happen so that the registers of one map are where another has them.
#[derive(Default)]
pub(crate) struct Way {
    /// Guest registers that are stored into the state first.
    store: u16,
    /// (host register, guest register): a right half that the state does not have gets its left half, which the state
    /// has, before anything is moved. A load of both just after a store of the one would wait for it to reach the
    /// host's cache.
    fill: Vec<(u8, u8)>,
    /// (to, from): all at once.
    moves: Vec<(u8, u8)>,
    /// The left halves of these become zero.
    clear: u16,
    /// (to, guest register, all of it), from the state.
    loads: Vec<(u8, u8, bool)>,
}

/// From one map to another, `None` if it cannot be said in these terms.
pub(crate) fn way(from: &Map, cc: &Recipe, to: &Map, to_cc: &Recipe) -> Option<Way> {
    // Spans that are open there must be open here.
    let open = |from: &[u8; 16], to: &[u8; 16]| to.iter().zip(from).all(|(&to, &from)| to == CLOSED || to == from);
    if !open(&from.spans.read, &to.spans.read)
        || !open(&from.spans.write, &to.spans.write)
        || to.crossed && !from.crossed
        || to.vectors && !from.vectors
    {
        return None;
    }
    // If a whole register has a left half of zero there, that must be known here.
    if to.clear & to.full & !(from.clear & from.full) != 0 {
        return None;
    }
    let mut way = Way { store: from.dirty & !to.dirty, ..Way::default() };
    let ((kind, width, operands), (to_kind, to_width, to_operands)) = (cc.parts(), to_cc.parts());
    if (kind, width) != (to_kind, to_width) {
        return None;
    }
    for r in 0..16u8 {
        let bit = 1 << r;
        let (t, f) = (to.host[r as usize], from.host[r as usize]);
        if t == NONE {
            way.store |= from.dirty & bit;
            continue;
        }
        let (to_full, full) = (to.full & bit != 0, from.full & bit != 0);
        let half = f != NONE && to_full && !full && from.dirty & bit != 0;
        // What the condition code follows from stays as it is.
        if half && (width != W64 || cc.hosts() >> f & 1 == 0) {
            way.fill.push((f, r));
            way.moves.push((t, f));
            continue;
        }
        if f == NONE || to_full && !full {
            way.store |= from.dirty & bit;
            way.loads.push((t, r, to_full));
            continue;
        }
        if full && !to_full {
            // The left half is looked for in the state.
            way.store |= from.dirty & bit;
        }
        let cleared = from.clear & bit != 0;
        if to.clear & bit != 0 && !to_full && !cleared {
            way.clear |= 1 << t;
        }
        way.moves.push((t, f));
    }
    for (operand, wanted) in operands.iter().zip(to_operands) {
        match (*operand, wanted) {
            (Operand::Host(f), Operand::Host(t)) => {
                if width == W64 && way.clear >> t & 1 == 1 || way.loads.iter().any(|&(to, ..)| to == t) {
                    return None;
                }
                match way.moves.iter().find(|&&(to, _)| to == t) {
                    Some(&(_, other)) if other != f => return None,
                    Some(_) => {}
                    None => way.moves.push((t, f)),
                }
            }
            (a, b) if a == b => {}
            _ => return None,
        }
    }
    Some(way)
}

/// Moves (to, from) that are meant as if at once, one after the other. In a cycle, one waits in register 0, which is
/// free.
pub(crate) fn in_turn(mut moves: Vec<(u8, u8)>) -> Vec<(u8, u8)> {
    let mut done = Vec::with_capacity(moves.len() + 1);
    moves.retain(|&(to, from)| to != from);
    while let Some(&(first, _)) = moves.first() {
        let free = moves.iter().position(|&(to, _)| moves.iter().all(|&(_, from)| from != to));
        match free {
            Some(n) => done.push(moves.swap_remove(n)),
            None => {
                done.push((0, first));
                for (_, from) in moves.iter_mut().filter(|(_, from)| *from == first) {
                    *from = 0;
                }
            }
        }
    }
    done
}

impl Emitter<'_> {
    /// A branch to `goal` stands here. It may be the first to where the block's loop begins, in the first copy. Then
    /// the second copy is going to begin with what is where now. `cc` is the condition code where the branch is taken,
    /// and `at` where it is. Where several branches lead there, each puts its address into the state.
    pub(crate) fn goes_back(&mut self, goal: Goal, cc: Recipe, at: Option<i64>) {
        let Some(Round { first, last }) = self.plan.round.filter(|round| round.has(self.index)) else { return };
        let start = self.plan.ops[first].fields.at();
        if !matches!(goal, Goal::Near(d) if d == start) {
            return;
        }
        if self.carried.is_none() && self.held() >= WORTH && Pass::Rounds.is_on() {
            let [label, over] = std::array::from_fn(|_| self.a.new_dynamic_label());
            let mut map = self.map;
            // A left half of zero now need not be zero the next time.
            map.clear &= !map.full;
            map.floats = map.floats.parted();
            self.plan.spans.carry(&mut map.spans);
            let back = self.plan.ops[first..=last].iter().filter(|op| goes_back(op, start));
            let broke = at.filter(|_| back.count() == 1 && !self.plan.arms.joins(first));
            self.carried = Some(Carried { first, at: start, label, over, map, cc, broke });
        }
    }

    /// How the registers get to where the second copy begins with them, if they can.
    pub(crate) fn way_back(&self, Away { map, cc, from, .. }: &Away) -> Option<Way> {
        let carried = self.carried?;
        let lost = |r: u8| {
            let open = carried.map.spans.has(r);
            open && carried.map.spans.moved >> r & 1 == 0 && self.plan.spans.strides(r, *from, carried.first)
        };
        // The loop's first instruction may have a guard that fails, as its page is another's now. Its side exit is no
        // way back: it would come round without end.
        if *from == carried.first || (0..16).any(lost) || carried.map.floats.checked && !map.floats.checked {
            return None;
        }
        way(map, cc, &carried.map, &carried.cc)
    }

    /// Jumps to the second copy; `false`: that cannot be.
    pub(crate) fn carry(&mut self, away: &Away) -> bool {
        let (Some(carried), Some(way)) = (self.carried, self.way_back(away)) else { return false };
        let goes = self.floats_go(&away.map.floats, &carried.map.floats);
        assert!(goes, "that was looked at");
        self.go(&away.map, way);
        asm!(self, jmp =>carried.label);
        true
    }

    /// Brings registers to where others have them.
    pub(crate) fn go(&mut self, map: &Map, way: Way) {
        self.write_back(map, way.store);
        for (h, r) in way.fill {
            asm!(self, mov eax, [BYTE rbp + gr(r) + 4] ; shl rax, 32);
            if map.clear >> r & 1 == 0 {
                asm!(self, mov Rd(h), Rd(h));
            }
            asm!(self, or Rq(h), rax);
        }
        self.move_all(way.moves);
        for h in POOL.into_iter().filter(|&h| way.clear >> h & 1 == 1) {
            asm!(self, mov Rd(h), Rd(h));
        }
        for (t, r, full) in way.loads {
            if full { asm!(self, mov Rq(t), [BYTE rbp + gr(r)]) } else { asm!(self, mov Rd(t), [BYTE rbp + gr(r)]) }
        }
    }

    /// The instruction that begins here, `at` bytes after the start of the block, is where earlier branches lead. They
    /// bring their registers to where they are here, and the condition code becomes one that all of them can have.
    pub(crate) fn join(&mut self, at: i64) {
        let from = self.first_cold;
        let here = |cold: &Cold| match cold {
            Cold::Edge { goal: Goal::Near(d), away, .. } if *d == at => Some(*away),
            _ => None,
        };
        let edges: Vec<Away> = self.cold[from..].iter().filter_map(here).collect();
        if edges.is_empty() {
            return;
        }
        self.copy_now();
        self.part_floats();
        self.map.clear &= !self.map.full;
        self.forget_values();
        for Away { map, from, .. } in &edges {
            self.plan.spans.skip(&mut self.map.spans, *from, self.index);
            self.map.floats.checked &= map.floats.checked;
            self.map.spans.moved |= map.spans.moved;
            self.map.crossed &= map.crossed;
            self.map.vectors &= map.vectors;
            for r in 0..16 {
                let close = |here: &mut u8, there: u8| *here = if *here == there { there } else { CLOSED };
                close(&mut self.map.spans.read[r], map.spans.read[r]);
                close(&mut self.map.spans.write[r], map.spans.write[r]);
            }
        }
        if edges.iter().any(|Away { map, cc, .. }| way(map, cc, &self.map, &self.cc).is_none()) {
            let recipe = self.cc;
            let floats = self.map.floats;
            self.store_code(&recipe, &floats);
            self.cc = Recipe::Stored;
        }
        self.settle_break();
        let label = self.a.new_dynamic_label();
        asm!(self, =>label);
        (self.tested, self.distance) = (None, None);
        let (to, to_cc, after) = (self.map, self.cc, (self.plan.count - self.index) as i32);
        for cold in &mut self.cold[from..] {
            if here(cold).is_some()
                && let Cold::Edge { label: start, away, .. } = *cold
            {
                let away = Away { refund: away.refund - after, ..away };
                *cold = Cold::Join { start, away, to, to_cc, label };
            }
        }
    }

    /// Emits a branch to a place further down in the block.
    pub(crate) fn joins(&mut self, (map, cc): (&Map, &Recipe), (to, to_cc): (&Map, &Recipe), label: DynamicLabel) {
        let mut cc = *cc;
        if *to_cc == Recipe::Stored {
            self.store_code(&cc, &map.floats);
            cc = Recipe::Stored;
        }
        let way = way(map, &cc, to, to_cc).expect("that was looked at when the label was placed");
        let goes = self.floats_go(&map.floats, &to.floats);
        assert!(goes, "likewise");
        self.go(map, way);
        asm!(self, jmp =>label);
    }

    /// How many of the guest's registers are in the host's.
    fn held(&self) -> usize {
        self.map.host.iter().filter(|&&h| h != NONE).count() + self.map.floats.held().count()
    }

    /// Moves as if at once; rax is free.
    fn move_all(&mut self, moves: Vec<(u8, u8)>) {
        for (to, from) in in_turn(moves) {
            asm!(self, mov Rq(to), Rq(from));
        }
    }

    /// Begins the second copy, if there is to be one: with the instruction that has this number.
    pub(crate) fn second_copy(&mut self) -> Option<usize> {
        let Carried { first, at: _, label, over, map, cc, broke } = self.carried?;
        let n = (self.plan.count - first) as i8;
        self.first_cold = self.cold.len();
        self.places.clear();
        self.tested = None;
        asm!(self, =>label ; sub r15, BYTE n ; js =>over);
        self.begin_with(map, cc, broke);
        Some(first)
    }

    /// Goes on with what is where somewhere else.
    pub(crate) fn begin_with(&mut self, map: Map, cc: Recipe, broke: Option<i64>) {
        for h in POOL {
            let guest = map.host.iter().position(|&host| host == h);
            let owner = match guest {
                Some(r) => Owner::Guest(r as u8),
                None if cc.hosts() >> h & 1 == 1 => Owner::Code,
                None => Owner::Free,
            };
            self.own(h, owner);
        }
        (self.map, self.cc, self.open, self.broke) = (map, cc, true, broke);
        (self.tested, self.distance) = (None, None);
        self.forget_values();
    }

    /// What the second copy does when it must not go on.
    pub(crate) fn second_out(&mut self) {
        let Some(Carried { first, at, label, over, map, cc, broke }) = self.carried else { return };
        asm!(self, =>over ; add r15, BYTE (self.plan.count - first) as i8 ; call QWORD [rbp + scratch(REFILL)] ; jne =>label);
        self.taken(0, broke);
        self.write_back(&map, !0);
        self.write_back_floats(&map.floats);
        self.store_code(&cc, &map.floats);
        if at != 0 {
            self.go_near(at);
        }
        self.leave(OUT);
    }
}
