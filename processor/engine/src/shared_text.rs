//! Decoded text that virtual machines have in common. The pages of saved systems and segments are the same for all
//! users, and what one machine has decoded the next finds. With it stands the code that has been made of it
//! ([`crate::shared_code`]).
//!
//! A block's instructions follow from its text, the architecture and the facilities alone. So they are found by the
//! block's address and compared with the text that the machine has there. Its page may be the common one still, its own
//! copy or another system's. Where the text is another, the machine decodes for itself. Only pages that are attached to
//! storage are kept here, and no interpreted guest's.
//!
//! Marks and versions are each machine's own.

use crate::block::{Profile, digest};
use crate::shared_code::{Purpose, SharedCode};
use arch::{Absolute, PAGE};
use base::Held;
use cpu::{Architecture, Facilities, State};
use isa::Op;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, RwLock};

/// What is kept is in so many parts by the number of the page, so that processors seldom wait for each other.
const PARTS: usize = 64;
/// Instructions that a part keeps; then it is emptied. Together they are 24 MiB at most, whatever the number of
/// machines.
const MOST: usize = 1 << 13;
/// Instructions of which a part keeps code; then all of its code goes. It is some 150 bytes for each, 80 MiB at most
/// together.
const MOST_CODE: usize = 1 << 13;

/// So often in a row may a block's text be another than what is kept.
const ENOUGH: u8 = 2;

/// What instructions follow from, beside their text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Context {
    architecture: Architecture,
    facilities: Facilities,
}

impl Context {
    /// The CPU's, if its block at `absolute` may be one that others have as well.
    pub(crate) fn of(s: &State, absolute: Absolute) -> Option<Context> {
        Context::of_any(s).filter(|_| s.storage().is_attached(absolute))
    }

    /// The CPU's, if it is no interpreted guest's.
    pub(crate) fn of_any(s: &State) -> Option<Context> {
        let (architecture, facilities) = (s.architecture(), s.shared().facilities);
        s.interpretation.is_none().then_some(Context { architecture, facilities })
    }

    pub(crate) fn bytes(&self) -> [u8; 33] {
        let mut bytes = [self.architecture as u8; 33];
        let (words, _) = bytes[1..].as_chunks_mut();
        words.iter_mut().zip(self.facilities.0).for_each(|(to, word)| *to = word.to_le_bytes());
        bytes
    }
}

/// A block's text, and its instructions.
struct Decoded {
    context: Context,
    text: Box<[u8]>,
    ops: Box<[Op]>,
    /// How many machines in a row have had another text.
    others: AtomicU8,
    /// What a machine has found out about it that has gone to rest: the one that had executed it most.
    profile: Profile,
    /// What was made of it is for one CPU alone: each is to see for itself whether that is worth it.
    single: bool,
    /// Code for each purpose that there has been.
    code: Vec<Arc<SharedCode>>,
}

/// What is known of a block's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// How long it is, and how many instructions it has.
    pub(crate) bytes: usize,
    pub(crate) count: usize,
    pub(crate) profile: Profile,
    /// There is code for the purpose.
    pub(crate) code: bool,
}

/// A hash of an address: a product's middle.
#[derive(Default)]
struct OfAddress(u64);

