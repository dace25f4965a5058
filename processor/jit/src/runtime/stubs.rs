//! Code that every cache begins with: the way in and out, the ways to our functions, and the routines that blocks call.

use crate::emit::across_pages;
use crate::emit::assembler::{Assembler, BIAS, asm, field, near, scratch};
use crate::emit::cross_links;
use crate::emit::exits::LOOK;
use crate::emit::float_flags;
use crate::emit::latest_targets;
use crate::emit::recipes::settle_code;
use crate::emit::return_stack;
use crate::emit::scratch::*;
use crate::emit::shared_probes;
use crate::emit::slots::{self, PAGES, SLOTS, Slots};
use crate::emit::vectors;
use crate::emit::words::POOL;
use crate::idiom::{field_loops, fields, strings};
use crate::runtime::known_blocks::{at_lookup, look_up};
use crate::runtime::memory::CodeMemory;
use crate::runtime::perform::{executed, perform};
use crate::runtime::side_exits::{Site, Sites};
use cpu::{State, layout};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use std::sync::OnceLock;

/// Instructions that code executes between two checks of the attention bits: the budget is handed out in portions. An
/// instruction that enables interruptions has them checked when its block ends, at the latest.
pub(crate) const PORTION: i64 = 4096;
/// Does a site's instruction by its handler. `false`: the engine must look, and the answer says at what.
fn perform_site(s: &mut State, sites: &Sites, site: &Site) -> bool {
    perform(s, sites.op(site), site.refund, site.leave)
}

/// A site was reached: the instruction again on the exact state. Answers where to go on, or 0 to leave.
extern "sysv64" fn at_site(s: *mut State, id: u64, slots: *mut Slots) -> u64 {
    // SAFETY: generated code passes the state it was entered with, which nothing else uses meanwhile, and its slots.
    // `enter` has put the address of the sites there, which nothing changes before it returns.
    let (s, sites, slots) = unsafe { (&mut *s, &*((*s).scratch[SITES] as *const Sites), &mut *slots) };
    let site = sites.get(id as u32);
    s.scratch[REACHED] += 1;
    let floated = float_flags::owes_flags(s);
    sites.store(site, s);
    if !perform_site(s, sites, site) {
        return 0;
    }
    // The instruction may have changed what the TLB has.
    slots::close(slots);
    if !site.leave
        && let Some(code) = sites.resume(site, s, slots)
    {
        // Code after a site does not check the floating-point-control register again; code after a call does.
        if floated {
            float_flags::give_flags(s);
        }
        return code;
    }
    s.budget += site.refund as i64;
    s.ia = s.next_ia;
    if !site.leave && sites.left(id as u32, executed(s)) {
        s.scratch[ANSWER] = LOOK as u64;
        return 0;
    }
    // A block begins there, once that address has been wanted often enough.
    look_up(s, true, 0)
}

/// The condition code, which is wanted.
extern "sysv64" fn at_code(s: *mut State) -> u64 {
    // SAFETY: as above.
    let s = unsafe { &mut *s };
    settle_code(s);
    s.cc.into()
}

/// An instruction that is always done by its handler; the state is exact. Answers 1 to go on.
extern "sysv64" fn at_call(s: *mut State, id: u64) -> u64 {
    // SAFETY: as above.
    let (s, sites) = unsafe { (&mut *s, &*((*s).scratch[SITES] as *const Sites)) };
    settle_code(s);
    s.scratch[CALLED] += 1;
    perform_site(s, sites, sites.get(id as u32)) as u64
}

/// Where each of them begins.
#[derive(Clone, Copy)]
pub(crate) struct Stubs {
    /// A function: it runs the code at an address for a state, and answers why that was left.
    pub enter: u64,
    /// Where code goes when a block is wanted.
    pub at_lookup: u64,
    leave: u64,
    at_site: u64,
    at_float_site: u64,
    at_call: u64,
    settle: [u64; 2],
    routines: [u64; 3],
    string_routines: [u64; 2],
    alone: [u64; 2],
    fetch_across: [u64; 2],
    find_across: [u64; 2],
    store_across: [u64; 2],
    store_bytes: u64,
    move_field: u64,
    floats_ready: u64,
    refill: u64,
    return_stack: [u64; 2],
    lookup_for: u64,
    elsewhere: u64,
    at_cross: u64,
}

struct Stub<'a> {
    a: &'a mut Assembler,
}

