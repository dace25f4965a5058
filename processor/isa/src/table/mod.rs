//! The instruction table, by chapter of the Principles of Operation, in operation-code order within a chapter.
//!
//! ```text
//! code   name format since facility   what it does                                       what it can end in
//! 0x5e   AL   RXa    ALL   -          { r1_32 = add_logical(W32, r1_32, m2_32) }
//! 0x5a   A    RXa    ALL   -          { r1_32 = add(W32, r1_32, m2_32); overflow }
//! 0xd2   MVC  SSa    ALL   -          { call move_characters }                           [- S1 F2]
//! 0x82   LPSW S      ALL   -          { ends call load_psw }                             [0123 P F2 D2]
//! 0x22   LTDR RR     ALL   -          { unbuilt }
//! ```
//!
//! `since` is one of the constants of [`crate::Architectures`]; `facility` a bit number or `-`. `ends` marks an
//! instruction that ends a block, `branch` one that ends it if the branch is taken. Operand names are functions of
//! `operand`, operations of `operation`. What stands in brackets is explained in [`crate::outcome`], what
//! stands after `as` in [`crate::form`]; compositions have it from their parts. What stands after `is`, and in
//! parentheses after an access exception, is explained in [`crate::extent`].

use crate::cpu_trait::{Body, Cpu};
use crate::row::Instruction;

/// The right-hand side of a row: see the module's documentation.
macro_rules! body {
    (unbuilt) => {
        pub(super) const RUN: Option<crate::Handler> = None;
        pub(super) fn body<Kind: crate::Cpu>() -> Option<crate::Body<Kind>> {
            None
        }
        pub(super) const ENDS: Ends = Ends::No;
        pub(super) const OUTCOME: Outcome = Outcome::UNSTATED;
        pub(super) const COMPOSED: Option<Composed> = None;
        pub(super) const EXTENTS: Extents = [Extent::Text; 4];
    };
    (ends $($rest:tt)+) => {
        pub(super) const ENDS: Ends = Ends::Always;
        body!(@run $($rest)+);
    };
    (branch $($rest:tt)+) => {
        pub(super) const ENDS: Ends = Ends::IfTaken;
        body!(@run $($rest)+);
    };
    (@run $($rest:tt)+) => {
        pub(super) const RUN: Option<crate::Handler> = Some(handler);
        #[allow(dead_code)] // in a row that states what it can end in
        pub(super) const OUTCOME: Outcome = outcome!($($rest)+);
        pub(super) const COMPOSED: Option<Composed> = composed!($($rest)+);
        #[allow(dead_code)] // likewise
        pub(super) const EXTENTS: Extents = result_extents!($($rest)+);
        fn handler(s: &mut State, i: &Fields, rest: &[crate::Op]) {
            crate::threaded::run(s, i, rest, |cpu, i| run(cpu, i), run::<State>)
        }
        pub(super) fn body<Kind: crate::Cpu>() -> Option<crate::Body<Kind>> {
            Some(run::<Kind>)
        }
        /// The body, for any engine.
        #[inline]
        pub(super) fn run<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            body!(@do cpu i $($rest)+)
        }
    };
    (@do $cpu:ident $i:ident inline $f:path) => { $f($cpu, $i) };
    (@do $cpu:ident $i:ident call $f:path) => { $cpu.call($f, $i) };
    (@do $cpu:ident $i:ident $dst:ident = $op:ident($w:ident $(, $arg:ident)*) $(; $overflow:ident)?) => {{
        let v = body!(@apply $cpu $i $op $w [] $($arg)*);
        crate::operand::result::$dst($cpu, $i, v)?;
        $( body!(@$overflow $cpu)?; )?
        Ok(())
    }};
    (@do $cpu:ident $i:ident $op:ident($w:ident $(, $arg:ident)*)) => {{
        body!(@apply $cpu $i $op $w [] $($arg)*);
        Ok(())
    }};
    (@overflow $cpu:ident) => { $cpu.check_overflow() };
    // Operands are fetched from left to right, then the operation is applied.
    (@apply $cpu:ident $i:ident $op:ident $w:ident []) => {
        crate::operation::$op($cpu, $w)?
    };
    (@apply $cpu:ident $i:ident $op:ident $w:ident [] $a:ident) => {{
        let a = crate::operand::$a($cpu, $i)?;
        crate::operation::$op($cpu, $w, a)?
    }};
    (@apply $cpu:ident $i:ident $op:ident $w:ident [] $a:ident $b:ident) => {{
        let a = crate::operand::$a($cpu, $i)?;
        let b = crate::operand::$b($cpu, $i)?;
        crate::operation::$op($cpu, $w, a, b)?
    }};
    (@apply $cpu:ident $i:ident $op:ident $w:ident [] $a:ident $b:ident $c:ident) => {{
        let a = crate::operand::$a($cpu, $i)?;
        let b = crate::operand::$b($cpu, $i)?;
        let c = crate::operand::$c($cpu, $i)?;
        crate::operation::$op($cpu, $w, a, b, c)?
    }};
    ($($rest:tt)+) => {
        pub(super) const ENDS: Ends = Ends::No;
        body!(@run $($rest)+);
    };
}

/// What a body can end in, as far as its parts tell: see [`crate::outcome`].
macro_rules! outcome {
    (inline $f:path) => { Outcome::UNSTATED };
    (call $f:path) => { Outcome::UNSTATED };
    ($dst:ident = $op:ident($w:ident $(, $arg:ident)*) $(; $overflow:ident)?) => {
        Outcome::composed(
            crate::outcome::operation::$op $(| crate::outcome::operation::$overflow)?,
            &[
                $(crate::outcome::fetch::$arg,)*
                crate::outcome::store::$dst,
                $(crate::outcome::fetch::$overflow,)?
            ],
        )
    };
    ($op:ident($w:ident $(, $arg:ident)*)) => {
        Outcome::composed(crate::outcome::operation::$op, &[$(crate::outcome::fetch::$arg),*])
    };
}