impl Hasher for OfAddress {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 << 8 | u64::from(byte)));
    }

    fn write_u64(&mut self, address: u64) {
        self.0 = address.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

#[derive(Default)]
struct Part {
    blocks: HashMap<u64, Decoded, BuildHasherDefault<OfAddress>>,
    /// Instructions of all of them, and those of which there is code.
    ops: usize,
    translated: usize,
}

/// All parts. There is one for the process; tests have their own.
pub(crate) struct SharedText([RwLock<Option<Part>>; PARTS]);

/// Of all machines of the process.
pub(crate) static ALL: SharedText = SharedText::new();

impl SharedText {
    const fn new() -> SharedText {
        SharedText([const { RwLock::new(None) }; PARTS])
    }

    fn part(&self, absolute: Absolute) -> &RwLock<Option<Part>> {
        &self.0[(absolute.0 / PAGE) as usize % PARTS]
    }

    /// What is known of the block at `absolute`, if `text`, which goes on from there, is what it was decoded from. Its
    /// instructions are appended, unless there is code for that purpose: then they are hardly ever wanted.
    pub(crate) fn find(
        &self,
        context: &Context,
        purpose: Option<Purpose>,
        absolute: Absolute,
        text: &[u8],
        ops: &mut Vec<Op>,
    ) -> Option<Found> {
        let part = self.part(absolute).read().held();
        let block = part.as_ref()?.blocks.get(&absolute.0)?;
        let same = text.starts_with(&block.text) && block.context == *context;
        let others = if same { 0 } else { block.others.load(Ordering::Relaxed).saturating_add(1) };
        block.others.store(others, Ordering::Relaxed);
        same.then(|| {
            let code = purpose.is_some_and(|purpose| block.code.iter().any(|code| code.purpose == purpose));
            if !code {
                ops.extend_from_slice(&block.ops);
            }
            Found { bytes: block.text.len(), count: block.ops.len(), profile: block.profile, code }
        })
    }

    /// The code of the block at `absolute` for that purpose. Its text is to be compared yet.
    pub(crate) fn code(&self, context: &Context, purpose: Purpose, absolute: Absolute) -> Option<Arc<SharedCode>> {
        let part = self.part(absolute).read().held();
        let block = part.as_ref()?.blocks.get(&absolute.0).filter(|block| block.context == *context)?;
        block.code.iter().find(|code| code.purpose == purpose).cloned()
    }

    /// A machine has found that out about the block at `absolute`, whose text has this digest.
    pub(crate) fn note(&self, context: &Context, absolute: Absolute, text: u64, profile: Profile) {
        let mut part = self.part(absolute).write().held();
        let block = part.as_mut().and_then(|part| part.blocks.get_mut(&absolute.0));
        let same = |block: &&mut Decoded| !block.single && block.context == *context && digest(&block.text) == text;
        if let Some(block) = block.filter(|block| profile.hits > block.profile.hits).filter(same) {
            block.profile = profile;
        }
    }

    /// Code of the block at `absolute` is none for others: they are not to make it sooner than their own executions
    /// say.
    pub(crate) fn leave_alone(&self, context: &Context, absolute: Absolute) {
        let mut part = self.part(absolute).write().held();
        let block = part.as_mut().and_then(|part| part.blocks.get_mut(&absolute.0));
        if let Some(block) = block.filter(|block| block.context == *context) {
            (block.single, block.profile) = (true, Profile::default());
        }
    }

    /// Keeps code of the block at `absolute`, in the place of what there was for the same purpose.
    pub(crate) fn keep_code(&self, context: &Context, absolute: Absolute, code: SharedCode) {
        let mut part = self.part(absolute).write().held();
        let Some(part) = part.as_mut() else { return };
        let count = code.count as usize;
        if part.translated + count > MOST_CODE {
            part.blocks.values_mut().for_each(|block| block.code = Vec::new());
            part.translated = 0;
        }
        let Some(block) = part.blocks.get_mut(&absolute.0).filter(|block| block.context == *context) else { return };
        let before = block.code.extract_if(.., |other| other.purpose == code.purpose);
        part.translated -= before.map(|before| before.count as usize).sum::<usize>();
        part.translated += count;
        block.code.push(Arc::new(code));
    }

    /// Keeps the instructions of the block at `absolute` that were decoded from all of `text`. Those of another text
    /// stay until they were not what was wanted [`ENOUGH`] times in a row: one user has a page changed, all others not.
    pub(crate) fn keep(&self, context: Context, absolute: Absolute, text: &[u8], ops: &[Op]) {
        let mut part = self.part(absolute).write().held();
        let part = part.get_or_insert_default();
        if part.ops + ops.len() > MOST {
            *part = Part::default();
        }
        if part.blocks.get(&absolute.0).is_some_and(|block| block.others.load(Ordering::Relaxed) < ENOUGH) {
            return;
        }
        let (others, profile, single, code) = Default::default();
        let block = Decoded { context, text: text.into(), ops: ops.into(), others, profile, single, code };
        let before = part.blocks.insert(absolute.0, block);
        part.ops += ops.len();
        if let Some(before) = before {
            part.ops -= before.ops.len();
            part.translated -= before.code.iter().map(|code| code.count as usize).sum::<usize>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::Interruption;
    use isa::Fields;

    fn context(architecture: Architecture, facilities: u64) -> Context {
        Context { architecture, facilities: Facilities([facilities; 4]) }
    }

    /// So many instructions, which nothing executes.
    fn ops(count: usize) -> Vec<Op> {
        fn none(s: &mut State, _: &Fields, _: &[Op]) {
            s.failed = Some(Interruption::Host);
        }
        vec![Op { run: none, fields: Fields::extract(isa::Format::RR, [0x18, 0x12, 0, 0, 0, 0]) }; count]
    }

    #[test]
    fn the_same_text_alone_is_found_and_for_the_same_cpu() {
        let shared = SharedText::new();
        let (z, at) = (context(Architecture::Z, 1), Absolute(0x12_3456));
        let found = |context, at, text: &[u8]| {
            let mut all = ops(3);
            let found = shared.find(&context, None, at, text, &mut all);
            assert_eq!(all.len(), if found.is_some() { 5 } else { 3 });
            found.map(|found| found.bytes)
        };
        assert_eq!(found(z, at, &[1, 2, 3, 4]), None);
        shared.keep(z, at, &[1, 2, 3, 4], &ops(2));
        for longer in [&[1, 2, 3, 4][..], &[1, 2, 3, 4, 5, 6]] {
            assert_eq!(found(z, at, longer), Some(4));
        }
        assert_eq!(found(z, at, &[1, 2, 3, 5]), None, "another text");
        assert_eq!(found(z, at, &[1, 2, 3]), None, "the page ends before it does");
        assert_eq!(found(z, Absolute(at.0 + 2), &[1, 2, 3, 4]), None);
        assert_eq!(found(z, Absolute(at.0 + PAGE * PARTS as u64), &[1, 2, 3, 4]), None);
        assert_eq!(found(context(Architecture::Esa, 1), at, &[1, 2, 3, 4]), None);
        assert_eq!(found(context(Architecture::Z, 3), at, &[1, 2, 3, 4]), None);
    }

    #[test]
    fn what_most_machines_have_is_what_is_kept() {
        let shared = SharedText::new();
        let (z, at) = (context(Architecture::Z, 1), Absolute(0x4000));
        let decode = |text: &[u8]| {
            let known = shared.find(&z, None, at, text, &mut Vec::new()).is_some();
            if !known {
                shared.keep(z, at, text, &ops(1));
            }
            known
        };
        // One machine has another text now and then; at last all have it.
        let texts = [0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1];
        let known = [false, true, false, true, false, true, false, false, true, true, false, true];
        assert_eq!(texts.map(|text| decode(&[text; 2])), known);
    }

    #[test]
    fn what_the_machine_knows_that_executed_most_is_handed_on() {
        let shared = SharedText::new();
        let (z, at, text) = (context(Architecture::Z, 1), Absolute(0x4000), [7, 7]);
        let known = || shared.find(&z, None, at, &text, &mut Vec::new()).map(|found| found.profile);
        let [few, more] = [3, 30].map(|hits| Profile { hits, votes: hits, ..Profile::default() });
        shared.note(&z, at, digest(&text), more);
        assert_eq!(known(), None, "it is not kept");
        shared.keep(z, at, &text, &ops(1));
        assert_eq!(known(), Some(Profile::default()));
        for (told, profile, expected) in [
            (digest(&text), few, few),
            (digest(&[7, 8]), more, few),
            (digest(&text), more, more),
            (digest(&text), few, more),
        ] {
            shared.note(&z, at, told, profile);
            assert_eq!(known(), Some(expected));
        }
        shared.note(&context(Architecture::Esa, 1), at, digest(&text), Profile { hits: 40, ..more });
        assert_eq!(known(), Some(more), "for another CPU");
        shared.leave_alone(&z, at);
        shared.note(&z, at, digest(&text), more);
        assert_eq!(known(), Some(Profile::default()));
    }

    #[test]
    fn code_is_found_for_its_purpose_as_long_as_its_text_is_kept() {
        let shared = SharedText::new();
        let (z, at, text) = (context(Architecture::Z, 1), Absolute(0x4000), [7, 7]);
        let purposes = [false, true].map(Purpose::for_test);
        let known = |purpose: Purpose| shared.code(&z, purpose, at).map(|code| code.count);
        let keep = |purpose, count| shared.keep_code(&z, at, SharedCode::for_test(purpose, count));
        let found = |purpose, text: &[u8], ops: &mut Vec<Op>| shared.find(&z, Some(purpose), at, text, ops);
        keep(purposes[0], 5);
        assert_eq!(known(purposes[0]), None, "its text is not kept");
        shared.keep(z, at, &text, &ops(1));
        keep(purposes[0], 5);
        keep(purposes[0], 6);
        assert_eq!(purposes.map(known), [Some(6), None]);
        for (purpose, code) in [(purposes[0], true), (purposes[1], false)] {
            let mut ops = Vec::new();
            let found = found(purpose, &text, &mut ops).expect("it is kept");
            assert_eq!((found.code, found.count, ops.len()), (code, 1, usize::from(!code)));
        }
        keep(purposes[1], 7);
        assert_eq!(purposes.map(known), [Some(6), Some(7)]);
        assert!(shared.code(&context(Architecture::Esa, 1), purposes[0], at).is_none());
        // Once the text is another for most machines, its code goes with it.
        for _ in 0..ENOUGH {
            assert_eq!(found(purposes[0], &[8, 8], &mut Vec::new()), None);
        }
        shared.keep(z, at, &[8, 8], &ops(1));
        assert_eq!(purposes.map(known), [None, None]);
        keep(purposes[0], 9);
        // Another block's is too much for the part.
        let beside = Absolute(at.0 + 64);
        shared.keep(z, beside, &text, &ops(1));
        shared.keep_code(&z, beside, SharedCode::for_test(purposes[0], MOST_CODE as u16 - 8));
        assert_eq!(known(purposes[0]), None);
        assert!(shared.code(&z, purposes[0], beside).is_some());
    }

    #[test]
    fn what_is_kept_is_limited() {
        let shared = SharedText::new();
        let z = context(Architecture::Z, 1);
        for n in 0..2 * MOST as u64 {
            shared.keep(z, Absolute(n * 2), &[7, 7], &ops(5));
        }
        let kept = |shared: &SharedText| {
            shared.0.iter().map(|part| part.read().held().as_ref().map_or(0, |p| p.ops)).sum::<usize>()
        };
        assert!((1..=PARTS * MOST).contains(&kept(&shared)));
        let counted = shared.0.iter().all(|part| {
            part.read().held().as_ref().is_none_or(|p| p.ops == p.blocks.values().map(|block| block.ops.len()).sum())
        });
        assert!(counted);
    }
}
