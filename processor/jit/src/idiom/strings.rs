//! SEARCH STRING, COMPARE LOGICAL STRING and MOVE STRING: strings that end in the pages in which they begin, where most
//! do.
//!
//! [`Routines`] look at sixteen bytes at once. They never read beyond the aligned sixteen bytes, or the length that
//! they are given. A string that goes on after its page is left to the interpreter, which begins again at its start.

use crate::emit::assembler::{Assembler, asm, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::natives::Strings;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Cpu, Fields, Width::*};

impl Emitter<'_> {
    /// In the 64-bit addressing mode only.
    pub(crate) fn strings(&mut self, what: Strings, i: &Fields) {
        let (first, second) = (self.general(W64, i.r1), self.general(W64, i.r2));
        let ending = self.general(W32, 0);
        let (first, second, ending) = (self.host(first, W64), self.host(second, W64), self.host(ending, W32));
        let site = self.site();
        // Bits 32-55 of register 0 must be zero.
        asm!(self, cmp Rd(ending), 255 ; ja =>site);
        match what {
            Strings::Search => self.search_string(first, second, ending, i),
            Strings::Compare => self.compare_strings(first, second, ending, i),
            Strings::Move => self.move_string(first, second, ending, i),
        }
    }

    /// rcx becomes the host's address of the guest's byte at `at`, which is in the register `h`. eax becomes how many
    /// bytes there are from there to the end of the page.
    fn reach_rest(&mut self, r: u8, h: u8, store: bool) {
        let at = self.address_in(r);
        self.reach(at.address, 1, store);
        asm!(self, mov eax, Rd(h) ; or eax, -4096 ; neg eax);
    }

    fn search_string(&mut self, end: u8, start: u8, byte: u8, i: &Fields) {
        let (length, left) = (self.temp(), self.temp());
        let site = self.site();
        asm!(self, mov Rq(left), Rq(end) ; sub Rq(left), Rq(start) ; je =>site);
        self.reach_rest(i.r2, start, false);
        let site = self.site();
        // Not found, and not all of it looked at: the interpreter goes on.
        asm!(self, cmp rax, Rq(left) ; cmova rax, Rq(left) ; mov Rd(length), eax ; movd xmm0, Rd(byte)
            ; call QWORD [rbp + scratch(FIND_BYTE)] ; cmp eax, Rd(length) ; jb >found
            ; cmp Rq(length), Rq(left) ; jne =>site
            // 1 found, 2 not.
            ; found: ; cmp eax, Rd(length) ; setae cl ; movzx ecx, cl ; add ecx, 1 ; mov Rd(left), ecx
            ; add rax, Rq(start) ; mov Rq(length), rax);
        let (at, code) = (self.reg(length, Left::Valid), self.reg(left, Left::Zero));
        self.name_code(Cc::Value(code));
        self.set_general(W64, i.r1, at);
    }

    fn compare_strings(&mut self, first: u8, second: u8, ending: u8, i: &Fields) {
        let (t, u) = (self.temp(), self.temp());
        self.reach_rest(i.r1, first, false);
        asm!(self, mov Rq(t), rcx ; mov Rd(u), eax);
        self.reach_rest(i.r2, second, false);
        let site = self.site();
        asm!(self, cmp eax, Rd(u) ; cmova eax, Rd(u) ; mov rdx, rcx ; mov rcx, Rq(t) ; movd xmm0, Rd(ending)
            ; call QWORD [rbp + scratch(COMPARE_STRINGS)] ; cmp edx, 3 ; je =>site
            ; lea Rq(t), [rax + Rq(first)] ; add rax, Rq(second) ; mov Rq(u), rax);
        let code = self.temp();
        asm!(self, mov Rd(code), edx);
        let (a, b, code) = (self.reg(t, Left::Valid), self.reg(u, Left::Valid), self.reg(code, Left::Zero));
        self.name_code(Cc::Value(code));
        self.set_general(W64, i.r1, a);
        self.set_general(W64, i.r2, b);
    }

    fn move_string(&mut self, to: u8, from: u8, ending: u8, i: &Fields) {
        let (source, t, length) = (self.temp(), self.temp(), self.temp());
        self.reach_rest(i.r2, from, false);
        asm!(self, mov Rq(source), rcx ; mov Rd(length), eax);
        self.reach_rest(i.r1, to, true);
        let site = self.site();
        asm!(self, cmp eax, Rd(length) ; cmova eax, Rd(length) ; mov Rd(length), eax ; mov Rq(t), rcx ; mov rcx, Rq(source)
            ; movd xmm0, Rd(ending) ; call QWORD [rbp + scratch(FIND_BYTE)] ; cmp eax, Rd(length) ; jae =>site);
        let site = self.site();
        // A destination that begins within the source sees what was moved before.
        asm!(self, mov rcx, Rq(t) ; mov rdx, Rq(source) ; sub Rq(t), rdx ; sub Rq(t), 1 ; cmp Rq(t), rax ; jb =>site
            ; lea Rq(t), [Rq(to) + rax] ; add eax, 1 ; call QWORD [rbp + scratch(MOVE_BYTES)]);
        let last = self.reg(t, Left::Valid);
        self.name_code(Cc::Set(1));
        self.set_general(W64, i.r1, last);
    }
}

