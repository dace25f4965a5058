//! What instructions want of their operands beyond their format: even registers, pairs of floating-point registers,
//! aligned storage. Whatever is not listed here is plain.

use crate::encode::Field;
use isa::{Exception, Instruction};

/// How a test uses an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Plain,
    Branch,
    Execute,
    /// Compares storage of so many bytes with a register, and swaps.
    Swap(usize),
    /// Addresses and lengths in registers.
    Long,
}

/// The wants of one instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub kind: Kind,
    pub changes1: bool,
    pub changes2: bool,
    pub changes3: bool,
    pub even1: bool,
    pub even2: bool,
    pub even3: bool,
    pub float1: bool,
    pub float2: bool,
    /// The register operand is extended: two floating-point registers.
    pub pair1: bool,
    pub pair2: bool,
    pub pair3: bool,
    /// Base and displacement are the address of an operand in storage.
    pub storage: bool,
    /// The storage operand must lie on such a boundary; 1 if anywhere.
    pub align: u64,
    /// M3 is a rounding method.
    pub rounding: bool,
    /// The operands in storage are packed decimal numbers.
    pub packed: bool,
    /// The operands in storage must not overlap.
    pub apart: bool,
    /// R1 to R3 is a range of registers.
    pub range: bool,
    /// Operands are in vector registers.
    pub vector: bool,
    /// They are packed decimal numbers there.
    pub packed_vector: bool,
    /// It works on decimal floating point, or on such numbers.
    pub decimal: bool,
    /// The greatest length byte that makes sense; 0 if all do.
    pub length: u64,
}

const BRANCHES: &str = "BIC BC BCR BAL BALR BAS BASR BASSM BCT BCTR BCTG BCTGR BXH BXLE BXHG BXLEG BRC BRCL BRAS \
    BRASL BRCT \
    BRCTG BRCTH BRXH BRXLE BRXHG BRXLG CRJ CGRJ CIJ CGIJ CLRJ CLGRJ CLIJ CLGIJ CRB CGRB CIB CGIB CLRB CLGRB CLIB CLGIB";
const LONG: &str = "MVCL CLCL MVCLE CLCLE MVCLU CLCLU MVST CLST SRST SRSTU CUSE TRTE TRTRE CKSM TRE TROO TROT CU12 \
    CU21 CU14 CU24 \
    CU41 CU42 CUTFU CUUTF";
/// Message-security assist: a function code in register 0, a parameter block by register 1.
pub(crate) const MESSAGES: &str = "KM KMC KMF KMO KMCTR KMAC KIMD KLMD KMA PCC";
const EVEN1: &str = "M MR D DR ML MLR DL DLR MLG MLGR DLG DLGR DSG DSGR DSGF DSGFR MFY MG MGRK SLDA SRDA SLDL SRDL CDS \
    CDSY CDSG LPQ STPQ MVCL CLCL MVCLE CLCLE";
const EVEN3: &str = "CDS CDSY CDSG LPD LPDG";
const EXTENDED1: &str = "LXR LXBR LCXBR LNXBR LPXBR LTXBR AXBR SXBR MXBR DXBR CXBR KXBR SQXBR FIXBR FIXBRA LXDBR LXEBR \
    LXDB LXEB MXDBR MXDB CXFBR CXGBR CXFBRA CXGBRA CXLFBR CXLGBR LZXR TCXB LDXBR LEXBR LDXBRA LEXBRA";
const EXTENDED2: &str = "LXR LXBR LCXBR LNXBR LPXBR LTXBR AXBR SXBR MXBR DXBR CXBR KXBR SQXBR FIXBR FIXBRA LDXBR LEXBR \
    LDXBRA LEXBRA CFXBR CGXBR CFXBRA CGXBRA CLFXBR CLGXBR";
const NOT_STORAGE: &str = "SLA SRA SLL SRL SLDA SRDA SLDL SRDL SLAK SRAK SLLK SRLK SLAG SRAG SLLG SRLG RLL RLLG LA LAY \
    LAE LAEY SRNM SRNMB SRNMT TCEB TCDB TCXB MVCLE CLCLE MVCLU CLCLU CIT CGIT CLGIT CLFIT LARL \
    SLDT SRDT SLXT SRXT TDCET TDCDT TDCXT TDGET TDGDT TDGXT \
    VLGV VLVG VESL VESRL VESRA VERLL";
