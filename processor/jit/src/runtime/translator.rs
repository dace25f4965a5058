//! The code cache of one virtual CPU: entry and exit, sites and calls, links between blocks.

use crate::emit::assembler::{Assembler, BIAS, asm, field, near, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Cold, Draft, FAULT, LOOK, LOOKUP, OUT, Way};
use crate::emit::float_flags;
use crate::emit::recipes::settle_code;
use crate::emit::scratch::*;
use crate::emit::shared_probes;
use crate::emit::slots::{self, PAGES, SLOTS, Slots};
use crate::emit::words::*;
use crate::idiom::field_loops;
use crate::idiom::fields;
use crate::idiom::strings;
use crate::plan::arms::Arms;
use crate::plan::block::{Other, Plan};
use crate::plan::copies::Copies;
use crate::plan::footprints::{Ahead, Footprint, Round, footprint, goes_back, step as step_of};
use crate::plan::lanes::{Described, Lanes};
use crate::plan::natives::{Native, When, native};
use crate::plan::scout::Scout;
use crate::plan::spans::Spans;
use crate::plan::stretches::Stretch;
use crate::plan::table_accesses::Tables;
use crate::runtime::branch_targets::Targets;
use crate::runtime::known_blocks::{Known, at_lookup, look_up};
use crate::runtime::memory::CodeMemory;
use crate::runtime::room::{self, Room};
use crate::runtime::side_exits::{Firm, Site, Sites};
use crate::{Beside, Exit, Link, Path, Statistics};
use arch::Absolute;
use cpu::{Architecture, State, layout};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::{Body, Ends, Form, Instruction, Op};
use std::collections::HashMap;
use std::io;
use std::sync::OnceLock;

/// Instructions that code executes between two checks of the attention bits: the budget is handed out in portions. An
/// instruction that enables interruptions has them checked when its block ends, at the latest.
const PORTION: i64 = 4096;
/// More than a block can need, and as much as most need.
const MAX_CODE: usize = 256 << 10;
const MOSTLY: usize = 4 << 10;

/// The bodies of a row, for the scout and for the emitter.
type Bodies = Option<(Body<Scout>, fn())>;

/// Those of all rows.
fn bodies() -> &'static [Bodies] {
    static BODIES: OnceLock<Vec<Bodies>> = OnceLock::new();
    BODIES.get_or_init(|| {
        let scouts = isa::bodies::<Scout>();
        let emitters = isa::bodies::<Emitter<'static>>();
        let both = scouts.zip(emitters).map(|((_, scout), (_, emitter))| {
            // SAFETY: a function pointer is kept as another and only used as what it was.
            let erased = unsafe { std::mem::transmute::<Body<Emitter<'static>>, fn()>(emitter?) };
            Some((scout?, erased))
        });
        both.collect()
    })
}

/// What the host's processor lacks, if it lacks anything that translated code counts on.
fn lacking(movbe: bool, bmi2: bool) -> Option<&'static str> {
    match (movbe, bmi2) {
        (true, true) => None,
        (false, true) => Some("the host's processor lacks MOVBE"),
        (true, false) => Some("the host's processor lacks BMI2"),
        (false, false) => Some("the host's processor lacks MOVBE and BMI2"),
    }
}

/// Code that is not executed any more, for there is other: its inner entry, and the version of its text.
struct Retired {
    inner: u64,
    version: u32,
}

