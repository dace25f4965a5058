//! One pass from bodies to x86-64 code.
//!
//! Nothing is kept about an instruction once it is emitted. A `Word` says where a value is, `Map` where the guest's
//! registers are. A host register is never changed in place: a new value gets a new register. So words, the recipe of
//! the condition code and the maps of sites stay true. [`crate::emit::copies`] and [`crate::emit::floating`] describe
//! the exceptions. Every side exit costs a thunk and a [`Draft`], which has the map at that point. From the map the
//! exact state is rebuilt, and the interpreter's handler does the instruction again.

use crate::emit::assembler::{Assembler, asm, gr, near, scratch};
use crate::emit::exits::{Alone, Cold, Draft, Way};
use crate::emit::map::Map;
use crate::emit::notes::{BranchedOff, Carried, Constants, Place, Waiting};
use crate::emit::recipes::Recipe;
use crate::emit::relocations::{LATER_HALF, Relocation, Value};
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::block::{Other, Plan};
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, dynasm};
use isa::{Width, Width::*};

pub(crate) struct Emitter<'e> {
    pub a: &'e mut Assembler,
    pub sites: &'e mut Vec<Draft>,
    pub links: &'e mut Vec<Way>,
    pub relocations: &'e mut Vec<Relocation>,
    pub pages: &'e mut Vec<Other>,
    pub plan: &'e Plan<'e>,
    pub map: Map,
    owner: [Owner; 16],
    age: [u32; 16],
    /// Host registers used by the instruction being emitted.
    touched: u16,
    /// Those with floating-point numbers.
    pub floats_touched: u16,
    pub cc: Recipe,
    pub index: usize,
    /// Instructions that have been counted when the block's first would be this one's: those that are left are as many
    /// less its number.
    pub charged: i32,
    pub first_site: usize,
    /// The instruction has named a condition code.
    pub code_set: bool,
    /// For registers that have the address of text: how far after the start of the block that lies, where it is known.
    pub near: [Option<i64>; 16],
    /// The values of registers, where that is known.
    pub known: [Option<u64>; 16],
    pub cold: &'e mut Vec<Cold>,
    /// The first of this copy of the block.
    pub first_cold: usize,
    pub carried: Option<Carried>,
    /// Where arms may come back to the block.
    pub places: Vec<Place>,
    pub branched_off: BranchedOff,
    pub constants: Option<Constants>,
    pub head: DynamicLabel,
    /// Where in the code the inner entry is.
    pub head_offset: u64,
    pub over: DynamicLabel,
    /// The end of the block can be reached.
    pub open: bool,
    /// The block goes on where this instruction branches to.
    pub led: bool,
    /// Where the branch is that was taken last, if the state does not have it.
    pub broke: Option<i64>,
    /// The host's flags are those of a test of this register at this place in the code; all of them, or "zero" alone.
    pub tested: Option<(usize, u8, Width, bool)>,
    /// At this place in the code rcx has what the slot of this register has.
    pub distance: Option<(usize, u8)>,
    /// The access being emitted takes its distance from the slot of this register.
    pub shared: Option<u8>,
    /// A copy of a register that has not been made.
    pub waiting: Option<Waiting>,
    /// There were not enough registers for an instruction.
    pub failed: bool,
}

