//! Operands of many bytes, or with a length that is known only when the instruction is executed. They are those of MVC,
//! CLC and XC with the same operand twice, by themselves or under EXECUTE.
//!
//! The work is done by [`Routines`], a few pieces of code that every cache has. What is under EXECUTE is known when its
//! address is: relative to the instruction, or just made by LOAD ADDRESS RELATIVE LONG. Programs keep it in the same
//! page, where the code compares it with what it was at translation. Elsewhere, or if it has changed, the interpreter
//! does it.

use crate::emit::assembler::{asm, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::relocations::{LATER, Value};
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::natives::{Bytes, wide_fills};
use arch::PAGE;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Cpu, Fields, Form, Width::*};

/// More bytes than this are moved or cleared inline, 32 at a time.
const WIDE: i32 = 64;

/// Where the pieces of 32 bytes of a field begin; the last one may overlap the one before.
fn pieces(length: i32) -> impl Iterator<Item = i32> {
    (0..(length + 31) / 32).map(move |n| (32 * n).min(length - 32))
}

impl Emitter<'_> {
    /// As many bytes as the instruction's text says.
    pub(crate) fn known_bytes(&mut self, what: Bytes, i: &Fields) {
        let length = i.l as i32 + 1;
        let first = self.address(0, i.b1, i.d1);
        let wide = length > WIDE && is_x86_feature_detected!("avx");
        if what == Bytes::Clear {
            self.reach(first.address, length, true);
            if wide {
                asm!(self, vxorps xmm0, xmm0, xmm0);
                for at in pieces(length) {
                    asm!(self, vmovups[rcx + at], ymm0);
                }
                asm!(self, vzeroupper);
            } else {
                asm!(self, mov eax, length ; call QWORD [rbp + scratch(CLEAR_BYTES)]);
            }
            return self.name_code(Cc::Set(0));
        }
        let second = self.address(0, i.b2, i.d2);
        let u = self.temp();
        self.reach(first.address, length, what == Bytes::Move);
        asm!(self, mov Rq(u), rcx);
        self.reach(second.address, length, false);
        asm!(self, mov rdx, rcx ; mov rcx, Rq(u));
        if wide && what == Bytes::Move {
            self.not_into_itself(Operand::Const(i.l.into()));
            // The end is fetched first: it may be stored into before its turn comes.
            asm!(self, vmovups ymm1, [rdx + length - 32]);
            for at in pieces(length) {
                if at == length - 32 {
                    asm!(self, vmovups[rcx + at], ymm1)
                } else {
                    asm!(self, vmovups ymm0, [rdx + at] ; vmovups [rcx + at], ymm0)
                }
            }
            return asm!(self, vzeroupper);
        }
        self.two_fields(what, Operand::Const(i.l.into()), u);
    }

    /// MVC to `period` bytes after its source: the first so many bytes over and over.
    pub(crate) fn fill_bytes(&mut self, period: i32, i: &Fields) {
        let length = i.l as i32 + 1;
        let from = self.address(0, i.b2, i.d2);
        self.reach(from.address, length + period, true);
        match period {
            1 => asm!(self, vpbroadcastb ymm0, [rcx]),
            2 => asm!(self, vpbroadcastw ymm0, [rcx]),
            4 => asm!(self, vpbroadcastd ymm0, [rcx]),
            _ => asm!(self, vpbroadcastq ymm0, [rcx]),
        }
        let mut at = period;
        for _ in 0..length / 32 {
            asm!(self, vmovups[rcx + at], ymm0);
            at += 32;
        }
        for piece in [16, 8, 4, 2, 1].into_iter().filter(|piece| length & piece != 0) {
            // The period is 8 at most, so only short pieces begin in the middle of one.
            let phase = (at % period) as i8;
            match piece {
                16 => asm!(self, vmovups[rcx + at], xmm0),
                8 => asm!(self, vmovq[rcx + at], xmm0),
                4 => asm!(self, vpextrd[rcx + at], xmm0, phase / 4),
                2 => asm!(self, vpextrw[rcx + at], xmm0, phase / 2),
                _ => asm!(self, vpextrb[rcx + at], xmm0, phase),
            }
            at += piece;
        }
        asm!(self, vzeroupper);
    }

    /// A destination that begins within the source sees what was moved before: that is a site's. rax changes.
    fn not_into_itself(&mut self, last: Operand) {
        let site = self.site();
        asm!(self, mov rax, rcx ; sub rax, rdx ; sub rax, 1);
        match last {
            Operand::Host(n) => asm!(self, cmp rax, Rq(n) ; jb =>site),
            Operand::Const(n) => asm!(self, cmp rax, n as i32 ; jb =>site),
        }
    }

    /// One more than `last` bytes: `last` is under 256.
    pub(crate) fn bytes(&mut self, what: Bytes, last: Word, i: &Fields) {
        let n = self.host(last, W32);
        let first = self.address(0, i.b1, i.d1);
        if what == Bytes::Clear {
            self.reach(first.address, Len::Register(n), true);
            asm!(self, lea eax, [BYTE Rq(n) + 1] ; call QWORD [rbp + scratch(CLEAR_BYTES)]);
            return self.name_code(Cc::Set(0));
        }
        let second = self.address(0, i.b2, i.d2);
        let u = self.temp();
        self.reach(first.address, Len::Register(n), what == Bytes::Move);
        asm!(self, mov Rq(u), rcx);
        self.reach(second.address, Len::Register(n), false);
        asm!(self, mov rdx, rcx ; mov rcx, Rq(u));
        self.two_fields(what, Operand::Host(n), u);
    }

    /// Moves or compares one more than `last` bytes at rcx and rdx. `u` is a register of this instruction.
    fn two_fields(&mut self, what: Bytes, last: Operand, u: u8) {
        let v = self.temp();
        if what == Bytes::Move {
            self.not_into_itself(last);
        }
        match last {
            Operand::Host(n) => asm!(self, lea eax, [BYTE Rq(n) + 1]),
            Operand::Const(n) => asm!(self, mov eax, n as i32 + 1),
        }
        if what == Bytes::Move {
            return asm!(self, call QWORD [rbp + scratch(MOVE_BYTES)]);
        }
        asm!(self, call QWORD [rbp + scratch(COMPARE_BYTES)] ; mov Rq(u), rax ; mov Rq(v), rdx);
        let (a, b) = (self.reg(u, Left::Valid), self.reg(v, Left::Valid));
        self.name_code(Cc::CompareLogical { width: W64, a, b });
    }

    /// EXECUTE, and EXECUTE RELATIVE LONG if `relative`; `false`: nothing has been emitted.
    pub(crate) fn execute(&mut self, relative: bool, i: &Fields) -> bool {
        let target = match (relative, i.x2) {
            (true, _) => Some(i.at() + i.imm),
            (false, 0) => self.near[i.b2 as usize & 15].filter(|_| i.b2 != 0).map(|near| near + i.d2 as i64),
            _ => None,
        };
        let mut text = [0; 6];
        let at = target.filter(|at| at & 1 == 0).and_then(|at| self.text_at(at, text.len(), self.map.crossed));
        let Some((page, at)) = at else { return false };
        self.plan.storage.load(at, &mut text).expect("it is in a frame that there is text in");
        let Some(row) = isa::decode(text, self.plan.architecture, self.plan.facilities) else { return false };
        let i2 = Fields::extract(row.format, text);
        let what = match row.shape.form {
            Form::MoveField => Bytes::Move,
            Form::CompareField => Bytes::Compare,
            Form::ExclusiveOrField if (i2.b1, i2.d1) == (i2.b2, i2.d2) => Bytes::Clear,
            _ => return false,
        };
        let (start, end) = text.split_at(4);
        let start = i32::from_le_bytes(start.try_into().expect("these are four"));
        let end = i16::from_le_bytes(end.try_into().expect("these are two"));
        let site = self.site();
        asm!(self, mov rax, QWORD LATER);
        self.relocate(Value::Host { page, offset: (at.0 % PAGE) as u16 });
        asm!(self, cmp DWORD [rax], start ; jne =>site ; cmp WORD [BYTE rax + 4], end ; jne =>site);
        let mut last = Word::Const(i2.l as u64);
        if i.r1 != 0 {
            let low = self.general(W8, i.r1);
            last = self.or(low, last);
        }
        self.bytes(what, last, &i2);
        // By now it may be another instruction.
        self.map.floats.checked = false;
        self.forget_values();
        true
    }
}

