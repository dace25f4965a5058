//! CMPR: bytes of the second operand become compressed data of the first. GDHT: the table for it.
//!
//! Whatever a symbol needs beyond the end of the first operand, whole bytes and bits, waits in the continuation state
//! and is the first thing that the next execution stores.

use super::bits::Writer;
use super::huffman::{Encoder, lengths};
use super::matches::{Matcher, Token};
use super::symbols::{of_distance, of_length};
use super::table::{self, DISTANCES, END, LITERALS};
use super::{OPERAND_DATA, Parameters, Task, UNIT, WINDOW, fixed_literals, specification, touch};
use crate::general::Operand;
use crate::prelude::*;
use arch::deflate::{Continuation, ParameterBlock};
use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute_mut, transmute_ref};

/// Bytes that an execution stores into the first operand.
const STORED: usize = UNIT as usize;
/// Bytes that wait: a header with its table, or a symbol, and the end of the block.
const WAITING: usize = 320;

/// Compressed data: what has room in the first operand, and what has not.
struct Sink {
    writer: Writer,
    stored: [u8; STORED],
    length: usize,
    room: usize,
    waiting: [u8; WAITING],
    waits: usize,
}

/// What a continuation state keeps of it.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Saved {
    /// The header of the block has been written.
    header: u8,
    /// How many bits wait, and which, after the bytes that do.
    bits: u8,
    rest: u8,
    unused_1: u8,
    waits: U16,
    unused_2: U16,
    waiting: [u8; WAITING],
    unused_3: [u8; 824],
}
const _: () = assert!(size_of::<Saved>() == size_of::<Continuation>());

impl Sink {
    #[inline]
    fn put(&mut self, v: u32, n: u32) {
        let Sink { writer, stored, length, room, waiting, waits } = self;
        writer.put(v, n, |byte| {
            if *length < *room {
                stored[*length] = byte;
                *length += 1;
            } else {
                waiting[*waits] = byte;
                *waits += 1;
            }
        });
    }

    /// Whether something waits, or would with the next bit.
    fn full(&self) -> bool {
        self.length == self.room
    }

    /// The continuation state: whether the header has been written, bytes and bits that wait.
    fn save(&self, header: bool, state: &mut Saved) {
        let (rest, n) = self.writer.rest();
        state.as_mut_bytes().fill(0);
        (state.header, state.bits, state.rest) = (header as u8, n, rest);
        state.waits = (self.waits as u16).into();
        state.waiting[..self.waits].copy_from_slice(&self.waiting[..self.waits]);
    }

    /// Writes what waits.
    fn restore(&mut self, state: &Saved) {
        let waits = state.waits.get() as usize;
        state.waiting[..waits.min(WAITING)].iter().for_each(|byte| self.put(*byte as u32, 8));
        let n = state.bits as u32 & 7;
        self.put(state.rest as u32 & ((1 << n) - 1), n);
    }
}

/// The codes of a block.
struct Codes {
    literals: Encoder,
    distances: Encoder,
}

impl Codes {
    /// As the parameter block says; a table that is wrong is an exception.
    fn of(block: &ParameterBlock) -> Result<Codes, Interruption> {
        if !block.dynamic {
            return Ok(Codes { literals: Encoder::new(&fixed_literals()), distances: Encoder::new(&[5; DISTANCES]) });
        }
        let reading = table::parse(&block.table, block.table_bits).map_err(|_| OPERAND_DATA)?;
        // What cannot be read back is not to be written.
        for lengths in [reading.literals(), reading.distances()] {
            super::huffman::Decoder::new(lengths).map_err(|_| OPERAND_DATA)?;
        }
        Ok(Codes { literals: Encoder::new(reading.literals()), distances: Encoder::new(reading.distances()) })
    }

    /// Whether there are codes for a match.
    fn has(&self, length: usize, distance: usize) -> bool {
        self.literals.of(of_length(length).0).1 > 0 && self.distances.of(of_distance(distance).0).1 > 0
    }

    /// Writes a token. False: there is no code for it.
    #[inline]
    fn write(&self, token: Token, sink: &mut Sink) -> bool {
        match token {
            Token::Literal(byte) => {
                let (code, n) = self.literals.of(byte as usize);
                sink.put(code as u32, n as u32);
                n > 0
            }
            Token::Match { length, distance } => {
                let (symbol, extra, bits) = of_length(length);
                let (code, n) = self.literals.of(symbol);
                sink.put(code as u32 | extra << n, n as u32 + bits);
                let (symbol, extra, bits) = of_distance(distance);
                let (code, n) = self.distances.of(symbol);
                sink.put(code as u32 | extra << n, n as u32 + bits);
                true
            }
        }
    }
}

/// Copies into the window after `history` as many bytes of the operand as can be fetched, up to [`UNIT`]: the first
/// page must be there.
fn fetch(s: &mut State, mut from: Operand, window: &mut [u8; WINDOW], history: usize) -> Result<usize, Interruption> {
    let max = from.length.min(UNIT) as usize;
    let mut n = 0;
    while n < max {
        match s.read_within_page(from.at, &mut window[history + n..history + max]) {
            Ok(more) => {
                n += more;
                from.pass(s, more as u64);
            }
            Err(why) if n == 0 => return Err(why),
            Err(_) => break,
        }
    }
    Ok(n)
}