// ---- registers
impl<'e> Emitter<'e> {
    pub(crate) fn new(
        a: &'e mut Assembler,
        (sites, links, relocations): (&'e mut Vec<Draft>, &'e mut Vec<Way>, &'e mut Vec<Relocation>),
        pages: &'e mut Vec<Other>,
        cold: &'e mut Vec<Cold>,
        plan: &'e Plan<'e>,
    ) -> Emitter<'e> {
        let (head, over) = (a.new_dynamic_label(), a.new_dynamic_label());
        sites.clear();
        links.clear();
        relocations.clear();
        cold.clear();
        pages.clear();
        pages.extend(std::iter::once(plan.own()).chain(plan.beside));
        Emitter {
            a,
            sites,
            links,
            relocations,
            pages,
            plan,
            map: Map::EMPTY,
            owner: [Owner::Free; 16],
            age: [0; 16],
            touched: 0,
            floats_touched: 0,
            cc: Recipe::Stored,
            index: 0,
            charged: plan.count as i32,
            first_site: 0,
            code_set: false,
            near: [None; 16],
            known: [None; 16],
            cold,
            first_cold: 0,
            carried: None,
            places: Vec::new(),
            branched_off: BranchedOff::default(),
            constants: None,
            head,
            head_offset: 0,
            over,
            open: true,
            led: false,
            broke: None,
            tested: None,
            distance: None,
            shared: None,
            waiting: None,
            failed: false,
        }
    }

    /// What was emitted last has set the host's flags as a test of its result does: all of them, or "zero" alone.
    pub(crate) fn sets_flags(&mut self, h: u8, width: Width, all: bool) {
        self.tested = Some((self.a.offset().0, h, width, all));
    }

    /// The host's flags tell how this compares with zero, or whether it is zero.
    pub(crate) fn has_flags(&self, h: u8, width: Width, order: bool) -> bool {
        let here = self.a.offset().0;
        matches!(self.tested, Some((at, tested, with, all)) if (at, tested, with) == (here, h, width) && (all || !order))
    }

    pub(crate) fn owner(&self, h: u8) -> Owner {
        self.owner[h as usize]
    }

    /// An access with a TLB probe of its own is emitted after the block.
    pub(crate) fn alone_later(&mut self, alone: Alone) {
        self.cold.push(Cold::Alone(alone));
    }

    /// How far after the start of the code it goes on.
    pub(crate) fn here(&self) -> u32 {
        self.a.offset().0 as u32
    }

    /// What was emitted last ends with a place for this value.
    pub(crate) fn relocate(&mut self, value: Value) {
        self.relocations.push(Relocation::before(self.a.offset().0, value));
    }

    pub(crate) fn own(&mut self, h: u8, owner: Owner) {
        self.owner[h as usize] = owner;
        self.age[h as usize] += 1;
    }

    pub(crate) fn reg(&mut self, host: u8, left: Left) -> Word {
        self.touched |= 1 << host;
        Word::Reg { host, age: self.age[host as usize], left }
    }

    pub(crate) fn fresh(&mut self, host: u8, age: u32) -> u8 {
        debug_assert!(self.failed || self.age[host as usize] == age, "a word was used after its register had changed");
        self.touched |= 1 << host;
        host
    }

    /// A register for a value of this instruction.
    pub(crate) fn temp(&mut self) -> u8 {
        self.alloc(Owner::Temp)
    }

    fn alloc(&mut self, owner: Owner) -> u8 {
        let free = POOL.into_iter().find(|&h| self.owner[h as usize] == Owner::Free);
        let h = free.or_else(|| self.evict()).unwrap_or_else(|| {
            self.failed = true;
            POOL[0]
        });
        self.own(h, owner);
        self.touched |= 1 << h;
        h
    }

    /// Takes a register from a guest register that this instruction has not used (a spill, if it is dirty): from the
    /// one that is needed last. Of those not needed any more, it is one that need not be stored first.
    fn evict(&mut self) -> Option<u8> {
        let busy = self.touched | self.cc.hosts();
        let candidates = POOL.into_iter().filter_map(|h| match self.owner[h as usize] {
            Owner::Guest(r) if busy >> h & 1 == 0 => Some((h, r)),
            _ => None,
        });
        let (h, r) =
            candidates.max_by_key(|&(_, r)| (self.plan.ahead.distance(self.index, r), self.map.dirty >> r & 1 == 0))?;
        let map = self.map;
        self.write_back(&map, 1 << r);
        self.map.dirty &= !(1 << r);
        self.map.host[r as usize] = NONE;
        Some(h)
    }

