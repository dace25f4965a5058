//! Sites as they are kept: side exits of translated code, each with its way back. There are more of them than blocks.
//!
//! While a block is emitted, a [`Draft`] has everything as the emitter has it, some 150 bytes. Most sites are never
//! reached, so they are kept small, in 48 bytes. The map of guest registers is a byte for each host register. The
//! recipe of the condition code is its place among the recipes, where neighbours share one. They share floating-point
//! registers and open spans likewise. Instructions that have sites are kept with the sites. So code stays good whatever
//! the engine does with its own copies.

use crate::emit::exits::Draft;
use crate::emit::map::{FIRST, Floats, Map};
use crate::emit::recipes::{Recipe, settle_code};
use crate::emit::scratch::*;
use crate::emit::slots::{self, Slots, slot};
use crate::emit::words::*;
use crate::plan::spans::{Open, Spans};
use crate::runtime::bytes::{Reader, Writer};
use arch::Absolute;
use cpu::State;
use isa::Op;
use std::cell::Cell;

/// Where the guest's registers are, a byte for each host register that can have one: `HELD`, `DIRTY`, `FULL` and the
/// guest's register.
#[derive(Clone, Copy)]
struct Places([u8; POOL.len()]);

/// Which of the pool each host register is.
const IN_POOL: [u8; 16] = {
    let (mut places, mut n) = ([NONE; 16], 0);
    while n < POOL.len() {
        places[POOL[n] as usize] = n as u8;
        n += 1;
    }
    places
};

const HELD: u8 = 0x80;
const DIRTY: u8 = 0x40;
const FULL: u8 = 0x20;

/// Where floating-point registers are, a byte for each of the guest's, since two may share one of the host's. It has
/// `HELD`, `DIRTY`, `FULL` for a long number, and the host's register from [`FIRST`] on.
#[derive(Clone, Copy, PartialEq)]
struct FloatPlaces([u8; 16]);

impl FloatPlaces {
    fn of(floats: &Floats) -> FloatPlaces {
        let mut places = [0; 16];
        for (r, x, dirty, long) in floats.held() {
            places[r as usize] = HELD | if dirty { DIRTY } else { 0 } | if long { FULL } else { 0 } | (x - FIRST);
        }
        FloatPlaces(places)
    }

    /// What is held: the guest's register, the place of the host's, and the byte.
    fn held(&self) -> impl Iterator<Item = (usize, usize, u8)> + '_ {
        let held = self.0.iter().enumerate().filter(|(_, byte)| **byte & HELD != 0);
        held.map(|(r, &byte)| (r, SPILL_FLOATS + (byte & 15) as usize, byte))
    }

    fn store(&self, s: &mut State) {
        for (r, place, byte) in self.held().filter(|(.., byte)| byte & DIRTY != 0) {
            let v = s.scratch[place];
            s.fpr[r] = if byte & FULL != 0 { v } else { v << 32 | s.fpr[r] & 0xffff_ffff };
        }
    }

    fn load(&self, s: &mut State) {
        for (r, place, byte) in self.held() {
            s.scratch[place] = if byte & FULL != 0 { s.fpr[r] } else { s.fpr[r] >> 32 };
        }
    }
}

impl Places {
    fn of(map: &Map) -> Places {
        let mut places = [0; POOL.len()];
        for (r, &h) in map.host.iter().enumerate().filter(|&(_, &h)| h != NONE) {
            let place = IN_POOL[h as usize] as usize;
            let (dirty, full) = (map.dirty >> r & 1 == 1, map.full >> r & 1 == 1);
            places[place] = HELD | if dirty { DIRTY } else { 0 } | if full { FULL } else { 0 } | r as u8;
        }
        Places(places)
    }

