//! What a CPU does: the table of instructions, their decoding, and one body for each.
//!
//! A row of the table names an instruction as the Principles of Operation do: operation code, mnemonic, format, the
//! architectures that have it, the facility it belongs to, and what it does. What it does is one of
//! - a composition of operand forms and an operation: `r1_32 = add(W32, r1_32, m2_32)`,
//! - an irregular body over [`Cpu`]: `inline move_character`,
//! - a routine on the exact [`cpu::State`]: `call load_psw`,
//! - `unbuilt`: known, not built; it ends in an operation exception.
//!
//! Bodies are generic over `trait Cpu`: `impl Cpu for State` is the interpreter, another `impl` is a translator. So no
//! instruction is written twice. This crate knows no interruption priority, no device and no CP, and allocates nothing
//! while instructions run, but for conversions between radixes (PFPO).

mod cpu_trait;
mod decode;
mod disassemble;
mod extent;
mod fields;
pub mod form;
mod interpreter;
mod interpretive;
mod operand;
mod operation;
pub mod outcome;
mod prelude;
mod row;
pub mod table;
mod threaded;
pub mod watch;

pub mod bfp;
mod control;
mod crypto;
mod decimal;
mod deflate;
pub mod dfp;
mod general;
mod hfp;
mod vector;

pub use cpu_trait::{Bitwise, Body, Cc, Cpu, Routine, Step, Width};
pub use decode::{decode, instructions};
pub use disassemble::disassemble;
pub use extent::{Extent, Kind};
pub use fields::{Fields, Format, length};
pub use form::{Composed, Form, Shape};
pub use interpretive::{Decoded, decode_for, decode_op, operation_exception};
pub use outcome::{Exception, Outcome};
pub use row::{Architectures, Ends, Instruction};
pub use table::bodies;
pub use threaded::{Handler, Op, perform};

/// Whether the transaction that `s` executes may execute the instruction that `text` begins with.
pub fn allowed_in_transaction(s: &cpu::State, text: [u8; 6]) -> bool {
    general::allowed_in_transaction(s, text)
}
