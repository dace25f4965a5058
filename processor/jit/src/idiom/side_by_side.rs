//! Loops over long numbers that lie side by side: four rounds at once.
//!
//! A loop that does the same with number after number is recognized by [`Lanes::of`]. It has loads, arithmetic and
//! stores off registers which step by eight bytes, and a count. At the start of its second copy
//! ([`crate::emit::loop_carried`]) stands code that does rounds by fours, as long as everything is as usual. All arrays
//! go on in their pages. What is stored does not overlap what is fetched. The results are ordinary numbers, so that at
//! most "inexact" is signalled, and that had been before. How many fours that may be is reckoned once for a page of the
//! arrays. Of each four, or eight where there are registers for them, only the results are looked at. Anything else is
//! left to the copy itself, which does the next round alone. At least one round is left to it: so this code need not
//! know the condition code.
//!
//! Lanes do what the scalar instructions of [`crate::emit::floating`] do, each for itself. A round's last numbers are
//! in the registers when a group of four is done.

use crate::emit::assembler::{asm, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::float_flags::MODEST;
use crate::emit::notes::Constants;
use crate::emit::recipes::{Number, Recipe};
use crate::emit::scratch::*;
use crate::emit::slots::{self, slot, store_slot};
use crate::emit::words::*;
use crate::plan::lanes::{Lanes, Second, Step, Stream};
use crate::plan::spans::Span;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::form::Arithmetic as Op;
use isa::{Cc, Width::*};

/// Rounds at once.
const GROUP: i32 = 4;

fn each(mut set: u16) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let r = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (r < 16).then_some(r as u8)
    })
}

/// Host registers of rounds that are done together.
struct Hosts {
    /// Those of each floating-point register's lanes.
    place: [u8; 16],
    /// Others for those that each round sets, if there are as many: then two groups are done at once.
    second: Option<[u8; 16]>,
    /// That of the order of bytes.
    order: u8,
    /// For the host's address of what each base leads to.
    pointers: [u8; 16],
}

/// The left halves of the least normal number and of infinity.
const LEAST: u32 = 0x0010_0000;
const INFINITY: u32 = 0x7ff0_0000;

/// Two tests of a number, of two constants each. Twice the left half of its bits, which drops the sign, is added to the
/// first constant. The sum is greater than the second, as signed integers, if the number is infinite or a NaN. The
/// other test also finds numbers below the least normal one, or so little above that the left half does not tell.
const ORDINARY: [u32; 4] =
    [SIGN_BIT, (2 * (INFINITY - 1)) ^ SIGN_BIT, SIGN_BIT - 2 * (LEAST + 1), (2 * (INFINITY - LEAST - 2)) ^ SIGN_BIT];
const SIGN_BIT: u32 = 1 << 31;

/// The MXCSR when all that has been signalled is "inexact".
const INEXACT: i32 = 0x1fa0;