/// Hot blocks of one virtual CPU as host code.
pub struct Translator {
    memory: CodeMemory,
    /// Bytes of `memory` that are stubs.
    stubs: usize,
    enter: u64,
    leave: u64,
    at_site: u64,
    at_float_site: u64,
    at_call: u64,
    settle: [u64; 2],
    at_lookup: u64,
    routines: [u64; 3],
    string_routines: [u64; 2],
    alone: [u64; 2],
    move_field: u64,
    floats_ready: u64,
    refill: u64,
    assembler: Assembler,
    sites: Sites,
    links: Vec<Way>,
    /// Those of the block being emitted.
    new_sites: Vec<Draft>,
    new_links: Vec<Way>,
    cold: Vec<Cold>,
    targets: Targets,
    known: Known,
    /// Blocks that were left too often as firm ones, and so are loose: their addresses and modes, and the code that
    /// each had before.
    loose: HashMap<(u64, u64), Retired>,
    /// The last block that became loose, and its code before, until the engine takes it.
    loosened: Option<(Absolute, u64)>,
    /// How often it has been emptied.
    era: u64,
    /// An operation code that is translated as another, to test the comparison of the engines.
    mistake: Option<(u8, u8)>,
    /// How much code may be kept, and how many instructions it has been made of since it was emptied.
    room: Room,
    kept: u64,
    /// What has been done since this was last taken.
    pub statistics: Statistics,
}

/// What decides how a program's text is translated beside the text: the addressing mode, whether fixed-point overflow
/// interrupts, and whether all floating-point registers may be used.
fn mode(s: &State) -> u64 {
    let bits = match s.address_mask {
        u64::MAX => 2,
        0x7fff_ffff => 1,
        _ => 0,
    };
    (s.afp_enabled() as u64) << 3 | bits << 1 | (s.program_mask >> 3 & 1) as u64
}

fn key(s: &State) -> u64 {
    s.fetch_space() << 4 | mode(s)
}

/// Does a site's instruction by its handler. `false`: the engine must look, and the answer says at what.
fn perform_site(s: &mut State, sites: &Sites, site: &Site) -> bool {
    perform(s, sites.op(site), site.refund, site.leave)
}

/// The same for an instruction after which `refund` instructions are not executed if the block is left. With `leaves`
/// the block is left anyway.
pub fn perform(s: &mut State, op: &Op, refund: i8, leaves: bool) -> bool {
    let mode_before = mode(s);
    if float_flags::owes_flags(s) {
        float_flags::take_flags(s);
    }
    let next = s.ia.wrapping_add(op.fields.next as u64) & s.address_mask;
    s.next_ia = next;
    s.block_stale = false;
    (op.run)(s, &op.fields, &[]);
    if s.failed.is_some() {
        s.budget += refund as i64;
        s.scratch[ANSWER] = FAULT as u64;
        s.scratch[SPILL] = (op.fields.next as u32 as u64) << 8 | op.fields.len as u64;
        return false;
    }
    // After an instruction that ends a block, the next is found by space and mode, whatever has become of them.
    // SUPERVISOR CALL and LOAD PSW are of that kind. The engine must know at once only if blocks are stale.
    let stays = if leaves {
        s.scratch[MOVED] |= s.fetch_stale as u64;
        s.fetch_stale = s.blocks_stale;
        !s.blocks_stale
    } else {
        !s.block_stale && !s.fetch_stale && s.next_ia == next && mode(s) == mode_before
    };
    // It may have let in what is pending.
    if !stays || s.local != 0 || s.attention() & s.open != 0 {
        s.budget += refund as i64;
        s.ia = s.next_ia;
        s.scratch[ANSWER] = LOOK as u64;
        return false;
    }
    s.scratch[KEY] = key(s);
    true
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
    look_up(s, true)
}

/// How many instructions have been executed, in generated code.
pub fn executed(s: &State) -> u64 {
    s.scratch[WHEN].wrapping_sub(s.scratch[RESERVE].wrapping_add_signed(s.budget))
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

/// Whether this is EXECUTE, and whether it is EXECUTE RELATIVE LONG.
fn execute(row: &Instruction) -> Option<bool> {
    match row.shape.form {
        Form::Execute { relative } => Some(relative),
        _ => None,
    }
}

struct Stub<'a> {
    a: &'a mut Assembler,
}

