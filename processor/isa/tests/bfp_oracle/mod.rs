//! The instructions compared, and how ours are executed.

use super::Registers;
use crate::lone_cpu::{self, OPERAND};
use cpu::{Architecture, Facilities, Interruption, State};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    Short,
    Long,
    Extended,
}

impl Width {
    /// Bits of the number, bits of the significand, largest exponent.
    pub(crate) fn parameters(self) -> (u32, u32, u128) {
        match self {
            Width::Short => (32, 24, 127),
            Width::Long => (64, 53, 1023),
            Width::Extended => (128, 113, 16383),
        }
    }
}

/// Which operands an instruction has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// First and second operand in registers, or the second in storage.
    Two,
    TwoStorage,
    /// Only the second operand counts.
    One,
    OneStorage,
    /// As `One`, with the rounding modifier M3 and, in M4, inexact suppression.
    Modified,
    /// The second operand is general register 4; modifiers as above.
    FromInteger,
    /// Fused multiplication and addition: the third operand is floating-point register 4.
    Three,
    ThreeStorage,
    /// COPY SIGN, with the same registers.
    CopySign,
    /// TEST DATA CLASS: the second-operand address is a mask.
    Class,
}

impl Form {
    pub(crate) fn has_storage(self) -> bool {
        matches!(self, Form::TwoStorage | Form::OneStorage | Form::ThreeStorage)
    }
}

/// The register of the second operand: the pair 1 and 3, or register 1 just as well.
pub(crate) const SECOND: u8 = 1;

pub(crate) struct Instruction {
    pub mnemonic: &'static str,
    pub code: u16,
    pub form: Form,
    pub target: Width,
    pub source: Width,
    pub to_general: bool,
}

impl Instruction {
    const fn new(mnemonic: &'static str, code: u16, form: Form, target: Width, source: Width) -> Instruction {
        Instruction { mnemonic, code, form, target, source, to_general: false }
    }

    const fn fixed(mnemonic: &'static str, code: u16, source: Width) -> Instruction {
        Instruction { mnemonic, code, form: Form::Modified, target: Width::Long, source, to_general: true }
    }

    /// The instruction with all modifiers that it takes.
    pub(crate) fn texts(&self) -> Vec<[u8; 8]> {
        let [c0, c1] = self.code.to_be_bytes();
        let r1 = u8::from(self.to_general);
        match self.form {
            // The short operation codes: RR and RX.
            Form::One if c0 == 0 => vec![[c1, SECOND, 0, 0, 0, 0, 0, 0]],
            Form::OneStorage if c0 == 0 => vec![[c1, 0, 0x50, 88, 0, 0, 0, 0]],
            Form::Two | Form::One => vec![[c0, c1, 0, r1 << 4 | SECOND, 0, 0, 0, 0]],
            Form::TwoStorage | Form::OneStorage => vec![[c0, 0, 0x50, 88, 0, c1, 0, 0]],
            Form::CopySign => vec![[c0, c1, 0x40, SECOND, 0, 0, 0, 0]],
            Form::Class => (0..12)
                .map(|n| 1u16 << n)
                .chain([0, 0xfff, 0x555])
                .map(|mask| {
                    let [high, low] = mask.to_be_bytes();
                    [c0, 0, high, low, 0, c1, 0, 0]
                })
                .collect(),
            Form::Three => vec![[c0, c1, 0, 0x40 | SECOND, 0, 0, 0, 0]],
            Form::ThreeStorage => vec![[c0, 0x40, 0x50, 88, 0, c1, 0, 0]],
            Form::Modified | Form::FromInteger => {
                let r2 = if self.form == Form::FromInteger { 4 } else { SECOND };
                let modifiers = [0, 1, 3, 4, 5, 6, 7].into_iter().flat_map(|m3| [(m3, 0), (m3, 4)]);
                modifiers.map(|(m3, m4)| [c0, c1, m3 << 4 | m4, r1 << 4 | r2, 0, 0, 0, 0]).collect()
            }
        }
    }
}

use Form::*;
use Width::*;