    /// Stores the registers of `which` that are newer than the state. The host's flags stay.
    pub(crate) fn write_back(&mut self, m: &Map, which: u16) {
        for r in (0..16u8).filter(|r| (m.dirty & which) >> r & 1 == 1) {
            let h = m.host[r as usize];
            if m.full >> r & 1 == 1 {
                asm!(self, mov [BYTE rbp + gr(r)], Rq(h))
            } else {
                asm!(self, mov [BYTE rbp + gr(r)], Rd(h))
            }
        }
    }

    /// Stores these registers where they are newer than the state; they stay where they are.
    pub(crate) fn settle(&mut self, which: u16) {
        let map = self.map;
        self.write_back(&map, which);
        self.map.dirty &= !which;
    }

    /// The state has a newer value of `r` than its host register.
    pub(crate) fn forget(&mut self, r: u8) {
        let h = self.map.host[r as usize];
        if h != NONE {
            let coded = self.cc.hosts() >> h & 1 == 1;
            self.owner[h as usize] = if coded { Owner::Code } else { Owner::Temp };
        }
        self.map.host[r as usize] = NONE;
        self.map.dirty &= !(1 << r);
        (self.near[r as usize], self.known[r as usize]) = (None, None);
        self.close(r);
    }

    /// Nothing is known of what registers have.
    pub(crate) fn forget_values(&mut self) {
        (self.near, self.known) = ([None; 16], [None; 16]);
    }

    /// `r` has another value: nothing is known of what lies off it.
    fn close(&mut self, r: u8) {
        self.map.spans.close(r);
    }

    /// `r` is in `h` from now on.
    fn point(&mut self, r: u8, h: u8, full: bool, clear: bool) {
        (self.near[r as usize], self.known[r as usize]) = (None, None);
        let old = self.map.host[r as usize];
        if old != NONE && old != h {
            let coded = self.cc.hosts() >> old & 1 == 1;
            self.owner[old as usize] = if coded { Owner::Code } else { Owner::Temp };
        }
        self.owner[h as usize] = Owner::Guest(r);
        let (m, bit) = (&mut self.map, 1 << r);
        m.host[r as usize] = h;
        m.full = m.full & !bit | if full { bit } else { 0 };
        m.clear = m.clear & !bit | if clear { bit } else { 0 };
    }

    /// Which value the right half of a register has.
    fn right_half(&mut self, r: u8) -> Word {
        let bit = 1 << r;
        let h = match self.map.host[r as usize] {
            NONE => {
                let h = self.alloc(Owner::Guest(r));
                asm!(self, mov Rd(h), [BYTE rbp + gr(r)]);
                self.map.dirty &= !bit;
                self.point(r, h, false, true);
                h
            }
            h => h,
        };
        self.reg(h, if self.map.clear & bit != 0 { Left::Zero } else { Left::Garbage })
    }

    fn whole(&mut self, r: u8) -> Word {
        let bit = 1 << r;
        let old = self.map.host[r as usize];
        if old != NONE && self.map.full & bit != 0 {
            return self.reg(old, if self.map.clear & bit != 0 { Left::Zero } else { Left::Valid });
        }
        self.touched |= if old == NONE { 0 } else { 1 << old };
        let h = self.alloc(Owner::Temp);
        if old != NONE && self.map.dirty & bit != 0 {
            asm!(self, mov Rd(h), [BYTE rbp + gr(r) + 4] ; shl Rq(h), 32);
            if self.map.clear & bit != 0 {
                asm!(self, or Rq(h), Rq(old))
            } else {
                asm!(self, mov eax, Rd(old) ; or Rq(h), rax)
            }
        } else {
            asm!(self, mov Rq(h), [BYTE rbp + gr(r)]);
            self.map.dirty &= !bit;
        }
        self.point(r, h, true, false);
        self.reg(h, Left::Valid)
    }

