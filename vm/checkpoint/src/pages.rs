//! The storage of a guest in a file: pieces of it, one after the other.

use crate::error::Error;
use arch::{Absolute, PAGE};
use base::layout::{U32, U64};
use std::io::{Read, Write};
use storage::Storage;
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Frames of a piece at most.
const FRAMES: u64 = 256;
/// What each frame has beside its bytes: its storage key, and what the guest says of its use.
const BESIDE: u64 = 2;
/// The most bytes of a piece, compressed: those that cannot be compressed take a little more room.
const LONGEST: u32 = (FRAMES * (PAGE + BESIDE)) as u32 + (64 << 10);

/// What stands before a piece.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct PieceHead {
    /// The number of the first frame; in the last piece, how many pieces there were.
    first: U64,
    /// How many frames; 0 in the last piece.
    frames: U32,
    /// Bytes of the compressed frames: first all pages, then all keys, then all states.
    length: U32,
    /// Check sum of those bytes, with what stands before this in its seed.
    sum: U64,
}
const _: () = assert!(size_of::<PieceHead>() == 24);

impl PieceHead {
    fn new(first: u64, frames: u32, bytes: &[u8]) -> PieceHead {
        let mut head = PieceHead { first: first.into(), frames: frames.into(), length: 0.into(), sum: 0.into() };
        head.length = (bytes.len() as u32).into();
        head.sum = head.sum_of(bytes).into();
        head
    }

    fn sum_of(&self, bytes: &[u8]) -> u64 {
        xxh3_64_with_seed(bytes, self.first.get() << 16 ^ u64::from(self.frames.get()))
    }
}

/// Hears how much of a storage has been written or read: bytes, and how many there are in all.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Writes what is in a storage that nothing uses meanwhile.
pub(crate) fn write(storage: &Storage, to: &mut impl Write, progress: Progress<'_>) -> std::io::Result<()> {
    let frames = storage.size() / PAGE;
    let mut plain = Vec::new();
    let mut pieces = 0;
    for first in (0..frames).step_by(FRAMES as usize) {
        let count = FRAMES.min(frames - first);
        plain.clear();
        plain.resize((count * (PAGE + BESIDE)) as usize, 0);
        let (pages, beside) = plain.split_at_mut((count * PAGE) as usize);
        storage.peek(Absolute(first * PAGE), pages).expect("it is within its size");
        let (keys, states) = beside.split_at_mut(count as usize);
        for (n, (key, state)) in (0..).zip(keys.iter_mut().zip(states)) {
            let at = Absolute((first + n) * PAGE);
            *key = storage.key(at).expect("it is within its size");
            *state = storage.set_page_state(at, None).expect("it is within its size");
        }
        if plain.iter().any(|&byte| byte != 0) {
            let bytes = lz4_flex::block::compress(&plain);
            to.write_all(PieceHead::new(first, count as u32, &bytes).as_bytes())?;
            to.write_all(&bytes)?;
            pieces += 1;
        }
        progress((first + count) * PAGE, frames * PAGE);
    }
    to.write_all(PieceHead::new(pieces, 0, &[]).as_bytes())
}

/// Reads pieces into a storage that is all zero.
pub(crate) fn read(from: &mut impl Read, storage: &Storage, progress: Progress<'_>) -> Result<(), Error> {
    let damaged = |first: u64| Error::Damaged(format!("the storage at {:X}", first.saturating_mul(PAGE)));
    let frames = storage.size() / PAGE;
    let mut bytes = Vec::new();
    let mut plain = vec![0; (FRAMES * (PAGE + BESIDE)) as usize];
    let mut pieces = 0;
    let mut next = 0;
    loop {
        let mut head = PieceHead::new_zeroed();
        from.read_exact(head.as_mut_bytes())?;
        let (first, count) = (head.first.get(), u64::from(head.frames.get()));
        let last = count == 0;
        let fits = first >= next && first.checked_add(count).is_some_and(|end| end <= frames);
        if !last && (!fits || count > FRAMES) || head.length.get() > LONGEST {
            return Err(damaged(next));
        }
        bytes.resize(head.length.get() as usize, 0);
        from.read_exact(&mut bytes)?;
        if head.sum_of(&bytes) != head.sum.get() {
            return Err(damaged(next));
        }
        if last {
            return if first == pieces { Ok(()) } else { Err(damaged(next)) };
        }
        let plain = &mut plain[..(count * (PAGE + BESIDE)) as usize];
        if lz4_flex::block::decompress_into(&bytes, plain).ok() != Some(plain.len()) {
            return Err(damaged(first));
        }
        place(storage, first, count, plain);
        pieces += 1;
        next = first + count;
        progress(next * PAGE, frames * PAGE);
    }
}

/// Puts a piece into storage. Frames that are zero stay untouched: they occupy no storage of the host.
fn place(storage: &Storage, first: u64, count: u64, plain: &[u8]) {
    let (pages, beside) = plain.split_at((count * PAGE) as usize);
    let (keys, states) = beside.split_at(count as usize);
    let runs = pages.chunks_exact(PAGE as usize).map(|page| page.iter().any(|&byte| byte != 0));
    let used: Vec<bool> = runs.collect();
    let mut n = 0;
    for run in used.chunk_by(|a, b| a == b) {
        let (from, to) = (n * PAGE as usize, (n + run.len()) * PAGE as usize);
        if run[0] {
            storage.write(Absolute(first * PAGE + from as u64), &pages[from..to]).expect("it is within its size");
        }
        n += run.len();
    }
    for (n, (key, state)) in (0..).zip(keys.iter().zip(states)) {
        let at = Absolute((first + n) * PAGE);
        if storage.key(at) != Ok(*key) {
            storage.set_key(at, *key).expect("it is within its size");
        }
        if *state != 0 {
            storage.set_page_state(at, Some(*state)).expect("it is within its size");
        }
    }
}
