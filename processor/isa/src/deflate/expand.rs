//! XPND: compressed data of the second operand becomes bytes of the first.
//!
//! An execution copies the history, works in a window after it, and stores what came out. It stops where an operand,
//! or as much of it as can be touched without an interruption, ends; where it goes on is in the continuation state.
//! Bits are consumed symbol by symbol: of a second operand that ends within one, the bits go into the continuation
//! state.

use super::bits::{Bits, ENOUGH, Input};
use super::huffman::{Decoder, LONGEST};
use super::symbols::{DISTANCES, LENGTHS};
use super::table::{DISTANCES as DISTANCE_SYMBOLS, END, LITERALS, Reading, SavedReading};
use super::{Task, UNIT, WINDOW};
use crate::general::Operand;
use crate::prelude::*;
use arch::deflate::{Continuation, Ending, HISTORY};
use base::layout::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute_mut, transmute_ref};

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    /// The header of a block.
    Header,
    /// The length of a block of type 00.
    StoredLength,
    Stored,
    /// The table of a block of type 10.
    Table,
    /// Symbols of a block of type 01.
    Fixed,
    /// Symbols of a block of type 10.
    Dynamic,
    /// Nothing: the last block has ended.
    Done,
    /// Nothing: the data is wrong.
    Wrong,
}

/// Why an execution stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Done,
    Input,
    Output,
    Wrong(Ending),
}

/// Where expansion is.
struct Progress {
    phase: Phase,
    /// The present block is the last.
    last: bool,
    /// Bytes that remain of a block of type 00.
    stored: u16,
    /// What remains of a match, and how far back it lies.
    length: u16,
    distance: u16,
    reading: Reading,
    wrong: Ending,
}

/// The same in a continuation state, with the bits that have been taken and not used.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Saved {
    phase: u8,
    last: u8,
    stored: U16,
    length: U16,
    distance: U16,
    bits: u8,
    wrong: u8,
    unused_1: [u8; 6],
    hold: U64,
    unused_2: U64,
    reading: SavedReading,
    unused_3: [u8; 780],
}
const _: () = assert!(size_of::<Saved>() == size_of::<Continuation>());

impl Progress {
    fn new() -> Progress {
        Progress {
            phase: Phase::Header,
            last: false,
            stored: 0,
            length: 0,
            distance: 1,
            reading: Reading::new(),
            wrong: Ending::Symbol,
        }
    }

    /// From a continuation state, which may hold anything, with the bits in it.
    fn restore(state: &Continuation) -> (Progress, Bits) {
        let saved: &Saved = transmute_ref!(state);
        let phase = match saved.phase {
            0 => Phase::Header,
            1 => Phase::StoredLength,
            2 => Phase::Stored,
            3 => Phase::Table,
            4 => Phase::Fixed,
            5 => Phase::Dynamic,
            6 => Phase::Done,
            _ => Phase::Wrong,
        };
        let progress = Progress {
            phase,
            last: saved.last & 1 != 0,
            stored: saved.stored.get(),
            length: saved.length.get() % 259,
            distance: saved.distance.get().clamp(1, HISTORY as u16),
            reading: match phase {
                Phase::Table | Phase::Dynamic => Reading::restore(&saved.reading),
                _ => Reading::new(),
            },
            wrong: Ending::of(saved.wrong).unwrap_or(Ending::Symbol),
        };
        (progress, Bits::restore(saved.hold.get(), saved.bits))
    }

    /// A continuation state with what is needed to go on.
    fn save(&self, bits: &Bits, state: &mut Continuation) {
        state.fill(0);
        let saved: &mut Saved = transmute_mut!(state);
        saved.phase = self.phase as u8;
        saved.last = self.last as u8;
        saved.stored = self.stored.into();
        if self.length > 0 {
            saved.length = self.length.into();
            saved.distance = self.distance.into();
        }
        saved.bits = bits.count() as u8;
        saved.hold = bits.hold().into();
        match self.phase {
            Phase::Wrong => saved.wrong = self.wrong as u8,
            Phase::Table | Phase::Dynamic => saved.reading = self.reading.save(),
            _ => {}
        }
    }

