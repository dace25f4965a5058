//! What an instruction can end in: the condition codes it can set and the program exceptions it can raise (POP, under
//! each instruction: "Resulting Condition Code" and "Program Exceptions").
//!
//! A row that composes operands and an operation has its outcome from them. Any other row states it after its body, in
//! brackets: the condition codes, or `-` if it leaves the condition code alone, and letters as those of POP's appendix
//! B:
//!
//! ```text
//! 0x0e   MVCL    RR    ALL   -   { call move_long }             [0123 S1 F2 E1 E2]
//! 0x82   LPSW    S     ALL   -   { ends call load_psw }         [0123 P F2 D2]
//! ```
//!
//! The letters are the constants of [`letter`]. What every instruction can end in is not repeated: exceptions of its
//! own fetch, and the operation exception where its facility is not installed.

/// One way to end in a program interruption. A number is the number of an operand, or of a register field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exception {
    /// Access exceptions of an operand that is fetched.
    Fetch(u8),
    /// Access exceptions of an operand that is stored, or fetched and stored.
    Store(u8),
    /// Addressing and protection exceptions of an operand at a real address.
    Real(u8),
    /// Addressing exceptions of a frame, table or control block that is not protected.
    Frame(u8),
    /// Translation exceptions of an operand whose address is translated and not used.
    Translated(u8),
    /// Specification: the register field must name an even-odd pair.
    Even(u8),
    /// Specification: the register field must name a pair of floating-point registers.
    Pair(u8),
    /// Specification: the operand's address is a multiple of the second number.
    Aligned(u8, u8),
    /// Specification, for a reason of its own.
    Specification,
    /// Privileged operation: in the problem state always, or when authority is missing.
    Privileged,
    /// Special operation: a mode or control that forbids it.
    SpecialOperation,
    /// Operand exception.
    Operand,
    /// A space-switch event.
    SpaceSwitchEvent,
    /// A trace entry that would reach the end of its page, with tracing on.
    TraceTable,
    /// An invalid entry of the ASN-first table.
    AfxTranslation,
    /// An invalid entry of the ASN-second table.
    AsxTranslation,
    /// An invalid entry of the linkage table, or none.
    LxTranslation,
    /// No entry of the entry table.
    ExTranslation,
    /// An invalid entry of the linkage-first table, or none.
    LfxTranslation,
    /// An invalid entry of the linkage-second table.
    LsxTranslation,
    /// An entry of the linkage-second table of another sequence number.
    LsteSequence,
    /// An entry of the entry table with an address that its addressing mode does not have.
    PcTranslationSpecification,
    /// No authority to make a space the primary one.
    PrimaryAuthority,
    /// No authority to make a space the secondary one.
    SecondaryAuthority,
    /// An address-space number of another instance.
    AsteInstance,
    /// Execute: the target is EXECUTE itself.
    Execute,
    /// A monitor event.
    MonitorEvent,
    /// Fixed-point overflow, with the program-mask bit on.
    FixedPointOverflow,
    /// Fixed-point divide.
    FixedPointDivide,
    /// Data exception with code 0: digits, signs.
    Decimal,
    /// Decimal overflow, with the program-mask bit on.
    DecimalOverflow,
    /// Decimal divide.
    DecimalDivide,
    /// Data exception with code 1: an additional floating-point register while control register 0 denies them.
    AfpRegister,
    /// Data exception with code 2: an instruction of binary floating point, likewise.
    BfpInstruction,
    /// Data exception with code 3: one of decimal floating point.
    DfpInstruction,
    /// Hexadecimal floating point: the exponent is above 127, or below 0 with the program-mask bit on.
    ExponentOverflow,
    /// The exponent is below 0 with the program-mask bit on.
    ExponentUnderflow,
    /// A difference of zero with the program-mask bit on.
    Significance,
    /// A divisor of zero.
    FloatingPointDivide,
    /// The square root of a negative number.
    SquareRoot,
    /// Data exceptions of IEEE: invalid operation, code 80.
    Invalid,
    /// Division by zero, code 40.
    DivisionByZero,
    /// Overflow, codes 20, 28 and 2C.
    Overflow,
    /// Underflow, codes 10, 18 and 1C.
    Underflow,
    /// Inexact, codes 08 and 0C.
    Inexact,
    /// Quantum, code 04: of decimal floating point, not the quantum that was preferred.
    Quantum,
    /// Data exception with code FF: compare and trap.
    Trap,
    /// Data exception with code FE: a vector instruction while control register 0 denies them.
    VectorInstruction,
    /// Vector processing: an IEEE exception in an element.
    VectorProcessing,
}

