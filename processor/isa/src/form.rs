//! What the table says of an instruction to an engine that makes host code of it, beside its body.
//!
//! Of a row that composes operands and an operation its parts tell ([`Composed`]). A row whose body is a routine may
//! say what the routine comes to in the common case, so that an engine can do that inline ([`Form`]). That is the last
//! thing in the row:
//!
//! ```text
//! 0x98   LM    RSa   ALL  -   { call load_multiple }                   [- F2] as [LoadMultiple(W32)]
//! 0x28   LDR   RR    ALL  -   { call support::load_register::<u64> }   [- Da] as [copy(LONG)]
//! ```
//!
//! No form decides what an instruction means: an engine that knows none of them calls the body.

use crate::extent::{Extents, Kind};
use crate::{Fields, Width};

/// What a row says to an engine, and to what watches programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What its body comes to in the common case.
    pub form: Form,
    /// `None`: its body is no composition.
    pub composed: Option<Composed>,
    /// What it is to what watches programs.
    pub kind: Kind,
    /// How long operands in storage are.
    pub extents: Extents,
}

/// What the body of an instruction comes to in the common case, as far as its fields allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Nothing but what its body says.
    Own,
    /// R1 to R3 from the second operand, and into it.
    LoadMultiple(Width),
    /// R1 to R3 into the second operand.
    StoreMultiple(Width),
    /// Bytes of the first operand become those of the second, one after the other.
    MoveField,
    /// An exclusive or of fields: of a field with itself it clears.
    ExclusiveOrField,
    /// Bytes of the first operand are compared with those of the second, from left to right.
    CompareField,
    /// A byte is looked for in the second operand (SRST).
    SearchString,
    /// Operands that a byte ends are compared (CLST).
    CompareString,
    /// The second operand is moved up to the byte that ends it (MVST).
    MoveString,
    /// The second operand becomes R3 if it is R1; otherwise R1 becomes it.
    CompareAndSwap(Width),
    /// The first operand, in storage, and an immediate one.
    AddInStorage {
        /// How long both are.
        width: Width,
        /// The sum is unsigned.
        logical: bool,
    },
    /// Bytes of the second operand replace those of R1 that M3 selects.
    InsertUnderMask,
    /// Those bytes of R1 that M3 selects are compared with the second operand.
    CompareUnderMask,
    /// Those bytes of R1 that M3 selects are stored.
    StoreUnderMask,
    /// R1 becomes the unsigned sum of itself, another operand and the carry of the condition code.
    AddCarry(Width),
    /// R1 becomes the unsigned difference of itself and another operand, less the borrow of the condition code.
    SubtractBorrow(Width),
    /// R1 becomes how many zeros R2 begins with, R1+1 the rest without the first one.
    LeftmostOne,
    /// R1 and R1+1 become the unsigned product of R1+1 and another operand.
    MultiplyLogical,
    /// R1 becomes the signed product of R2 and R3, or of itself and what is in storage; nothing overflows.
    MultiplySingle(Width),
    /// By a register, or by what is in storage.
    DivideLogical {
        /// The divisor is in storage.
        storage: bool,
    },
    /// By a doubleword, or by a word.
    DivideSingle(Width),
    /// R1 becomes an address.
    LoadAddress,
    /// R1 becomes what an immediate operand says of R2 rotated, and of itself.
    RotateThenInsert,
    /// A branch where the mask M1 has the condition code on.
    BranchOnCondition(Target),
    /// A branch after which R1 has the address of the next instruction.
    BranchAndSave(Target),
    /// R1 counts down, and branches to what the text says until it is zero.
    BranchOnCount(Width),
    /// The system mask is stored and then closed, or opened.
    StoreThenAnd,
    /// The system mask is stored, and then bits of it are turned on.
    StoreThenOr,
    /// The breaking-event address becomes what is in storage.
    LoadBreakingEvent,
    /// The breaking-event address is stored.
    StoreBreakingEvent,
    /// Another instruction is executed: what it is depends on storage.
    Execute {
        /// The text says where it is, not an address.
        relative: bool,
    },
    /// It looks at how many instructions have been executed.
    Counts,
    /// It cannot be done twice in a row: it changes storage keys, page states or the TOD clock, makes other CPUs do
    /// something, begins a transaction, changes what real addresses mean, or stores without the access path.
    Once,
    /// Binary floating point.
    Float(Float),
    /// Elements of vectors, all at once.
    Vector(Vector),
}

