//! Instruction text as the assembler language writes it: `AL 2,0(0,15)`.
//!
//! Operands appear in the order of the manual, registers and masks as numbers, lengths as numbers of bytes, relative
//! operands as distances from the instruction (`*+8`). An index or base of zero is written, so that every line shows
//! all fields. What an operand list looks like follows from the format; a few mnemonics differ.

use crate::decode::decode;
use crate::fields::{Fields, Format};
use crate::row::Instruction;
use cpu::{Architecture, Facilities};
use std::fmt::Write;

/// The instruction that `text` begins with, in assembler language; none if the architecture has none of that code.
pub fn disassemble(text: [u8; 6], architecture: Architecture) -> Option<String> {
    decode(text, architecture, &Facilities([u64::MAX; 4])).map(|row| row.disassemble(text))
}

impl Instruction {
    /// `text`, which must begin with this instruction, in assembler language.
    pub fn disassemble(&self, text: [u8; 6]) -> String {
        let fields = Fields::extract(self.format, text);
        let mut operands = expand(self.operands(), self, &fields);
        if self.format == Format::MII {
            // The third operand, 24 bits that no body looks at.
            let far = i32::from_be_bytes([text[3], text[4], text[5], 0]) >> 7;
            let _ = write!(operands, ",*{far:+}");
        }
        let name = self.mnemonic;
        let variant =
            fields.m4 != 0 && among(WITH_M4, name) || (fields.m3 != 0 || fields.m4 != 0) && among(WITH_MODIFIERS, name);
        match (operands.is_empty(), variant) {
            (true, _) => name.to_string(),
            (_, false) => format!("{name} {operands}"),
            (_, true) => format!("{name}A {operands}"),
        }
    }

    /// The operands as the manual lists them. A bracket holds an operand that is left out when it is zero.
    pub fn operands(&self) -> &'static str {
        for (pattern, mnemonics) in SPECIAL {
            if among(mnemonics, self.mnemonic) {
                return pattern;
            }
        }
        use Format::*;
        match self.format {
            E => "",
            I => "I2",
            IE => "M3,M4",
            MII => "R1,RI2",
            RIa => "R1,I2",
            RIb | RIc | RILb | RILc => "R1,RI2",
            RIEa => "R1,I2,M3",
            RIEb => "R1,R2,M3,RI2",
            RIEc => "R1,I3,M3,RI2",
            RIEd => "R1,R3,I2",
            RIEe | RSI => "R1,R3,RI2",
            RIEf => "R1,R2,I3,I4,I5",
            RIEg => "R1,I2,M3",
            RILa => "R1,I2",
            RIS => "R1,I3,M3,D2(B2)",
            RR | RRE => "R1,R2",
            RRD => "R1,R3,R2",
            RRFa => "R1,R2,R3",
            RRFb => "R1,R3,R2",
            RRFc => "R1,R2[,M3]",
            RRFd => "R1,R2,M4",
            RRFe => "R1,M3,R2[,M4]",
            RRS => "R1,R2,M3,D2(B2)",
            RSa | RSYa => "R1,R3,D2(B2)",
            RSb | RSYb => "R1,M3,D2(B2)",
            RSLa => "D1(L,B1)",
            RSLb => "R1,D2(L,B2),M3",
            RXa | RXb | RXE | RXYa | RXYb => "R1,D2(X2,B2)",
            RXF => "R1,R3,D2(X2,B2)",
            S => "D2(B2)",
            SI | SIL | SIY => "D1(B1),I2",
            SMI => "R1,RI2,D2(B2)",
            SSa => "D1(L,B1),D2(B2)",
            SSb => "D1(L1,B1),D2(L2,B2)",
            SSc => "D1(L1,B1),D2(B2),I3",
            SSd => "D1(R1,B1),D2(B2),R3",
            SSe => "R1,D1(B1),R3,D2(B2)",
            SSf => "D1(B1),D2(L,B2)",
            SSE => "D1(B1),D2(B2)",
            SSF => "D1(B1),D2(B2),R3",
            VRIa => "V1,I2,M3",
            VRIb => "V1,I2,I3,M4",
            VRIc => "V1,V3,I2,M4",
            VRId => "V1,V2,V3,I4,M5",
            VRIe => "V1,V2,I3,M4,M5",
            VRIf => "V1,V2,V3,I4,M5",
            VRIg => "V1,V2,I3,I4,M5",
            VRIh => "V1,I2,I3",
            VRIi => "V1,R2,I3,M4",
            VRRa => "V1,V2,M3",
            VRRb => "V1,V2,V3,M4,M5",
            VRRc => "V1,V2,V3,M4",
            VRRd => "V1,V2,V3,V4,M5",
            VRRe => "V1,V2,V3,V4",
            VRRf => "V1,R2,R3",
            VRRg => "V1",
            VRRh => "V1,V2,M3",
            VRRi => "R1,V2,M3",
            VRSa => "V1,V3,D2(B2),M4",
            VRSb => "V1,R3,D2(B2),M4",
            VRSc => "R1,V3,D2(B2),M4",
            VRSd => "V1,R3,D2(B2)",
            VRV => "V1,D2(V2,B2),M3",
            VRX => "V1,D2(X2,B2),M3",
            VSI => "V1,D2(B2),I3",
        }
    }

    /// Whether the immediate operand is unsigned.
    pub fn is_logical(&self) -> bool {
        among(LOGICAL, self.mnemonic)
    }
}

