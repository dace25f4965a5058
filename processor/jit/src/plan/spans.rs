//! Accesses off one base register share one TLB probe.
//!
//! [`Spans::of`] finds runs of accesses before a block is emitted: those off one base register that does not change in
//! between. It also finds how far they reach. The first access of a run probes the TLB for the whole range, which must
//! lie in one page. It leaves the distance from the guest's addresses to the host's in a *slot* on the host's stack.
//! The others take the distance from there. A slot holds until its base register is set or a handler is called: a call
//! closes all slots. The plan may be wrong about a block: what counts is what [`Map`] says is open.
//!
//! A block is *firm* at first: its accesses take it for granted that an open span can be accessed. Sometimes a span
//! cannot be opened: it lies in two pages, say, or stores go to a frame that has code. Then the instruction is done at
//! a site (a side exit with its way back). The site comes back only if it can open again all spans that are open after
//! it ([`Open`]). Otherwise the block is left there. One that is left often ([`crate::runtime::side_exits`]) is
//! translated again,
//! *loose*. There, a slot of 0 says that nothing is open. Each access that finds 0 makes a TLB probe of its own, in
//! cold code after the block. Stores have a second word then, which is 0 where stores are not allowed or the frame has
//! code. A site comes back to loose code with all slots 0.
//!
//! A register to which instructions only add constants (AGHI, LA) *steps*: its span stays open. The span reaches as far
//! as the block's accesses do, seen from the register's value at the start of the block. When a loop comes round, the
//! first access of a span compares its address with the page that the slot was made for. That costs less than a TLB
//! probe. The first access of each block off the register that mostly leads to the stack does the same. Its slot is
//! [kept](crate::emit::slots::LASTING) from block to block.
//!
//! A loop may set a base register and use it in the next round before it is set again. So it is where a branch comes
//! round between a fetch and its store. Such a span stays open around the loop, too, if it is open on all ways round.

use crate::plan::footprints::{Access, Footprint, Round};
use crate::plan::passes::Pass;
use translator::Arm;

/// A run of accesses off one base.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub from: i32,
    pub to: i32,
    pub loads: u16,
    pub stores: u16,
}

/// What is known of a block's accesses.
#[derive(Default, Debug)]
pub(crate) struct Spans {
    list: Vec<Span>,
    /// For each instruction, the bases of its accesses and their spans.
    of: Vec<Vec<(u8, u8)>>,
    /// Registers that nothing in the block's loop sets, or in the block if it has none.
    fixed: u16,
    /// Those that are only stepped there.
    stepped: u16,
    /// For each instruction, how far each register has been stepped before it, and which one it steps. One more entry
    /// stands for the place after the block's last instruction, before those of arms.
    steps: Vec<([i32; 16], Option<u8>)>,
    /// The loop, or the block if it has none, calls a handler.
    calls: bool,
    /// There is a loop.
    again: bool,
    /// For each register that is set in the loop, the span that is open wherever the loop comes round, and wanted
    /// there.
    around: [u8; 16],
    /// For each instruction, off which of these registers something is accessed from there on, before they are set.
    wanted: Vec<u16>,
}

/// No span.
pub(crate) const CLOSED: u8 = 0xff;

/// The spans that are open at one point of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSpans {
    /// Off each general register, for fetches and for stores.
    pub read: [u8; 16],
    pub write: [u8; 16],
    /// Registers that may have been stepped out of the page their slot was made for.
    pub moved: u16,
}

impl OpenSpans {
    pub(crate) const NONE: OpenSpans = OpenSpans { read: [CLOSED; 16], write: [CLOSED; 16], moved: 0 };

    /// Nothing off this register is open any more.
    pub(crate) fn close(&mut self, r: u8) {
        (self.read[r as usize], self.write[r as usize]) = (CLOSED, CLOSED);
    }

    /// Something off this register is open.
    pub(crate) fn has(&self, r: u8) -> bool {
        self.read[r as usize] != CLOSED || self.write[r as usize] != CLOSED
    }
}

/// How far the first and the last byte of a span may be from each other: the farther, the more often a page ends in
/// between.
const REACH: i32 = 1280;

