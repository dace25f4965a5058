//! Decoded text that virtual machines have in common: the pages of saved systems and segments are the same for all
//! users, and what one of them has decoded the next finds.
//!
//! A block's instructions follow from its text, the architecture and the facilities alone. So they are found by the
//! block's address and compared with the text that the machine has there. Whether its page is still the common one, its
//! own copy or another system's makes no difference: where the text is another, the machine decodes for itself. Only
//! pages that are attached to storage are kept here, and no interpreted guest's.
//!
//! Marks, versions and code are each machine's own, as before.

use arch::{Absolute, PAGE};
use base::Held;
use cpu::{Architecture, Facilities, State};
use isa::Op;
use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// What is kept is in so many parts by the number of the page, so that processors seldom wait for each other.
const PARTS: usize = 64;
/// Instructions that a part keeps; then it is emptied. Together they are 24 MiB at most, whatever the number of
/// machines.
const MOST: usize = 1 << 13;

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
        let common = s.interpretation.is_none() && s.storage().is_attached(absolute);
        common.then(|| Context { architecture: s.architecture(), facilities: s.shared().facilities })
    }
}

/// A block's text, and its instructions.
struct Decoded {
    context: Context,
    text: Box<[u8]>,
    ops: Box<[Op]>,
    /// How many machines in a row have had another text.
    others: AtomicU8,
}

#[derive(Default)]
struct Part {
    blocks: HashMap<u64, Decoded>,
    /// Instructions of all of them.
    ops: usize,
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

    /// Appends the instructions of the block at `absolute`, if they are known and `text`, which goes on from there, is
    /// what they were decoded from. Answers how many bytes that is.
    pub(crate) fn find(&self, context: &Context, absolute: Absolute, text: &[u8], ops: &mut Vec<Op>) -> Option<usize> {
        let part = self.part(absolute).read().held();
        let block = part.as_ref()?.blocks.get(&absolute.0)?;
        let same = text.starts_with(&block.text) && block.context == *context;
        let others = if same { 0 } else { block.others.load(Ordering::Relaxed).saturating_add(1) };
        block.others.store(others, Ordering::Relaxed);
        same.then(|| {
            ops.extend_from_slice(&block.ops);
            block.text.len()
        })
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
        let block = Decoded { context, text: text.into(), ops: ops.into(), others: AtomicU8::new(0) };
        let before = part.blocks.insert(absolute.0, block);
        part.ops += ops.len();
        part.ops -= before.map_or(0, |before| before.ops.len());
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
            let len = shared.find(&context, at, text, &mut all);
            assert_eq!(all.len(), if len.is_some() { 5 } else { 3 });
            len
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
            let known = shared.find(&z, at, text, &mut Vec::new()).is_some();
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