const UNCHANGED1: &str = "ST STG STC STH STY STHY STCY STM STMG STMY STMH STCM STCMY STCMH STRV STRVG STRVH STRL STGRL \
    STHRL STPQ STOC STOCG STE STD STEY STDY STFH STHH STCH STOCFH C CR CL CLR CG CGR CGF CGFR CLG CLGR CLGF CLGFR CH \
    CHI CGHI CFI CGFI CLFI CLGFI CY CLY CHY CGH CRL CGRL CGFRL CLRL CLGRL CLGFRL CHRL CGHRL CLHRL CLGHRL CLM CLMY CLMH \
    CHHR CHLR CLHHR CLHLR CHF CLHF CIH CLIH TMLL TMLH TMHL TMHH SPM SAR LAM STAM LAMY STAMY SFPC PFD PFDRL CRT CGRT \
    CLRT CLGRT CIT CGIT CLFIT CLGIT CLT CLGT CRJ CGRJ CIJ CGIJ CLRJ CLGRJ CLIJ CLGIJ CRB CGRB CIB CGIB CLRB CLGRB CLIB \
    CLGIB BC BCR BRC BRCL CEFBR CDFBR CXFBR CEGBR CDGBR CXGBR CPYA";
const FROM_FLOAT: &str = "CFEBR CFDBR CFXBR CGEBR CGDBR CGXBR CFEBRA CFDBRA CFXBRA CGEBRA CGDBRA CGXBRA CLFEBR CLFDBR \
    CLFXBR CLGEBR CLGDBR CLGXBR LGDR";
const TO_FLOAT: &str = "CEFBR CDFBR CXFBR CEGBR CDGBR CXGBR CEFBRA CDFBRA CXFBRA CEGBRA CDGBRA CXGBRA CELFBR CDLFBR \
    CXLFBR CELGBR CDLGBR CXLGBR LDGR CPSDR";
const FLOAT_STORAGE: &str = "LE LD LEY LDY STE STD STEY STDY";
const ROUNDING: &str = "FIEBR FIDBR FIXBR CFEBR CFDBR CFXBR CGEBR CGDBR CGXBR FIEBRA FIDBRA FIXBRA CFEBRA CFDBRA \
    CFXBRA \
    CGEBRA CGDBRA CGXBRA CLFEBR CLFDBR CLFXBR CLGEBR CLGDBR CLGXBR CEFBRA CDFBRA CXFBRA CEGBRA CDGBRA CXGBRA CELFBR \
    CDLFBR CXLFBR CELGBR CDLGBR CXLGBR LEDBRA LDXBRA LEXBRA LEDBR LDXBR LEXBR DIEBR DIDBR";
const ALIGN4: &str = "CS CSY CDSX LAM STAM LAMY STAMY LAA LAAL LAN LAO LAX LRL LGFRL LLGFRL STRL CRL CLRL CGFRL CLGFRL";
const ALIGN8: &str = "CDS CDSY CSG LAAG LAALG LANG LAOG LAXG LPDG LGRL STGRL CGRL CLGRL ASI_ AGSI_ STCKF_";
const ALIGN16: &str = "CDSG LPQ STPQ";
const RANGE: &str = "VLM VSTM LM LMG LMY LMH LMD STM STMG STMY STMH LAM LAMY STAM STAMY";

pub(crate) fn is(list: &str, mnemonic: &str) -> bool {
    list.split(' ').any(|m| m == mnemonic)
}

/// An instruction of decimal floating point.
fn decimal(mnemonic: &str) -> Option<&'static Instruction> {
    isa::table::dfp::ROWS.iter().find(|row| row.mnemonic == mnemonic)
}

/// Whether one of its registers must be such a pair.
fn wants(mnemonic: &str, exception: Exception) -> bool {
    decimal(mnemonic).is_some_and(|row| row.outcome.exceptions().any(|why| why == exception))
}

/// Decimal floating point to a general register, or from one.
const FROM_DECIMAL: &str = "CGDTR CGXTR CFDTR CFXTR CLGDTR CLGXTR CLFDTR CLFXTR CUDTR CUXTR CSDTR CSXTR EEDTR EEXTR \
    ESDTR ESXTR";