    /// What is held: the guest's register, the host's, and the byte.
    fn held(&self) -> impl Iterator<Item = (usize, usize, u8)> + '_ {
        let held = POOL.iter().zip(self.0).filter(|(_, byte)| byte & HELD != 0);
        held.map(|(&host, byte)| ((byte & 15) as usize, host as usize, byte))
    }

    /// Rebuilds the exact state from the spilled host registers.
    fn store(&self, s: &mut State) {
        for (r, host, byte) in self.held().filter(|(.., byte)| byte & DIRTY != 0) {
            let v = s.scratch[SPILL + host];
            s.gr[r] = if byte & FULL != 0 { v } else { s.gr[r] & !0xffff_ffff | v & 0xffff_ffff };
        }
    }

    /// The other way: the spilled host registers follow the state.
    fn load(&self, s: &mut State) {
        for (r, host, byte) in self.held() {
            s.scratch[SPILL + host] = if byte & FULL != 0 { s.gr[r] } else { s.gr[r] & 0xffff_ffff };
        }
    }
}

/// A site. Numbers, not addresses: half as long. In the [`Lists`] of a block they count from its first, and `resume`
/// from the start of its code.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    /// Its instruction: a number among `Lists::ops`.
    op: u32,
    /// Where the host code of the next instruction begins, from the start of the code.
    resume: u32,
    /// Where its recipe begins.
    cc: u32,
    /// Where floating-point registers are, before and after: a number among `Lists::floats`, from 1 on; 0: nowhere.
    floats: u32,
    /// Where the list of spans begins that are open after it, and in the last five bits how many there are.
    open: u32,
    before: Places,
    after: Places,
    /// How far from the start of the block the branch is that was taken last, or `KNOWN`.
    broke: i32,
    /// Instructions that were counted and are not executed if the block is left here; in an arm some may not have been
    /// counted yet.
    pub refund: i8,
    /// After it, rcx has what the slot of this register has.
    distance: u8,
    /// The block is left after the instruction: execution does not go on in this code.
    pub leave: bool,
}

const _: () = assert!(size_of::<Site>() == 48);

/// The state has where the branch is that was taken last.
const KNOWN: i32 = i32::MIN;

const NO_FLOATS: [FloatPlaces; 2] = [FloatPlaces([0; 16]); 2];

/// Room is made for so many at once, so that growing does not keep them twice. What is not used of it costs nothing.
const USUAL: usize = 1 << 17;

/// Sites, and what neighbours have in common.
#[derive(Clone, Default)]
pub(crate) struct Lists {
    sites: Vec<Site>,
    /// Instructions that have sites, and in a block's lists the text of each.
    ops: Vec<Op>,
    texts: Vec<[u8; 6]>,
    /// Recipes of condition codes, one after another.
    recipes: Vec<u8>,
    /// Places of floating-point registers, before and after.
    floats: Vec<[FloatPlaces; 2]>,
    /// Spans that are open after sites, one list after another.
    open: Vec<Open>,
}

/// All sites of a code cache.
pub(crate) struct Sites {
    lists: Lists,
    /// The blocks with accesses that do not check whether spans are open, in the order of their sites.
    firm: Vec<Firm>,
    /// For each `NEIGHBOURS` sites, the last of these that begins no later than their first. A search by halves took 3
    /// of 100 seconds of gcc.
    near: Vec<u32>,
    /// Which of these is left too often, and is to be translated again.
    unsteady: Cell<Option<u32>>,
    /// Where the code begins.
    code: u64,
}

/// A block of which accesses take it for granted that their spans are open.
pub(crate) struct Firm {
    /// Its first site.
    site: u32,
    pub absolute: Absolute,
    pub version: u32,
    pub mode: u64,
    /// Where its code begins, and how far after that its inner entry is.
    pub code: u64,
    pub head: u64,
    /// Each leaving adds to the debt, and each instruction executed pays some off; `since` is when that was reckoned.
    debt: Cell<u64>,
    since: Cell<u64>,
}

/// A firm block that is left more often than once in `SELDOM` instructions, `OFTEN` times, is translated again as
/// loose. What firm accesses save is little against a way out by the engine and back.
const SELDOM: u64 = 1 << 15;
const OFTEN: u64 = 8;