impl Spans {
    /// The spans of a block and of its arms. After the instructions of `ways_round` its loop begins again.
    pub(crate) fn of(
        all: &[Footprint],
        count: usize,
        arms: &[Arm],
        round: Option<Round>,
        ways_round: impl Iterator<Item = usize>,
    ) -> Spans {
        let footprints = &all[..count];
        let looped = round.map_or(footprints, |Round { first, last }| &footprints[first..=last]);
        let written = looped.iter().fold(0, |all, print| all | print.written);
        let set = looped.iter().filter(|print| print.step.is_none()).fold(0, |all, print| all | print.written);
        let in_arms = arms.iter().flat_map(|arm| &all[arm.first..arm.end]).fold(0, |all, print| all | print.written);
        let (written, set) = (written | in_arms, set | in_arms);
        let (calls, again) = (looped.iter().any(|print| print.called), round.is_some());
        let mut spans = Spans {
            of: Vec::with_capacity(all.len()),
            steps: Vec::with_capacity(all.len() + 1),
            fixed: !written,
            stepped: written & !set,
            calls,
            again,
            around: [CLOSED; 16],
            ..Spans::default()
        };
        let mut open = [CLOSED; 16];
        let mut opened = Vec::with_capacity(count + 1);
        opened.push(open);
        let mut steps = [0i32; 16];
        for print in footprints {
            let step = print.step.filter(|&(r, by)| steps[r as usize].saturating_add(by).unsigned_abs() < REACH as u32);
            spans.steps.push((steps, step.map(|(r, _)| r)));
            let mut of = Vec::new();
            for access in print.accesses.iter().filter(|_| !print.called) {
                let from = access.disp + steps[access.base as usize];
                let to = from + access.len;
                let place = &mut open[access.base as usize];
                let fits = |span: &Span| span.to.max(to) - span.from.min(from) <= REACH;
                if *place == CLOSED || !fits(&spans.list[*place as usize]) {
                    if spans.list.len() >= CLOSED as usize || to - from > REACH || !Pass::Spans.is_on() {
                        continue;
                    }
                    *place = spans.list.len() as u8;
                    spans.list.push(Span { from, to, loads: 0, stores: 0 });
                }
                spans.list[*place as usize].add(from, to, access.store);
                of.push((access.base, *place));
            }
            spans.of.push(of);
            if let Some((r, by)) = step {
                steps[r as usize] += by;
                opened.push(open);
                continue;
            }
            for (r, place) in open.iter_mut().enumerate() {
                if print.called || print.written >> r & 1 == 1 {
                    (*place, steps[r]) = (CLOSED, 0);
                }
            }
            opened.push(open);
        }
        spans.steps.push((steps, None));
        for (n, print) in all.iter().enumerate().skip(count) {
            if let Some(arm) = arms.iter().find(|arm| arm.first == n) {
                (open, steps) = (opened[arm.from + 1], spans.steps[arm.from + 1].0);
            }
            spans.steps.push((steps, None));
            let mut of = Vec::new();
            for access in &print.accesses {
                let from = access.disp + steps[access.base as usize];
                let place = open[access.base as usize];
                if let Some(span) = spans.list.get_mut(place as usize)
                    && span.to.max(from + access.len) - span.from.min(from) <= REACH
                {
                    (span.from, span.to) = (span.from.min(from), span.to.max(from + access.len));
                    of.push((access.base, place));
                }
            }
            spans.of.push(of);
            for (_, place) in open.iter_mut().enumerate().filter(|(r, _)| print.written >> r & 1 == 1) {
                *place = CLOSED;
            }
            opened.push(open);
        }
        if let Some(round) = round
            && !calls
        {
            spans.go_round(footprints, round, &ways_round.map(|n| (n + 1, opened[n + 1])).collect::<Vec<_>>());
        }
        spans
    }

