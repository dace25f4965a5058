//! DFLTCC, the DEFLATE-conversion facility (POP, chapter 26): compressed data of RFC 1951, made and undone by the CPU.
//!
//! General register 0 has the function code, register 1 the address of the parameter block, which keeps everything from
//! one execution to the next: the history's length, the check value, the bits of the last byte, and in its
//! continuation-state buffer what is in the middle. The history is what lies before the uncompressed data, or in a
//! circular buffer that R3 designates. An execution handles as much as [`UNIT`] bytes and ends with condition code 3 if
//! there is more. No library keeps the state of its work in so few bytes of the guest's storage, so the coder is ours.

mod bits;
mod compress;
mod expand;
mod huffman;
mod matches;
mod symbols;
mod table;

use crate::general::Operand;
use crate::prelude::*;
use arch::PAGE;
use arch::deflate::{Available, BLOCK, BlockBytes, CIRCULAR, HISTORY, ParameterBlock, function};
use base::layout::U32;
use zlib_rs::{adler32::adler32, crc32::crc32};

/// Uncompressed bytes that an execution handles at most.
const UNIT: u64 = HISTORY as u64;
/// A history and the bytes after it.
const WINDOW: usize = HISTORY + UNIT as usize;
/// What parameter blocks say of the model that executed.
const MODEL: u8 = 1;

/// A general-operand data exception.
const OPERAND_DATA: Interruption = Interruption::Data(0);

fn specification<T>() -> Result<T, Interruption> {
    Err(Program::Specification.into())
}

/// DFLTCC. CC: 0 done; 1 the first operand is full; 2 the second is at its end, or wrong; 3 not yet done.
pub(crate) fn deflate_conversion_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let code = s.gr[0] as u8 & 0x7f;
    let known = matches!(code, function::QUERY | function::GENERATE | function::COMPRESS | function::EXPAND);
    let at = s.address_in(1);
    if !known || at.address % 8 != 0 || [i.r1, i.r2].iter().any(|r| *r == 0 || r & 1 != 0) {
        return specification();
    }
    match code {
        function::QUERY => {
            let functions = [function::QUERY, function::GENERATE, function::COMPRESS, function::EXPAND];
            let functions = functions.iter().fold(0, |all, f| all | 1 << (127 - f));
            s.write_bytes(at, &Available { functions, formats: 0x8000 }.encode())?;
            s.cc = 0;
            Ok(())
        }
        function::GENERATE => compress::generate(s, i),
        function::COMPRESS => compress::compress(s, i),
        _ => expand::expand(s, i),
    }
}

/// The parameter block: its address, its bytes, and what they say.
struct Parameters {
    at: At,
    bytes: BlockBytes,
    block: ParameterBlock,
}

impl Parameters {
    /// Of this format, and can be stored into.
    fn fetch(s: &mut State) -> Result<Parameters, Interruption> {
        let at = s.address_in(1);
        s.test_write(at, BLOCK as u64)?;
        let mut bytes = [0; BLOCK];
        s.read_bytes(at, &mut bytes)?;
        let block = ParameterBlock::decode(&bytes);
        if block.version & 15 != 0 { Err(OPERAND_DATA) } else { Ok(Parameters { at, bytes, block }) }
    }

    fn save(&mut self, s: &mut State) -> Result<(), Interruption> {
        self.block.model = MODEL;
        self.block.encode(&mut self.bytes);
        s.write_bytes(self.at, &self.bytes)
    }
}

/// What CMPR and XPND have in common.
struct Task {
    parameters: Parameters,
    to: Operand,
    from: Operand,
    history: History,
}

