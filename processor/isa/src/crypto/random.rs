//! PRNO: a deterministic generator on SHA-512 (NIST SP 800-90A, Hash_DRBG), and true random numbers.

use super::hash::sha512;
use super::{function, modified, operand_register, parameters, query};
use crate::general::{Operand, length, set_address, set_length};
use crate::prelude::*;
use arch::crypto::{GeneratorBlock, SEED};
use base::layout::U32;
use zerocopy::IntoBytes;

const GENERATOR: u8 = 3;
/// Query of how many raw random bytes make one conditioned byte.
const RATIO: u8 = 112;
const TRUE_RANDOM: u8 = 114;

/// PRNO. CC: 0 done, 3 not yet.
pub(crate) fn perform_random_number_operation(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    operand_register(i.r1)?;
    operand_register(i.r2)?;
    match function(s) {
        0 => query(s, &[GENERATOR, RATIO, TRUE_RANDOM]),
        GENERATOR if modified(s) => seed(s, i),
        GENERATOR => generate(s, i),
        RATIO => {
            let at = parameters(s);
            s.write_bytes(at, &[0, 0, 0, 1, 0, 0, 0, 1])?;
            s.cc = 0;
            Ok(())
        }
        TRUE_RANDOM if !modified(s) => s.intercept(Intercepted::TrueRandomNumbers { r1: i.r1, r2: i.r2 }),
        _ => Err(Program::Specification.into()),
    }
}

/// The state of a generator.
struct Generator {
    reseed_counter: u32,
    stream: u64,
    v: [u8; SEED],
    c: [u8; SEED],
}

impl Generator {
    fn fetch(s: &mut State) -> Result<(At, Generator), Interruption> {
        let at = parameters(s);
        s.test_write(at, size_of::<GeneratorBlock>() as u64)?;
        let GeneratorBlock { reseed_counter, stream, v, c, .. } = s.read_layout(at)?;
        Ok((at, Generator { reseed_counter: reseed_counter.get(), stream: stream.get(), v, c }))
    }

    fn save(&self, s: &mut State, at: At) -> Result<(), Interruption> {
        let block = GeneratorBlock::new(self.reseed_counter, self.stream, self.v, self.c);
        s.write_bytes(at, block.as_bytes())
    }

    /// C from V, as after seeding.
    fn restart(&mut self) {
        self.c = derive(&[&[0], &self.v]);
        (self.reseed_counter, self.stream) = (1, 0);
    }

    fn fill(&self, output: &mut [u8], mut v: [u8; SEED]) -> [u8; SEED] {
        for part in output.chunks_mut(64) {
            part.copy_from_slice(&sha512(&[&v])[..part.len()]);
            add(&mut v, &[1]);
        }
        v
    }

    /// What follows a request.
    fn advance(&mut self) {
        let hash = sha512(&[&[3], &self.v]);
        add(&mut self.v, &hash);
        let c = self.c;
        add(&mut self.v, &c);
        add(&mut self.v, U32::new(self.reseed_counter).as_bytes());
        self.reseed_counter = self.reseed_counter.wrapping_add(1);
    }
}

/// Hash_df: as many bytes as a seed has.
fn derive(parts: &[&[u8]]) -> [u8; SEED] {
    let bits = U32::new(8 * SEED as u32).to_bytes();
    let mut seed = [0; SEED];
    for (n, part) in seed.chunks_mut(64).enumerate() {
        let counter = [n as u8 + 1];
        let mut all: [&[u8]; 6] = [&[]; 6];
        (all[0], all[1]) = (&counter, &bits);
        for (to, from) in all[2..].iter_mut().zip(parts) {
            *to = from;
        }
        part.copy_from_slice(&sha512(&all)[..part.len()]);
    }
    seed
}

/// A sum of big-endian numbers, without the carry out of `a`.
fn add(a: &mut [u8; SEED], b: &[u8]) {
    let mut carry = 0;
    for k in 0..SEED {
        let sum = a[SEED - 1 - k] as u16 + b.len().checked_sub(k + 1).map_or(0, |n| b[n] as u16) + carry;
        a[SEED - 1 - k] = sum as u8;
        carry = sum >> 8;
    }
}

/// Seeds the generator with the second operand, up to 512 bytes; anew if it has been seeded.
fn seed(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let from = Operand::of(s, i.r2)?;
    if from.length > 512 {
        return Err(Program::Specification.into());
    }
    let (at, mut generator) = Generator::fetch(s)?;
    let mut material = [0; 512];
    let material = &mut material[..from.length as usize];
    s.read_bytes(from.at, material)?;
    generator.v = match generator.reseed_counter {
        0 => derive(&[material]),
        _ => derive(&[&[1], &generator.v, material]),
    };
    generator.restart();
    generator.save(s, at)?;
    s.cc = 0;
    Ok(())
}

/// As much as a request of the standard may ask for; more is done in several executions.
const REQUEST: u64 = 0x1_0000;

/// Random bytes for the first operand.
fn generate(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let to = s.address_in(i.r1);
    let wanted = length(s, i.r1 + 1);
    if wanted == 0 {
        s.cc = 0;
        return Ok(());
    }
    let (at, mut generator) = Generator::fetch(s)?;
    let n = wanted.min(REQUEST);
    s.test_write(to, n)?;
    let mut done = 0;
    let mut v = generator.v;
    while done < n {
        let mut bytes = [0; 1024];
        let part = &mut bytes[..(n - done).min(1024) as usize];
        v = generator.fill(part, v);
        let place = s.further(to, done);
        s.write_bytes(place, part)?;
        done += part.len() as u64;
    }
    generator.advance();
    generator.stream = generator.stream.wrapping_add(n);
    generator.save(s, at)?;
    let behind = s.further(to, n);
    set_address(s, i.r1, behind.address);
    set_length(s, i.r1 + 1, wanted - n);
    s.cc = if wanted > n { 3 } else { 0 };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carry_goes_through() {
        let mut a = [0xff; SEED];
        add(&mut a, &[1]);
        assert_eq!(a, [0; SEED]);
    }
}