    /// IFS and IFL.
    fn incomplete(&self) -> (u8, u16) {
        let last = self.last as u8;
        match self.phase {
            Phase::Header => (0b1110, 0),
            Phase::StoredLength => (0b1000 | last, 0),
            Phase::Stored => (0b1000 | last, self.stored),
            Phase::Fixed => (0b1010 | last, 0),
            Phase::Table => (0b1110 | last, 0),
            Phase::Dynamic => (0b1100 | last, 0),
            Phase::Done | Phase::Wrong => (0, 0),
        }
    }
}

/// The second operand, as bits.
struct Source<'a> {
    s: &'a mut State,
    operand: Operand,
    buffer: [u8; 1024],
    at: usize,
    end: usize,
    bits: Bits,
    /// Bytes taken by this execution.
    taken: u64,
    /// The next page cannot be fetched from, or an execution has taken enough.
    interrupted: bool,
}

impl Source<'_> {
    /// The next bytes of the operand. The first ones must be there; others are for the next execution.
    fn more(&mut self) -> Result<(), Interruption> {
        let n = self.buffer.len().min(self.operand.length as usize);
        (self.at, self.end) = (0, self.s.read_within_page(self.operand.at, &mut self.buffer[..n])?);
        self.operand.pass(self.s, self.end as u64);
        Ok(())
    }

    /// Gives back bytes that were taken but not processed; gives the bits of the first that were.
    fn give_back(&mut self) -> u8 {
        let unread = (self.end - self.at) as u64;
        let count = self.bits.count();
        let whole = (count.div_ceil(8) as u64).min(self.taken);
        let n = unread + whole;
        self.operand.at = self.s.further(self.operand.at, n.wrapping_neg());
        self.operand.length += n;
        if (count.div_ceil(8) as u64) <= self.taken {
            self.bits = Bits::default();
            ((8 - count % 8) % 8) as u8
        } else {
            self.bits = Bits::restore(self.bits.hold(), (count - 8 * whole as u32) as u8);
            0
        }
    }
}

impl Input for Source<'_> {
    #[inline]
    fn fill(&mut self) -> &mut Bits {
        while self.bits.count() < ENOUGH {
            if let Some(word) = self.buffer[self.at..self.end].first_chunk() {
                let n = self.bits.add_word(*word);
                self.at += n;
                self.taken += n as u64;
            } else if self.at < self.end {
                self.bits.add(self.buffer[self.at]);
                self.at += 1;
                self.taken += 1;
            } else if self.operand.length == 0 || self.interrupted || self.taken >= UNIT {
                self.interrupted |= self.operand.length > 0;
                break;
            } else {
                self.interrupted = self.more().is_err();
            }
        }
        &mut self.bits
    }
}

/// The codes of a block.
struct Codes {
    literals: Decoder,
    distances: Decoder,
}

impl Codes {
    fn new(reading: &Reading) -> Result<Codes, Ending> {
        Ok(Codes {
            literals: Decoder::new(reading.literals()).map_err(|_| Ending::LiteralTable)?,
            distances: Decoder::new(reading.distances()).map_err(|_| Ending::DistanceTable)?,
        })
    }

    fn fixed() -> Codes {
        let literals = super::fixed_literals();
        let build = |lengths: &[u8]| Decoder::new(lengths).ok().expect("the fixed codes are complete");
        Codes { literals: build(&literals), distances: build(&[5; 32]) }
    }
}

/// What is written: the history, and after it the bytes of this execution.
struct Output<'a> {
    window: &'a mut [u8; WINDOW],
    at: usize,
    end: usize,
}