impl Stub<'_> {
    /// Stores the host's registers where sites look for them, or loads them from there.
    fn spill(&mut self, floats: bool, store: bool) {
        let spill = |h: u8| scratch(SPILL + h as usize);
        if floats && !store {
            float_flags::spill(self.a, store);
        }
        for h in POOL {
            if store { asm!(self, mov[rbp + spill(h)], Rq(h)) } else { asm!(self, mov Rq(h), [rbp + spill(h)]) }
        }
        if floats && store {
            float_flags::spill(self.a, store);
        }
    }

    /// ecx becomes the condition code; everything else stays.
    fn settle(&mut self, floats: bool) -> usize {
        let at = self.a.offset().0;
        self.spill(floats, true);
        asm!(self, lea rdi, [rbp - BIAS as i32] ; sub rsp, 8 ; mov rax, QWORD at_code as *const () as i64 ; call rax
            ; add rsp, 8 ; mov ecx, eax);
        self.spill(floats, false);
        asm!(self, ret);
        at
    }
}

impl Stubs {
    /// Puts them into `memory`, which is empty. They are the same in each cache, and so emitted once.
    pub(crate) fn put(memory: &mut CodeMemory) -> Stubs {
        static ALL: OnceLock<(Vec<u8>, Stubs)> = OnceLock::new();
        let (code, stubs) = ALL.get_or_init(|| Stubs::emit(&mut Assembler::new(0)));
        stubs.moved(memory.put(code))
    }

    /// The same, so much further on.
    fn moved(&self, by: u64) -> Stubs {
        let to = |at: u64| at + by;
        Stubs {
            enter: to(self.enter),
            at_lookup: to(self.at_lookup),
            leave: to(self.leave),
            at_site: to(self.at_site),
            at_float_site: to(self.at_float_site),
            at_call: to(self.at_call),
            settle: self.settle.map(to),
            routines: self.routines.map(to),
            string_routines: self.string_routines.map(to),
            alone: self.alone.map(to),
            fetch_across: self.fetch_across.map(to),
            find_across: self.find_across.map(to),
            store_across: self.store_across.map(to),
            store_bytes: to(self.store_bytes),
            move_field: to(self.move_field),
            floats_ready: to(self.floats_ready),
            refill: to(self.refill),
            return_stack: self.return_stack.map(to),
            lookup_for: to(self.lookup_for),
            elsewhere: to(self.elsewhere),
            at_cross: to(self.at_cross),
        }
    }