    pub(crate) fn general(&mut self, width: Width, r: u8) -> Word {
        if let Some(original) = self.original(width, r) {
            return original;
        }
        match width {
            W64 => self.whole(r),
            W32 => self.right_half(r),
            _ => {
                let h = self.map.host[r as usize];
                self.touched |= if h == NONE { 0 } else { 1 << h };
                let t = self.temp();
                match (width, h) {
                    (W8, NONE) => asm!(self, movzx Rd(t), BYTE [BYTE rbp + gr(r)]),
                    (W8, _) => asm!(self, movzx Rd(t), Rb(h)),
                    (_, NONE) => asm!(self, movzx Rd(t), WORD [BYTE rbp + gr(r)]),
                    _ => asm!(self, movzx Rd(t), Rw(h)),
                }
                self.reg(t, Left::Zero)
            }
        }
    }

    /// A host register that has this value in as many bits, and that no guest register is in.
    fn adopt(&mut self, v: Word, width: Width) -> (u8, Left) {
        if let Word::Reg { host, age, left } = v {
            let h = self.fresh(host, age);
            let mine = matches!(self.owner[h as usize], Owner::Temp | Owner::Code);
            if mine && (width != W64 || left != Left::Garbage) {
                return (h, left);
            }
            let t = self.temp();
            if width == W64 && left == Left::Valid {
                asm!(self, mov Rq(t), Rq(h));
                return (t, left);
            }
            asm!(self, mov Rd(t), Rd(h));
            return (t, Left::Zero);
        }
        if let Word::Const(c) = v {
            let t = self.temp();
            self.lea(t, Word::Const(if width == W64 { c } else { c & 0xffff_ffff }));
            return (t, if width == W64 { Left::Valid } else { Left::Zero });
        }
        let h = self.host(v, W64);
        (h, Left::Valid)
    }

    pub(crate) fn set_general(&mut self, width: Width, r: u8, v: Word) {
        self.overwrites(width, r);
        if self.put_off(width, r, v) {
            (self.near[r as usize], self.known[r as usize]) = (None, None);
            self.close(r);
        } else {
            self.put_general(width, r, v);
        }
    }

    /// The same, without delay.
    pub(crate) fn put_general(&mut self, width: Width, r: u8, v: Word) {
        let bit = 1 << r;
        // Programs make long constants of two halves.
        if let (W32, Word::Const(right), Some(known)) = (width, v, self.known[r as usize]) {
            let whole = known & !u64::from(u32::MAX) | right & u64::from(u32::MAX);
            return self.put_general(W64, r, Word::Const(whole));
        }
        if !self.plan.spans.steps(self.position(), r) {
            self.close(r);
        }
        match width {
            W64 => {
                let (h, left) = self.adopt(v, W64);
                self.point(r, h, true, left == Left::Zero);
                match v {
                    Word::Sum { base: None, index: None, disp, own: true } => self.near[r as usize] = Some(disp),
                    Word::Const(c) => self.known[r as usize] = Some(c),
                    _ => {}
                }
            }
            W32 => {
                let (h, left) = self.adopt(v, W32);
                let m = self.map;
                let full = m.host[r as usize] != NONE && m.full & bit != 0;
                if full && m.clear & bit != 0 {
                    // The left half stays zero.
                    let h = if left == Left::Zero {
                        h
                    } else {
                        let t = self.temp();
                        asm!(self, mov Rd(t), Rd(h));
                        t
                    };
                    self.point(r, h, true, true);
                } else {
                    // The left half must be in the state.
                    if full && m.dirty & bit != 0 {
                        self.write_back(&m, bit);
                    }
                    self.point(r, h, false, left == Left::Zero);
                }
            }
            _ => {
                if self.map.host[r as usize] == NONE {
                    self.right_half(r);
                }
                let old = self.map.host[r as usize];
                self.touched |= 1 << old;
                let (full, clear) = (self.map.full & bit != 0, self.map.clear & bit != 0);
                let v = self.operand(v, W32);
                let t = self.temp();
                asm!(self, mov Rq(t), Rq(old));
                match (width, v) {
                    (W8, Operand::Const(c)) => asm!(self, mov Rb(t), c as i8),
                    (W8, Operand::Host(h)) => asm!(self, mov Rb(t), Rb(h)),
                    (_, Operand::Const(c)) => asm!(self, mov Rw(t), c as i16),
                    (_, Operand::Host(h)) => asm!(self, mov Rw(t), Rw(h)),
                }
                self.point(r, t, full, clear);
            }
        }
        self.map.dirty |= bit;
    }