const TO_DECIMAL: &str = "CDGTR CXGTR CDFTR CXFTR CDLGTR CXLGTR CDLFTR CXLFTR CDUTR CXUTR CDSTR CXSTR IEDTR IEXTR \
    RRDTR RRXTR";

/// Packed decimal numbers in vector registers.
const PACKED_VECTOR: &str = "VCVB VCVBG VCVD VCVDG VSRP VPSOP VTP VAP VSP VCP VMP VMSP VDP VRP VSDP VUPKZ VPKZ VLIP";

/// The greatest length byte of an operand in storage.
fn length(mnemonic: &str) -> u64 {
    match mnemonic {
        "CZDT" | "CDZT" => 15,
        "CZXT" | "CXZT" => 33,
        "CPDT" | "CDPT" => 8,
        "CPXT" | "CXPT" => 17,
        _ => 0,
    }
}

/// Whether a mnemonic is one of binary floating point, by its ending.
fn floating(mnemonic: &str) -> bool {
    let ends = ["EBR", "DBR", "XBR", "EB", "DB", "XB", "EBRA", "DBRA", "XBRA"];
    ends.iter().any(|e| mnemonic.ends_with(e)) && !is("SRNMB CDB", mnemonic) && mnemonic.len() >= 3
        || decimal(mnemonic).is_some()
        || is("LZER LZDR LZXR LER LDR LXR LPDFR LNDFR LCDFR", mnemonic)
}

/// Whether an instruction is one of the vector facility.
fn vector(mnemonic: &str) -> bool {
    (mnemonic.starts_with('V') || mnemonic.starts_with("WF")) && mnemonic != "VS_"
}

/// What a modifier of a vector instruction may well be.
pub(crate) fn modifiers(mnemonic: &str, field: Field) -> &'static [u64] {
    const SIZES: &[u64] = &[0, 1, 2, 3];
    const FLAGS: &[u64] = &[0, 1];
    const ANY: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let among = |list: &str| is(list, mnemonic);
    let fp = mnemonic.starts_with("VF") && !among("VFAE VFEE VFENE") || mnemonic.starts_with("WF");
    let packed = is(PACKED_VECTOR, mnemonic);
    let conversion = among("VCLFP VCFPL VCSFP VCFPS");
    match field {
        _ if packed => ANY,
        _ if among("VFAE VSTRC")
            && matches!(field, Field::M5 | Field::M6)
            && !(mnemonic == "VSTRC" && field == Field::M5) =>
        {
            ANY
        }
        Field::M5 if among("VFEE VFENE") => SIZES,
        Field::M6 if mnemonic == "VSTRS" => &[0, 2],
        Field::M6 if mnemonic == "VMSL" => &[0, 4, 8, 12],
        Field::M5 if mnemonic == "VMSL" => &[3],
        Field::M5 if among("VAC VACCC VSBI VSBCBI") => &[4],
        _ if among("VSTRC VSTRS VFAE VFEE VFENE VISTR") && field != Field::M5 => &[0, 1, 2],
        Field::M5 if among("VSTRC VSTRS") => &[0, 1, 2],
        Field::M5 if among("VISTR VCEQ VCH VCHL VPKS VPKLS") => FLAGS,
        Field::M4 if among("VPKS VPKLS VPK") => &[1, 2, 3],
        Field::M4 if among("VA VACC VS VSCBI") => &[0, 1, 2, 3, 4],
        Field::M4 if among("VSUM") => &[0, 1],
        Field::M4 if among("VSUMG") => &[1, 2],
        Field::M4 if among("VSUMQ") => &[2, 3],
        Field::M3 if among("VSEG VUPH VUPL VUPLH VUPLL") => &[0, 1, 2],
        _ if mnemonic.starts_with("VM") && !among("VMX VMXL VMN VMNL VMRH VMRL VMSL") => &[0, 1, 2],
        Field::M4 if mnemonic == "VPDI" => &[0, 1, 4, 5],
        Field::M3 if among("VLEB VSTEB VLEIB") => ANY,
        Field::M3 if among("VLEH VSTEH VLEIH VLEBRH VSTEBRH") => &[0, 1, 2, 3, 4, 5, 6, 7],
        Field::M3 if among("VLEG VSTEG VLEIG VGEG VSCEG VLEBRG VSTEBRG") => FLAGS,
        Field::M3 if among("VLBB") => &[0, 1, 2, 3, 4, 5, 6],
        Field::M3 if among("VLLEZ") => &[0, 1, 2, 3, 6],
        Field::M3 if among("VLLEBRZ") => &[1, 2, 3, 6],
        Field::M3 if among("VLBR VSTBR") => &[1, 2, 3, 4],
        Field::M3 if among("VLER VSTER VLBRREP") => &[1, 2, 3],
        Field::M3 if conversion => &[2, 3, 3],
        Field::M3 if mnemonic == "VFLL" => &[2, 3],
        Field::M3 if mnemonic == "VFLR" => &[3, 4],
        Field::M3 if fp => &[2, 3, 4],
        Field::M4 if conversion || among("VFI VFLR") => &[0, 4, 8, 12],
        Field::M4 if among("WFC WFK") => &[0],
        Field::M4 if among("VFSQ VFLL VFPSO") => &[0, 8],
        Field::M4 | Field::M6 if fp && (field == Field::M4) != among("VFMA VFMS VFNMA VFNMS") => &[2, 3, 4],
        Field::M5 if conversion || among("VFI VFLR") => &[0, 1, 3, 4, 5, 6, 7],
        Field::M5 if mnemonic == "VFPSO" => &[0, 1, 2],
        Field::M5 if among("VFCE VFCH VFCHE") => &[0, 4, 8, 12],
        Field::M5 if fp => &[0, 8],
        Field::M6 if among("VFCE VFCH VFCHE") => FLAGS,
        Field::M6 if among("VFMIN VFMAX") => &[0, 1, 2, 3, 4, 8, 9, 10, 11, 12],
        _ => SIZES,
    }
}