/// What a body is composed of, for engines: see [`crate::form`].
macro_rules! composed {
    (inline $f:path) => { None };
    (call $f:path) => { None };
    ($dst:ident = $op:ident($w:ident $(, $arg:ident)*) $(; $overflow:ident)?) => {
        Some(Composed::new(
            Some(crate::form::place::$dst),
            crate::form::operation::$op,
            &[$(crate::form::place::$arg),*],
        ))
    };
    ($op:ident($w:ident $(, $arg:ident)*)) => {
        Some(Composed::new(None, crate::form::operation::$op, &[$(crate::form::place::$arg),*]))
    };
}

/// How many bytes the result of a composition has: see [`crate::extent`].
macro_rules! result_extents {
    ($dst:ident = $($rest:tt)+) => {
        crate::extent::result::$dst
    };
    ($($rest:tt)+) => {
        [Extent::Text; 4]
    };
}

/// What stands after `as`, or nothing.
macro_rules! form {
    () => { crate::form::Form::Own };
    ($($form:tt)+) => {{
        #[allow(unused_imports)]
        use crate::form::written::*;
        $($form)+
    }};
}

/// The column at the end of a row, or what the body tells.
macro_rules! stated {
    ($name:ident) => { $name::OUTCOME };
    ($name:ident $codes:tt $($letter:ident $(($extent:tt))?)*) => {
        crate::outcome::Outcome::new(stringify!($codes), &[&[$(crate::outcome::letter::$letter),*]])
    };
}

/// The extents in that column, or what the body tells.
macro_rules! extents {
    () => { EXTENTS };
    (- $($letters:tt)*) => { extents!(@of $($letters)*) };
    ($codes:literal $($letters:tt)*) => { extents!(@of $($letters)*) };
    (@of $($letter:ident $(($extent:tt))?)*) => {
        crate::extent::extents(&[$($((crate::outcome::letter::$letter, extents!(@one $extent)),)?)*])
    };
    (@one $bytes:literal) => { Extent::Bytes($bytes) };
    (@one $name:ident) => { Extent::$name };
}

/// What stands after `is`, or nothing.
macro_rules! kind {
    () => {
        crate::extent::Kind::Plain
    };
    ($kind:ident) => {
        crate::extent::Kind::$kind
    };
}

/// `-` or a facility bit.
macro_rules! facility {
    (-) => {
        None
    };
    ($bit:literal) => {
        Some($bit)
    };
}

/// A table file: see the module's documentation.
macro_rules! instructions {
    ($(
        $code:literal $name:ident $format:ident $since:ident $facility:tt { $($body:tt)+ }
        $([$($outcome:tt)+])? $(as [$($form:tt)+])? $(is [$kind:ident])?
    )*) => {
        $(
            #[allow(non_snake_case)]
            mod $name {
                #[allow(unused_imports)]
                use super::*;
                use crate::row::Ends;
                use crate::form::{Composed, Shape};
                use crate::outcome::Outcome;
                #[allow(unused_imports)]
                use crate::extent::{Extent, Extents};
                body!($($body)+);
                pub(super) static SHAPE: Shape = Shape {
                    form: form!($($($form)+)?),
                    composed: COMPOSED,
                    kind: kind!($($kind)?),
                    extents: extents!($($($outcome)+)?),
                };
            }
        )*
        /// The rows of this file.
        pub static ROWS: &[crate::row::Instruction] = &[
            $(crate::row::Instruction {
                code: $code,
                mnemonic: stringify!($name),
                format: crate::fields::Format::$format,
                architectures: crate::row::Architectures::$since,
                facility: facility!($facility),
                run: $name::RUN,
                ends: $name::ENDS,
                outcome: stated!($name $($($outcome)+)?),
                shape: &$name::SHAPE,
            },)*
        ];

        /// The bodies of `ROWS` for one kind of CPU.
        pub fn bodies<Kind: crate::Cpu>() -> Vec<Option<crate::Body<Kind>>> {
            vec![$($name::body::<Kind>(),)*]
        }
    };
}

pub mod bfp;
pub mod control;
#[cfg(feature = "copies")]
pub mod copies;
pub mod decimal;
pub mod dfp;
pub mod general;
pub mod hfp;
pub mod io;
pub mod s370;
pub mod vector;

/// The rows of all chapters.
pub(crate) static ALL: &[&[Instruction]] = &[
    general::ROWS,
    decimal::ROWS,
    hfp::ROWS,
    bfp::ROWS,
    dfp::ROWS,
    vector::ROWS,
    control::ROWS,
    io::ROWS,
    s370::ROWS,
    #[cfg(feature = "copies")]
    copies::ROWS,
];

/// Every row with its body for one kind of CPU, for an engine that brings its own; `None` where a row is not built.
pub fn bodies<C: Cpu>() -> impl Iterator<Item = (&'static Instruction, Option<Body<C>>)> {
    let files = [
        general::bodies(),
        decimal::bodies(),
        hfp::bodies(),
        bfp::bodies(),
        dfp::bodies(),
        vector::bodies(),
        control::bodies(),
        io::bodies(),
        s370::bodies(),
        #[cfg(feature = "copies")]
        copies::bodies(),
    ];
    ALL.iter().flat_map(|rows| rows.iter()).zip(files.into_iter().flatten())
}