/// Not here, because QEMU is wrong about them: MDEBR, MDEB, MXDBR and MXDB (it takes the first operand in the format of
/// the result). Not here, because it lacks them: DIVIDE TO INTEGER, and the conversions from and to hexadecimal
/// numbers.
#[rustfmt::skip]
pub(crate) const INSTRUCTIONS: &[Instruction] = &[
    Instruction::new("AEBR", 0xb30a, Two, Short, Short),
    Instruction::new("ADBR", 0xb31a, Two, Long, Long),
    Instruction::new("AXBR", 0xb34a, Two, Extended, Extended),
    Instruction::new("SEBR", 0xb30b, Two, Short, Short),
    Instruction::new("SDBR", 0xb31b, Two, Long, Long),
    Instruction::new("SXBR", 0xb34b, Two, Extended, Extended),
    Instruction::new("MEEBR", 0xb317, Two, Short, Short),
    Instruction::new("MDBR", 0xb31c, Two, Long, Long),
    Instruction::new("MXBR", 0xb34c, Two, Extended, Extended),
    Instruction::new("DEBR", 0xb30d, Two, Short, Short),
    Instruction::new("DDBR", 0xb31d, Two, Long, Long),
    Instruction::new("DXBR", 0xb34d, Two, Extended, Extended),
    Instruction::new("CEBR", 0xb309, Two, Short, Short),
    Instruction::new("CDBR", 0xb319, Two, Long, Long),
    Instruction::new("CXBR", 0xb349, Two, Extended, Extended),
    Instruction::new("KEBR", 0xb308, Two, Short, Short),
    Instruction::new("KDBR", 0xb318, Two, Long, Long),
    Instruction::new("KXBR", 0xb348, Two, Extended, Extended),
    Instruction::new("MAEBR", 0xb30e, Three, Short, Short),
    Instruction::new("MADBR", 0xb31e, Three, Long, Long),
    Instruction::new("MSEBR", 0xb30f, Three, Short, Short),
    Instruction::new("MSDBR", 0xb31f, Three, Long, Long),
    Instruction::new("SQEBR", 0xb314, One, Short, Short),
    Instruction::new("SQDBR", 0xb315, One, Long, Long),
    Instruction::new("SQXBR", 0xb316, One, Extended, Extended),
    Instruction::new("FIEBRA", 0xb357, Modified, Short, Short),
    Instruction::new("FIDBRA", 0xb35f, Modified, Long, Long),
    Instruction::new("FIXBRA", 0xb347, Modified, Extended, Extended),
    Instruction::new("LEDBRA", 0xb344, Modified, Short, Long),
    Instruction::new("LDXBRA", 0xb345, Modified, Long, Extended),
    Instruction::new("LEXBRA", 0xb346, Modified, Short, Extended),
    Instruction::new("LDEBR", 0xb304, One, Long, Short),
    Instruction::new("LXDBR", 0xb305, One, Extended, Long),
    Instruction::new("LXEBR", 0xb306, One, Extended, Short),
    Instruction::new("CEFBRA", 0xb394, FromInteger, Short, Short),
    Instruction::new("CDFBRA", 0xb395, FromInteger, Long, Short),
    Instruction::new("CXFBRA", 0xb396, FromInteger, Extended, Short),
    Instruction::new("CEGBRA", 0xb3a4, FromInteger, Short, Long),
    Instruction::new("CDGBRA", 0xb3a5, FromInteger, Long, Long),
    Instruction::new("CXGBRA", 0xb3a6, FromInteger, Extended, Long),
    Instruction::new("CELFBR", 0xb390, FromInteger, Short, Short),
    Instruction::new("CDLFBR", 0xb391, FromInteger, Long, Short),
    Instruction::new("CXLFBR", 0xb392, FromInteger, Extended, Short),
    Instruction::new("CELGBR", 0xb3a0, FromInteger, Short, Long),
    Instruction::new("CDLGBR", 0xb3a1, FromInteger, Long, Long),
    Instruction::new("CXLGBR", 0xb3a2, FromInteger, Extended, Long),
    Instruction::fixed("CFEBRA", 0xb398, Short),
    Instruction::fixed("CFDBRA", 0xb399, Long),
    Instruction::fixed("CFXBRA", 0xb39a, Extended),
    Instruction::fixed("CGEBRA", 0xb3a8, Short),
    Instruction::fixed("CGDBRA", 0xb3a9, Long),
    Instruction::fixed("CGXBRA", 0xb3aa, Extended),
    Instruction::fixed("CLFEBR", 0xb39c, Short),
    Instruction::fixed("CLFDBR", 0xb39d, Long),
    Instruction::fixed("CLFXBR", 0xb39e, Extended),
    Instruction::fixed("CLGEBR", 0xb3ac, Short),
    Instruction::fixed("CLGDBR", 0xb3ad, Long),
    Instruction::fixed("CLGXBR", 0xb3ae, Extended),
    Instruction::new("AEB", 0xed0a, TwoStorage, Short, Short),
    Instruction::new("ADB", 0xed1a, TwoStorage, Long, Long),
    Instruction::new("SEB", 0xed0b, TwoStorage, Short, Short),
    Instruction::new("SDB", 0xed1b, TwoStorage, Long, Long),
    Instruction::new("DEB", 0xed0d, TwoStorage, Short, Short),
    Instruction::new("DDB", 0xed1d, TwoStorage, Long, Long),
    Instruction::new("CEB", 0xed09, TwoStorage, Short, Short),
    Instruction::new("CDB", 0xed19, TwoStorage, Long, Long),
    Instruction::new("KEB", 0xed08, TwoStorage, Short, Short),
    Instruction::new("KDB", 0xed18, TwoStorage, Long, Long),
    Instruction::new("MEEB", 0xed17, TwoStorage, Short, Short),
    Instruction::new("MDB", 0xed1c, TwoStorage, Long, Long),
    Instruction::new("SQEB", 0xed14, OneStorage, Short, Short),
    Instruction::new("SQDB", 0xed15, OneStorage, Long, Long),
    Instruction::new("LDEB", 0xed04, OneStorage, Long, Short),
    Instruction::new("LXDB", 0xed05, OneStorage, Extended, Long),
    Instruction::new("LXEB", 0xed06, OneStorage, Extended, Short),
    Instruction::new("MAEB", 0xed0e, ThreeStorage, Short, Short),
    Instruction::new("MSEB", 0xed0f, ThreeStorage, Short, Short),
    Instruction::new("MADB", 0xed1e, ThreeStorage, Long, Long),
    Instruction::new("MSDB", 0xed1f, ThreeStorage, Long, Long),
    Instruction::new("TCEB", 0xed10, Class, Short, Short),
    Instruction::new("TCDB", 0xed11, Class, Long, Long),
    Instruction::new("TCXB", 0xed12, Class, Extended, Extended),
    Instruction::new("LPEBR", 0xb300, One, Short, Short),
    Instruction::new("LNEBR", 0xb301, One, Short, Short),
    Instruction::new("LTEBR", 0xb302, One, Short, Short),
    Instruction::new("LCEBR", 0xb303, One, Short, Short),
    Instruction::new("LPDBR", 0xb310, One, Long, Long),
    Instruction::new("LNDBR", 0xb311, One, Long, Long),
    Instruction::new("LTDBR", 0xb312, One, Long, Long),
    Instruction::new("LCDBR", 0xb313, One, Long, Long),
    Instruction::new("LPXBR", 0xb340, One, Extended, Extended),
    Instruction::new("LNXBR", 0xb341, One, Extended, Extended),
    Instruction::new("LTXBR", 0xb342, One, Extended, Extended),
    Instruction::new("LCXBR", 0xb343, One, Extended, Extended),
    Instruction::new("LER", 0x38, One, Short, Short),
    Instruction::new("LDR", 0x28, One, Long, Long),
    Instruction::new("LXR", 0xb365, One, Extended, Extended),
    Instruction::new("LPDFR", 0xb370, One, Long, Long),
    Instruction::new("LNDFR", 0xb371, One, Long, Long),
    Instruction::new("LCDFR", 0xb373, One, Long, Long),
    Instruction::new("CPSDR", 0xb372, CopySign, Long, Long),
    Instruction::new("LZER", 0xb374, One, Short, Short),
    Instruction::new("LZDR", 0xb375, One, Long, Long),
    Instruction::new("LZXR", 0xb376, One, Extended, Extended),
    Instruction::new("LE", 0x78, OneStorage, Short, Short),
    Instruction::new("LD", 0x68, OneStorage, Long, Long),
    Instruction::new("LEY", 0xed64, OneStorage, Short, Short),
    Instruction::new("LDY", 0xed65, OneStorage, Long, Long),
    Instruction::new("STE", 0x70, OneStorage, Short, Short),
    Instruction::new("STD", 0x60, OneStorage, Long, Long),
    Instruction::new("STEY", 0xed66, OneStorage, Short, Short),
    Instruction::new("STDY", 0xed67, OneStorage, Long, Long),
    Instruction::new("LDGR", 0xb3c1, FromInteger, Long, Long),
    Instruction { mnemonic: "LGDR", code: 0xb3cd, form: One, target: Long, source: Long, to_general: true },
];