/// So many neighbouring sites begin the search for their firm block with the same one.
const NEIGHBOURS: usize = 64;

impl Lists {
    /// The sites of a block of these instructions, with these spans if the block is firm: its accesses do not check
    /// whether spans are open. They take the place of those that are here.
    pub(crate) fn set(&mut self, drafts: &[Draft], (ops, texts): (&[Op], &[[u8; 6]]), spans: Option<&Spans>) {
        self.clear();
        let (mut opened, mut list) = (0, Vec::new());
        let mut last: Option<(Recipe, u32)> = None;
        // Where its instructions are kept, as far as they are.
        let mut kept = vec![None; ops.len()];
        for draft in drafts {
            let cc = match last {
                Some((recipe, at)) if recipe == draft.cc => at,
                _ => {
                    let at = self.recipes.len() as u32;
                    pack(&draft.cc, &mut self.recipes);
                    last = Some((draft.cc, at));
                    at
                }
            };
            let floats = match draft.holds_floats() {
                true => [&draft.before, &draft.after].map(|map| FloatPlaces::of(&map.floats)),
                false => NO_FLOATS,
            };
            if floats != NO_FLOATS && self.floats.last() != Some(&floats) {
                self.floats.push(floats);
            }
            if let Some(spans) = spans {
                list.clear();
                list.extend(spans.open(&draft.after.spans, draft.position));
                if self.open[opened..] != list {
                    opened = self.open.len();
                    self.open.append(&mut list);
                }
            }
            let op = *kept[draft.index].get_or_insert_with(|| {
                self.ops.push(ops[draft.index]);
                self.texts.push(texts[draft.index]);
                self.ops.len() as u32 - 1
            });
            self.sites.push(Site {
                floats: if floats == NO_FLOATS { 0 } else { self.floats.len() as u32 },
                op,
                open: ((opened << 5) | self.open.len() - opened) as u32,
                resume: draft.resume,
                cc,
                before: Places::of(&draft.before),
                after: Places::of(&draft.after),
                broke: draft.broke.map_or(KNOWN, |at| at as i32),
                distance: draft.distance.unwrap_or(0),
                refund: draft.refund.try_into().expect("arms are that short"),
                leave: draft.leave,
            });
        }
    }

    fn clear(&mut self) {
        self.sites.clear();
        self.ops.clear();
        self.texts.clear();
        self.recipes.clear();
        self.floats.clear();
        self.open.clear();
    }

    /// Adds those of a block, of which the code begins so far after the start of all code.
    fn add(&mut self, block: &Lists, code: u32) {
        let [op, cc, floats, open] =
            [self.ops.len(), self.recipes.len(), self.floats.len(), self.open.len() << 5].map(|len| len as u32);
        self.sites.extend(block.sites.iter().map(|site| Site {
            op: site.op + op,
            cc: site.cc + cc,
            floats: if site.floats == 0 { 0 } else { site.floats + floats },
            open: site.open + open,
            resume: site.resume + code,
            ..*site
        }));
        self.ops.extend_from_slice(&block.ops);
        self.recipes.extend_from_slice(&block.recipes);
        self.floats.extend_from_slice(&block.floats);
        self.open.extend_from_slice(&block.open);
    }

    /// How many sites there are.
    pub(crate) fn len(&self) -> usize {
        self.sites.len()
    }

    /// Writes them for another process.
    pub(crate) fn write(&self, to: &mut Writer) {
        to.list(&self.sites, |to, site| {
            let &Site { op, resume, cc, floats, open, before, after, broke, refund, distance, leave } = site;
            [op, resume, cc, floats, open].into_iter().for_each(|word| to.u32(word));
            to.bytes(&before.0);
            to.bytes(&after.0);
            to.u32(broke as u32);
            to.bytes(&[refund as u8, distance, leave.into()]);
        });
        to.list(&self.texts, |to, text| to.bytes(text));
        to.list(&self.ops, |to, op| {
            to.u32(op.fields.at() as u32);
            to.u64(op.fields.imm as u64);
        });
        to.list(&self.recipes, |to, &byte| to.bytes(&[byte]));
        to.list(&self.floats, |to, [before, after]| {
            to.bytes(&before.0);
            to.bytes(&after.0);
        });
        to.list(&self.open, |to, &Open { base, stores, moved, last, from }| {
            to.bytes(&[base, stores.into(), moved.into()]);
            to.u32(last.into());
            to.u32(from as u32);
        });
    }