/// Emits the routines; where each begins is the answer. rcx has the host's address of the first operand, rdx that of
/// the second. eax has how many bytes there are, 1 to 256 (`move`: to 4096). All three and xmm0 to xmm2 are changed.
///
/// `move`: the first may begin before the second and overlap it, but not after it. `compare`: rax and rdx compare as
/// the operands do.
pub(crate) struct Routines {
    pub moves: usize,
    pub clear: usize,
    pub compare: usize,
}

pub(crate) fn emit(a: &mut crate::emit::assembler::Assembler) -> Routines {
    struct E<'a> {
        a: &'a mut crate::emit::assembler::Assembler,
    }
    let e = E { a };
    let mut label = || e.a.new_dynamic_label();
    let [short, four, two, next, last]: [DynamicLabel; 5] = std::array::from_fn(|_| label());
    let moves = e.a.offset().0;
    asm!(e, cmp eax, 16 ; jb =>short);
    if wide_fills() {
        // Everything is fetched before it may be stored into; each size has code of its own, so that only one branch is
        // guessed.
        asm!(e, cmp eax, 32 ; ja >two ; movups xmm0, [rdx] ; movups xmm1, [rdx + rax - 16] ; movups [rcx], xmm0
            ; movups [rcx + rax - 16], xmm1 ; ret
            ; two: ; cmp eax, 64 ; ja >four ; vmovups ymm0, [rdx] ; vmovups ymm1, [rdx + rax - 32] ; vmovups [rcx], ymm0
            ; vmovups [rcx + rax - 32], ymm1 ; vzeroupper ; ret
            ; four: ; vmovups ymm1, [rdx + rax - 32] ; cmp eax, 128 ; ja >more ; vmovups ymm2, [rdx + rax - 64]
            ; vmovups ymm0, [rdx] ; vmovups [rcx], ymm0 ; vmovups ymm0, [rdx + 32] ; vmovups [rcx + 32], ymm0
            ; vmovups [rcx + rax - 64], ymm2 ; vmovups [rcx + rax - 32], ymm1 ; vzeroupper ; ret
            ; more: ; lea rax, [rcx + rax - 32]
            ; each: ; vmovups ymm0, [rdx] ; vmovups [rcx], ymm0 ; add rdx, 32 ; add rcx, 32 ; cmp rcx, rax ; jb <each
            ; vmovups [rax], ymm1 ; vzeroupper ; ret)
    } else {
        asm!(e, movups xmm1, [rdx + rax - 16] ; lea rax, [rcx + rax - 16]
            ; =>next ; cmp rcx, rax ; jae =>last ; movups xmm0, [rdx] ; movups [rcx], xmm0 ; add rdx, 16 ; add rcx, 16 ; jmp =>next
            ; =>last ; movups [rax], xmm1 ; ret)
    }
    asm!(e, =>short ; cmp eax, 8 ; jb =>four ; movq xmm0, [rdx] ; movq xmm1, [rdx + rax - 8] ; movq [rcx], xmm0
        ; movq [rcx + rax - 8], xmm1 ; ret
        ; =>four ; cmp eax, 4 ; jb =>two ; movd xmm0, [rdx] ; movd xmm1, [rdx + rax - 4] ; movd [rcx], xmm0
        ; movd [rcx + rax - 4], xmm1 ; ret
        ; =>two ; cmp eax, 2 ; jb >one ; movzx eax, BYTE [rdx + rax - 1] ; je >pair
        ; movzx edx, WORD [rdx] ; mov [rcx], dx ; mov [rcx + 2], al ; ret
        ; pair: ; movzx edx, BYTE [rdx] ; mov [rcx], dl ; mov [rcx + 1], al ; ret
        ; one: ; movzx edx, BYTE [rdx] ; mov [rcx], dl ; ret);
    let [short, four, two, next, last]: [DynamicLabel; 5] = std::array::from_fn(|_| e.a.new_dynamic_label());
    let clear = e.a.offset().0;
    asm!(e, pxor xmm0, xmm0 ; cmp eax, 16 ; jb =>short ; lea rax, [rcx + rax - 16]
        ; =>next ; cmp rcx, rax ; jae =>last ; movups [rcx], xmm0 ; add rcx, 16 ; jmp =>next
        ; =>last ; movups [rax], xmm0 ; ret
        ; =>short ; cmp eax, 8 ; jb =>four ; movq [rcx], xmm0 ; movq [rcx + rax - 8], xmm0 ; ret
        ; =>four ; cmp eax, 4 ; jb =>two ; movd [rcx], xmm0 ; movd [rcx + rax - 4], xmm0 ; ret
        ; =>two ; mov BYTE [rcx], 0 ; mov BYTE [rcx + rax - 1], 0 ; shr eax, 1 ; mov BYTE [rcx + rax], 0 ; ret);
    let [short, next, last, different]: [DynamicLabel; 4] = std::array::from_fn(|_| e.a.new_dynamic_label());
    let compare = e.a.offset().0;
    // What was equal may be compared once more at the end. With the second operand's distance from the first, one
    // register goes through both.
    asm!(e, push rsi ; push rdi ; sub rdx, rcx ; cmp eax, 8 ; jb =>short ; lea rsi, [rcx + rax - 8]
        ; =>next ; cmp rcx, rsi ; jae =>last ; movbe rax, [rcx] ; movbe rdi, [rcx + rdx] ; cmp rax, rdi ; jne =>different
        ; add rcx, 8 ; jmp =>next
        ; =>last ; movbe rax, [rsi] ; movbe rdi, [rsi + rdx]
        ; =>different ; mov rdx, rdi ; pop rdi ; pop rsi ; ret
        ; =>short ; lea rsi, [rcx + rax]
        ; each: ; movzx eax, BYTE [rcx] ; movzx edi, BYTE [rcx + rdx] ; cmp eax, edi ; jne =>different
        ; add rcx, 1 ; cmp rcx, rsi ; jb <each ; jmp =>different);
    Routines { moves, clear, compare }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::assembler::Assembler;
    use crate::runtime::memory::CodeMemory;

    /// rcx, rdx and r8 have the arguments; the answer is in rax.
    type Call = extern "win64" fn(*mut u8, *const u8, u64) -> u64;

    /// A function around each of the routines: move, clear, and compare, which answers 0 equal, 1 low, 2 high.
    fn functions() -> (CodeMemory, [Call; 3]) {
        struct E<'a> {
            a: &'a mut Assembler,
        }
        let mut assembler = Assembler::new(0);
        let routines = emit(&mut assembler);
        let code = assembler.take().expect("all labels are there");
        let mut memory = CodeMemory::new(1 << 16).expect("the host has memory");
        let at = memory.put(&code);
        let calls = [routines.moves, routines.clear, routines.compare].map(|routine| {
            let e = E { a: &mut assembler };
            asm!(e, mov eax, r8d ; mov r10, QWORD (at + routine as u64) as i64 ; call r10 ; xor ecx, ecx ; cmp rax, rdx
                ; seta cl ; setb al ; movzx eax, al ; lea eax, [rax + 2 * rcx] ; ret);
            let code = assembler.take().expect("there are no labels");
            // SAFETY: the code is a function of this type.
            unsafe { std::mem::transmute::<u64, Call>(memory.put(&code)) }
        });
        (memory, calls)
    }

    #[test]
    fn every_length_is_moved_and_cleared_and_nothing_else() {
        let (_memory, [moves, clear, _]) = functions();
        let source: Vec<u8> = (0..600).map(|n| (n * 7 % 251) as u8 + 1).collect();
        for len in 1..=256usize {
            for (from, to) in [(0, 300), (300, 17), (20, 3), (20, 19), (40, 40)] {
                if from < to && from + len > to {
                    continue;
                }
                let (mut bytes, mut expected) = (source.clone(), source.clone());
                expected.copy_within(from..from + len, to);
                let start = bytes.as_mut_ptr();
                // SAFETY: both ranges are in the vector.
                unsafe { moves(start.add(to), start.add(from), len as u64) };
                assert_eq!(bytes, expected, "{len} bytes from {from} to {to}");
                expected[to..to + len].fill(0);
                // SAFETY: the range is in the vector.
                unsafe { clear(bytes.as_mut_ptr().add(to), std::ptr::null(), len as u64) };
                assert_eq!(bytes, expected, "{len} bytes at {to}");
            }
        }
    }

    #[test]
    fn the_first_byte_that_differs_decides() {
        let (_memory, [.., compare]) = functions();
        for len in 1..=256usize {
            let one: Vec<u8> = (0..len).map(|n| n as u8).collect();
            let mut other = one.clone();
            let answer = |other: &[u8]| compare(one.as_ptr().cast_mut(), other.as_ptr(), len as u64);
            assert_eq!(answer(&other), 0);
            for place in (0..len).rev().step_by(3) {
                // The bytes after it say the opposite.
                other[place] ^= 0x80;
                assert_eq!(answer(&other), if one[place] < other[place] { 1 } else { 2 }, "{len} bytes, at {place}");
                other[place] ^= 0x80;
                other[place..].iter_mut().for_each(|byte| *byte ^= 0x80);
                assert_eq!(answer(&other), if one[place] < other[place] { 1 } else { 2 }, "{len} bytes, from {place}");
                other[place..].iter_mut().for_each(|byte| *byte ^= 0x80);
            }
        }
    }
}