/// Operand lists that do not follow from the format.
const SPECIAL: &[(&str, &str)] = &[
    ("", "PTLB IPK CSCH HSCH RSCH XSCH RCHP SAL SCHM PALB PCC TEND PCKMO NOP_"),
    ("R1", "SPM IPM EPAR ESAR SSAR IAC MSTA ESEA EFPC SFPC SFASR LZER LZDR LZXR EPAIR ESAIR SSAIR PTF ETND"),
    ("D1(B1)", "LPSWY LPSWEY"),
    ("D2(B2)", "LRIC STRIC"),
    ("R1,D2(B2)", "SLA SRA SLL SRL SLDA SRDA SLDL SRDL"),
    ("R1,D2(B2),M3", "LOC LOCG LOCFH STOC STOCG STOCFH"),
    ("R1,R2,M3", "LOCR LOCGR LOCFHR CRT CGRT CLRT CLGRT PPA POPCNT_"),
    ("R1,R2,R3,M4", "SELR SELGR SELFHR"),
    ("R1,R3,R2,M4", "DIEBR DIDBR QADTR QAXTR RRDTR RRXTR LPTEA"),
    ("R1,R2[,R3][,M4]", "IPTE"),
    ("R1,R3,D1(B1),D2(B2)", "LMD"),
    ("R3,D1(B1),D2(B2)", "LPD LPDG"),
    ("R1,D2(X2,B2),M3", "LCBB"),
    ("R1,R2,R3[,M4]", "ADTR SDTR MDTR DDTR AXTR SXTR MXTR DXTR"),
    ("R1,R3,R2[,M4]", "IDTE CRDTE RDP"),
    ("V1,D2(X2,B2)[,M3]", "VL VST"),
    ("V1,V3,D2(B2)[,M4]", "VLM VSTM"),
    ("V1,R3,D2(B2)", "VLL VSTL"),
    ("V1,I2", "VGBM"),
    ("V1,V2,V3,I4", "VSLDB VSLD VSRD"),
    ("V1,V2", "VLR VTM"),
    ("V1,V2,V3", "VN VNC VO VNO VNX VX VNN VOC VCKSM VSL VSLB VSRL VSRLB VSRA VSRAB VBPERM"),
    ("V1,V2,M3[,M5]", "VISTR"),
    ("V1,V2,V3,M4[,M5]", "VFAE VFEE VFENE"),
    ("V1,V2,V3,V4,M5[,M6]", "VSTRC VSTRS"),
    ("V1,V2,V3,V4,M5,M6", "VMSL VFMA VFMS VFNMA VFNMS"),
    ("V1,V2,M3,M4", "WFC WFK VFLL VFSQ"),
    ("V1,V2,M3,M4,M5", "VFI VFLR VFPSO VCLFP VCFPL VCSFP VCFPS"),
    ("V1,V2,V3,M4,M5", "VFS VFA VFD VFM"),
    ("V1,V2,V3,M4,M5,M6", "VFCE VFCH VFCHE VFMIN VFMAX"),
    ("R1,M3,R2", "CFER CFDR CFXR CGER CGDR CGXR TBEDR TBDR"),
    ("R1,<M3,>R2<,M4>", WITH_MODIFIERS),
    (
        "R1,M3,R2,M4",
        "CELFBR CDLFBR CXLFBR CELGBR CDLGBR CXLGBR CLFEBR CLFDBR CLFXBR CLGEBR CLGDBR CLGXBR FIDTR FIXTR LEDTR LDXTR \
         CDFTR CXFTR CDLFTR CXLFTR CDLGTR CXLGTR CFDTR CFXTR CLFDTR CLFXTR CLGDTR CLGXTR",
    ),
];

