//! What is known of a block before it is emitted.

use crate::plan::arms::Arms;
use crate::plan::copies::Copies;
use crate::plan::float_forms;
use crate::plan::footprints::{Ahead, Footprint, Round, footprint, goes_back, step};
use crate::plan::lanes::{Described, Lanes};
use crate::plan::natives::{Native, When, native};
use crate::plan::passes::Pass;
use crate::plan::scout::Scout;
use crate::plan::spans::Spans;
use crate::plan::stretches::Stretch;
use crate::plan::table_accesses::Tables;
use arch::{Absolute, PAGE};
use cpu::{Architecture, Facilities, State};
use isa::{Body, Ends, Form, Instruction, Op};
use std::sync::OnceLock;
use translator::{Beside, Path};

/// A page that a block has text of, or leads to.
#[derive(Clone, Copy)]
pub(crate) struct Other {
    /// Where it begins, from the start of the block.
    pub at: i64,
    /// The number of its frame, and the version of that frame's code.
    pub number: u32,
    pub version: u32,
}

impl Other {
    /// Whether any of these bytes of text, counted from the start of the block, are in it.
    pub(crate) fn has(&self, from: i64, to: i64) -> bool {
        from < self.at + PAGE as i64 && to > self.at
    }

    /// The absolute address of its frame.
    pub(crate) fn absolute(&self) -> u64 {
        u64::from(self.number) * PAGE
    }
}

/// What is known of a block before it is emitted.
pub(crate) struct Plan<'e> {
    pub storage: &'e storage::Storage,
    /// What text in it means.
    pub architecture: Architecture,
    pub facilities: &'e Facilities,
    /// So many of these are the block's, which are emitted first; the rest are its arms'.
    pub ops: &'e [Op],
    /// The row of each, if it has a body, and what is done inline in its stead.
    pub rows: &'e [Option<&'static Instruction>],
    pub natives: Vec<Option<Native>>,
    /// A bit for each of the block's that is a call of its handler.
    pub unfit: u64,
    pub count: usize,
    pub arms: Arms,
    pub spans: Spans,
    pub tables: Tables,
    pub copies: Copies,
    pub ahead: Ahead,
    pub lanes: Option<Lanes>,
    pub stretch: Option<Stretch>,
    /// What the program goes round, if it does.
    pub round: Option<Round>,
    /// Where the block's text is.
    pub absolute: Absolute,
    /// The CPU, for what its TLB has of instructions.
    pub cpu: &'e State,
    /// Bits of an address in the addressing mode.
    pub mask: u64,
    /// No other CPU stores at the same time.
    pub alone: bool,
    /// The version of its frame's code.
    pub version: u32,
    /// Instructions after which the condition code is not wanted until the next has set it: a bit each.
    pub unwanted: u64,
    /// The page beside its own that the block goes on in.
    pub beside: Option<Other>,
    /// The host may do binary-floating-point arithmetic for the program that runs now, and so for most.
    pub float_ready: bool,
    /// Accesses look whether their span is open ([`crate::plan::spans`]).
    pub loose: bool,
}

/// Whether this is EXECUTE, and whether it is EXECUTE RELATIVE LONG.
pub(crate) fn execute(row: &Instruction) -> Option<bool> {
    match row.shape.form {
        Form::Execute { relative } => Some(relative),
        _ => None,
    }
}

/// The bodies of all rows, for the scout.
fn scouts() -> &'static [Option<Body<Scout>>] {
    static SCOUTS: OnceLock<Vec<Option<Body<Scout>>>> = OnceLock::new();
    SCOUTS.get_or_init(|| isa::bodies::<Scout>().map(|(_, body)| body).collect())
}

impl From<Beside> for Other {
    fn from(Beside { at, frame, version }: Beside) -> Other {
        Other { at, number: (frame.0 / PAGE) as u32, version }
    }
}

/// What a first look at the instructions of a block says.
struct Survey {
    natives: Vec<Option<Native>>,
    footprints: Vec<Footprint>,
    /// Bits of the instructions that must be called, and of those after which the condition code is not wanted.
    unfit: u64,
    unwanted: u64,
}

