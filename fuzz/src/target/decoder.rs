//! Instruction text of every kind: found in the table of each architecture, taken apart, and shown.

use cpu::{Architecture, Facilities};
use isa::{Fields, decode, instructions};

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "decoder", about: "instruction text in every architecture", run };

const ARCHITECTURES: [Architecture; 3] = [Architecture::S370, Architecture::Esa, Architecture::Z];

fn run(chance: &mut Chance) {
    let mut text = chance.word().to_be_bytes();
    if !chance.one_in(4) {
        // Most chance text is no instruction: lay a known operation code over it.
        let row = instructions().nth(chance.below(instructions().count())).expect("the number is below the count");
        text[0] = if row.code > 0xFFF { (row.code >> 8) as u8 } else { row.code as u8 };
    }
    let text: [u8; 6] = text[..6].try_into().expect("six of eight bytes");
    let architecture = ARCHITECTURES[chance.below(3)];
    let facilities = Facilities(std::array::from_fn(|_| chance.word() | chance.word()));
    if let Some(row) = decode(text, architecture, &facilities) {
        assert!(row.architectures.include(architecture), "{} is of another architecture", row.mnemonic);
        let fields = Fields::extract(row.format, text);
        assert_eq!(fields.len, isa::length(text[0]));
        // Vector registers, and a vector of indexes, have numbers of five bits.
        assert!([fields.r1, fields.r2, fields.r3, fields.x2].iter().all(|field| *field < 32));
        assert!(fields.b1 < 16 && fields.b2 < 16);
    }
}
