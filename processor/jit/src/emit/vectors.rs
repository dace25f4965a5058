//! Vector instructions by the host's vectors.
//!
//! Each operand is fetched from the `State` and each result is put there: xmm0 to xmm2 hold something inside one
//! instruction only. A guest's vector lies in the `State` as two halves in the host's order. So its byte n from the
//! left is the host's byte n ^ 7, and only what moves elements to other places must know that.

use crate::emit::assembler::{Assembler, asm, scratch};
use crate::emit::body::half;
use crate::emit::emitter::Emitter;
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::vector_forms::{Packed, SEEKS_ZERO, SETS_CODE, Shift, packed};
use cpu::State;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::form::Vector;
use isa::{Cc, Cpu, Fields, Width, Width::*};

/// What generated code needs to find in `State::scratch`: the order of bytes in storage, for each half of a vector.
pub(crate) fn prepare(s: &mut State) {
    s.scratch[BYTES_OF_VECTOR..BYTES_OF_VECTOR + 2].copy_from_slice(&[0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f]);
}

/// Emits a routine that stores the first bytes of xmm0 at rcx, one more than eax says. Changes rdx. Each byte is stored
/// once or twice, and no other is: what other CPUs see is one of two values, as with any store.
pub(crate) fn emit(a: &mut Assembler) -> usize {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let (at, buffer) = (e.a.offset().0, scratch(BUFFER));
    asm!(e, vmovdqu [rbp + buffer], xmm0 ; cmp eax, 15 ; je >all ; cmp eax, 7 ; jae >eight ; cmp eax, 3 ; jae >four
        ; cmp eax, 1 ; jae >two ; mov dl, [rbp + buffer] ; mov [rcx], dl ; ret
        ; all: ; vmovdqu [rcx], xmm0 ; ret
        ; eight: ; mov rdx, [rbp + buffer] ; mov [rcx], rdx
        ; mov rdx, [rbp + rax + buffer - 7] ; mov [rcx + rax - 7], rdx ; ret
        ; four: ; mov edx, [rbp + buffer] ; mov [rcx], edx
        ; mov edx, [rbp + rax + buffer - 3] ; mov [rcx + rax - 3], edx ; ret
        ; two: ; mov dx, [rbp + buffer] ; mov [rcx], dx
        ; mov dx, [rbp + rax + buffer - 1] ; mov [rcx + rax - 1], dx ; ret);
    at
}

/// The second operand of an operation of the host's: a register, or what lies so far from rbp.
#[derive(Clone, Copy)]
enum Second {
    Register(u8),
    State(i32),
}

/// The halves the other way round, as VPSHUFD has it.
const SWAPPED: i8 = 0x4e;