impl Output<'_> {
    /// Copies what remains of a match as far as there is room.
    #[inline]
    fn copy(&mut self, progress: &mut Progress) {
        let (n, back) = ((progress.length as usize).min(self.end - self.at), progress.distance as usize);
        if back >= n {
            self.window.copy_within(self.at - back..self.at - back + n, self.at);
        } else {
            for k in self.at..self.at + n {
                self.window[k] = self.window[k - back];
            }
        }
        self.at += n;
        progress.length -= n as u16;
    }
}

/// XPND. CC: 0 the last block has ended, 1 no room, 2 no data or wrong data, 3 there is more to do.
pub(super) fn expand(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut task = Task::begin(s, i)?;
    let mut window = [0; WINDOW];
    let history = task.history.fetch(s, task.to, &mut window)?;
    let room = super::touch(s, task.to, UNIT)? as usize;
    let block = &task.parameters.block;
    let (mut progress, bits) = match block.continuation {
        true => Progress::restore(&block.state),
        false => (Progress::new(), Bits::default()),
    };
    let mut source =
        Source { s: &mut *s, operand: task.from, buffer: [0; 1024], at: 0, end: 0, bits, taken: 0, interrupted: false };
    if source.operand.length > 0 {
        source.more()?;
        if bits.count() == 0 {
            source.fill().pass(block.sub_byte as u32);
        }
    }
    let mut output = Output { window: &mut window, at: history, end: history + room };
    let stop = run(&mut progress, &mut source, &mut output);
    let produced = output.at - history;
    let interrupted = source.interrupted;
    let sub_byte = match stop {
        // All of it is in the continuation state.
        Stop::Input if !interrupted => 0,
        _ => source.give_back(),
    };
    let (bits, from) = (source.bits, source.operand);

    let new = &window[history..history + produced];
    if produced > 0 {
        s.write_bytes(task.to.at, new)?;
    }
    task.history.append(s, new)?;
    task.check(new);
    task.to.pass(s, produced as u64);
    task.from = from;
    let block = &mut task.parameters.block;
    block.sub_byte = sub_byte;
    block.continuation = stop != Stop::Done;
    (block.incomplete_status, block.incomplete_length) = progress.incomplete();
    block.ending = match stop {
        Stop::Wrong(ending) => ending as u8,
        _ => 0,
    };
    match stop {
        Stop::Done => block.state.fill(0),
        _ => progress.save(&bits, &mut block.state),
    }
    let cc = match stop {
        Stop::Done => 0,
        Stop::Wrong(_) => 2,
        Stop::Output if task.to.length == 0 => 1,
        Stop::Input if !interrupted => 2,
        Stop::Output | Stop::Input => 3,
    };
    task.end(s, cc)
}

/// Goes from phase to phase.
fn run(progress: &mut Progress, source: &mut Source, output: &mut Output) -> Stop {
    loop {
        let step = match progress.phase {
            Phase::Header => header(progress, source),
            Phase::StoredLength => stored_length(progress, source),
            Phase::Stored => stored(progress, source, output),
            Phase::Table => match progress.reading.advance(source) {
                Ok(true) => {
                    progress.phase = Phase::Dynamic;
                    Ok(())
                }
                Ok(false) => Err(Stop::Input),
                Err(ending) => Err(Stop::Wrong(ending)),
            },
            Phase::Fixed => symbols(progress, &Codes::fixed(), source, output),
            Phase::Dynamic => match Codes::new(&progress.reading) {
                Ok(codes) => symbols(progress, &codes, source, output),
                Err(ending) => Err(Stop::Wrong(ending)),
            },
            Phase::Done => Err(Stop::Done),
            Phase::Wrong => Err(Stop::Wrong(progress.wrong)),
        };
        match step {
            Ok(()) => {}
            Err(stop) => {
                if let Stop::Wrong(ending) = stop {
                    (progress.phase, progress.wrong) = (Phase::Wrong, ending);
                }
                return stop;
            }
        }
    }
}

/// A block has ended.
fn ended(progress: &mut Progress) -> Result<(), Stop> {
    progress.phase = if progress.last { Phase::Done } else { Phase::Header };
    Ok(())
}