/// An instruction as it is shown when results differ.
pub(crate) fn name(text: &[u8; 8]) -> String {
    let mnemonic = decode(text).mnemonic;
    format!("{mnemonic} {:02x?}", &text[..isa::length(text[0]) as usize])
}

/// The row of the table that an instruction has.
pub(crate) fn decode(text: &[u8; 8]) -> &'static isa::Instruction {
    let text = text[..6].try_into().expect("six bytes");
    isa::decode(text, Architecture::Z, &FACILITIES).expect("the table has it")
}

const FACILITIES: Facilities = Facilities::of(&[18, 37, 41]);

/// A CPU in z/Architecture that may use floating point.
pub(crate) fn cpu() -> State {
    lone_cpu::cpu(FACILITIES)
}

/// Executes one instruction.
pub(crate) fn execute(cpu: &mut State, text: &[u8; 8], before: &Registers) -> Result<Registers, Interruption> {
    let row = decode(text);
    (0..8).for_each(|n| cpu.fpr[n] = before.fpr[n]);
    cpu.gr[1] = before.gr1;
    cpu.gr[4] = before.gr4;
    cpu.fpc = before.fpc;
    cpu.cc = before.cc as u8;
    cpu.storage().write(OPERAND, &before.operand.to_be_bytes()).expect("it is within storage");
    let fields = isa::Fields::extract(row.format, text[..6].try_into().expect("six bytes"));
    isa::perform(row.run.expect("it is built"), cpu, &fields)?;
    Ok(Registers {
        fpr: std::array::from_fn(|n| cpu.fpr[n]),
        gr1: cpu.gr[1],
        gr4: cpu.gr[4],
        fpc: cpu.fpc,
        cc: cpu.cc.into(),
        operand: u128::from_be_bytes(cpu.storage().read_array(OPERAND).expect("it is within storage")),
    })
}