impl Translator {
    /// An empty cache, or why there can be none on this host.
    pub fn new() -> io::Result<Translator> {
        if let Some(why) = lacking(is_x86_feature_detected!("movbe"), is_x86_feature_detected!("bmi2")) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        let memory = CodeMemory::reserve(room::MOST)?;
        let mut t = Translator {
            sites: Sites::new(memory.next()),
            known: Known::new(),
            room: Room::new(memory.len()),
            memory,
            kept: 0,
            stubs: 0,
            enter: 0,
            leave: 0,
            at_site: 0,
            at_float_site: 0,
            at_call: 0,
            settle: [0; 2],
            at_lookup: 0,
            routines: [0; 3],
            string_routines: [0; 2],
            alone: [0; 2],
            move_field: 0,
            floats_ready: 0,
            refill: 0,
            assembler: Assembler::new(0),
            links: Vec::new(),
            new_sites: Vec::new(),
            new_links: Vec::new(),
            cold: Vec::new(),
            targets: Targets::new(),
            loose: HashMap::new(),
            loosened: None,
            era: 0,
            mistake: None,
            statistics: Statistics::default(),
        };
        t.make_stubs();
        Ok(t)
    }

    fn make_stubs(&mut self) {
        let budget = field(layout::BUDGET);
        let spill = |h: u8| scratch(SPILL + h as usize);
        let (lasting, lasting_store) = (slots::slot(slots::LASTING), slots::store_slot(slots::LASTING));
        let e = Stub { a: &mut self.assembler };
        // enter(state, code)
        asm!(e, push rbx ; push rbp ; push r12 ; push r13 ; push r14 ; push r15 ; sub rsp, 8 + SLOTS + PAGES
            ; lea rbp, [rdi + BIAS as i32] ; mov r15, [rbp + budget]
            ; mov QWORD [rsp + lasting], 0 ; mov QWORD [rsp + lasting_store], 0 ; jmp rsi);
        let leave = e.a.offset().0;
        asm!(e, mov [rbp + budget], r15
            ; out: ; add rsp, 8 + SLOTS + PAGES ; pop r15 ; pop r14 ; pop r13 ; pop r12 ; pop rbp ; pop rbx ; ret);
        let site = [false, true].map(|floats| {
            let site = e.a.offset().0;
            for h in POOL {
                asm!(e, mov[rbp + spill(h)], Rq(h));
            }
            if floats {
                float_flags::spill(e.a, true);
            }
            asm!(e, mov [rbp + budget], r15 ; lea rdi, [rbp - BIAS as i32] ; mov esi, eax ; mov rdx, rsp
                ; mov rax, QWORD at_site as *const () as i64 ; call rax);
            if floats {
                float_flags::spill(e.a, false);
            }
            for h in POOL {
                asm!(e, mov Rq(h), [rbp + spill(h)]);
            }
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
        // ecx becomes the condition code; everything else stays.
        let settle = [false, true].map(|floats| {
            let at = e.a.offset().0;
            for h in POOL {
                asm!(e, mov[rbp + spill(h)], Rq(h));
            }
            if floats {
                float_flags::spill(e.a, true);
            }
            asm!(e, lea rdi, [rbp - BIAS as i32] ; sub rsp, 8 ; mov rax, QWORD at_code as *const () as i64 ; call rax
                ; add rsp, 8 ; mov ecx, eax);
            if floats {
                float_flags::spill(e.a, false);
            }
            for h in POOL {
                asm!(e, mov Rq(h), [rbp + spill(h)]);
            }
            asm!(e, ret);
            at
        });
        let lookup = e.a.offset().0;
        asm!(e, mov [rbp + budget], r15 ; lea rdi, [rbp - BIAS as i32]
            ; mov rax, QWORD at_lookup as *const () as i64 ; call rax ; test rax, rax ; jz >left
            ; mov r15, [rbp + budget] ; mov QWORD [rsp + lasting], 0 ; mov QWORD [rsp + lasting_store], 0 ; jmp rax
            ; left: ; mov rax, [rbp + scratch(ANSWER)] ; jmp <out);
        // Brings the next portion of the budget, if there is one and no attention bit that is open is on. "Equal":
        // there is none. rax and rcx change.
        let refill = e.a.offset().0;
        asm!(e, mov rax, [rbp + scratch(RESERVE)] ; test rax, rax ; jle >none
            ; mov rcx, [rbp + field(layout::ATTENTION)] ; mov ecx, [rcx] ; test ecx, [BYTE rbp + near(layout::OPEN)] ; jne >none
            ; mov ecx, PORTION as i32 ; cmp rax, rcx ; cmova rax, rcx ; sub [rbp + scratch(RESERVE)], rax ; add r15, rax ; test rax, rax ; ret
            ; none: ; xor eax, eax ; ret);
        let alone = shared_probes::emit(&mut self.assembler);
        let floats_ready = float_flags::emit(&mut self.assembler);
        let routines = fields::emit(&mut self.assembler);
        let string_routines = strings::emit(&mut self.assembler);
        let move_field = field_loops::emit(&mut self.assembler);
        let code = self.assembler.take().expect("the stubs' labels are all there");
        let at = self.memory.put(&code);
        self.enter = at;
        (self.leave, self.at_call, self.at_lookup) = (at + leave as u64, at + call as u64, at + lookup as u64);
        [self.at_site, self.at_float_site] = site.map(|site| at + site as u64);
        self.routines = [routines.moves, routines.clear, routines.compare].map(|routine| at + routine as u64);
        self.string_routines = [string_routines.find, string_routines.compare].map(|routine| at + routine as u64);
        self.floats_ready = at + floats_ready as u64;
        self.refill = at + refill as u64;
        self.move_field = at + move_field as u64;
        self.alone = alone.map(|routine| at + routine as u64);
        self.settle = settle.map(|routine| at + routine as u64);
        self.stubs = self.memory.used();
    }

    /// From now on, instructions with the first byte `code` are translated as if it were `other`. For tests only: a
    /// comparison of the engines must find the difference.
    pub fn mistake(&mut self, code: u8, other: u8) {
        self.mistake = Some((code, other));
    }

    /// Leaves instructions that stand across the end of a page to the engine where `which` says so.
    pub fn refuse(&mut self, which: fn(&Instruction) -> bool) {
        self.known.refuse(which);
    }

    /// Limits the code that is kept, so that it is used up soon.
    pub fn confine(&mut self, bytes: usize) {
        self.room = Room::confined(bytes);
    }

    /// Whether there is room for another block; if not, [`Translator::grow`], or [`Translator::clear`] and forget all
    /// code.
    pub fn has_room(&self) -> bool {
        self.memory.left() > MAX_CODE && self.memory.used() - self.stubs < self.room.bytes()
    }

    /// Makes room beside the code that there is, if more than half of it is worth keeping: blocks of `useful`
    /// instructions have it still. `false`: there is no more room to be had, or it would mostly keep what is useless.
    pub fn grow(&mut self, useful: u64) -> bool {
        let grows = useful * 2 > self.kept && self.memory.left() > MAX_CODE && self.room.double();
        self.statistics.grown += u64::from(grows);
        grows
    }

    /// Code has filled more than the first room.
    pub fn has_grown(&self) -> bool {
        self.room.has_grown()
    }

    /// Forgets all code.
    pub fn clear(&mut self) {
        self.memory.truncate(self.stubs);
        self.sites.clear();
        self.links.clear();
        self.targets.clear();
        self.known.clear();
        self.loose.clear();
        self.loosened = None;
        self.room.shrink();
        self.kept = 0;
        self.era += 1;
        self.statistics.emptied += 1;
    }

    /// The mode that code would be translated for now: code is good only in the mode it was translated for.
    pub fn mode(s: &State) -> u8 {
        mode(s) as u8
    }

    /// Translates the block at `absolute`, all of it in one page and the one `beside` it. Where an instruction does not
    /// follow the one before it in storage, that one branches to it. Returns where the code is entered from outside,
    /// and from its own page.
    pub fn translate(
        &mut self,
        s: &State,
        (absolute, version): (Absolute, u32),
        beside: Option<Beside>,
        path: Path,
    ) -> (u64, u64) {
        let began = std::time::Instant::now();
        let Path { ops, texts, rows, count, first, arms } = path;
        let mistaken;
        let rows = match self.mistake {
            Some(mistake) => {
                mistaken = Self::mistaken(s, texts, mistake);
                &mistaken
            }
            None => rows,
        };
        let version_at =
            |a: Absolute| std::ptr::from_ref(s.storage().code(a)) as u64 + storage::Code::VERSION_AT as u64;
        let mut plan = Plan {
            spans: Spans::default(),
            tables: Tables::default(),
            copies: Copies::default(),
            ahead: Ahead::default(),
            lanes: None,
            stretch: None,
            round: None,
            storage: s.storage(),
            architecture: s.architecture(),
            facilities: &s.shared().facilities,
            ops,
            count,
            arms: Arms::default(),
            absolute,
            origin: self.memory.next(),
            start: self.memory.start(),
            first_site: self.sites.len(),
            first_link: self.links.len(),
            mask: s.address_mask,
            alone: s.shared().signals.len() == 1,
            version_at: version_at(absolute),
            version,
            unwanted: 0,
            beside: beside.map(|Beside { at, frame, version }| Other {
                at,
                number: (frame.0 / arch::PAGE) as u32,
                host: s.storage().frame(frame).expect("there is text in it") as u64,
                version_at: version_at(frame),
                version,
            }),
            float_ready: float_flags::ready(s.fpc),
            loose: self.loose.contains_key(&(absolute.0, mode(s))),
        };
        // What is done inline although its body is a routine.
        let overflow = s.program_mask & 8 != 0;
        let modern = s.architecture() != Architecture::S370;
        let when = When { wide: s.address_mask == u64::MAX, float: s.afp_enabled(), overflow, modern };
        let natives: Vec<Option<Native>> =
            ops.iter().zip(rows).map(|(op, row)| row.and_then(|row| native(row, &op.fields, when))).collect();
        // A bit for each instruction that must be called.
        let mut unfit = 0u64;
        let mut footprints = Vec::with_capacity(ops.len());
        let bodies = bodies();
        for (n, (op, row)) in ops.iter().zip(rows).enumerate() {
            let mut scout = Scout::new(s.address_mask, overflow);
            match row.and_then(|row| bodies[row.number()]) {
                Some((look, _)) => {
                    let Ok(()) = look(&mut scout, &op.fields);
                }
                None => scout.unfit = true,
            }
            let otherwise = natives[n].is_some() || row.and_then(execute).is_some();
            let called = scout.unfit && !otherwise;
            if n < count {
                unfit |= (called as u64) << n;
            }
            // Nothing may be let in, or executed from elsewhere, in an arm.
            let odd = matches!(natives[n], Some(Native::Control(_))) || row.and_then(execute).is_some();
            let called = called || odd && n >= count;
            // Where text of another page begins the block may be left.
            let sets = scout.only_sets_code() && !otherwise && row.is_some_and(|row| row.ends == Ends::No);
            if (1..count).contains(&n) && sets && plan.beside.is_none() {
                plan.unwanted |= 1 << (n - 1);
            }
            footprints.push(match natives[n] {
                Some(native) => Footprint { called, ..footprint(native, &op.fields) },
                None => {
                    let step = row.filter(|_| !called && plan.mask == u64::MAX);
                    let step = step.and_then(|row| step_of(row, &op.fields));
                    Footprint {
                        accesses: scout.accesses,
                        read: scout.read,
                        written: scout.written,
                        step,
                        called,
                        ..Footprint::default()
                    }
                }
            });
        }
        plan.round = Round::of(&ops[..count], first);
        let described = |n: usize| -> Described {
            (rows[n].map_or(Form::Own, |row| row.shape.form), &ops[n].fields, natives[n], footprints[n].step)
        };
        if let Some(Round { first, last }) = plan.round {
            let described: Vec<_> = (first..=last).map(described).collect();
            plan.lanes = Lanes::of(&described, ops[first].fields.at());
            // A stretch is all of its block, and no handler is called in it.
            plan.stretch = Stretch::of(&described).filter(|_| described.len() == count && unfit == 0);
        }
        // Loops that are done many rounds at a time have no arms, and their accesses check whether spans are open.
        if plan.lanes.is_some() || plan.stretch.is_some() {
            plan.loose = true;
        } else {
            plan.arms = Arms::of(arms, ops, count, &footprints, plan.round);
        }
        plan.tables = Tables::of(ops, plan.arms.list(), rows, &mut footprints, &s.gr);
        let start = plan.round.map(|round| ops[round.first].fields.at());
        let ways_round = (first..ops.len()).filter(|&n| start.is_some_and(|start| goes_back(&ops[n], start)));
        plan.spans = Spans::of(&footprints, count, plan.arms.list(), plan.round, ways_round);
        plan.copies = Copies::of(ops, count, plan.arms.list(), rows, &natives);
        plan.ahead = Ahead::of(&footprints, count, plan.arms.list(), plan.round);
        let (bytes, head, back) = loop {
            match self.emit(&plan, rows, &natives, unfit) {
                Ok(done) => break done,
                Err(index) => {
                    match index {
                        Some(index) => unfit |= 1 << index,
                        None => plan.arms = Arms::default(),
                    }
                    self.assembler = Assembler::new(0);
                }
            }
        };
        let at = self.memory.put(&bytes);
        self.kept += count as u64;
        self.statistics.blocks += 1;
        self.statistics.instructions += ops.len() as u64;
        self.statistics.calls += unfit.count_ones() as u64;
        self.statistics.arms += back;
        self.statistics.bytes += bytes.len() as u64;
        self.statistics.time += began.elapsed().as_nanos() as u64;
        // Links that lead to the code before lead here: ten million times in gcc.
        if let Some(before) = self.loose.get(&(absolute.0, mode(s))).filter(|before| before.version == version) {
            self.memory.jump(before.inner, at + head);
        }
        if !plan.loose {
            self.sites.begin_firm((absolute, version), mode(s), at, head);
        }
        self.sites.keep(&self.new_sites, ops, (!plan.loose).then_some(&plan.spans));
        self.links.append(&mut self.new_links);
        self.known.note(absolute, mode(s), at);
        (at, at + head)
    }

    /// The rows of these instructions, with the first byte `code` read as `other`.
    fn mistaken(s: &State, texts: &[[u8; 6]], (code, other): (u8, u8)) -> Vec<Option<&'static Instruction>> {
        let first = |byte: u8| if byte == code { other } else { byte };
        let texts = texts.iter().map(|&[byte, rest @ ..]| {
            let mut text = [first(byte); 6];
            text[1..].copy_from_slice(&rest);
            text
        });
        texts.map(|text| isa::decode(text, s.architecture(), &s.shared().facilities)).collect()
    }

    /// The code, how far after its start the inner entry is, and how many arms come back. Otherwise the number of an
    /// instruction of the block that needs more registers than there are, or none if it is an arm's.
    fn emit(
        &mut self,
        plan: &Plan,
        rows: &[Option<&'static Instruction>],
        natives: &[Option<Native>],
        unfit: u64,
    ) -> Result<(Vec<u8>, u64, u64), Option<usize>> {
        self.assembler.reserve_ops(MOSTLY);
        let mut e = Emitter::new(&mut self.assembler, &mut self.new_sites, &mut self.new_links, &mut self.cold, plan);
        e.prologue();
        let head = e.head_offset;
        Self::copy(&mut e, rows, natives, unfit, 0).map_err(Some)?;
        if let Some(first) = e.second_copy() {
            Self::copy(&mut e, rows, natives, unfit, first).map_err(Some)?;
        }
        while let Some(mut n) = e.next_arm() {
            while !e.comes_back(n) {
                Self::one(&mut e, rows, natives, unfit, n).map_err(|_| None)?;
                match e.next_of_arm() {
                    Some(next) => n = next,
                    None => break,
                }
            }
        }
        let back = e.came_back();
        e.epilogue();
        let code = self.assembler.take().expect("every label of a block is placed in it");
        Ok((code, head, back))
    }

    /// The block's instructions from that number on, or the number of one that needs more registers than there are.
    fn copy(
        e: &mut Emitter,
        rows: &[Option<&'static Instruction>],
        natives: &[Option<Native>],
        unfit: u64,
        first: usize,
    ) -> Result<(), usize> {
        for n in first..e.plan.count {
            Self::one(e, rows, natives, unfit, n)?;
            if !e.goes_on() {
                break;
            }
        }
        e.finish();
        Ok(())
    }

    /// One instruction; its number, if it needs more registers than there are.
    fn one(
        e: &mut Emitter,
        rows: &[Option<&'static Instruction>],
        natives: &[Option<Native>],
        unfit: u64,
        n: usize,
    ) -> Result<(), usize> {
        let (op, row) = (&e.plan.ops[n], rows[n]);
        e.begin(n);
        // EXECUTE ends a decoded block, whatever it executes. Code that does the target inline goes on after it.
        let executes = row.and_then(execute);
        if n < e.plan.count && unfit >> n & 1 == 1 || executes.is_some_and(|relative| !e.execute(relative, &op.fields))
        {
            e.copy_now();
            e.call(row.is_none_or(|row| row.ends != Ends::No));
        } else if executes.is_some() {
            // That is done.
        } else if let Some(native) = natives[n] {
            e.native(native, &op.fields);
        } else {
            let body = row.and_then(|row| bodies()[row.number()]);
            let (_, body) = body.expect("only instructions with a body are fit");
            // SAFETY: that is what it was; a lifetime makes no other function of it.
            let body = unsafe { std::mem::transmute::<fn(), Body<Emitter>>(body) };
            let Ok(()) = body(e, &op.fields);
        }
        if e.failed {
            return Err(n);
        }
        e.end();
        Ok(())
    }

    /// From now on, the exit `link` is a jump to `code`, the inner entry of the block at `absolute`. The link must have
    /// been made for the same version of the same frame.
    pub fn connect(&mut self, link: Link, absolute: Absolute, version: u32, code: u64) {
        if link.era != self.era {
            return;
        }
        let exit = &self.links[link.number as usize];
        if (exit.frame as u64, exit.version) == (absolute.0 / arch::PAGE, version) {
            let at = self.memory.start() + exit.patch as u64;
            self.memory.patch(at, (code as i64 - (at as i64 + 4)) as i32);
        }
    }

    /// Sees to it that a block that is left too often is not executed any more.
    fn loosen(&mut self) {
        let Some(&Firm { absolute, version, mode, code, head, .. }) = self.sites.take_unsteady() else { return };
        let inner = code + head;
        self.loose.insert((absolute.0, mode), Retired { inner, version });
        self.known.forget(absolute, mode, code);
        self.memory.jump(inner, self.at_lookup);
        self.loosened = Some((absolute, code));
    }

    /// A block that has to be translated again, and the code that it had.
    pub fn take_loosened(&mut self) -> Option<(Absolute, u64)> {
        self.loosened.take()
    }

    /// Notes that the block at `s.ia`, translated just now, begins with `code`, its outer entry.
    pub fn remember(&mut self, s: &State, code: u64) {
        let ia = s.ia;
        self.targets.remember(ia, key(s), code, s.forgotten(ia), s.instructions);
    }

    /// Runs the code of the block at `s.ia`, and the code that it leads to, until the engine is needed.
    pub fn enter(&mut self, s: &mut State, code: u64) -> Exit {
        s.scratch[LEAVE] = self.leave;
        s.scratch[AT_SITE] = self.at_site;
        s.scratch[AT_FLOAT_SITE] = self.at_float_site;
        s.scratch[AT_CALL] = self.at_call;
        s.scratch[AT_LOOKUP] = self.at_lookup;
        s.scratch[KNOWN] = std::ptr::from_ref(&self.known) as u64;
        s.scratch[FOUND..=CALLED].fill(0);
        s.scratch[MOVE_BYTES..MOVE_BYTES + 3].copy_from_slice(&self.routines);
        s.scratch[FIND_BYTE..FIND_BYTE + 2].copy_from_slice(&self.string_routines);
        s.scratch[FETCH_ALONE..FETCH_ALONE + 2].copy_from_slice(&self.alone);
        s.scratch[MOVE_FIELD] = self.move_field;
        float_flags::prepare(s, self.floats_ready);
        s.scratch[SETTLE_CODE..SETTLE_CODE + 2].copy_from_slice(&self.settle);
        s.scratch[REMEMBERED] = std::ptr::from_mut(&mut self.targets) as u64;
        [s.scratch[TARGETS], s.scratch[TARGET_MASK]] = self.targets.table();
        s.scratch[SITES] = std::ptr::from_ref(&self.sites) as u64;
        s.scratch[KEY] = key(s);
        s.scratch[MOVED] = 0;
        s.scratch[ROWS] = s.forgotten_rows();
        s.scratch[REFILL] = self.refill;
        let budget = s.budget;
        s.budget = budget.min(PORTION);
        s.scratch[RESERVE] = (budget - s.budget) as u64;
        s.scratch[WHEN] = s.instructions.wrapping_add_signed(budget);
        // SAFETY: the stub is a function of this type, and `code` is an entry of a block in our memory.
        let answer = unsafe {
            let enter: extern "sysv64" fn(*mut State, u64) -> u64 = std::mem::transmute(self.enter);
            enter(s, code)
        };
        s.budget = s.budget.wrapping_add_unsigned(s.scratch[RESERVE]);
        if float_flags::owes_flags(s) {
            float_flags::take_flags(s);
        }
        settle_code(s);
        s.instructions = s.instructions.wrapping_add((budget - s.budget) as u64);
        s.fetch_stale |= s.scratch[MOVED] != 0;
        self.statistics.entries += 1;
        self.statistics.found += s.scratch[FOUND];
        self.statistics.sites += s.scratch[REACHED];
        self.statistics.called += s.scratch[CALLED];
        self.statistics.executed += (budget - s.budget) as u64;
        self.loosen();
        match answer as u32 {
            LOOKUP => {
                self.statistics.lookups += 1;
                Exit::Lookup
            }
            OUT | LOOK => {
                self.statistics.looks += 1;
                Exit::Look
            }
            FAULT => {
                self.statistics.faults += 1;
                let what = s.scratch[SPILL];
                Exit::Fault { next: (what >> 8) as i32, len: what as u8 }
            }
            link => {
                self.statistics.links += 1;
                Exit::Link(Link { number: link, era: self.era })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_without_an_instruction_is_named() {
        assert_eq!(lacking(true, true), None);
        assert_eq!(lacking(false, true), Some("the host's processor lacks MOVBE"));
        assert_eq!(lacking(true, false), Some("the host's processor lacks BMI2"));
        assert_eq!(lacking(false, false), Some("the host's processor lacks MOVBE and BMI2"));
    }
}
