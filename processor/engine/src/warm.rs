//! Code of earlier processes. What the translators of this one make they put into files. A block of which there is code
//! in a file does not wait to become hot.
//!
//! A record is found by the block's text, by its place in its page, and by what code follows from beside the text. It
//! has all text that the code was made of, which may go on in a page beside the block's own. Code is taken over only
//! where each byte is the same. That text is watched from then on, as that of [`crate::shared_code`] is. What of the
//! code is another for each CPU and each address is filled in where it is put. So it makes no difference in which
//! frames a later guest has the same text.
//!
//! [`codefiles`] sees to it that what comes from a file was put there by a process of ours.

use crate::block::{Block, Profile};
use crate::shared_code::{Purpose, Source};
use crate::shared_text::Context;
use arch::PAGE;
use base::Held;
use codefiles::Store;
use std::sync::{Arc, Mutex};

/// Executions of a block at which it is looked for.
pub(crate) const FIRST: u8 = 1;
/// The same again, if it leads to pages that were not known at the first. Then it is taken over as it is.
pub(crate) const AGAIN: u8 = 8;

static STORE: Mutex<Option<Arc<Store>>> = Mutex::new(None);

/// Code of all CPUs is taken from these files and put there, from now on.
pub fn keep_code_in(store: Store) {
    *STORE.lock().held() = Some(Arc::new(store));
}

/// No code is kept any more, and what was new is in its file.
pub fn finish_code() {
    let store = STORE.lock().held().take();
    if let Some(store) = store {
        store.finish();
    }
}

/// The files of all CPUs.
pub(crate) fn store() -> Option<Arc<Store>> {
    STORE.lock().held().clone()
}

/// What there is of a block in a file. The code is as a translator has written it.
pub(crate) struct Record<'a> {
    pub(crate) count: u16,
    pub(crate) profile: Profile,
    pub(crate) source: Source,
    pub(crate) code: &'a [u8],
}

/// What beside its text a block's code follows from.
pub(crate) struct Setting {
    context: [u8; 33],
    /// The purpose, and whether code is made of what was hardly executed: for tests.
    purpose: [u8; 4],
}

impl Setting {
    pub(crate) fn of(context: &Context, purpose: Purpose, hasty: bool) -> Setting {
        let [mode, alone, comparing] = purpose.bytes();
        Setting { context: context.bytes(), purpose: [mode, alone, comparing, hasty.into()] }
    }

    /// Where the block's code is looked for.
    pub(crate) fn key(&self, block: &Block) -> u64 {
        let place = block.absolute % PAGE << 16 | u64::from(block.bytes);
        let words = [place, u32::from_le_bytes(self.purpose).into()];
        let (context, _) = self.context[1..].as_chunks();
        let all = words.into_iter().chain(context.iter().map(|&word| u64::from_le_bytes(word)));
        all.fold(block.digest, |sum, word| (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// What a record begins with: it is for this setting, and for this place in a page.
    fn head(&self, block: &Block) -> [u8; 39] {
        let mut head = [0; 39];
        head[..33].copy_from_slice(&self.context);
        head[33..37].copy_from_slice(&self.purpose);
        head[37..].copy_from_slice(&((block.absolute % PAGE) as u16).to_le_bytes());
        head
    }

    /// Begins the record of a block's code, which comes after this.
    pub(crate) fn begin(&self, block: &Block, source: &Source, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.head(block));
        to.extend_from_slice(&block.translated.to_le_bytes());
        to.extend_from_slice(&block.profile().bytes());
        to.push(source.beside.into());
        to.push(source.text.len() as u8);
        for (at, piece) in &source.text {
            to.extend_from_slice(&at.to_le_bytes());
            to.extend_from_slice(&(piece.len() as u16).to_le_bytes());
            to.extend_from_slice(piece);
        }
    }

    /// What the record has. `None`: it is none, or for another setting.
    pub(crate) fn read<'a>(&self, block: &Block, record: &'a [u8]) -> Option<Record<'a>> {
        let mut code = record.strip_prefix(&self.head(block))?;
        let count = u16::from_le_bytes(take(&mut code)?);
        let profile = Profile::of(take(&mut code)?);
        let [beside, pieces] = take(&mut code)?;
        let mut text = Vec::with_capacity(pieces.into());
        for _ in 0..pieces {
            let at = i64::from_le_bytes(take(&mut code)?);
            let len = u16::from_le_bytes(take(&mut code)?);
            let (piece, rest) = code.split_at_checked(len.into())?;
            text.push((at, piece.into()));
            code = rest;
        }
        Some(Record { count, profile, source: Source { text, beside: beside != 0 }, code })
    }
}

fn take<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (array, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(*array)
}