/// The number, in place of an operand's, of tables and control blocks that control registers lead to.
pub const TABLES: u8 = 15;

/// What an instruction can end in.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Whether the row says it; a row without a body does not.
    pub stated: bool,
    /// Bit n: it can set condition code n.
    codes: u8,
    exceptions: &'static [&'static [Exception]],
}

impl Outcome {
    /// Of a row that does not say.
    pub const UNSTATED: Outcome = Outcome { stated: false, codes: 0, exceptions: &[] };

    /// `codes` as the table writes them: digits, or `-` for none.
    pub const fn new(codes: &str, exceptions: &'static [&'static [Exception]]) -> Outcome {
        let digits = codes.as_bytes();
        let (mut bits, mut n) = (0, 0);
        while n < digits.len() {
            if digits[n] != b'-' {
                assert!(matches!(digits[n], b'0'..=b'3'), "condition codes are digits from 0 to 3");
                bits |= 1 << (digits[n] - b'0');
            }
            n += 1;
        }
        Outcome { stated: true, codes: bits, exceptions }
    }

    /// What a composition of an operation and operands can end in; bit n of `codes` for condition code n.
    pub(crate) const fn composed(codes: u8, exceptions: &'static [&'static [Exception]]) -> Outcome {
        Outcome { stated: true, codes, exceptions }
    }

    /// The condition codes it can set.
    pub fn codes(&self) -> impl Iterator<Item = u8> + use<> {
        let bits = self.codes;
        (0..4).filter(move |code| bits >> code & 1 == 1)
    }

    /// The program exceptions it can raise.
    pub fn exceptions(&self) -> impl Iterator<Item = Exception> + use<> {
        self.exceptions.iter().flat_map(|part| part.iter().copied())
    }
}

/// The letters of the column.
#[allow(non_upper_case_globals)]
pub mod letter {
    use super::Exception::{self, *};
    use super::TABLES;

