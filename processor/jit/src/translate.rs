//! One block from its plan to its code.

use crate::emit::assembler::Assembler;
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Cold, Draft, Way};
use crate::emit::relocations::Relocation;
use crate::plan::block::{Other, Plan, execute};
use crate::plan::natives::Native;
use isa::{Body, Ends, Fields};
use std::sync::OnceLock;

/// As much code as most blocks need.
const MOSTLY: usize = 4 << 10;

/// The body of a row for the emitter, as a function of another kind.
type Erased = Option<fn()>;

/// Those of all rows.
fn bodies() -> &'static [Erased] {
    static BODIES: OnceLock<Vec<Erased>> = OnceLock::new();
    BODIES.get_or_init(|| {
        let all = isa::bodies::<Emitter<'static>>().map(|(_, body)| {
            // SAFETY: a function pointer is kept as another and only used as what it was.
            Some(unsafe { std::mem::transmute::<Body<Emitter<'static>>, fn()>(body?) })
        });
        all.collect()
    })
}

/// What makes code: the assembler, and what is noted of the block being emitted.
pub(crate) struct Workshop {
    pub assembler: Assembler,
    pub sites: Vec<Draft>,
    pub links: Vec<Way>,
    pub relocations: Vec<Relocation>,
    /// The block's pages: its own, the one beside it if it has text of another, and those that it leads to.
    pub pages: Vec<Other>,
    cold: Vec<Cold>,
}

/// The code of a block, with nothing yet in its places ([`crate::emit::relocations`]).
pub(crate) struct Made {
    pub bytes: Vec<u8>,
    /// How far after its start the inner entry is.
    pub head: u64,
    /// How many arms come back.
    pub arms: u64,
}

impl Workshop {
    pub(crate) fn new() -> Workshop {
        let (sites, links, relocations, pages, cold) = Default::default();
        Workshop { assembler: Assembler::new(0), sites, links, relocations, pages, cold }
    }

    /// The code of a block. Instructions for which there are not enough registers are called after all, and if that is
    /// so in an arm, there are no arms.
    pub(crate) fn make(&mut self, plan: &mut Plan) -> Made {
        loop {
            match self.emit(plan) {
                Ok(made) => return made,
                Err(Some(index)) => plan.unfit |= 1 << index,
                Err(None) => plan.arms = Default::default(),
            }
            self.assembler = Assembler::new(0);
        }
    }

    /// The code as it is planned, or the number of an instruction of the block that needs more registers than there
    /// are, or none if it is an arm's.
    fn emit(&mut self, plan: &Plan) -> Result<Made, Option<usize>> {
        self.assembler.reserve_ops(MOSTLY);
        let Workshop { assembler, sites, links, relocations, pages, cold } = self;
        let mut e = Emitter::new(assembler, (sites, links, relocations), pages, cold, plan);
        e.prologue();
        let head = e.head_offset;
        copy(&mut e, 0).map_err(Some)?;
        if let Some(first) = e.second_copy() {
            e.lanes();
            e.stretch();
            copy(&mut e, first).map_err(Some)?;
        }
        while let Some(mut n) = e.next_arm() {
            while !e.comes_back(n) {
                one(&mut e, n).map_err(|_| None)?;
                match e.next_of_arm() {
                    Some(next) => n = next,
                    None => break,
                }
            }
        }
        let arms = e.came_back();
        e.epilogue();
        e.lane_constants();
        let bytes = self.assembler.take().expect("every label of a block is placed in it");
        Ok(Made { bytes, head, arms })
    }
}

/// The block's instructions from that number on, or the number of one that needs more registers than there are.
fn copy(e: &mut Emitter, first: usize) -> Result<(), usize> {
    for n in first..e.plan.count {
        one(e, n)?;
        if !e.goes_on() {
            break;
        }
    }
    e.finish();
    Ok(())
}

/// One instruction; its number, if it needs more registers than there are.
fn one(e: &mut Emitter, n: usize) -> Result<(), usize> {
    let (op, row) = (&e.plan.ops[n], e.plan.rows[n]);
    e.begin(n);
    // EXECUTE ends a decoded block, whatever it executes. Code that does the target inline goes on after it.
    let executes = row.and_then(execute);
    if n < e.plan.count && e.plan.unfit >> n & 1 == 1
        || executes.is_some_and(|relative| !e.execute(relative, &op.fields))
    {
        e.copy_now();
        e.call(row.is_none_or(|row| row.ends != Ends::No));
    } else if executes.is_some() {
        // That is done.
    } else if let Some(native) = e.plan.natives[n] {
        inline(e, native, &op.fields);
    } else {
        let body = row.and_then(|row| bodies()[row.number()]).expect("only instructions with a body are fit");
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

/// What is done inline in the body's stead.
fn inline(e: &mut Emitter, what: Native, i: &Fields) {
    match what {
        Native::LoadMultiple(width) => e.load_multiple(width, i),
        Native::StoreMultiple(width) => e.store_multiple(width, i),
        Native::Move => e.move_bytes(i),
        Native::Clear => e.clear_bytes(i),
        Native::Compare(width) => e.compare_bytes(width, i),
        Native::Many(what) => e.known_bytes(what, i),
        Native::Fill { period } => e.fill_bytes(period, i),
        Native::String(what) => e.strings(what, i),
        Native::AddInStorage { width, logical } => e.add_in_storage(width, logical, i),
        Native::InsertUnderMask(run) => e.insert_under_mask(run, i),
        Native::CompareUnderMask(run) => e.compare_under_mask(run, i),
        Native::StoreUnderMask(run) => e.store_under_mask(run, i),
        Native::CompareAndSwap(width) => e.compare_and_swap(width, i),
        Native::LeftmostOne => e.leftmost_one(i),
        Native::AddWithCarry { width, storage } => e.with_carry(width, true, storage, i),
        Native::SubtractWithBorrow { width, storage } => e.with_carry(width, false, storage, i),
        Native::MultiplyLogical { storage } => e.multiply_logical(storage, i),
        Native::MultiplySingle { width, storage } => e.multiply_single(width, storage, i),
        Native::DivideLogical { storage } => e.divide_logical(storage, i),
        Native::DivideSingle(width) => e.divide_single(width, i),
        Native::Vector(what) => e.vectors(what, i),
        Native::Float(what) => e.floating(what, i),
        Native::Control(what) => e.control(what, i),
    }
}