    /// Finds what stays open around the loop, of what is open before these places.
    fn go_round(&mut self, prints: &[Footprint], round: Round, ways: &[(usize, [u8; 16])]) {
        let Some((_, open)) = ways.first() else { return };
        for r in (0..16u8).filter(|&r| (self.fixed | self.stepped) >> r & 1 == 0) {
            let n = open[r as usize];
            let all = ways.iter().all(|(at, open)| open[r as usize] == n && !self.strides(r, *at, round.first));
            let Some(span) = self.list.get(n as usize).filter(|_| all) else { continue };
            let mut span = *span;
            let before = prints[round.first..=round.last].iter().position(|print| print.written >> r & 1 == 1);
            let end = before.map_or(round.last, |n| round.first + n);
            let mut wanted = None;
            for (index, print) in prints.iter().enumerate().take(end + 1).skip(round.first) {
                let by = self.stepped(index, r);
                for access in print.accesses.iter().filter(|access| access.base == r) {
                    let (from, to) = (access.disp + by, access.disp + by + access.len);
                    if span.to.max(to) - span.from.min(from) <= REACH {
                        span.add(from, to, access.store);
                        wanted = Some(index);
                    }
                }
            }
            let Some(last) = wanted else { continue };
            (self.list[n as usize], self.around[r as usize]) = (span, n);
            self.wanted.resize(round.last + 1, 0);
            let opens = |index: usize| self.of[index].iter().any(|&(base, span)| (base, span) == (r, n));
            let opened = (end + 1..=round.last).find(|&index| opens(index)).unwrap_or(round.last + 1);
            for (index, all) in self.wanted.iter_mut().enumerate() {
                *all |= ((index <= last || index > opened) as u16) << r;
            }
        }
    }

    /// Closes in `open`, before instruction `index`, what has stayed open around the loop and is not wanted any more.
    /// Another way to the instruction need not have it open.
    pub(crate) fn leave_off(&self, open: &mut OpenSpans, index: usize) {
        let Some(wanted) = self.wanted.get(index) else { return };
        for r in (0..16).filter(|&r| self.around[r as usize] != CLOSED && wanted >> r & 1 == 0) {
            open.close(r);
        }
    }

    /// What a way from before instruction `from` to instruction `to`, perhaps of the next round, leaves open in `open`.
    /// Where not all steps have been taken, the page is to be looked at again.
    pub(crate) fn go_over(&self, open: &mut OpenSpans, from: usize, to: usize) {
        let kept = if self.again { self.stepped } else { 0 };
        for r in (0..16u8).filter(|&r| self.strides(r, from, to)) {
            if kept >> r & 1 == 1 {
                open.moved |= 1 << r;
            } else {
                open.close(r);
            }
        }
    }

    /// Whether a branch before instruction `from` comes to instruction `to` with steps of `r` that are not seen there.
    pub(crate) fn strides(&self, r: u8, from: usize, to: usize) -> bool {
        self.stepped(from, r) != self.stepped(to, r)
    }

    /// Whether instruction `index` steps `r`.
    pub(crate) fn steps(&self, index: usize, r: u8) -> bool {
        self.steps.get(index).is_some_and(|(_, step)| *step == Some(r))
    }

    /// Closes in `open` what a branch from before instruction `from` to instruction `to` does not bring along: it has
    /// not taken the steps in between.
    pub(crate) fn skip(&self, open: &mut OpenSpans, from: usize, to: usize) {
        for r in 0..16u8 {
            if self.strides(r, from, to) {
                open.close(r);
            }
        }
    }

    /// How far `r` has been stepped before instruction `index`.
    pub(crate) fn stepped(&self, index: usize, r: u8) -> i32 {
        self.steps.get(index).map_or(0, |(by, _)| by[r as usize])
    }

    /// The span of an access of instruction `index`.
    pub(crate) fn find(&self, index: usize, access: &Access) -> Option<(u8, &Span)> {
        let spans = self.of.get(index)?.iter().filter(|(base, _)| *base == access.base);
        spans.map(|&(_, n)| (n, &self.list[n as usize])).find(|(_, span)| span.covers(access))
    }

    /// What is still open in `open` when a loop's second copy begins.
    pub(crate) fn carry(&self, open: &mut OpenSpans) {
        open.moved = self.stepped;
        for r in 0..16 {
            let kept = !self.calls && (self.fixed | self.stepped) >> r & 1 == 1;
            for span in [&mut open.read[r], &mut open.write[r]] {
                if !kept && *span != self.around[r] {
                    *span = CLOSED;
                }
            }
        }
    }