    /// Reads what [`Lists::write`] wrote of a block whose code is so long. `None`: that is nothing of the kind.
    pub(crate) fn read(s: &State, from: &mut Reader, code: usize) -> Option<Lists> {
        let sites = from.list(|from| {
            let [op, resume, cc, floats, open] = [from.u32()?, from.u32()?, from.u32()?, from.u32()?, from.u32()?];
            let (before, after, broke) = (Places(from.array()?), Places(from.array()?), from.u32()? as i32);
            let [refund, distance, leave] = from.array()?;
            let (refund, leave) = (refund as i8, leave != 0);
            Some(Site { op, resume, cc, floats, open, before, after, broke, refund, distance, leave })
        })?;
        let texts = from.list(Reader::array)?;
        let mut texts_left = texts.iter();
        let ops = from.list(|from| {
            let (at, imm) = (from.u32()? as i32, from.u64()? as i64);
            let mut op = isa::decode_op(s, *texts_left.next()?, at.into()).op;
            op.fields.imm = imm;
            Some(op)
        })?;
        let recipes = from.list(|from| from.array().map(|[byte]| byte))?;
        let floats = from.list(|from| Some([FloatPlaces(from.array()?), FloatPlaces(from.array()?)]))?;
        let open = from.list(|from| {
            let [base, stores, moved] = from.array()?;
            let (last, from) = (from.u32()? as u16, from.u32()? as i32);
            Some(Open { base, stores: stores != 0, moved: moved != 0, last, from })
        })?;
        let lists = Lists { sites, ops, texts, recipes, floats, open };
        let good = |site: &Site| {
            (site.op as usize) < lists.ops.len()
                && site.resume as usize <= code
                && (site.cc as usize) < lists.recipes.len()
                && site.floats as usize <= lists.floats.len()
                && (site.open >> 5) as usize + (site.open & 31) as usize <= lists.open.len()
                && site.distance < 16
        };
        lists.sites.iter().all(good).then_some(lists)
    }

    /// Where floating-point registers are, before the site and after it.
    fn floats(&self, site: &Site) -> &[FloatPlaces; 2] {
        site.floats.checked_sub(1).map_or(&NO_FLOATS, |n| &self.floats[n as usize])
    }
}

impl Sites {
    pub(crate) fn new(code: u64) -> Sites {
        Sites {
            lists: Lists {
                sites: Vec::with_capacity(USUAL),
                ops: Vec::with_capacity(USUAL),
                recipes: Vec::with_capacity(4 * USUAL),
                ..Lists::default()
            },
            firm: Vec::new(),
            near: Vec::new(),
            unsteady: Cell::new(None),
            code,
        }
    }

    /// How many there are, and so the number of the first one of the block that is added next.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// Adds the sites of a block, of which the code begins at `code`.
    pub(crate) fn add(&mut self, block: &Lists, code: u64) {
        self.lists.add(block, (code - self.code) as u32);
    }

    /// Forgets all of them. The room that they had stays for others.
    pub(crate) fn forget(&mut self) {
        self.lists.clear();
        self.firm.clear();
        self.near.clear();
        self.unsteady.set(None);
    }

    /// Forgets all of them, and gives back the room that they had.
    pub(crate) fn clear(&mut self) {
        *self = Sites::new(self.code);
    }