impl Task {
    /// Everything that ends in an exception, but for the accesses to the operands themselves.
    fn begin(s: &mut State, i: &Fields) -> Result<Task, Interruption> {
        let circular = (s.gr[0] & CIRCULAR != 0).then(|| s.address_in(i.r3));
        if circular.is_some_and(|at| at.address % PAGE != 0) {
            return specification();
        }
        let (to, from) = (Operand::of(s, i.r1)?, Operand::of(s, i.r2)?);
        let mut parameters = Parameters::fetch(s)?;
        let block = &mut parameters.block;
        if !block.continuation && from.length == 0 {
            return specification();
        }
        if block.new_task {
            block.history_length = 0;
            block.check_value = if block.adler { U32::new(1).to_bytes() } else { [0; 4] };
        }
        if block.history_length as usize > HISTORY {
            return Err(OPERAND_DATA);
        }
        let history =
            History { circular, offset: block.history_offset as usize, length: block.history_length as usize };
        if let Some(at) = circular {
            s.test_write(at, HISTORY as u64)?;
        }
        Ok(Task { parameters, to, from, history })
    }

    /// Adds uncompressed bytes to the check value.
    fn check(&mut self, bytes: &[u8]) {
        let block = &mut self.parameters.block;
        block.check_value = match block.adler {
            true => U32::new(adler32(U32::from_bytes(block.check_value).get(), bytes)).to_bytes(),
            false => crc32(u32::from_le_bytes(block.check_value), bytes).to_le_bytes(),
        };
    }

    /// Leaves everything where it is found again.
    fn end(mut self, s: &mut State, cc: u8) -> Result<(), Interruption> {
        let block = &mut self.parameters.block;
        block.new_task = false;
        block.history_length = self.history.length as u16;
        block.history_offset = self.history.offset as u16;
        self.parameters.save(s)?;
        self.to.save(s);
        self.from.save(s);
        s.cc = cc;
        Ok(())
    }
}

/// The uncompressed bytes before those of this execution.
struct History {
    /// The circular buffer; without one they are in line.
    circular: Option<At>,
    /// Where in it they begin.
    offset: usize,
    length: usize,
}

impl History {
    /// Copies them to the beginning of the window; they are before `operand` if they are in line. Gives their number.
    fn fetch(&self, s: &mut State, operand: Operand, window: &mut [u8; WINDOW]) -> Result<usize, Interruption> {
        let n = self.length;
        match self.circular {
            None if n == 0 => {}
            None => {
                let at = s.further(operand.at, (n as u64).wrapping_neg());
                s.read_bytes(at, &mut window[..n])?;
            }
            Some(buffer) => {
                let first = n.min(HISTORY - self.offset);
                let at = s.further(buffer, self.offset as u64);
                s.read_bytes(at, &mut window[..first])?;
                s.read_bytes(buffer, &mut window[first..n])?;
            }
        }
        Ok(n)
    }

    /// Adds bytes, no more than [`UNIT`].
    fn append(&mut self, s: &mut State, bytes: &[u8]) -> Result<(), Interruption> {
        let all = self.length + bytes.len();
        if let Some(buffer) = self.circular {
            let start = (self.offset + self.length) % HISTORY;
            let (first, second) = bytes.split_at(bytes.len().min(HISTORY - start));
            let at = s.further(buffer, start as u64);
            s.write_bytes(at, first)?;
            s.write_bytes(buffer, second)?;
            self.offset = (self.offset + all.saturating_sub(HISTORY)) % HISTORY;
        }
        self.length = all.min(HISTORY);
        Ok(())
    }
}

/// How many bytes of an operand can be stored into at once, up to `max`: the first must be, and those after the next
/// page that cannot are for another execution.
fn touch(s: &mut State, operand: Operand, max: u64) -> Result<u64, Interruption> {
    let max = operand.length.min(max);
    let mut n = 0;
    while n < max {
        let at = s.further(operand.at, n);
        let here = (PAGE - at.address % PAGE).min(max - n);
        match s.test_write(at, here) {
            Ok(()) => n += here,
            Err(why) if n == 0 => return Err(why),
            Err(_) => break,
        }
    }
    Ok(n)
}

/// Lengths of the codes of literals and lengths in blocks of type 01; those of distances are all 5.
fn fixed_literals() -> [u8; huffman::SYMBOLS] {
    let mut lengths = [8; huffman::SYMBOLS];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    lengths
}