    /// Whether span `n` reaches over so many bytes off a register, as it is at the start of the block.
    pub(crate) fn reaches(&self, n: u8, base: u8, disp: i32, len: i32) -> bool {
        self.covers(n, &Access { base, disp, len, store: false })
    }

    /// What is open in `open` after an instruction at this position.
    pub(crate) fn open<'s>(&'s self, open: &'s OpenSpans, position: usize) -> impl Iterator<Item = Open> + 's {
        (0..16u8).filter_map(move |base| {
            let (read, write) = (open.read[base as usize], open.write[base as usize]);
            let span = self.list.get(if read == CLOSED { write } else { read } as usize)?;
            let (from, last) = (span.from - self.stepped(position, base), (span.to - span.from - 1) as u16);
            Some(Open { base, moved: open.moved >> base & 1 == 1, stores: write != CLOSED, last, from })
        })
    }

    /// A loop's rounds step `r`, and nothing else sets it there.
    pub(crate) fn moves(&self, r: u8) -> bool {
        self.again && self.stepped >> r & 1 == 1
    }

    /// There is a loop, and nothing sets `r` there but steps.
    pub(crate) fn repeats(&self, r: u8) -> bool {
        self.again && (self.fixed | self.stepped) >> r & 1 == 1
    }

    pub(crate) fn get(&self, n: u8) -> Option<Span> {
        self.list.get(n as usize).copied()
    }

    /// Whether span `n` reaches over this access, as seen from its base at the start of the block.
    pub(crate) fn covers(&self, n: u8, access: &Access) -> bool {
        self.list.get(n as usize).is_some_and(|span| span.covers(access))
    }
}

/// An open span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Open {
    pub base: u8,
    pub stores: bool,
    /// The next access checks whether it is still in the page that its slot was made for.
    pub moved: bool,
    pub last: u16,
    /// Where it begins, as seen from the register now. `last` is how far after that its last byte is.
    pub from: i32,
}

impl Span {
    /// Where it begins, and how long it is.
    pub(crate) fn start(&self) -> i32 {
        self.from
    }

    pub(crate) fn len(&self) -> i32 {
        self.to - self.from
    }

    /// Another access belongs to it.
    fn add(&mut self, from: i32, to: i32, store: bool) {
        (self.from, self.to) = (self.from.min(from), self.to.max(to));
        if store { self.stores += 1 } else { self.loads += 1 }
    }