    /// The sites added next are those of this block, which takes it for granted that its spans are open.
    pub(crate) fn begin_firm(&mut self, (absolute, version): (Absolute, u32), mode: u64, code: u64, head: u64) {
        let site = self.len() as u32;
        let (debt, since) = Default::default();
        let before = self.firm.len().saturating_sub(1) as u32;
        self.near.resize(self.near.len().max(site.div_ceil(NEIGHBOURS as u32) as usize), before);
        self.firm.push(Firm { site, absolute, version, mode, code, head, debt, since });
    }

    /// A block that was left so often that it is to be translated again as loose.
    pub(crate) fn take_unsteady(&mut self) -> Option<&Firm> {
        self.unsteady.take().map(|n| &self.firm[n as usize])
    }

    pub(crate) fn get(&self, number: u32) -> &Site {
        &self.lists.sites[number as usize]
    }

    /// The site's instruction.
    pub(crate) fn op(&self, site: &Site) -> &Op {
        &self.lists.ops[site.op as usize]
    }

    /// The state as it is before the site's instruction, from the spilled host registers.
    pub(crate) fn store(&self, site: &Site, s: &mut State) {
        site.before.store(s);
        self.lists.floats(site)[0].store(s);
        unpack(&self.lists.recipes[site.cc as usize..]).store(s);
        settle_code(s);
        if site.broke != KNOWN {
            s.breaking_event = s.ia.wrapping_add_signed(site.broke.into());
        }
    }

    /// The spilled host registers as they are after the site's instruction, and where code goes on. `None`: a span that
    /// must be open there cannot be opened.
    pub(crate) fn resume(&self, site: &Site, s: &mut State, slots: &mut Slots) -> Option<u64> {
        let (from, count) = (site.open as usize >> 5, site.open as usize & 31);
        if !self.lists.open[from..from + count].iter().all(|open| slots::reopen(open, s, slots)) {
            slots::close(slots);
            return None;
        }
        s.scratch[DISTANCE] = slots[slot(site.distance) as usize / 8];
        site.after.load(s);
        self.lists.floats(site)[1].load(s);
        Some(self.code + site.resume as u64)
    }

    /// The number of the firm block that has this site.
    fn firm_of(&self, number: u32) -> usize {
        let near = self.near.get(number as usize / NEIGHBOURS).map_or(self.firm.len() - 1, |&n| n as usize);
        near + self.firm[near + 1..].iter().take_while(|firm| firm.site <= number).count()
    }

    /// The block of a site was left after its instruction, when so many instructions had been executed. Answers whether
    /// the block is to be translated again as loose.
    pub(crate) fn left(&self, number: u32, executed: u64) -> bool {
        let n = self.firm_of(number);
        let firm = &self.firm[n];
        let debt = firm.debt.get().saturating_sub(executed.wrapping_sub(firm.since.get())) + SELDOM;
        firm.since.set(executed);
        firm.debt.set(debt);
        let unsteady = debt > OFTEN * SELDOM;
        if unsteady {
            self.unsteady.set(Some(n as u32));
        }
        unsteady
    }
}

/// Operands that are host registers are one byte, the others are how many bytes follow.
const CONST: u8 = 0x80;

fn put(v: Operand, to: &mut Vec<u8>) {
    match v {
        Operand::Host(h) => to.push(h),
        Operand::Const(v) => {
            let len = 8 - v.leading_zeros() as usize / 8;
            to.push(CONST | len as u8);
            to.extend(&v.to_le_bytes()[..len]);
        }
    }
}

fn take(from: &mut &[u8]) -> Operand {
    let (&first, rest) = from.split_first().expect("as many operands were put");
    if first & CONST == 0 {
        *from = rest;
        return Operand::Host(first);
    }
    let (value, rest) = rest.split_at((first & 15) as usize);
    *from = rest;
    Operand::Const(value.iter().rev().fold(0, |v, &byte| v << 8 | byte as u64))
}

/// A byte for the kind and the width, and the operands.
fn pack(recipe: &Recipe, to: &mut Vec<u8>) {
    to.push(recipe.byte());
    for operand in recipe.parts().2 {
        put(operand, to);
    }
}