/// Instructions that have no modifiers, and whose variants that have both end in A.
const WITH_MODIFIERS: &str = "LEDBR LDXBR LEXBR CEFBR CDFBR CXFBR CEGBR CDGBR CXGBR CDGTR CXGTR";

/// Instructions whose variants with an M4 end in A.
const WITH_M4: &str = "FIEBR FIDBR FIXBR CFEBR CFDBR CFXBR CGEBR CGDBR CGXBR CGDTR CGXTR ADTR SDTR MDTR DDTR AXTR SXTR MXTR \
    DXTR";

/// Instructions whose immediate operand is unsigned.
const LOGICAL: &str = "TMLL TMLH TMHL TMHH IILL IILH IIHL IIHH NILL NILH NIHL NIHH OILL OILH OIHL OIHH LLILL LLILH LLIHL \
    LLIHH ALFI ALGFI SLFI SLGFI CLFI CLGFI CLIH IIHF IILF NIHF NILF OIHF OILF XIHF XILF LLIHF LLILF CLHHSI CLFHSI CLGHSI \
    CLFIT CLGIT CLIJ CLGIJ CLIB CLGIB VGBM";

fn among(list: &str, mnemonic: &str) -> bool {
    list.split_ascii_whitespace().any(|m| m == mnemonic)
}

fn expand(pattern: &str, row: &Instruction, f: &Fields) -> String {
    // Both of a pair of modifiers are written if one is not zero.
    let modified = f.m3 != 0 || f.m4 != 0;
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        match first {
            '[' | '<' => {
                let close = if first == '[' { ']' } else { '>' };
                let end = rest.find(close).expect("brackets come in pairs");
                let inner = &rest[1..end];
                let token = inner.trim_matches(',');
                if if first == '<' { modified } else { value(token, row, f) != 0 } {
                    out.push_str(&expand(inner, row, f));
                }
                rest = &rest[end + 1..];
            }
            c if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let v = value(&rest[..end], row, f);
                let _ = if &rest[..end] == "RI2" { write!(out, "*{v:+}") } else { write!(out, "{v}") };
                rest = &rest[end..];
            }
            c => {
                out.push(c);
                rest = &rest[1..];
            }
        }
    }
    out
}

/// The value of a field as the assembler language has it.
fn value(token: &str, row: &Instruction, f: &Fields) -> i64 {
    match token {
        "R1" => f.r1.into(),
        "R2" => f.r2.into(),
        "R3" => f.r3.into(),
        "M3" => f.m3.into(),
        "M4" => f.m4.into(),
        "M5" => f.m5().into(),
        "M6" => f.m6().into(),
        "V1" => f.r1.into(),
        "V2" => f.r2.into(),
        "V3" => f.r3.into(),
        "V4" => f.r4().into(),
        "X2" => f.x2.into(),
        "B1" => f.b1.into(),
        "B2" => f.b2.into(),
        "D1" => f.d1.into(),
        "D2" => f.d2.into(),
        "L" => i64::from(f.l) + 1,
        "L1" => i64::from(f.l1()) + 1,
        "L2" => i64::from(f.l2()) + 1,
        "RI2" => f.imm,
        "I2" if row.is_logical() => match row.format {
            Format::RILa => f.imm & 0xffff_ffff,
            _ => f.imm & 0xffff,
        },
        // The immediate of SI and SIY is taken as unsigned, but these four add it.
        "I2" if matches!(row.mnemonic, "ASI" | "AGSI" | "ALSI" | "ALGSI") => (f.imm as i8).into(),
        "I2" => f.imm,
        // RIEc and RIS.
        "I3" if matches!(row.format, Format::RIEc | Format::RIS) && !row.is_logical() => (f.i3 as i8).into(),
        "I3" if row.format == Format::VRIe => f.imm,
        "I3" => f.i3.into(),
        "I4" => f.i4().into(),
        "I5" => f.i5.into(),
        _ => unreachable!("{token} is no field"),
    }
}