    macro_rules! letters {
        ($($(#[$doc:meta])* $name:ident = $exception:expr;)*) => {
            $($(#[$doc])* pub(crate) const $name: Exception = $exception;)*
            /// All letters with what they stand for.
            pub const ALL: &[(&str, Exception)] = &[$((stringify!($name), $name),)*];
        };
    }

    letters! {
        // Access, by operand; G is what general register 1 designates.
        F1 = Fetch(1); F2 = Fetch(2); F3 = Fetch(3); F4 = Fetch(4); FG = Fetch(0);
        S1 = Store(1); S2 = Store(2); S3 = Store(3); S4 = Store(4); SG = Store(0);
        R2 = Real(2);
        // KT: tables and control blocks that the CPU finds by itself.
        T2 = Translated(2);
        K1 = Frame(1); K2 = Frame(2); KT = Frame(TABLES);
        // Even-odd pairs, pairs of floating-point registers.
        E1 = Even(1); E2 = Even(2); E3 = Even(3);
        X1 = Pair(1); X2 = Pair(2); X3 = Pair(3);
        // Halfword, word, doubleword, quadword.
        H2 = Aligned(2, 2);
        W1 = Aligned(1, 4); W2 = Aligned(2, 4);
        D1 = Aligned(1, 8); D2 = Aligned(2, 8);
        Q2 = Aligned(2, 16);
        SP = Specification;
        P = Privileged;
        SO = SpecialOperation;
        OP = Operand;
        SS = SpaceSwitchEvent;
        TT = TraceTable;
        AF = AfxTranslation; AX = AsxTranslation; PA = PrimaryAuthority; SA = SecondaryAuthority; AI = AsteInstance;
        LX = LxTranslation; EN = ExTranslation; PS = PcTranslationSpecification;
        LF = LfxTranslation; LN = LsxTranslation; LQ = LsteSequence;
        EX = Execute;
        MO = MonitorEvent;
        IF = FixedPointOverflow; IK = FixedPointDivide;
        EO = ExponentOverflow; EU = ExponentUnderflow; LS = Significance; FK = FloatingPointDivide; SQ = SquareRoot;
        D = Decimal; DF = DecimalOverflow; DK = DecimalDivide;
        Da = AfpRegister; Db = BfpInstruction; Dt = DfpInstruction;
        Xi = Invalid; Xz = DivisionByZero; Xo = Overflow; Xu = Underflow; Xx = Inexact; Xq = Quantum;
        DX = Trap;
        VE = VectorInstruction; VX = VectorProcessing;
    }
}

/// Condition codes of the operations that rows are composed of, without overflow, as bits.
#[allow(non_upper_case_globals)]
pub(crate) mod operation {
    macro_rules! codes {
        ($($name:ident $($code:literal)*;)*) => { $(pub(crate) const $name: u8 = 0 $(| 1 << $code)*;)* };
    }

    codes! {
        load; reversed; thirty_one_bits; zero_rightmost_byte; multiply; add_without_cc;
        shift_left_logical; shift_right_logical; rotate_left;
        add 0 1 2; subtract 0 1 2; load_and_test 0 1 2; load_complement 0 1 2; shift_left 0 1 2; shift_right 0 1 2;
        load_positive 0 2; load_negative 0 1;
        add_logical 0 1 2 3; add_logical_with_carry 0 1 2 3; subtract_logical_with_borrow 0 1 2 3;
        subtract_logical 1 2 3;
        and 0 1; or 0 1; exclusive_or 0 1;
        and_with_complement 0 1; or_with_complement 0 1; not_and 0 1; not_or 0 1; not_exclusive_or 0 1;
        compare 0 1 2; compare_logical 0 1 2;
        test_under_mask 0 1 3; test_under_mask_half 0 1 2 3;
    }

    /// What `; overflow` after an operation adds.
    pub(crate) const overflow: u8 = 1 << 3;
}

/// Exceptions of operands, as they are fetched.
#[allow(non_upper_case_globals)]
pub(crate) mod fetch {
    use super::Exception::{self, *};

    macro_rules! operands {
        ($($($name:ident)* = $exceptions:expr;)*) => { $($(pub(crate) const $name: &[Exception] = $exceptions;)*)* };
    }

    operands! {
        r1_8 r1_16 r1_32 r1_64 r2_8 r2_16 r2_32 r2_64 r3_32 r3_64 r1_hh r1_hl r1_lh r1_h r2_h r3_h = &[];
        r2_8s r2_16s r2_32s a2 imm imm16u imm32u imm_hh imm_hl imm_lh imm_h shift = &[];
        m2_8 m2_16 m2_32 m2_64 m2_8s m2_16s m2_32s = &[Fetch(2)];
        m1_8 m1_16 m1_32 m1_64 = &[Fetch(1)];
        rel_16 rel_16s = &[Fetch(2)];
        rel_32a rel_32as = &[Fetch(2), Aligned(2, 4)];
        rel_64a = &[Fetch(2), Aligned(2, 8)];
    }

    /// What `; overflow` after an operation adds.
    pub(crate) const overflow: &[Exception] = &[FixedPointOverflow];
}

/// Exceptions of results, as they are stored.
#[allow(non_upper_case_globals)]
pub(crate) mod store {
    use super::Exception::{self, *};

    macro_rules! operands {
        ($($($name:ident)* = $exceptions:expr;)*) => { $($(pub(crate) const $name: &[Exception] = $exceptions;)*)* };
    }

    operands! {
        r1_8 r1_16 r1_32 r1_64 r1_hh r1_hl r1_lh r1_h a1 = &[];
        m2_8 m2_16 m2_32 m2_64 = &[Store(2)];
        m1_8 m1_16 m1_32 m1_64 = &[Store(1)];
        rel_16 = &[Store(2)];
        rel_32a = &[Store(2), Aligned(2, 4)];
        rel_64a = &[Store(2), Aligned(2, 8)];
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions;
    use crate::outcome::Exception::*;

    fn outcome(mnemonic: &str) -> (Vec<u8>, Vec<super::Exception>) {
        let row = instructions().find(|row| row.mnemonic == mnemonic).expect("a row");
        (row.outcome.codes().collect(), row.outcome.exceptions().collect())
    }

    #[test]
    fn what_is_composed_has_its_parts_outcomes() {
        assert_eq!(outcome("A"), (vec![0, 1, 2, 3], vec![Fetch(2), FixedPointOverflow]));
        assert_eq!(outcome("LCGFR"), (vec![0, 1, 2], vec![]));
        assert_eq!(outcome("NI"), (vec![0, 1], vec![Store(1)]));
        assert_eq!(outcome("STGRL"), (vec![], vec![Store(2), Aligned(2, 8)]));
    }

    #[test]
    fn the_rest_says_it() {
        assert_eq!(outcome("MVCL"), (vec![0, 1, 2, 3], vec![Store(1), Fetch(2), Even(1), Even(2)]));
        assert_eq!(outcome("LR"), (vec![], vec![]));
    }

    /// Nothing is said twice.
    #[test]
    fn rows_say_each_exception_once() {
        for row in instructions() {
            let all: Vec<_> = row.outcome.exceptions().collect();
            for (n, exception) in all.iter().enumerate() {
                assert!(!all[..n].contains(exception), "{}: {exception:?} twice", row.mnemonic);
            }
        }
    }
}