fn unpack(from: &[u8]) -> Recipe {
    let (&first, mut rest) = from.split_first().expect("a recipe has a byte");
    Recipe::from_byte(first, || take(&mut rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::recipes::Number;
    use isa::{Cc, Width::*};

    #[test]
    fn recipes_come_back_as_they_were() {
        use Operand::{Const, Host};
        let (a, b, unused) = (Host(13), Const(0xffff_ffff_ffff_ff85), Const(0));
        let recipes = [W8, W16, W32, W64].into_iter().flat_map(|width| {
            [
                Recipe::Stored,
                Recipe::Named(Cc::Set(3)),
                Recipe::Named(Cc::Value(a)),
                Recipe::Named(Cc::Zero { width, value: a }),
                Recipe::Named(Cc::Sign { width, value: Const(0x100) }),
                Recipe::Named(Cc::Compare { width, a: b, b: a }),
                Recipe::Named(Cc::CompareLogical { width, a, b }),
                Recipe::Named(Cc::Add { width, a: unused, b, sum: a }),
                Recipe::Named(Cc::Subtract { width, a: unused, b: a, difference: b }),
                Recipe::Named(Cc::AddLogical { width, a: Const(1), sum: a }),
                Recipe::Named(Cc::SubtractLogical { width, a, b, difference: unused }),
                Recipe::Named(Cc::TestMask { value: a, mask: Const(255) }),
                Recipe::Named(Cc::TestMaskHalf { value: a, mask: Const(0x8001) }),
                Recipe::Float { long: width == W64, number: Number::Register(15) },
                Recipe::Float { long: width == W32, number: Number::Bits(a) },
                Recipe::Float { long: true, number: Number::Bits(b) },
            ]
        });
        let mut packed = Vec::new();
        let places: Vec<(Recipe, usize)> = recipes
            .map(|recipe| {
                let at = packed.len();
                pack(&recipe, &mut packed);
                (recipe, at)
            })
            .collect();
        for (recipe, at) in places {
            assert_eq!(unpack(&packed[at..]), recipe);
        }
    }

    #[test]
    fn the_firm_block_of_a_site_is_the_last_that_begins_before_it() {
        let site = || Site {
            op: 0,
            resume: 0,
            cc: 0,
            floats: 0,
            open: 0,
            before: Places::of(&Map::EMPTY),
            after: Places::of(&Map::EMPTY),
            broke: KNOWN,
            refund: 0,
            distance: 0,
            leave: false,
        };
        let mut sites = Sites::new(0);
        let mut of = Vec::new();
        // Blocks without sites, with a few, and with more than are looked for together.
        for (n, count) in (0..300).map(|n: usize| (n, [0, 3, 1, 200, 64, 0, 0, 7, 63, 65][n * n * 7 % 10])) {
            sites.begin_firm((Absolute(0), 0), 0, 0, 0);
            sites.lists.sites.extend((0..count).map(|_| site()));
            of.extend((0..count).map(|_| n));
        }
        assert!(of.len() > 1000);
        for (number, &n) in of.iter().enumerate() {
            assert_eq!(sites.firm_of(number as u32), n, "{number}");
        }
    }

    #[test]
    fn a_map_comes_back_as_it_was() {
        let mut map = Map::EMPTY;
        for (r, h, dirty, full) in
            [(0, 3, true, true), (7, 13, true, false), (15, 8, false, true), (4, 6, false, false)]
        {
            map.host[r] = h;
            map.dirty |= (dirty as u16) << r;
            map.full |= (full as u16) << r;
        }
        let mut held: Vec<_> = Places::of(&map).held().collect();
        held.sort();
        let expected =
            [(0, 3, HELD | DIRTY | FULL), (4, 6, HELD | 4), (7, 13, HELD | DIRTY | 7), (15, 8, HELD | FULL | 15)];
        assert_eq!(held, expected);
    }
}