    /// Puts a value into a register. Sums and truths may change the host's flags.
    pub(crate) fn lea(&mut self, to: u8, w: Word) {
        match w {
            Word::Const(v) if v >> 32 == 0 => asm!(self, mov Rd(to), v as i32),
            Word::Const(v) => asm!(self, mov Rq(to), QWORD v as i64),
            Word::Reg { host, age, left } => {
                let h = self.fresh(host, age);
                if left == Left::Garbage {
                    asm!(self, mov Rd(to), Rd(h))
                } else if h != to {
                    asm!(self, mov Rq(to), Rq(h))
                }
            }
            Word::Sum { base, index, disp, own } => {
                let base = base.map(|(h, age)| self.fresh(h, age));
                let index = index.map(|(h, age)| self.fresh(h, age));
                let (a, b) = match (own, base, index) {
                    (true, b, None) => {
                        debug_assert_ne!(b, Some(to), "a base is not where its sum comes to");
                        asm!(self, mov Rq(to), [BYTE rbp + near(layout::IA)]);
                        (to, b.unwrap_or(NONE))
                    }
                    (true, ..) => unreachable!("nothing is indexed from the block"),
                    (false, Some(b), i) => (b, i.unwrap_or(NONE)),
                    (false, None, Some(i)) => (i, NONE),
                    (false, None, None) => return self.lea(to, Word::Const(disp as u64 & self.plan.mask)),
                };
                let near = i32::try_from(disp);
                match (near, b) {
                    (Ok(0), NONE) => asm!(self, mov Rq(to), Rq(a)),
                    (Ok(d), NONE) => self.lea_off(to, a, d),
                    (Ok(d), b) if d as i8 as i32 == d => asm!(self, lea Rq(to), [BYTE Rq(a) + Rq(b) + d as i8]),
                    (Ok(d), b) => asm!(self, lea Rq(to), [Rq(a) + Rq(b) + d]),
                    (Err(_), NONE) => asm!(self, mov rax, QWORD disp ; lea Rq(to), [rax + Rq(a)]),
                    (Err(_), b) => asm!(self, mov rax, QWORD disp ; add rax, Rq(b) ; lea Rq(to), [rax + Rq(a)]),
                }
                self.mask(to);
            }
            Word::Truth(truth) => match self.test(truth) {
                Ok(cond) => {
                    self.set_byte(cond);
                    asm!(self, movzx Rd(to), al)
                }
                Err(known) => asm!(self, mov Rd(to), known as i32),
            },
        }
    }

    /// `to` becomes the sum of a register and a constant, by LEA. The assembler has a SIB byte for each base register,
    /// but only rsp and r12 need one.
    pub(crate) fn lea_off(&mut self, to: u8, base: u8, disp: i32) {
        let short = i8::try_from(disp);
        let (rex, mode) = (0x48 | to >> 3 << 2 | base >> 3, if short.is_ok() { 0x40 } else { 0x80 });
        asm!(self, .u8 rex ; .u8 0x8d ; .u8 mode | (to & 7) << 3 | base & 7);
        if base & 7 == 4 {
            asm!(self, .u8 0x24);
        }
        match short {
            Ok(disp) => asm!(self, .i8 disp),
            Err(_) => asm!(self, .i32 disp),
        }
    }