/// CMPR. CC: 0 all is compressed, 1 no room, 3 there is more to do.
pub(super) fn compress(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let mut task = Task::begin(s, i)?;
    if task.to.length == 0 {
        s.cc = 1;
        return Ok(());
    }
    let codes = Codes::of(&task.parameters.block)?;
    let mut window = [0; WINDOW];
    let history = task.history.fetch(s, task.from, &mut window)?;
    let fetched = fetch(s, task.from, &mut window, history)?;
    let room = touch(s, task.to, UNIT)? as usize;
    let block = &mut task.parameters.block;
    let mut sink =
        Sink { writer: Writer::default(), stored: [0; STORED], length: 0, room, waiting: [0; WAITING], waits: 0 };
    if block.sub_byte > 0 {
        let mut first = [0];
        s.read_bytes(task.to.at, &mut first)?;
        sink.writer = Writer::restore(first[0], block.sub_byte);
    }
    let mut header = block.continued;
    if block.continuation {
        let state: &Saved = transmute_ref!(&block.state);
        header |= state.header & 1 != 0;
        sink.restore(state);
    }
    let end = history + fetched;
    let mut at = history;
    if fetched > 0 && !header && !sink.full() {
        write_header(block, &mut sink);
        header = true;
    }
    let mut matcher = Matcher::new(&window, end);
    while at < end && !sink.full() {
        let token = matcher.next(at, |length, distance| codes.has(length, distance));
        if !codes.write(token, &mut sink) {
            if at == history {
                return Err(OPERAND_DATA);
            }
            break;
        }
        at += match token {
            Token::Literal(_) => 1,
            Token::Match { length, .. } => length,
        };
    }
    let consumed = at - history;
    let finished = consumed as u64 == task.from.length;
    let (code, n) = codes.literals.of(END);
    // The end of the block comes with the last byte; where there is none, there is nothing to close.
    if finished && fetched > 0 && block.close {
        sink.put(code as u32, n as u32);
    }
    block.end_of_block = code.reverse_bits() >> 1;
    block.end_of_block_length = n;

    let length = sink.length;
    let (rest, mut bits) = sink.writer.rest();
    let state: &mut Saved = transmute_mut!(&mut block.state);
    sink.save(header, state);
    if sink.waits == 0 && bits > 0 && length < room {
        sink.stored[length] = rest;
        s.write_bytes(task.to.at, &sink.stored[..length + 1])?;
        block.sub_byte = bits;
        state.bits = 0;
        bits = 0;
    } else {
        if length > 0 {
            s.write_bytes(task.to.at, &sink.stored[..length])?;
        }
        block.sub_byte = 0;
    }
    let waits = sink.waits > 0 || bits > 0;
    let new = &window[history..at];
    task.history.append(s, new)?;
    task.check(new);
    task.to.pass(s, length as u64);
    task.from.pass(s, consumed as u64);
    let cc = match (finished && !waits, task.to.length) {
        (true, _) => 0,
        (false, 0) => 1,
        (false, _) => 3,
    };
    let block = &mut task.parameters.block;
    block.continuation = cc != 0;
    block.ending = 0;
    if cc == 0 {
        block.state.fill(0);
    }
    task.end(s, cc)
}

/// The header of a block, and its table.
fn write_header(block: &ParameterBlock, sink: &mut Sink) {
    sink.put(block.last as u32, 1);
    if !block.dynamic {
        return sink.put(1, 2);
    }
    sink.put(2, 2);
    let mut left = block.table_bits as u32;
    for byte in block.table {
        let n = left.min(8);
        sink.put(byte as u32 & ((1 << n) - 1), n);
        left -= n;
    }
}

/// GDHT: a table for the symbols that compression of the second operand would write. CC: 0.
pub(super) fn generate(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let from = Operand::of(s, i.r2)?;
    if from.length == 0 {
        return specification();
    }
    let mut parameters = Parameters::fetch(s)?;
    let mut window = [0; WINDOW];
    let end = fetch(s, from, &mut window, 0)?;
    let block = &mut parameters.block;
    // All symbols get a code, or those that there are.
    let least = !block.specific as u32;
    let (mut literals, mut distances) = ([least; LITERALS], [least; DISTANCES]);
    literals[END] = 1;
    let mut matcher = Matcher::new(&window, end);
    let mut at = 0;
    while at < end {
        at += match matcher.next(at, |_, _| true) {
            Token::Literal(byte) => {
                literals[byte as usize] += 1;
                1
            }
            Token::Match { length, distance } => {
                literals[of_length(length).0] += 1;
                distances[of_distance(distance).0] += 1;
                length
            }
        };
    }
    let (mut of_literals, mut of_distances) = ([0; LITERALS], [0; DISTANCES]);
    lengths(&literals, super::huffman::LONGEST, &mut of_literals);
    lengths(&distances, super::huffman::LONGEST, &mut of_distances);
    let used = |lengths: &[u8], least: usize| lengths.iter().rposition(|n| *n > 0).map_or(least, |n| n + 1).max(least);
    let (literals, distances) = (used(&of_literals, END + 1), used(&of_distances, 1));
    block.table_bits = table::compress(&of_literals[..literals], &of_distances[..distances], &mut block.table);
    block.ending = 0;
    parameters.save(s)?;
    s.cc = 0;
    Ok(())
}