/// Where the address comes from that a branch leads to: R2, the second operand's address, or the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The register that R2 names.
    Register,
    /// The second operand's address.
    Address,
    /// The text.
    Relative,
}

/// Binary floating point. With `long` on, numbers have 64 bits, otherwise 32. With `storage` on, the second operand is
/// in storage, otherwise in the register that R2 names. Integers have the width `from` or `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // of the fields: they are explained above, once
pub enum Float {
    /// R1 from storage.
    Load { long: bool },
    /// R1 into storage.
    Store { long: bool },
    /// R1 becomes R2.
    Copy { long: bool },
    /// R1 becomes plus zero.
    Zero { long: bool },
    /// A general register becomes a floating-point register's 64 bits.
    ToGeneral,
    /// A floating-point register becomes a general register's 64 bits.
    FromGeneral,
    /// R1 becomes the result of an operation.
    Arithmetic { op: Arithmetic, long: bool, storage: bool },
    /// The condition code says how R1 and the second operand compare.
    Compare { long: bool, storage: bool },
    /// R1 becomes R2, and the condition code says what it is.
    Test { long: bool },
    /// R1 becomes R2 with another sign; with `code` on, the condition code says what it is.
    Sign { how: Sign, long: bool, code: bool },
    /// R1 becomes the number that is the signed integer in a general register.
    FromInteger { from: Width, long: bool },
    /// A general register becomes the signed integer that R2 is rounded to.
    ToInteger { to: Width, long: bool },
    /// R1 becomes R2 rounded to an integer that is still floating point.
    Round { long: bool },
    /// R1 becomes the second operand, a short number, as a long one.
    Lengthen { storage: bool },
    /// R1 becomes R2, a long number, rounded to a short one.
    Shorten,
}

impl Float {
    /// How many bytes of storage are its second operand, if that is in storage, and whether they are changed.
    pub fn access(self) -> Option<(i32, bool)> {
        let bytes = |long| if long { 8 } else { 4 };
        match self {
            Float::Load { long } => Some((bytes(long), false)),
            Float::Store { long } => Some((bytes(long), true)),
            Float::Arithmetic { long, storage: true, .. } | Float::Compare { long, storage: true } => {
                Some((bytes(long), false))
            }
            Float::Lengthen { storage: true } => Some((4, false)),
            _ => None,
        }
    }

    /// The floating-point registers whose numbers it needs.
    pub fn reads(self, i: &Fields) -> u16 {
        use Arithmetic::*;
        let [first, second, third] = [i.r1, i.r2, i.r3].map(|r| 1u16 << (r & 15));
        let other = |storage: bool| if storage { 0 } else { second };
        match self {
            Float::Load { .. } | Float::Zero { .. } | Float::FromGeneral | Float::FromInteger { .. } => 0,
            Float::Store { .. } => first,
            Float::Arithmetic { op: SquareRoot, storage, .. } | Float::Lengthen { storage } => other(storage),
            Float::Arithmetic { op: MultiplyAdd | MultiplySubtract, storage, .. } => first | third | other(storage),
            Float::Arithmetic { storage, .. } | Float::Compare { storage, .. } => first | other(storage),
            _ => second,
        }
    }

    /// Whether its result is in a general register.
    pub fn sets_general(self) -> bool {
        matches!(self, Float::ToGeneral | Float::ToInteger { .. })
    }
}