fn header(progress: &mut Progress, source: &mut Source) -> Result<(), Stop> {
    let bits = source.fill().take(3).ok_or(Stop::Input)?;
    progress.last = bits & 1 != 0;
    progress.phase = match bits >> 1 {
        0 => Phase::StoredLength,
        1 => Phase::Fixed,
        2 => {
            progress.reading = Reading::new();
            Phase::Table
        }
        _ => return Err(Stop::Wrong(Ending::BlockType)),
    };
    if progress.phase == Phase::StoredLength {
        source.bits.align();
    }
    Ok(())
}

fn stored_length(progress: &mut Progress, source: &mut Source) -> Result<(), Stop> {
    let both = source.fill().take(32).ok_or(Stop::Input)?;
    let (length, complement) = (both as u16, (both >> 16) as u16);
    if length != !complement {
        return Err(Stop::Wrong(Ending::StoredLength));
    }
    (progress.phase, progress.stored) = (Phase::Stored, length);
    Ok(())
}

fn stored(progress: &mut Progress, source: &mut Source, output: &mut Output) -> Result<(), Stop> {
    while progress.stored > 0 {
        if output.at == output.end {
            return Err(Stop::Output);
        }
        // First what is bits already, then whole runs of bytes.
        let n = if source.bits.count() >= 8 {
            output.window[output.at] = source.bits.take(8).expect("there are as many") as u8;
            1
        } else {
            if source.at == source.end {
                source.fill().count().checked_sub(8).ok_or(Stop::Input)?;
                continue;
            }
            let n = (source.end - source.at).min(progress.stored as usize).min(output.end - output.at);
            output.window[output.at..output.at + n].copy_from_slice(&source.buffer[source.at..source.at + n]);
            source.at += n;
            source.taken += n as u64;
            n
        };
        output.at += n;
        progress.stored -= n as u16;
    }
    ended(progress)
}

/// So many bits begin no code: they are too few, or wrong.
fn no_code(count: u32) -> Stop {
    if count >= LONGEST as u32 { Stop::Wrong(Ending::Symbol) } else { Stop::Input }
}

/// Symbols of a block, until it ends.
fn symbols(progress: &mut Progress, codes: &Codes, source: &mut Source, output: &mut Output) -> Result<(), Stop> {
    loop {
        if progress.length > 0 {
            if progress.distance as usize > output.at {
                return Err(Stop::Wrong(Ending::Distance));
            }
            output.copy(progress);
            if progress.length > 0 {
                return Err(Stop::Output);
            }
        }
        let bits = source.fill();
        let count = bits.count();
        let Some((symbol, n)) = codes.literals.find(bits.hold()).filter(|(_, n)| *n <= count) else {
            return Err(no_code(count));
        };
        let symbol = symbol as usize;
        if symbol < END {
            if output.at == output.end {
                return Err(Stop::Output);
            }
            output.window[output.at] = symbol as u8;
            output.at += 1;
            bits.pass(n);
            continue;
        }
        if symbol == END {
            bits.pass(n);
            return ended(progress);
        }
        if symbol >= LITERALS {
            return Err(Stop::Wrong(Ending::Symbol));
        }
        // The length, and the distance after it, at once.
        let mut rest = *bits;
        rest.pass(n);
        let (least, extra) = LENGTHS[symbol - 257];
        let length = least as u32 + rest.take(extra as u32).ok_or(Stop::Input)?;
        let Some((symbol, n)) = codes.distances.find(rest.hold()).filter(|(_, n)| *n <= rest.count()) else {
            return Err(no_code(rest.count()));
        };
        if symbol as usize >= DISTANCE_SYMBOLS {
            return Err(Stop::Wrong(Ending::Symbol));
        }
        rest.pass(n);
        let (least, extra) = DISTANCES[symbol as usize];
        let distance = least as u32 + rest.take(extra as u32).ok_or(Stop::Input)?;
        *bits = rest;
        (progress.length, progress.distance) = (length as u16, distance as u16);
    }
}