impl Survey {
    /// The instructions of a path. `rows` are those that they are taken for.
    fn of(s: &State, path: &Path, rows: &[Option<&'static Instruction>]) -> Survey {
        let (ops, count) = (path.ops, path.count);
        let overflow = s.program_mask & 8 != 0;
        let modern = s.architecture() != Architecture::S370;
        let wide = s.address_mask == u64::MAX;
        let when = When { wide, float: s.afp_enabled(), overflow, modern };
        let mut survey =
            Survey { natives: Vec::new(), footprints: Vec::with_capacity(ops.len()), unfit: 0, unwanted: 0 };
        for (n, (op, &row)) in ops.iter().zip(rows).enumerate() {
            // What is done inline although its body is a routine.
            let native = row.and_then(|row| native(row, &op.fields, when));
            let mut scout = Scout::new(s.address_mask, overflow);
            match row.and_then(|row| scouts()[row.number()]) {
                Some(look) => {
                    let Ok(()) = look(&mut scout, &op.fields);
                }
                None => scout.unfit = true,
            }
            let executes = row.and_then(execute).is_some();
            let otherwise = native.is_some() || executes;
            let called = scout.unfit && !otherwise;
            if n < count {
                survey.unfit |= (called as u64) << n;
            }
            // Nothing may be let in, or executed from elsewhere, in an arm.
            let odd = matches!(native, Some(Native::Control(_))) || executes;
            let called = called || odd && n >= count;
            let sets = scout.only_sets_code() && !otherwise && row.is_some_and(|row| row.ends == Ends::No);
            if (1..count).contains(&n) && sets {
                survey.unwanted |= 1 << (n - 1);
            }
            survey.natives.push(native);
            survey.footprints.push(match native {
                Some(native) => Footprint { called, ..footprint(native, &op.fields) },
                None => {
                    let step = row.filter(|_| !called && wide).and_then(|row| step(row, &op.fields));
                    let Scout { accesses, read, written, .. } = scout;
                    Footprint { accesses, read, written, step, called, ..Footprint::default() }
                }
            });
        }
        survey
    }
}

impl<'e> Plan<'e> {
    /// The plan of the block at `absolute`, for a CPU in this state, with its text of that version. `rows` are those
    /// that the instructions of the path are taken for. `loose`: its accesses look whether their span is open.
    pub(crate) fn of(
        s: &'e State,
        (absolute, version): (Absolute, u32),
        beside: Option<Beside>,
        path: Path<'e>,
        rows: &'e [Option<&'static Instruction>],
        loose: bool,
    ) -> Plan<'e> {
        let Survey { natives, mut footprints, unfit, unwanted } = Survey::of(s, &path, rows);
        let Path { ops, count, first, arms, .. } = path;
        let round = Round::of(&ops[..count], first);
        let described = |n: usize| -> Described {
            (rows[n].map_or(Form::Own, |row| row.shape.form), &ops[n].fields, natives[n], footprints[n].step)
        };
        let looped: Vec<_> = round.map_or(0..0, |Round { first, last }| first..last + 1).map(described).collect();
        // Both take it for granted that accesses share probes.
        let wide = |pass: Pass| pass.is_on() && Pass::Spans.is_on();
        let lanes = round.filter(|_| wide(Pass::Lanes));
        let lanes = lanes.and_then(|round| Lanes::of(&looped, ops[round.first].fields.at()));
        // A stretch is all of its block, and no handler is called in it.
        let stretch = Stretch::of(&looped).filter(|_| looped.len() == count && unfit == 0 && wide(Pass::Stretches));
        // Loops that are done many rounds at a time have no arms, and their accesses check whether spans are open.
        let many = lanes.is_some() || stretch.is_some();
        let arms =
            if many || !Pass::Arms.is_on() { Arms::default() } else { Arms::of(arms, ops, count, &footprints, round) };
        let tables = match Pass::Tables.is_on() {
            true => Tables::of(ops, arms.list(), rows, &mut footprints, &s.gr),
            false => Tables::default(),
        };
        let start = round.map(|round| ops[round.first].fields.at());
        let ways_round = (first..ops.len()).filter(|&n| start.is_some_and(|start| goes_back(&ops[n], start)));
        Plan {
            storage: s.storage(),
            architecture: s.architecture(),
            facilities: &s.shared().facilities,
            ops,
            rows,
            unfit,
            count,
            spans: Spans::of(&footprints, count, arms.list(), round, ways_round),
            tables,
            copies: Copies::of(ops, count, arms.list(), rows, &natives),
            ahead: Ahead::of(&footprints, count, arms.list(), round),
            arms,
            natives,
            lanes,
            stretch,
            round,
            absolute,
            cpu: s,
            mask: s.address_mask,
            alone: s.shared().alone,
            version,
            // Where text of another page begins the block may be left.
            unwanted: if beside.is_none() && Pass::Codes.is_on() { unwanted } else { 0 },
            beside: beside.map(Other::from),
            float_ready: float_forms::ready(s.fpc),
            loose: loose || many,
        }
    }

    /// The page of the byte so far from the start of the block, if the TLB leads to it and there are blocks in it.
    pub(crate) fn page_of(&self, at: i64) -> Option<Other> {
        if self.mask != u64::MAX || !Pass::Links.is_on() {
            return None;
        }
        let offset = (self.absolute.0 % PAGE) as i64;
        let begins = (offset + at).div_euclid(PAGE as i64) * PAGE as i64 - offset;
        let frame = self.cpu.find_instruction(self.cpu.ia.wrapping_add_signed(begins))?;
        // The version of a frame without marks changes with the first block in it.
        let (marked, version) = (self.storage.code(frame).is_marked(), self.storage.code_version(frame));
        marked.then(|| Other::from(Beside { at: begins, frame, version }))
    }

    /// Its own page.
    pub(crate) fn own(&self) -> Other {
        let (at, number) = (-((self.absolute.0 % PAGE) as i64), (self.absolute.0 / PAGE) as u32);
        Other { at, number, version: self.version }
    }

    /// The number of the instruction that the program goes on with after this one, as far as is known.
    pub(crate) fn next(&self, index: usize) -> Option<usize> {
        if index < self.count {
            return Some(index + 1).filter(|&next| next < self.count);
        }
        let arm = self.arms.with(index)?;
        Some(if index + 1 < arm.end { index + 1 } else { arm.to })
    }
}