/// What happens to vectors. Elements are as long as the modifier says that the instruction has for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vector {
    /// R1 from storage.
    Fetched,
    /// The same up to the end of a block, as long as M3 says.
    FetchedToBoundary,
    /// One byte more of it than R3 says, and zeros.
    FetchedBytes,
    /// R1 into storage.
    Stored,
    /// One byte more of it than R3 says.
    StoredBytes,
    /// R1 becomes R2.
    Copied,
    /// R1 becomes R2 and R3, bit by bit.
    And,
    /// R1 becomes R2 and the complement of R3.
    AndComplement,
    /// R1 becomes R2 or R3, bit by bit.
    Or,
    /// R1 becomes R2 exclusive or R3.
    ExclusiveOr,
    /// Bits of R2 where R4 has ones, else of R3.
    Selected,
    /// Sums of elements of R2 and R3.
    Sums,
    /// Differences.
    Differences,
    /// The right halves of products.
    Products,
    /// Unsigned products of every second element, from the first on, twice as long.
    ProductsEven,
    /// The same from the second on.
    ProductsOdd,
    /// The same, and elements of R4 added.
    ProductsEvenAdded,
    /// Likewise from the second on.
    ProductsOddAdded,
    /// Ones where elements are equal, else zeros.
    Equal,
    /// Ones where those of R2 are the greater.
    Greater,
    /// The same, unsigned.
    GreaterLogical,
    /// The greater of two elements.
    Greatest,
    /// The same, unsigned.
    GreatestLogical,
    /// The lesser.
    Least,
    /// The same, unsigned.
    LeastLogical,
    /// Elements of R3 rotated, by the second operand's address.
    Rotated,
    /// Shifted to the left.
    ShiftedLeft,
    /// Shifted to the right, with zeros.
    ShiftedRight,
    /// Shifted to the right, with their signs.
    ShiftedRightSigned,
    /// Sixteen bytes of R2 and R3 one after the other, from byte I4 on.
    Joined,
    /// An element of R3, as often as there is room.
    Repeated,
    /// The immediate operand, likewise.
    RepeatedImmediate,
    /// Ones for the bits of the immediate operand, a byte each.
    ByteMask,
    /// Elements of the left halves of R2 and R3 in turn.
    MergedLeft,
    /// Of the right halves.
    MergedRight,
    /// A half of R2 and one of R3, as M4 says.
    Halves,
    /// Bytes of R2 and R3 that R4 chooses.
    Chosen,
    /// The number of the first element that R2 and R3 have alike, as M5 says.
    FirstEqual,
    /// The first in which they differ.
    FirstDifferent,
    /// A general register becomes an element of R3, which the address names.
    Element,
    /// The element of R1 that the address names becomes what a general register has.
    ElementSet,
    /// R1 becomes two general registers.
    Pair,
}

/// The operation of an instruction that does arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// R1 plus the second operand.
    Add,
    /// R1 minus the second operand.
    Subtract,
    /// R1 times the second operand.
    Multiply,
    /// R1 divided by the second operand.
    Divide,
    /// The square root of the second operand.
    SquareRoot,
    /// R3 times the second operand, plus R1.
    MultiplyAdd,
    /// R3 times the second operand, minus R1.
    MultiplySubtract,
}

/// What happens to a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// It becomes the other one.
    Complement,
    /// It becomes minus.
    Negative,
    /// It becomes plus.
    Positive,
}

/// A composition, as far as it is known: `r1_32 = add(W32, r1_32, m2_32)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Composed {
    /// Where the result goes, if there is one.
    pub result: Option<Place>,
    /// What is done with the operands.
    pub operation: Operation,
    /// The first operand, if there is one.
    pub first: Option<Place>,
    /// The second operand, if there is one.
    pub second: Option<Place>,
}

/// Where an operand comes from, or a result goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// So many bits of the general register in a field, from the right.
    R1(Width),
    /// So many bits of the general register that R2 names, from the right.
    R2(Width),
    /// So many bits of the general register that R3 names, from the right.
    R3(Width),
    /// The second operand in storage: its width, and whether it is extended with its sign.
    Storage(Width, bool),
    /// The immediate field.
    Immediate,
    /// How far is shifted.
    Shift,
    /// Another place, which no engine needs to know.
    Other,
}

/// The operations that an engine tells from each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The operand as it is.
    Load,
    /// The signed sum.
    Add,
    /// Bit by bit.
    And,
    /// Bit by bit.
    Or,
    /// Bit by bit.
    ExclusiveOr,
    /// Zeros come in on the right.
    ShiftLeftLogical,
    /// Zeros come in on the left.
    ShiftRightLogical,
    /// Another operation.
    Other,
}

impl Composed {
    pub(crate) const fn new(result: Option<Place>, operation: Operation, operands: &[Place]) -> Composed {
        let first = if operands.is_empty() { None } else { Some(operands[0]) };
        let second = if operands.len() < 2 { None } else { Some(operands[1]) };
        Composed { result, operation, first, second }
    }

    /// The width of the second operand in storage, if it fetches one.
    pub fn fetches(self) -> Option<Width> {
        [self.first, self.second].into_iter().flatten().find_map(|place| match place {
            Place::Storage(width, _) => Some(width),
            _ => None,
        })
    }

    /// The width of R1, if that is all it sets, a word or a doubleword of it.
    pub fn sets(self) -> Option<Width> {
        match self.result {
            Some(Place::R1(width @ (Width::W32 | Width::W64))) => Some(width),
            _ => None,
        }
    }