    /// Their code, and where each begins from its start.
    fn emit(a: &mut Assembler) -> (Vec<u8>, Stubs) {
        let budget = field(layout::BUDGET);
        let (lasting, lasting_store) = (slots::slot(slots::LASTING), slots::store_slot(slots::LASTING));
        let mut e = Stub { a };
        // enter(state, code)
        asm!(e, push rbx ; push rbp ; push r12 ; push r13 ; push r14 ; push r15 ; sub rsp, 8 + SLOTS + PAGES
            ; lea rbp, [rdi + BIAS as i32] ; mov r15, [rbp + budget]
            ; mov QWORD [rsp + lasting], 0 ; mov QWORD [rsp + lasting_store], 0 ; jmp rsi);
        let leave = e.a.offset().0;
        asm!(e, mov [rbp + budget], r15
            ; out: ; add rsp, 8 + SLOTS + PAGES ; pop r15 ; pop r14 ; pop r13 ; pop r12 ; pop rbp ; pop rbx ; ret);
        let site = [false, true].map(|floats| {
            let site = e.a.offset().0;
            e.spill(floats, true);
            asm!(e, mov [rbp + budget], r15 ; lea rdi, [rbp - BIAS as i32] ; mov esi, eax ; mov rdx, rsp
                ; mov rax, QWORD at_site as *const () as i64 ; call rax);
            e.spill(floats, false);
            asm!(e, mov r15, [rbp + budget] ; test rax, rax ; jz >left
                ; mov rcx, [rbp + scratch(DISTANCE)] ; jmp rax ; left: ; mov rax, [rbp + scratch(ANSWER)] ; jmp <out);
            site
        });
        let call = e.a.offset().0;
        asm!(e, mov [rbp + budget], r15 ; lea rdi, [rbp - BIAS as i32] ; mov esi, eax ; sub rsp, 8
            ; mov rax, QWORD at_call as *const () as i64 ; call rax ; add rsp, 8
            ; mov r15, [rbp + budget] ; test rax, rax ; jz >left
            ; mov QWORD [rsp + lasting + 8], 0 ; mov QWORD [rsp + lasting_store + 8], 0 ; ret
            ; left: ; add rsp, 8 ; mov rax, [rbp + scratch(ANSWER)] ; jmp <out);
        let settle = [false, true].map(|floats| e.settle(floats));
        let lookup = e.a.offset().0;
        asm!(e, xor esi, esi);
        let lookup_for = e.a.offset().0;
        asm!(e, mov [rbp + budget], r15 ; lea rdi, [rbp - BIAS as i32]
            ; mov rax, QWORD at_lookup as *const () as i64 ; call rax ; test rax, rax ; jz >left
            ; mov r15, [rbp + budget] ; mov QWORD [rsp + lasting], 0 ; mov QWORD [rsp + lasting_store], 0 ; jmp rax
            ; left: ; mov rax, [rbp + scratch(ANSWER)] ; jmp <out);
        // Brings the next portion of the budget, if there is one and no attention bit that is open is on. "Equal":
        // there is none. rax and rcx change.
        let refill = e.a.offset().0;
        asm!(e, mov rax, [rbp + scratch(RESERVE)] ; test rax, rax ; jle >none
            ; mov rcx, [rbp + field(layout::ATTENTION)] ; mov ecx, [rcx] ; test ecx, [BYTE rbp + near(layout::OPEN)]
            ; jne >none
            ; mov ecx, PORTION as i32 ; cmp rax, rcx ; cmova rax, rcx ; sub [rbp + scratch(RESERVE)], rax
            ; add r15, rax ; test rax, rax ; ret
            ; none: ; xor eax, eax ; ret);
        let alone = shared_probes::emit(a);
        let across = across_pages::emit(a);
        let store_bytes = vectors::emit(a);
        let floats_ready = float_flags::emit(a);
        let routines = fields::emit(a);
        let string_routines = strings::emit(a);
        let move_field = field_loops::emit(a);
        let return_stack = return_stack::emit(a);
        let at_cross = cross_links::emit(a);
        let elsewhere = latest_targets::emit(a);
        let code = a.take().expect("the stubs' labels are all there");
        let place = |routine: usize| routine as u64;
        let [at_site, at_float_site] = site.map(place);
        let stubs = Stubs {
            enter: 0,
            leave: place(leave),
            at_site,
            at_float_site,
            at_call: place(call),
            settle: settle.map(place),
            at_lookup: place(lookup),
            routines: [routines.moves, routines.clear, routines.compare].map(place),
            string_routines: [string_routines.find, string_routines.compare].map(place),
            alone: alone.map(place),
            fetch_across: across.fetch.map(place),
            find_across: across.find.map(place),
            store_across: across.store.map(place),
            store_bytes: place(store_bytes),
            move_field: place(move_field),
            floats_ready: place(floats_ready),
            refill: place(refill),
            return_stack: return_stack.map(place),
            lookup_for: place(lookup_for),
            elsewhere: place(elsewhere),
            at_cross: place(at_cross),
        };
        (code, stubs)
    }

    /// Tells the code that is going to be entered where they are.
    pub(crate) fn tell(&self, s: &mut State) {
        s.scratch[LEAVE] = self.leave;
        s.scratch[AT_SITE] = self.at_site;
        s.scratch[AT_FLOAT_SITE] = self.at_float_site;
        s.scratch[AT_CALL] = self.at_call;
        s.scratch[AT_LOOKUP] = self.at_lookup;
        s.scratch[MOVE_BYTES..MOVE_BYTES + 3].copy_from_slice(&self.routines);
        s.scratch[FIND_BYTE..FIND_BYTE + 2].copy_from_slice(&self.string_routines);
        s.scratch[FETCH_ALONE..FETCH_ALONE + 2].copy_from_slice(&self.alone);
        s.scratch[STORE_BYTES] = self.store_bytes;
        s.scratch[FETCH_ACROSS..FETCH_ACROSS + 2].copy_from_slice(&self.fetch_across);
        s.scratch[FIND_ACROSS..FIND_ACROSS + 2].copy_from_slice(&self.find_across);
        s.scratch[STORE_ACROSS..STORE_ACROSS + 2].copy_from_slice(&self.store_across);
        s.scratch[MOVE_FIELD] = self.move_field;
        s.scratch[SETTLE_CODE..SETTLE_CODE + 2].copy_from_slice(&self.settle);
        s.scratch[REFILL] = self.refill;
        s.scratch[PUSH_RETURN..PUSH_RETURN + 2].copy_from_slice(&self.return_stack);
        s.scratch[AT_CROSS] = self.at_cross;
        s.scratch[ELSEWHERE] = self.elsewhere;
        s.scratch[AT_LOOKUP_FOR] = self.lookup_for;
        float_flags::prepare(s, self.floats_ready);
        vectors::prepare(s);
    }
}