impl Emitter<'_> {
    /// Emits one of these instructions.
    pub(crate) fn vectors(&mut self, what: Vector, i: &Fields) {
        use Vector::*;
        let Ok(()) = self.vector_allowed();
        let both = (i.r2, i.r3);
        match what {
            Fetched => self.fetch_vector(i),
            FetchedToBoundary => {
                self.within_block(i);
                self.fetch_vector(i);
            }
            Stored => {
                let at = self.address(i.x2, i.b2, i.d2).address;
                self.settle_vector(i.r1);
                self.reach(at, 16, true);
                asm!(self, vmovdqu xmm0, [rbp + half(i.r1, 0)] ; vpshufb xmm0, xmm0, [rbp + scratch(BYTES_OF_VECTOR)]
                    ; vmovdqu [rcx], xmm0);
            }
            FetchedBytes => self.fetch_bytes(i),
            StoredBytes => self.store_bytes(i),
            Copied => {
                self.take_vector(0, i.r2);
                self.put_vector(i.r1);
            }
            And | Or | ExclusiveOr => self.packed_operands(what, 0, both, i),
            AndComplement => self.packed_operands(what, 0, (i.r3, i.r2), i),
            Sums | Differences | Products | Greatest | GreatestLogical | Least | LeastLogical => {
                self.packed_operands(what, i.m4, both, i)
            }
            MergedLeft | MergedRight => self.merge(what, i),
            Equal | Greater | GreaterLogical => self.compare_elements(what, i),
            Selected => {
                self.take_vector(0, i.r4());
                let [a, b] = [i.r2, i.r3].map(|r| self.in_state(r));
                self.packed(operation(AndComplement, 0), 1, 0, b);
                self.packed(operation(And, 0), 0, 0, a);
                self.packed(operation(Or, 0), 0, 0, Second::Register(1));
                self.put_vector(i.r1);
            }
            ProductsEven | ProductsOdd | ProductsEvenAdded | ProductsOddAdded => self.products(what, i),
            Rotated | ShiftedLeft | ShiftedRight | ShiftedRightSigned => self.shift_elements(what, i),
            Joined => self.join_vectors(i),
            Repeated => {
                let at = self.element(i.r3, i.imm, i.m4);
                let broadcast = operation(Repeated, i.m4);
                self.packed(broadcast, 0, 0, Second::State(at));
                self.put_vector(i.r1);
            }
            RepeatedImmediate => self.repeat_immediate(i),
            ByteMask => {
                // As the body has it.
                let bytes = |bits: i64| (0..8).filter(|n| bits >> n & 1 == 1).fold(0u64, |v, n| v | 0xff << (8 * n));
                self.constant_vector([bytes(i.imm >> 8), bytes(i.imm)]);
                self.put_vector(i.r1);
            }
            Halves => {
                self.take_vector(0, i.r2);
                let second = self.in_state(i.r3);
                self.packed_by(Packed::HALVES_OF_BOTH, 0, 0, second, i.m4 >> 2 & 1 | (i.m4 & 1) << 1);
                self.put_vector(i.r1);
            }
            Chosen => self.choose_bytes(i),
            FirstEqual | FirstDifferent => self.find_element(what, i),
            Element => self.element_to_general(i),
            ElementSet => self.element_from_general(i),
            Pair => {
                let [left, right] = [i.r2, i.r3].map(|r| {
                    let w = self.gr(W64, r);
                    self.host(w, W64)
                });
                asm!(self, vmovq xmm0, Rq(left) ; vpinsrq xmm0, xmm0, Rq(right), 1);
                self.put_vector(i.r1);
            }
        }
    }

    // ---- registers

    /// The vector in `r` goes into xmm`x`.
    fn take_vector(&mut self, x: u8, r: u8) {
        self.settle_vector(r);
        asm!(self, vmovdqu Rx(x), [rbp + half(r, 0)]);
    }

    /// xmm0 becomes the vector in `r`. The last of an instruction.
    fn put_vector(&mut self, r: u8) {
        self.forget_vector(r);
        asm!(self, vmovdqu[rbp + half(r, 0)], xmm0);
    }

    /// The vector in `r` as a second operand.
    fn in_state(&mut self, r: u8) -> Second {
        self.settle_vector(r);
        Second::State(half(r, 0))
    }

    /// Where element `n` of `r` lies, from rbp, which is settled: `size` is the power of two of its bytes.
    fn element(&mut self, r: u8, n: i64, size: u8) -> i32 {
        self.settle_vector(r);
        half(r, 0) + (lane(n, size) << size)
    }

    /// xmm0 becomes two halves that are known.
    fn constant_vector(&mut self, halves: [u64; 2]) {
        match halves {
            [0, 0] => asm!(self, vpxor xmm0, xmm0, xmm0),
            [u64::MAX, u64::MAX] => asm!(self, vpcmpeqd xmm0, xmm0, xmm0),
            [left, right] => {
                self.lea(0, Word::Const(left));
                asm!(self, vmovq xmm0, rax);
                self.lea(0, Word::Const(right));
                asm!(self, vpinsrq xmm0, xmm0, rax, 1);
            }
        }
    }

    // ---- the host's operations, by table

    /// xmm`to` becomes what an operation makes of xmm`first` and the second operand. All are of the first eight.
    fn packed(&mut self, what: Packed, to: u8, first: u8, second: Second) {
        debug_assert!(to < 8 && first < 8);
        asm!(self, .u8 0xc4 ; .u8 0xe0 | what.map() ; .u8 (!first & 15) << 3 | 1 ; .u8 what.code());
        match second {
            Second::Register(x) => asm!(self, .u8 0xc0 | to << 3 | x),
            Second::State(at) => asm!(self, .u8 0x85 | to << 3 ; .i32 at),
        }
    }

    /// The same with a byte of text. (The assembler has the operands of these the other way round.)
    fn packed_by(&mut self, what: Packed, to: u8, first: u8, second: Second, byte: u8) {
        self.packed(what, to, first, second);
        asm!(self, .u8 byte);
    }

    /// Elements of xmm`from` are shifted into xmm`to`; `size` is as in [`packed`], from halfwords on.
    fn shift_packed(&mut self, how: Shift, size: u8, to: u8, from: u8, by: u8) {
        asm!(self, .u8 0xc4 ; .u8 0xe1 ; .u8 (!to & 15) << 3 | 1 ; .u8 0x70 + size ; .u8 0xc0 | (how as u8) << 3 | from
            ; .u8 by);
    }

    /// R1 becomes what one operation makes of these two registers.
    fn packed_operands(&mut self, what: Vector, size: u8, (first, second): (u8, u8), i: &Fields) {
        self.take_vector(0, first);
        let second = self.in_state(second);
        self.packed(operation(what, size), 0, 0, second);
        self.put_vector(i.r1);
    }

    // ---- storage

    fn fetch_vector(&mut self, i: &Fields) {
        let at = self.address(i.x2, i.b2, i.d2).address;
        self.reach(at, 16, false);
        asm!(self, vmovdqu xmm0, [rcx] ; vpshufb xmm0, xmm0, [rbp + scratch(BYTES_OF_VECTOR)]);
        self.put_vector(i.r1);
    }

    /// A host register with the number of the last byte: what R3 says, up to 15.
    fn last_of_bytes(&mut self, i: &Fields) -> u8 {
        let w = self.gr(W32, i.r3);
        let (h, last) = (self.host(w, W32), self.temp());
        asm!(self, mov eax, 15 ; mov Rd(last), Rd(h) ; cmp Rd(last), eax ; cmova Rd(last), eax);
        last
    }

    /// All sixteen bytes are fetched, since they are in one page; those that are not wanted become zeros.
    fn fetch_bytes(&mut self, i: &Fields) {
        let last = self.last_of_bytes(i);
        let at = self.address(0, i.b2, i.d2).address;
        self.reach(at, 16, false);
        // The order of bytes is also the number of each.
        asm!(self, vmovdqu xmm1, [rbp + scratch(BYTES_OF_VECTOR)] ; vmovdqu xmm0, [rcx] ; vpshufb xmm0, xmm0, xmm1
            ; vmovd xmm2, Rd(last));
        self.packed(operation(Vector::Repeated, 0), 2, 0, Second::Register(2));
        self.packed(operation(Vector::Greater, 0), 1, 1, Second::Register(2));
        self.packed(operation(Vector::AndComplement, 0), 0, 1, Second::Register(0));
        self.put_vector(i.r1);
    }

    fn store_bytes(&mut self, i: &Fields) {
        let last = self.last_of_bytes(i);
        let at = self.address(0, i.b2, i.d2).address;
        self.settle_vector(i.r1);
        self.reach(at, Len::Register(last), true);
        asm!(self, vmovdqu xmm0, [rbp + half(i.r1, 0)] ; vpshufb xmm0, xmm0, [rbp + scratch(BYTES_OF_VECTOR)]
            ; mov eax, Rd(last) ; call QWORD [rbp + scratch(STORE_BYTES)]);
    }

    /// To its handler if a block of storage ends within the second operand. Over the end of a page no access goes on in
    /// code.
    fn within_block(&mut self, i: &Fields) {
        if i.m3 < 6 {
            let block = 64 << i.m3;
            let at = self.address(i.x2, i.b2, i.d2).address;
            self.lea(0, at);
            let site = self.site();
            asm!(self, and eax, block - 1 ; cmp eax, block - 16 ; ja =>site);
        }
    }

    // ---- elements

    fn merge(&mut self, what: Vector, i: &Fields) {
        if i.m4 == 3 {
            return self.packed_operands(what, i.m4, (i.r2, i.r3), i);
        }
        self.take_vector(0, i.r3);
        let second = self.in_state(i.r2);
        self.packed(operation(what, i.m4), 0, 0, second);
        asm!(self, vpshufd xmm0, xmm0, SWAPPED);
        self.put_vector(i.r1);
    }

    fn compare_elements(&mut self, what: Vector, i: &Fields) {
        self.take_vector(0, i.r2);
        let b = self.in_state(i.r3);
        if what == Vector::GreaterLogical {
            // The second is not the greater of both.
            self.packed(operation(Vector::GreatestLogical, i.m4), 0, 0, b);
            self.packed(operation(Vector::Equal, i.m4), 0, 0, b);
            asm!(self, vpcmpeqd xmm1, xmm1, xmm1 ; vpxor xmm0, xmm0, xmm1);
        } else {
            self.packed(operation(what, i.m4), 0, 0, b);
        }
        self.put_vector(i.r1);
        if i.m5() & SETS_CODE != 0 {
            // 0: all; 1: some; 3: none.
            let code = self.temp();
            self.packed(Packed::BITS_OF_BYTES, 0, 0, Second::Register(0));
            asm!(self, xor ecx, ecx ; xor edx, edx ; cmp eax, 0xffff ; setne cl ; test eax, eax
                ; sete dl ; lea Rd(code), [rcx + rdx * 2]);
            let w = self.reg(code, Left::Zero);
            self.name_code(Cc::Value(w));
        }
    }

    /// Unsigned products of words.
    fn products(&mut self, what: Vector, i: &Fields) {
        use Vector::*;
        self.take_vector(0, i.r2);
        if matches!(what, ProductsEven | ProductsEvenAdded) {
            self.take_vector(1, i.r3);
            for x in [0, 1] {
                self.shift_packed(Shift::Right, 3, x, x, 32);
            }
            self.packed(Packed::PRODUCT_OF_WORDS, 0, 0, Second::Register(1));
        } else {
            let second = self.in_state(i.r3);
            self.packed(Packed::PRODUCT_OF_WORDS, 0, 0, second);
        }
        if matches!(what, ProductsEvenAdded | ProductsOddAdded) {
            let addend = self.in_state(i.r4());
            self.packed(operation(Sums, 3), 0, 0, addend);
        }
        self.put_vector(i.r1);
    }

    /// By a number that is in the text.
    fn shift_elements(&mut self, what: Vector, i: &Fields) {
        let bits = 8u8 << i.m4;
        let by = i.d2 as u8 & (bits - 1);
        self.take_vector(0, i.r3);
        match what {
            _ if by == 0 => {}
            Vector::ShiftedLeft => self.shift_packed(Shift::Left, i.m4, 0, 0, by),
            Vector::ShiftedRight => self.shift_packed(Shift::Right, i.m4, 0, 0, by),
            Vector::ShiftedRightSigned => self.shift_packed(Shift::RightSigned, i.m4, 0, 0, by),
            _ => {
                self.shift_packed(Shift::Left, i.m4, 1, 0, by);
                self.shift_packed(Shift::Right, i.m4, 0, 0, bits - by);
                self.packed(operation(Vector::Or, 0), 0, 0, Second::Register(1));
            }
        }
        self.put_vector(i.r1);
    }

    fn join_vectors(&mut self, i: &Fields) {
        match i.i4() {
            0 => self.take_vector(0, i.r2),
            8 => {
                self.take_vector(0, i.r2);
                let second = self.in_state(i.r3);
                self.packed_by(Packed::HALVES_OF_BOTH, 0, 0, second, 1);
            }
            from => {
                self.settle_vector(i.r2);
                self.settle_vector(i.r3);
                asm!(self, vpshufd xmm0, [rbp + half(i.r2, 0)], SWAPPED ; vpshufd xmm1, [rbp + half(i.r3, 0)], SWAPPED);
                self.packed_by(Packed::BYTES_OF_BOTH, 0, 0, Second::Register(1), 16 - from);
                asm!(self, vpshufd xmm0, xmm0, SWAPPED);
            }
        }
        self.put_vector(i.r1);
    }

    fn repeat_immediate(&mut self, i: &Fields) {
        let bits = 8 << i.m3;
        let element = i.imm as u64 & u64::MAX >> (64 - bits);
        let all = (0..64 / bits).fold(0, |all, n| all | element << (n * bits));
        if all == 0 || all == u64::MAX {
            self.constant_vector([all; 2]);
        } else {
            self.lea(0, Word::Const(all));
            asm!(self, vmovq xmm0, rax ; vpunpcklqdq xmm0, xmm0, xmm0);
        }
        self.put_vector(i.r1);
    }

    fn choose_bytes(&mut self, i: &Fields) {
        self.take_vector(0, i.r4());
        // The host's places of 32 bytes.
        for (constant, exclusive) in [(0x0707_0707, true), (0x1f1f_1f1f, false)] {
            asm!(self, mov eax, constant ; vmovd xmm1, eax ; vpshufd xmm1, xmm1, 0);
            if exclusive { asm!(self, vpxor xmm0, xmm0, xmm1) } else { asm!(self, vpand xmm0, xmm0, xmm1) }
        }
        self.take_vector(1, i.r2);
        self.take_vector(2, i.r3);
        for x in [1, 2] {
            self.packed(Packed::CHOICE_OF_BYTES, x, x, Second::Register(0));
        }
        // The fifth bit of a number comes to where the host looks which of the two it is.
        self.shift_packed(Shift::Left, 1, 0, 0, 3);
        asm!(self, vpblendvb xmm0, xmm1, xmm2, xmm0);
        self.put_vector(i.r1);
    }

    // ---- strings

    /// The number of the first byte of the element that is found, or 16.
    fn find_element(&mut self, what: Vector, i: &Fields) {
        let seeks_zero = i.m5() & SEEKS_ZERO != 0;
        self.take_vector(0, i.r2);
        let b = self.in_state(i.r3);
        self.packed(operation(Vector::Equal, i.m4), 1, 0, b);
        if what == Vector::FirstDifferent {
            asm!(self, vpcmpeqd xmm2, xmm2, xmm2 ; vpxor xmm1, xmm1, xmm2);
        }
        self.place_of_first(0, 1);
        if seeks_zero {
            asm!(self, vpxor xmm2, xmm2, xmm2);
            self.packed(operation(Vector::Equal, i.m4), 2, 0, Second::Register(2));
            self.place_of_first(1, 2);
            asm!(self, mov edx, eax ; cmp ecx, eax ; cmovb edx, ecx ; vmovd xmm0, edx);
        } else {
            asm!(self, mov ecx, 16 ; vmovd xmm0, eax);
        }
        let code = (i.m5() & SETS_CODE != 0).then(|| self.code_of_element(what, i));
        // The left half has it, the right half is zero.
        self.put_vector(i.r1);
        if let Some(code) = code {
            let w = self.reg(code, Left::Zero);
            self.name_code(Cc::Value(w));
        }
    }

    /// Host register `to` becomes the place of the first byte of xmm`x` that has ones, or 16.
    fn place_of_first(&mut self, to: u8, x: u8) {
        asm!(self, vpshufb Rx(x), Rx(x), [rbp + scratch(BYTES_OF_VECTOR)]);
        self.packed(Packed::BITS_OF_BYTES, to, 0, Second::Register(x));
        asm!(self, or Rd(to), 1 << 16 ; tzcnt Rd(to), Rd(to));
    }

    /// The condition code where eax says what has been found and ecx where a zero is.
    fn code_of_element(&mut self, what: Vector, i: &Fields) -> u8 {
        let code = self.temp();
        if what == Vector::FirstEqual {
            // 0: the zero first; 1: found, no zero; 2: found first; 3: neither.
            asm!(self, xor edx, edx ; cmp ecx, 16 ; sete dl ; cmp eax, ecx ; setb al ; movzx eax, al ; xor eax, edx
                ; lea Rd(code), [rdx + rax * 2]);
            return code;
        }
        // 0: the zero first; 1: the first operand low; 2: high; 3: all are equal.
        let t = self.temp();
        asm!(self, mov edx, eax ; xor edx, 7 ; movzx Rd(t), BYTE [rbp + rdx + half(i.r2, 0)]
            ; cmp Rb(t), BYTE [rbp + rdx + half(i.r3, 0)] ; seta dl ; movzx Rd(code), dl ; add Rd(code), 1
            ; mov edx, 3 ; cmp eax, 16 ; cmove Rd(code), edx ; mov edx, 0 ; cmp ecx, eax ; cmovb Rd(code), edx);
        code
    }

    // ---- general registers

    fn element_to_general(&mut self, i: &Fields) {
        let at = self.element(i.r3, i.d2.into(), i.m4);
        let t = self.temp();
        match i.m4 {
            0 => asm!(self, movzx Rd(t), BYTE [rbp + at]),
            1 => asm!(self, movzx Rd(t), WORD [rbp + at]),
            2 => asm!(self, mov Rd(t), [rbp + at]),
            _ => asm!(self, mov Rq(t), [rbp + at]),
        }
        let w = self.reg(t, if i.m4 == 3 { Left::Valid } else { Left::Zero });
        self.set_general(W64, i.r1, w);
    }

    fn element_from_general(&mut self, i: &Fields) {
        let width: Width = if i.m4 == 3 { W64 } else { W32 };
        let w = self.gr(width, i.r3);
        let h = self.host(w, width);
        self.take_vector(0, i.r1);
        let n = lane(i.d2.into(), i.m4) as i8;
        match i.m4 {
            0 => asm!(self, vpinsrb xmm0, xmm0, Rd(h), n),
            1 => asm!(self, vpinsrw xmm0, xmm0, Rd(h), n),
            2 => asm!(self, vpinsrd xmm0, xmm0, Rd(h), n),
            _ => asm!(self, vpinsrq xmm0, xmm0, Rq(h), n),
        }
        self.put_vector(i.r1);
    }
}

/// The host's operation for elements of this size.
fn operation(what: Vector, size: u8) -> Packed {
    packed(what, size).expect("otherwise its handler is called")
}

/// The host's place of element `n`, counted from the left as far as there are so many.
fn lane(n: i64, size: u8) -> i32 {
    (n as i32 & (16 >> size) - 1) ^ ((8 >> size) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_lie_from_right_to_left_in_each_half() {
        assert_eq!([0, 7, 8, 15, 16].map(|n| lane(n, 0)), [7, 0, 15, 8, 7]);
        assert_eq!([0, 1, 2, 3, 4095].map(|n| lane(n, 2)), [1, 0, 3, 2, 2]);
        assert_eq!([0, 1].map(|n| lane(n, 3)), [0, 1]);
    }
}