    fn covers(&self, access: &Access) -> bool {
        (self.from..=self.to - access.len).contains(&access.disp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(accesses: &[(u8, i32, i32, bool)], written: u16) -> Footprint {
        let accesses = accesses.iter().map(|&(base, disp, len, store)| Access { base, disp, len, store }).collect();
        Footprint { accesses, written, ..Footprint::default() }
    }

    #[test]
    fn a_span_goes_on_over_steps_and_not_to_where_a_branch_has_not_taken_them() {
        let step = |r: u8, by| Footprint { step: Some((r, by)), written: 1 << r, ..Footprint::default() };
        let prints = [
            print(&[(1, 8, 8, false)], 0),
            step(1, 56),
            print(&[(1, -32, 8, true)], 0),
            step(2, REACH),
            step(1, 1 << 20),
            print(&[(1, 0, 8, false)], 0),
        ];
        let spans = Spans::of(&prints, prints.len(), &[], None, [].into_iter());
        let seen = |index: usize, disp| {
            let disp = disp + spans.stepped(index, 1);
            let access = Access { base: 1, disp, len: 8, store: false };
            spans.find(index, &access).map(|(n, span)| (n, span.from, span.to, span.loads, span.stores))
        };
        assert_eq!((seen(0, 8), seen(2, -32)), (Some((0, 8, 32, 1, 1)), Some((0, 8, 32, 1, 1))));
        assert!(spans.steps(1, 1) && !spans.steps(1, 2));
        // So far are other pages.
        assert!(!spans.steps(3, 2) && !spans.steps(4, 1));
        assert_eq!(seen(5, 0), Some((1, 0, 8, 1, 0)));
        let open = || OpenSpans { read: [0; 16], ..OpenSpans::NONE };
        let (mut over, mut beside) = (open(), open());
        spans.skip(&mut over, 1, 2);
        spans.skip(&mut beside, 2, 2);
        assert_eq!((over.read[1], over.read[2], beside.read[1]), (CLOSED, 0, 0));
    }

    #[test]
    fn a_span_reaches_until_its_base_is_set_or_somebody_else_is_called() {
        let call = Footprint { called: true, ..Footprint::default() };
        let prints = [
            print(&[(15, 160, 8, true)], 0),
            print(&[(15, 200, 4, false), (3, 0, 8, false)], 1 << 3),
            print(&[(3, 8, 8, false)], 0),
            call,
            print(&[(15, 160, 8, false)], 0),
            print(&[(15, 160 + REACH, 8, false)], 0),
        ];
        let spans = Spans::of(&prints, prints.len(), &[], None, [].into_iter());
        let at = |index: usize, base, disp, len| {
            let access = Access { base, disp, len, store: false };
            spans.find(index, &access).map(|(n, span)| (n, span.from, span.to, span.loads, span.stores))
        };
        assert_eq!(at(0, 15, 160, 8), Some((0, 160, 204, 1, 1)));
        assert_eq!(at(1, 15, 200, 4), Some((0, 160, 204, 1, 1)));
        assert_eq!(at(1, 3, 0, 8), Some((1, 0, 8, 1, 0)));
        assert_eq!(at(2, 3, 8, 8), Some((2, 8, 16, 1, 0)));
        assert_eq!(at(4, 15, 160, 8), Some((3, 160, 168, 1, 0)));
        // Too far from the others.
        assert_eq!(at(5, 15, 160 + REACH, 8), Some((4, 160 + REACH, 168 + REACH, 1, 0)));
        // What the plan knows nothing of, and what sticks out.
        assert_eq!(at(2, 15, 160, 8), None);
        assert_eq!(at(1, 15, 200, 8), None);
        assert!(spans.calls && spans.fixed == !(1 << 3));
    }

    #[test]
    fn a_span_stays_open_around_a_loop_that_sets_its_base_where_all_ways_round_have_it() {
        let set = |r: u8| Footprint { written: 1 << r, ..Footprint::default() };
        let prints = [
            print(&[(1, 0, 8, false)], 1 << 4),
            print(&[(1, 2, 2, true)], 0),
            set(1),
            print(&[(1, 0, 2, false)], 0),
            print(&[(2, 0, 8, true)], 0),
            print(&[(1, 0, 2, true)], 1 << 2),
            print(&[(2, 0, 8, false)], 0),
            print(&[], 0),
        ];
        // The loop begins with the second.
        let around = |prints: &[Footprint], ways: &[usize]| {
            let round = Some(Round { first: 1, last: 6 });
            Spans::of(prints, prints.len(), &[], round, ways.iter().copied())
        };
        let spans = around(&prints, &[3, 6]);
        let (n, span) = spans.find(3, &Access { base: 1, disp: 0, len: 2, store: false }).expect("it has a span");
        assert_eq!((span.from, span.to, span.loads, span.stores), (0, 4, 1, 2));
        assert_eq!((spans.around[1], spans.around[2]), (n, CLOSED));
        let mut map = OpenSpans { read: [n; 16], write: [n; 16], ..OpenSpans::NONE };
        map.write[1] = CLOSED;
        spans.carry(&mut map);
        assert_eq!((map.read[1], map.write[1], map.read[2], map.read[3]), (n, CLOSED, CLOSED, n));
        // A way that comes back after the last access in the round need not have it open, until it is opened anew.
        let left = [1, 2, 3, 4, 5].map(|index| {
            let mut map = OpenSpans { read: [n; 16], ..OpenSpans::NONE };
            spans.leave_off(&mut map, index);
            map.read[1]
        });
        assert_eq!(left, [n, CLOSED, CLOSED, n, n]);
        // A way from before the base was set brings another span; and a handler may change what the TLB has.
        assert_eq!(around(&prints, &[1, 6]).around, [CLOSED; 16]);
        let call = Footprint { called: true, ..Footprint::default() };
        let called: Vec<_> = prints.into_iter().take(6).chain([call]).collect();
        assert_eq!(around(&called, &[3]).around, [CLOSED; 16]);
    }
}