impl Emitter<'_> {
    /// Emits the rounds by fours at the start of the second copy of a loop, if it is such a loop and its registers are
    /// where they must be.
    pub(crate) fn lanes(&mut self) {
        let plan = self.plan;
        let there = plan.beside.is_none() || self.map.crossed;
        let Some(lanes) = plan.lanes.as_ref().filter(|_| there && is_x86_feature_detected!("avx2")) else { return };
        let Some(spans) = self.lanes_fit(lanes) else { return };
        let Some(Hosts { place, second, order, pointers }) = self.lane_hosts(lanes, &spans) else { return };
        let map = self.map;
        let host = |r: u8| map.host[r as usize];
        let [chunk, group, settle, failed, failed_alone, done, alone] = [0; 7].map(|_| self.a.new_dynamic_label());
        self.modest_or(lanes, order, alone);
        for r in each(lanes.given) {
            asm!(self, vbroadcastsd Ry(place[r as usize]), Rx(map.floats.host[r as usize]));
        }
        asm!(self, =>chunk);
        self.count_fours(lanes, &spans, &pointers, done);
        self.keep_apart(lanes, &pointers, 8 * GROUP * if second.is_some() { 2 } else { 1 }, done);
        asm!(self, shl rax, 5 ; je =>done ; xor edx, edx);
        if let Some(second) = second {
            let [pair, single] = [0; 2].map(|_| self.a.new_dynamic_label());
            asm!(self, =>pair ; lea rcx, [rdx + 2 * 8 * GROUP] ; cmp rcx, rax ; ja =>single);
            self.lane_steps(lanes, &[place, second], &pointers, order, failed);
            self.lane_results(lanes, &second);
            asm!(self, mov rdx, rcx ; jmp =>pair ; =>single ; cmp rdx, rax ; je =>settle);
        }
        asm!(self, =>group);
        self.lane_steps(lanes, &[place], &pointers, order, if second.is_some() { failed_alone } else { failed });
        self.lane_results(lanes, &place);
        asm!(self, add rdx, BYTE 8 * GROUP as i8 ; cmp rdx, rax ; jb =>group ; =>settle);
        for r in each(lanes.made) {
            let x = map.floats.host[r as usize];
            asm!(self, vextractf128 Rx(x), Ry(x), 1 ; vunpckhpd Rx(x), Rx(x), Rx(x));
        }
        for r in each(lanes.bases) {
            asm!(self, add Rq(host(r)), rdx);
        }
        asm!(self, mov ecx, edx ; shr ecx, 3);
        let count = host(lanes.count);
        if lanes.long_count {
            asm!(self, sub Rq(count), rcx)
        } else {
            asm!(self, sub Rd(count), ecx)
        }
        // What the results that were not ordinary have signalled is signalled again where they belong.
        asm!(self, imul ecx, ecx, lanes.length as i32 ; sub r15, rcx ; cmp rdx, rax ; je =>chunk ; jmp =>done
            ; =>failed ; mov DWORD [rbp + scratch(SAVED)], INEXACT ; ldmxcsr [rbp + scratch(SAVED)]);
        if second.is_some() {
            // One of the first four or of the second.
            asm!(self, jmp =>group ; =>failed_alone ; mov DWORD [rbp + scratch(SAVED)], INEXACT
                ; ldmxcsr [rbp + scratch(SAVED)]);
        }
        asm!(self, test edx, edx ; jne =>settle ; =>done ; vzeroupper ; =>alone);
    }

    /// Host registers for all of it, if there are enough that hold nothing.
    fn lane_hosts(&self, lanes: &Lanes, spans: &[(u8, Span)]) -> Option<Hosts> {
        let held = self.map.floats.held().fold(0u16, |all, (_, x, ..)| all | 1 << x);
        let mut free = (3..16u8).filter(|&x| held >> x & 1 == 0);
        let mut place = [NONE; 16];
        for r in each(lanes.made | lanes.given) {
            place[r as usize] = free.next()?;
        }
        let order = free.next()?;
        let mut second = place;
        let twice = each(lanes.made).all(|r| free.next().map(|x| second[r as usize] = x).is_some());
        let mut pointers = [NONE; 16];
        let mut unused = POOL.into_iter().filter(|&h| self.owner(h) == Owner::Free);
        for &(r, _) in spans {
            pointers[r as usize] = unused.next()?;
        }
        Some(Hosts { place, second: twice.then_some(second), order, pointers })
    }

    /// Goes on if there are four rounds, and all that has been signalled is "inexact"; else to `alone`. Reading the
    /// flags takes long, and is done once as long as no operation may signal more.
    fn modest_or(&mut self, lanes: &Lanes, order: u8, alone: DynamicLabel) {
        let count = self.map.host[lanes.count as usize];
        let ready = self.a.new_dynamic_label();
        let constants = Constants([0; 5].map(|_| self.a.new_dynamic_label()));
        self.constants = Some(constants);
        if lanes.long_count {
            asm!(self, cmp Rq(count), GROUP)
        } else {
            asm!(self, cmp Rd(count), GROUP)
        }
        asm!(self, jbe =>alone ; cmp BYTE [rbp + MODEST], 1 ; je =>ready
            ; stmxcsr [rbp + scratch(SAVED)] ; mov eax, [rbp + scratch(SAVED)] ; and eax, 0x3c ; cmp eax, BYTE 0x20
            ; jne =>alone
            ; mov BYTE [rbp + MODEST], 1 ; =>ready ; vmovups Ry(order), [=>constants.0[0]]);
    }

    /// rax becomes as many fours as the count has, but for a round, as the budget allows at least, and as are in all
    /// pages. The pointers become the host's addresses of what the bases lead to.
    fn count_fours(&mut self, lanes: &Lanes, spans: &[(u8, Span)], pointers: &[u8; 16], done: DynamicLabel) {
        let host = self.map.host;
        let host = |r: u8| host[r as usize];
        let count = host(lanes.count);
        if lanes.long_count {
            asm!(self, lea rax, [BYTE Rq(count) - 1] ; shr rax, 2)
        } else {
            asm!(self, lea eax, [BYTE Rq(count) - 1] ; shr eax, 2)
        }
        let bits = (GROUP as u32 * lanes.length).next_power_of_two().trailing_zeros() as i8;
        asm!(self, mov rcx, r15 ; shr rcx, bits ; cmp rcx, rax ; cmovb rax, rcx);
        for (r, span) in spans {
            let most = 4095 - (span.len() - 1 + 8 * (GROUP - 1));
            let p = pointers[*r as usize];
            asm!(self, mov ecx, most ; sub rcx, Rq(host(*r)) ; sub rcx, span.start() ; add rcx, [rsp + slots::page(*r)]
                ; cmp rcx, most ; ja =>done ; add ecx, 8 * GROUP ; shr ecx, 5 ; cmp rcx, rax ; cmovb rax, rcx
                ; mov Rq(p), [rsp + slot(*r)] ; test Rq(p), Rq(p) ; je =>done ; add Rq(p), Rq(host(*r)));
            if lanes.stores().any(|(_, stream)| stream.base == *r) {
                asm!(self, cmp QWORD [rsp + store_slot(*r)], 0 ; je =>done);
            }
        }
    }

    /// Goes to `done` if so many bytes that are stored overlap what is fetched. All step alike, so how far they are
    /// apart stays as it is.
    fn keep_apart(&mut self, lanes: &Lanes, pointers: &[u8; 16], bytes: i32, done: DynamicLabel) {
        let pointer = |stream: Stream| pointers[stream.base as usize];
        for (_, to) in lanes.stores() {
            for from in lanes.streams().filter(|from| from.base != to.base) {
                let by = to.at - from.at;
                asm!(self, lea rcx, [Rq(pointer(to)) + by] ; sub rcx, Rq(pointer(from))
                    ; add rcx, bytes - 1 ; cmp rcx, 2 * (bytes - 1) ; jbe =>done);
            }
        }
    }

    /// One or two groups of four rounds, up to the stores; `place` says where their lanes are. `failed`: a result is to
    /// be looked at.
    fn lane_steps(&mut self, lanes: &Lanes, place: &[[u8; 16]], pointers: &[u8; 16], order: u8, failed: DynamicLabel) {
        let mut checked = false;
        for step in &lanes.steps {
            for (n, place) in place.iter().enumerate() {
                let y = |r: u8| place[r as usize];
                let at = |stream: Stream| (stream.at + 8 * GROUP * n as i32, pointers[stream.base as usize]);
                match *step {
                    Step::Load(r, stream) => self.lane_load(y(r), at(stream), order),
                    Step::Copy(r, from) => asm!(self, vmovaps Ry(y(r)), Ry(y(from))),
                    Step::Store(..) => {}
                    Step::Arithmetic { op, to, second, third } => {
                        let b = match second {
                            Second::Register(r) => y(r),
                            Second::Stream(stream) => {
                                self.lane_load(1, at(stream), order);
                                1
                            }
                        };
                        let (to, third) = (y(to), if y(third) == NONE { 1 } else { y(third) });
                        match op {
                            Op::Add => asm!(self, vaddpd Ry(to), Ry(to), Ry(b)),
                            Op::Subtract => asm!(self, vsubpd Ry(to), Ry(to), Ry(b)),
                            Op::Multiply => asm!(self, vmulpd Ry(to), Ry(to), Ry(b)),
                            Op::Divide => asm!(self, vdivpd Ry(to), Ry(to), Ry(b)),
                            Op::MultiplyAdd => self.fused(0xb8, to, b, third),
                            Op::MultiplySubtract => self.fused(0xba, to, b, third),
                            Op::SquareRoot => unreachable!("that is not taken"),
                        }
                    }
                }
            }
            let Step::Arithmetic { op, to, .. } = *step else { continue };
            let (first, last) = (place[0][to as usize], place[place.len() - 1][to as usize]);
            let Constants([_, constants @ ..]) = self.constants.expect("they are needed");
            // Only these may be tiny and not as the host has it.
            let [bias, most] = if matches!(op, Op::Add | Op::Subtract) { [0, 1] } else { [2, 3] };
            let into = if checked { 2 } else { 0 };
            // The left halves of all results.
            asm!(self, vshufps ymm2, Ry(first), Ry(last), 0xddu8 as i8 ; vpaddd ymm2, ymm2, ymm2
                ; vpaddd ymm2, ymm2, [=>constants[bias]] ; vpcmpgtd Ry(into), ymm2, [=>constants[most]]);
            if checked {
                asm!(self, vorps ymm0, ymm0, ymm2)
            }
            checked = true;
        }
        if checked {
            asm!(self, vtestps ymm0, ymm0 ; jne =>failed);
        }
        for (n, place) in place.iter().enumerate() {
            for (r, stream) in lanes.stores() {
                let (at, p) = (stream.at + 8 * GROUP * n as i32, pointers[stream.base as usize]);
                asm!(self, vpshufb ymm2, Ry(place[r as usize]), Ry(order) ; vmovups [Rq(p) + rdx + at], ymm2);
            }
        }
    }

    /// What the rounds have made so far is kept where its last is looked for.
    fn lane_results(&mut self, lanes: &Lanes, place: &[u8; 16]) {
        for r in each(lanes.made) {
            asm!(self, vmovaps Ry(self.map.floats.host[r as usize]), Ry(place[r as usize]));
        }
    }

    /// The spans of the bases, if everything is where it must be.
    fn lanes_fit(&self, lanes: &Lanes) -> Option<Vec<(u8, Span)>> {
        let map = &self.map;
        let whole = |r: u8| map.host[r as usize] != NONE && (map.dirty & map.full) >> r & 1 == 1;
        let short = |r: u8| map.host[r as usize] != NONE && map.dirty >> r & 1 == 1 && map.full >> r & 1 == 0;
        let counted = if lanes.long_count { whole(lanes.count) } else { short(lanes.count) };
        let floats = &map.floats;
        let long = |r: u8| floats.host[r as usize] != NONE && floats.long >> r & 1 == 1;
        let made = each(lanes.made).all(|r| long(r) && floats.dirty >> r & 1 == 1);
        // The condition code is known to all rounds, or that of a register that steps.
        let code = match self.cc {
            Recipe::Stored | Recipe::Named(Cc::Set(_)) => true,
            Recipe::Float { long: true, number: Number::Register(r) } => lanes.made >> r & 1 == 1,
            Recipe::Named(Cc::Add { width: W64, b: Operand::Const(_), sum: Operand::Host(h), .. }) => {
                each(lanes.bases).any(|r| map.host[r as usize] == h)
            }
            _ => false,
        };
        let clear = each(lanes.bases | 1 << lanes.count).all(|r| map.clear & map.full & 1 << r == 0);
        let first = self.plan.round.map_or(0, |round| round.first);
        let there = each(lanes.bases).all(|r| !self.plan.spans.strides(r, 0, first));
        let fit = there && counted && clear && made && each(lanes.given).all(long) && code && floats.checked;
        if !fit || !each(lanes.bases).all(whole) {
            return None;
        }
        let span = |r: u8| {
            let spans = &self.plan.spans;
            let reaches = |n: u8, stream: Stream| spans.reaches(n, stream.base, stream.at, 8);
            let read = lanes.streams().filter(|s| s.base == r).all(|s| reaches(map.spans.read[r as usize], s));
            let write =
                lanes.stores().filter(|(_, s)| s.base == r).all(|(_, s)| reaches(map.spans.write[r as usize], s));
            (read && write).then(|| spans.get(map.spans.read[r as usize]).map(|span| (r, span))).flatten()
        };
        each(lanes.bases).map(span).collect()
    }

    /// VFMADD231PD or VFMSUB231PD, by the last byte of their operation code: the assembler would make them of short
    /// numbers.
    fn fused(&mut self, code: u8, to: u8, b: u8, c: u8) {
        let plain = |r: u8| u8::from(r < 8);
        let second = plain(to) << 7 | 1 << 6 | plain(c) << 5 | 2;
        let third = 1 << 7 | (!b & 15) << 3 | 1 << 2 | 1;
        asm!(self, .u8 0xc4 ; .u8 second ; .u8 third ; .u8 code ; .u8 0xc0 | (to & 7) << 3 | (c & 7));
    }

    /// Four numbers, at an offset of rdx from a pointer.
    fn lane_load(&mut self, y: u8, (at, pointer): (i32, u8), order: u8) {
        asm!(self, vmovups Ry(y), [Rq(pointer) + rdx + at] ; vpshufb Ry(y), Ry(y), Ry(order));
    }

    /// What [`Emitter::lanes`] needs.
    pub(crate) fn lane_constants(&mut self) {
        let Some(Constants([order, ordinary @ ..])) = self.constants.take() else { return };
        const ORDER: [u64; 2] = [0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f];
        let doubled = ORDINARY.map(|v| [u64::from(v) << 32 | u64::from(v); 2]);
        let values = ordinary.into_iter().zip(doubled).chain([(order, ORDER)]);
        for (label, halves) in values {
            asm!(self, =>label);
            for v in [halves[0], halves[1], halves[0], halves[1]] {
                asm!(self, .u64 v);
            }
        }
    }
}