    /// R1 becomes what R2 is, or a constant.
    pub fn copies(self) -> bool {
        let original = match self.first {
            Some(Place::R2(width)) => self.sets() == Some(width),
            Some(Place::Immediate) => true,
            _ => false,
        };
        self.operation == Operation::Load && self.sets().is_some() && original
    }

    /// R1 becomes something that is worked out from what it was, or of a shift from what R3 is.
    pub fn changes(self) -> bool {
        let Some(set) = self.sets() else { return false };
        self.second.is_some() && matches!(self.first, Some(Place::R1(width) | Place::R3(width)) if width == set)
    }

    /// Whether all that is left of its operands is the result, and the condition code what that is.
    pub fn forgets_operands(self) -> bool {
        use Operation::*;
        matches!(self.operation, And | Or | ExclusiveOr | ShiftLeftLogical | ShiftRightLogical)
    }
}

/// Operands and results by the names that rows have for them.
#[allow(non_upper_case_globals)]
pub(crate) mod place {
    use super::Place::{self, *};
    use crate::Width::*;

    macro_rules! places {
        ($($($name:ident)* = $place:expr;)*) => { $($(pub(crate) const $name: Place = $place;)*)* };
    }

    places! {
        r1_8 = R1(W8);
        r1_16 = R1(W16);
        r1_32 = R1(W32);
        r1_64 = R1(W64);
        r2_8 = R2(W8);
        r2_16 = R2(W16);
        r2_32 = R2(W32);
        r2_64 = R2(W64);
        r3_32 = R3(W32);
        r3_64 = R3(W64);
        m2_8 = Storage(W8, false);
        m2_16 = Storage(W16, false);
        m2_32 = Storage(W32, false);
        m2_64 = Storage(W64, false);
        m2_8s = Storage(W8, true);
        m2_16s = Storage(W16, true);
        m2_32s = Storage(W32, true);
        imm imm16u imm32u = Immediate;
        shift = Shift;
        r1_hh r1_hl r1_lh r1_h r2_h r3_h r2_8s r2_16s r2_32s a1 a2 imm_hh imm_hl imm_lh imm_h = Other;
        m1_8 m1_16 m1_32 m1_64 rel_16 rel_16s rel_32a rel_32as rel_64a = Other;
    }
}

/// Operations by the names that rows have for them.
#[allow(non_upper_case_globals)]
pub(crate) mod operation {
    use super::Operation::{self, *};

    macro_rules! operations {
        ($($($name:ident)* = $operation:expr;)*) => { $($(pub(crate) const $name: Operation = $operation;)*)* };
    }

    operations! {
        load = Load;
        add = Add;
        and = And;
        or = Or;
        exclusive_or = ExclusiveOr;
        shift_left_logical = ShiftLeftLogical;
        shift_right_logical = ShiftRightLogical;
        reversed thirty_one_bits zero_rightmost_byte multiply add_without_cc rotate_left = Other;
        subtract load_and_test load_complement shift_left shift_right load_positive load_negative = Other;
        add_logical add_logical_with_carry subtract_logical_with_borrow subtract_logical = Other;
        and_with_complement or_with_complement not_and not_or not_exclusive_or = Other;
        compare compare_logical test_under_mask test_under_mask_half = Other;
    }
}

/// What a row's form is written with: [`Form`]'s variants, and a function for each that has many fields.
pub(crate) mod written {
    pub(crate) use super::Float::{FromGeneral, Shorten, ToGeneral};
    pub(crate) use super::Form::*;
    pub(crate) use super::Target::*;
    pub(crate) use super::Vector::*;
    use super::{Arithmetic, Float, Form, Sign};
    use crate::Width;
    pub(crate) use crate::Width::*;

    /// Short numbers, and long ones.
    pub(crate) const SHORT: bool = false;
    pub(crate) const LONG: bool = true;
    /// The second operand is in a register, and in storage.
    pub(crate) const R: bool = false;
    pub(crate) const M: bool = true;

    macro_rules! forms {
        ($($name:ident($($field:ident: $type:ty),*) = $form:expr;)*) => {
            $(pub(crate) const fn $name($($field: $type),*) -> Form {
                $form
            })*
        };
    }

