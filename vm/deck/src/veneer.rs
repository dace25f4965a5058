//! The ways from an instruction with a relative address to another deck: an RLD item can only be of an address
//! constant.

use super::Image;
use super::cards::Relocation;
use std::collections::BTreeMap;

/// The second half-byte of an instruction X'C0.n'.
const LARL: u8 = 0x0;
const BRCL: u8 = 0x4;
const BRASL: u8 = 0x5;

/// Makes the instruction whose relative field is at `at` lead to item `number` of the deck.
pub(crate) fn lead(
    at: usize,
    addend: i64,
    number: u16,
    image: &mut Image,
    relocations: &mut Vec<Relocation>,
    stubs: &mut BTreeMap<(u16, i64), usize>,
) -> Result<(), String> {
    // The field is two bytes into the instruction, and relative to its beginning.
    let addend = addend - 2;
    let start = at.checked_sub(2).ok_or("an instruction has no beginning")?;
    let [operation, second] = [image.bytes[start], image.bytes[start + 1]];
    if operation != 0xc0 {
        return Err(format!("an instruction X'{operation:02X}' cannot reach another deck; compile with -march=z900"));
    }
    match second & 0x0f {
        BRCL | BRASL => {
            let stub = match stubs.get(&(number, addend)) {
                Some(stub) => *stub,
                None => {
                    let stub = branch(addend, number, image, relocations)?;
                    stubs.insert((number, addend), stub);
                    stub
                }
            };
            image.put_word(at, distance(start, stub))
        }
        LARL => {
            let register = second >> 4;
            if register == 0 {
                return Err("LARL of register 0 cannot reach another deck".into());
            }
            let place = address(register, start + 6, addend, number, image, relocations)?;
            image.put(start, &[0xc0, 0xf4])?;
            image.put_word(at, distance(start, place))
        }
        other => Err(format!("an instruction X'C0.{other:X}' cannot reach another deck")),
    }
}

/// The relative field of an instruction at `from` that leads to `to`: halfwords.
fn distance(from: usize, to: usize) -> u32 {
    ((to as i64 - from as i64) / 2) as u32
}

fn constant(at: usize, number: u16, branch: bool, relocations: &mut Vec<Relocation>) {
    relocations.push(Relocation { of: number, at: at as u32, branch });
}

/// `BASR 1,0; L 1,6(1); BR 1; DC V(name)`: register 1 is free at a call.
fn branch(addend: i64, number: u16, image: &mut Image, relocations: &mut Vec<Relocation>) -> Result<usize, String> {
    let code = [0x0d, 0x10, 0x58, 0x10, 0x10, 0x06, 0x07, 0xf1, 0, 0, 0, 0];
    let at = image.append(&code)?;
    image.put_word(at + 8, addend as u32)?;
    constant(at + 8, number, true, relocations);
    Ok(at)
}

/// `BASR r,0; L r,10(r); BRCL 15,back; DC A(name)`: LARL as it would be, with the condition code as it was.
fn address(
    register: u8,
    back: usize,
    addend: i64,
    number: u16,
    image: &mut Image,
    relocations: &mut Vec<Relocation>,
) -> Result<usize, String> {
    let code = [0x0d, register << 4, 0x58, register << 4, register << 4, 0x0a, 0xc0, 0xf4, 0, 0, 0, 0, 0, 0, 0, 0];
    let at = image.append(&code)?;
    image.put_word(at + 8, distance(at + 6, back))?;
    image.put_word(at + 12, addend as u32)?;
    constant(at + 12, number, false, relocations);
    Ok(at)
}