/// The wants of an instruction, by its mnemonic.
pub(crate) fn operands(mnemonic: &str) -> Operands {
    let m = mnemonic;
    let float = floating(m) || is(FLOAT_STORAGE, m);
    let kind = match m {
        "EX" | "EXRL" => Kind::Execute,
        "CS" | "CSY" => Kind::Swap(4),
        "CDS" | "CDSY" | "CSG" => Kind::Swap(8),
        "CDSG" => Kind::Swap(16),
        _ if is(BRANCHES, m) => Kind::Branch,
        _ if is(LONG, m) || is(MESSAGES, m) => Kind::Long,
        _ => Kind::Plain,
    };
    let branch = kind == Kind::Branch || kind == Kind::Execute;
    Operands {
        kind,
        changes1: (!float || is(FROM_FLOAT, m) || is(FROM_DECIMAL, m)) && !is(UNCHANGED1, m) && !is(TO_FLOAT, m),
        changes2: is("CFI_ CKSM CLST MVST", m),
        changes3: is("LPD LPDG", m),
        even1: is(EVEN1, m) || wants(m, Exception::Even(1)),
        even2: is("MVCL CLCL CKSM", m) || wants(m, Exception::Even(2)),
        even3: is(EVEN3, m),
        float1: float && !is(FROM_FLOAT, m) && !is(FROM_DECIMAL, m) || is(TO_FLOAT, m),
        float2: float && !is(TO_FLOAT, m) && !is(TO_DECIMAL, m) || is(FROM_FLOAT, m),
        pair1: is(EXTENDED1, m) || wants(m, Exception::Pair(1)),
        pair2: is(EXTENDED2, m) || wants(m, Exception::Pair(2)),
        pair3: wants(m, Exception::Pair(3)),
        storage: !branch && !is(NOT_STORAGE, m),
        align: match m {
            _ if is(ALIGN4, m) => 4,
            _ if is(ALIGN8, m) => 8,
            _ if is(ALIGN16, m) => 16,
            _ if m.ends_with("HRL") => 2,
            _ => 1,
        },
        rounding: is(ROUNDING, m),
        packed: is("AP ZAP CP SP MP DP SRP ED EDMK CVB CVBY CVBG UNPK TP CDPT CXPT CDZT CXZT", m),
        apart: is("ED EDMK MVCIN PACK UNPK PKA PKU UNPKA UNPKU", m),
        range: is(RANGE, m),
        vector: vector(m),
        packed_vector: is(PACKED_VECTOR, m),
        decimal: is(PACKED_VECTOR, m) || decimal(m).is_some() || m == "PFPO",
        length: length(m),
    }
}