/// Where the routines begin. xmm0 has the ending byte. They change rax, rcx, rdx and xmm0 to xmm2.
///
/// `find`: rcx has the host's address of the string and eax its length, 1 to 4096. eax becomes how far after the start
/// the byte is, or the length.
///
/// `compare`: rcx and rdx have the addresses of two strings, eax the length of both, 1 to 4096. edx becomes 0 if they
/// end and are equal, 1 if the first is low, 2 if the second is. Then rax becomes how many bytes before the decisive
/// one were equal, 0 if all. edx becomes 3 if they are equal and did not end.
pub(crate) struct Routines {
    pub find: usize,
    pub compare: usize,
}

pub(crate) fn emit(a: &mut Assembler) -> Routines {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    impl E<'_> {
        /// The low byte of xmm0 in all of its bytes.
        fn spread(&mut self) {
            asm!(self, punpcklbw xmm0, xmm0 ; pshuflw xmm0, xmm0, 0 ; punpcklqdq xmm0, xmm0);
        }
    }
    let mut e = E { a };
    let [next, first, there, none]: [DynamicLabel; 4] = std::array::from_fn(|_| e.a.new_dynamic_label());
    let find = e.a.offset().0;
    e.spread();
    // What stands before the string in its first sixteen bytes is shifted out.
    asm!(e, push rsi ; push rdi ; mov rdx, rcx ; and rdx, -16 ; mov edi, ecx ; and edi, 15
        ; movdqa xmm1, [rdx] ; pcmpeqb xmm1, xmm0 ; pmovmskb esi, xmm1 ; shrx esi, esi, edi ; test esi, esi ; jne =>first
        ; =>next ; add rdx, 16 ; mov rdi, rdx ; sub rdi, rcx ; cmp rdi, rax ; jae =>none
        ; movdqa xmm1, [rdx] ; pcmpeqb xmm1, xmm0 ; pmovmskb esi, xmm1 ; test esi, esi ; je =>next
        ; bsf esi, esi ; add esi, edi ; jmp =>there
        ; =>first ; bsf esi, esi
        ; =>there ; cmp esi, eax ; cmovb eax, esi
        ; =>none ; pop rdi ; pop rsi ; ret);
    let [next, last, each, differ, decide, low, high, equal, same]: [DynamicLabel; 9] =
        std::array::from_fn(|_| e.a.new_dynamic_label());
    let compare = e.a.offset().0;
    asm!(e, push rsi ; push rdi ; push rbx ; movd ebx, xmm0 ; movzx ebx, bl ; xor esi, esi);
    e.spread();
    asm!(e, =>next ; lea edi, [rsi + 16] ; cmp edi, eax ; ja =>last
        ; movdqu xmm1, [rcx + rsi] ; movdqu xmm2, [rdx + rsi] ; pcmpeqb xmm2, xmm1 ; pcmpeqb xmm1, xmm0 ; pandn xmm1, xmm2
        ; pmovmskb edi, xmm1 ; xor edi, 0xffff ; jne =>differ ; add esi, 16 ; jmp =>next
        ; =>last ; cmp esi, eax ; jae =>same
        ; =>each ; movzx edi, BYTE [rcx + rsi] ; cmp dil, [rdx + rsi] ; jne =>decide ; cmp edi, ebx ; je =>equal
        ; add esi, 1 ; cmp esi, eax ; jb =>each
        ; =>same ; mov edx, 3 ; pop rbx ; pop rdi ; pop rsi ; ret
        ; =>differ ; bsf edi, edi ; add esi, edi
        ; =>decide ; mov eax, esi ; movzx edi, BYTE [rcx + rsi] ; movzx edx, BYTE [rdx + rsi]
        ; cmp edi, edx ; je =>equal ; cmp edi, ebx ; je =>low ; cmp edx, ebx ; je =>high ; cmp edi, edx ; jb =>low
        ; =>high ; mov edx, 2 ; pop rbx ; pop rdi ; pop rsi ; ret
        ; =>low ; mov edx, 1 ; pop rbx ; pop rdi ; pop rsi ; ret
        ; =>equal ; xor eax, eax ; xor edx, edx ; pop rbx ; pop rdi ; pop rsi ; ret);
    Routines { find, compare }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::memory::CodeMemory;

    /// rcx, rdx, r8 and r9 have the arguments: two strings, the length, the ending byte.
    type Call = extern "win64" fn(*const u8, *const u8, u64, u64) -> u64;

    /// A function around each of the routines: find, and compare, with the code in the right half and the distance in
    /// the left.
    fn functions() -> (CodeMemory, [Call; 2]) {
        struct E<'a> {
            a: &'a mut Assembler,
        }
        let mut assembler = Assembler::new(0);
        let routines = emit(&mut assembler);
        let code = assembler.take().expect("all labels are there");
        let mut memory = CodeMemory::new(1 << 16).expect("the host has memory");
        let at = memory.put(&code);
        let calls = [(routines.find, false), (routines.compare, true)].map(|(routine, both)| {
            let e = E { a: &mut assembler };
            asm!(e, mov eax, r8d ; movd xmm0, r9d ; mov r10, QWORD (at + routine as u64) as i64 ; call r10);
            if both {
                asm!(e, shl rax, 32 ; or rax, rdx)
            }
            asm!(e, ret);
            let code = assembler.take().expect("there are no labels");
            // SAFETY: the code is a function of this type.
            unsafe { std::mem::transmute::<u64, Call>(memory.put(&code)) }
        });
        (memory, calls)
    }

    #[test]
    fn a_byte_is_found_wherever_it_is_and_nowhere_else() {
        let (_memory, [find, _]) = functions();
        for byte in [0u8, 0x40, 0xff] {
            for start in 0..20 {
                for length in 1..70usize {
                    let mut text = [byte; 120];
                    text[start..start + length].fill(7);
                    let at = text[start..].as_ptr();
                    assert_eq!(find(at, at, length as u64, byte.into()), length as u64);
                    for place in (0..length).rev() {
                        text[start + place] = byte;
                        let at = text[start..].as_ptr();
                        assert_eq!(find(at, at, length as u64, byte.into()), place as u64, "{length} from {start}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_difference_or_the_end_decides() {
        let (_memory, [_, compare]) = functions();
        let same = |a: &[u8], b: &[u8], ending: u8| compare(a.as_ptr(), b.as_ptr(), a.len() as u64, ending.into());
        let answer = |code: u64, k: usize| if code == 0 { 0 } else { (k as u64) << 32 | code };
        for ending in [0u8, 0x40, 0xff] {
            for length in 1..70usize {
                let one: Vec<u8> = (0..length).map(|n| 0x50 + n as u8).collect();
                assert_eq!(same(&one, &one, ending) as u32, 3);
                for place in 0..length {
                    let (mut a, mut b) = (one.clone(), one.clone());
                    (a[place], b[place]) = (ending, ending);
                    // What stands after the end does not matter.
                    b[place + 1..].fill(0x60);
                    assert_eq!(same(&a, &b, ending), 0, "{length}, ends at {place}");
                    for (x, y, code) in
                        [(1, 2, 1), (0x90, 0x8f, 2), (ending, 1, 1), (0xfe, ending, 2), (ending, 0xfe, 1)]
                    {
                        (a[place], b[place]) = (x, y);
                        assert_eq!(same(&a, &b, ending), answer(code, place), "{length}, {x:#x} and {y:#x} at {place}");
                    }
                }
            }
        }
    }
}