    forms! {
        add_stored(width: Width) = AddInStorage { width, logical: false };
        add_logical_stored(width: Width) = AddInStorage { width, logical: true };
        load(long: bool) = Float(Float::Load { long });
        store(long: bool) = Float(Float::Store { long });
        copy(long: bool) = Float(Float::Copy { long });
        zero(long: bool) = Float(Float::Zero { long });
        test(long: bool) = Float(Float::Test { long });
        round(long: bool) = Float(Float::Round { long });
        compare(long: bool, storage: bool) = Float(Float::Compare { long, storage });
        lengthen(storage: bool) = Float(Float::Lengthen { storage });
        from_integer(from: Width, long: bool) = Float(Float::FromInteger { from, long });
        to_integer(to: Width, long: bool) = Float(Float::ToInteger { to, long });
        complement(long: bool) = sign(Sign::Complement, long, true);
        negative(long: bool) = sign(Sign::Negative, long, true);
        positive(long: bool) = sign(Sign::Positive, long, true);
        complement_without_code(long: bool) = sign(Sign::Complement, long, false);
        negative_without_code(long: bool) = sign(Sign::Negative, long, false);
        positive_without_code(long: bool) = sign(Sign::Positive, long, false);
        add(long: bool, storage: bool) = arithmetic(Arithmetic::Add, long, storage);
        subtract(long: bool, storage: bool) = arithmetic(Arithmetic::Subtract, long, storage);
        multiply(long: bool, storage: bool) = arithmetic(Arithmetic::Multiply, long, storage);
        divide(long: bool, storage: bool) = arithmetic(Arithmetic::Divide, long, storage);
        square_root(long: bool, storage: bool) = arithmetic(Arithmetic::SquareRoot, long, storage);
        fma(long: bool, storage: bool) = arithmetic(Arithmetic::MultiplyAdd, long, storage);
        fms(long: bool, storage: bool) = arithmetic(Arithmetic::MultiplySubtract, long, storage);
    }

    const fn sign(how: Sign, long: bool, code: bool) -> Form {
        Float(Float::Sign { how, long, code })
    }

    const fn arithmetic(op: Arithmetic, long: bool, storage: bool) -> Form {
        Float(Float::Arithmetic { op, long, storage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Width::*;
    use crate::{Ends, Instruction, instructions};

    fn row(mnemonic: &str) -> &'static Instruction {
        instructions().find(|row| row.mnemonic == mnemonic).expect("a row")
    }

    #[test]
    fn a_composition_tells_what_it_is_made_of() {
        let composed = |mnemonic| row(mnemonic).shape.composed.expect("a composition");
        let add = composed("A");
        assert_eq!((add.result, add.operation), (Some(Place::R1(W32)), Operation::Add));
        assert_eq!((add.first, add.second), (Some(Place::R1(W32)), Some(Place::Storage(W32, false))));
        assert_eq!((add.sets(), add.fetches(), composed("LGH").fetches()), (Some(W32), Some(W32), Some(W16)));
        let compare = composed("CLG");
        assert_eq!((compare.result, compare.sets(), compare.fetches()), (None, None, Some(W64)));
        let store = composed("ST");
        assert_eq!((store.result, store.sets(), store.fetches()), (Some(Place::Storage(W32, false)), None, None));
        assert_eq!(row("LA").shape.composed, None);
    }

    #[test]
    fn copies_and_changes_are_told_from_each_other() {
        let those = |is: fn(Composed) -> bool| -> Vec<&str> {
            let is = |row: &&Instruction| row.shape.composed.is_some_and(is);
            instructions().filter(is).map(|row| row.mnemonic).collect()
        };
        let copies = ["LR", "LHI", "LGHI", "LLILL", "LGR", "LGFI", "IILF", "LLILF"];
        let mut found = those(Composed::copies);
        found.sort();
        let mut expected = copies;
        expected.sort();
        assert_eq!(found, expected);
        let changes = those(Composed::changes);
        assert!(["AR", "N", "SLLG", "AHIK", "MSGFI", "SRA"].iter().all(|name| changes.contains(name)));
        assert!(["LR", "L", "ST", "CR", "LGFR", "ARK", "LA"].iter().all(|name| !changes.contains(name)));
    }

    #[test]
    fn what_has_a_form_has_a_routine_or_is_not_built() {
        for row in instructions() {
            let form = row.shape.form;
            let built = row.run.is_some();
            // Carries are what an engine does better than by the parts.
            let carries = matches!(form, Form::AddCarry(_) | Form::SubtractBorrow(_));
            assert!(form == Form::Own || carries || row.shape.composed.is_none(), "{}", row.mnemonic);
            assert!(built || matches!(form, Form::Own | Form::Once), "{} is not built", row.mnemonic);
            let ends = matches!(form, Form::Execute { .. } | Form::BranchOnCount(_));
            assert!(!ends || row.ends != Ends::No, "{}", row.mnemonic);
        }
    }
}