    /// Takes the bits away that an address does not have.
    pub(crate) fn mask(&mut self, h: u8) {
        if self.plan.mask != u64::MAX {
            asm!(self, and Rd(h), self.plan.mask as i32)
        }
    }

    /// A register that holds the value in as many bits.
    pub(crate) fn host(&mut self, w: Word, width: Width) -> u8 {
        if let Word::Reg { host, age, left } = w
            && (width != W64 || left != Left::Garbage)
        {
            return self.fresh(host, age);
        }
        let t = self.temp();
        self.lea(t, w);
        t
    }

    pub(crate) fn operand(&mut self, w: Word, width: Width) -> Operand {
        match w {
            Word::Const(c) => Operand::Const(c & width.mask()),
            Word::Truth(Truth::Known(v)) => Operand::Const(v as u64),
            _ => Operand::Host(self.host(w, width)),
        }
    }

    /// Ends an instruction: what only it needed is free again.
    pub(crate) fn release(&mut self) {
        let coded = self.cc.hosts();
        for h in POOL {
            let owner = self.owner[h as usize];
            if owner == Owner::Temp || owner == Owner::Code && coded >> h & 1 == 0 {
                self.own(h, Owner::Free);
            }
        }
        self.touched = 0;
        self.floats_touched = 0;
    }

    /// Keeps what the condition code is now made of.
    pub(crate) fn hold_code(&mut self) {
        let coded = self.cc.hosts();
        for h in POOL.into_iter().filter(|h| coded >> h & 1 == 1) {
            if self.owner[h as usize] == Owner::Temp {
                self.owner[h as usize] = Owner::Code;
            }
        }
        self.code_set = true;
    }

    /// Everything into the state; afterwards no host register holds anything.
    pub(crate) fn flush(&mut self) {
        let (map, cc) = (self.map, self.cc);
        self.write_back(&map, !0);
        self.write_back_floats(&map.floats);
        // The handler that is called wants it.
        self.settle_code(&cc, &map.floats);
        self.cc = Recipe::Stored;
        self.map = Map::EMPTY;
        self.forget_values();
        for h in POOL {
            self.own(h, Owner::Free);
        }
    }
}

// ---- ways out
impl Emitter<'_> {
    /// A label to jump to when this instruction must be done by its handler.
    pub(crate) fn site(&mut self) -> DynamicLabel {
        let label = self.a.new_dynamic_label();
        self.cold.push(Cold::Site(label, self.sites.len()));
        self.push_site(self.map);
        label
    }

    fn push_site(&mut self, map: Map) {
        let (index, cc, refund) = (self.index, self.cc, self.refund());
        let (after, broke, position, distance) = (Map::EMPTY, self.broke, self.position(), None);
        let (resume, leave, quits) = (0, false, false);
        self.sites.push(Draft {
            index,
            position,
            refund,
            before: map,
            cc,
            broke,
            after,
            distance,
            resume,
            leave,
            quits,
        });
    }

    /// The one that was made last.
    pub(crate) fn last_site(&mut self) -> &mut Draft {
        self.sites.last_mut().expect("there is one")
    }

    /// The instruction is done by its handler; `ends`: where it goes on is known only then.
    pub(crate) fn call(&mut self, ends: bool) {
        self.flush();
        self.settle_break();
        let number = self.sites.len();
        self.push_site(Map::EMPTY);
        self.sites[number].leave = ends;
        asm!(self, mov eax, LATER_HALF);
        self.relocate(Value::Site(number as u32));
        asm!(self, call QWORD [rbp + scratch(AT_CALL)]);
        if ends {
            let refund = self.refund();
            if refund != 0 {
                asm!(self, lea r15, [BYTE r15 + refund as i8]);
            }
            asm!(self, mov rax, [BYTE rbp + near(layout::NEXT_IA)] ; mov [BYTE rbp + near(layout::IA)], rax);
            self.indirect();
            self.open = false;
        }
        // Its site is for the answer only.
        self.first_site = self.sites.len();
    }
}
