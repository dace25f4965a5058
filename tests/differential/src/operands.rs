//! What instructions want of their operands beyond their format: even registers, pairs of floating-point registers,
//! aligned storage. Whatever is not listed here is plain.

/// How a test uses an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
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
pub struct Operands {
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
}

const BRANCHES: &str = "BIC BC BCR BAL BALR BAS BASR BASSM BCT BCTR BCTG BCTGR BXH BXLE BXHG BXLEG BRC BRCL BRAS BRASL BRCT \
    BRCTG BRCTH BRXH BRXLE BRXHG BRXLG CRJ CGRJ CIJ CGIJ CLRJ CLGRJ CLIJ CLGIJ CRB CGRB CIB CGIB CLRB CLGRB CLIB CLGIB";
const LONG: &str = "MVCL CLCL MVCLE CLCLE MVCLU CLCLU MVST CLST SRST SRSTU CUSE TRTE TRTRE CKSM TRE TROO TROT CU12 CU21 CU14 CU24 \
    CU41 CU42 CUTFU CUUTF";
const EVEN1: &str = "M MR D DR ML MLR DL DLR MLG MLGR DLG DLGR DSG DSGR DSGF DSGFR MFY MG MGRK SLDA SRDA SLDL SRDL CDS \
    CDSY CDSG LPQ STPQ MVCL CLCL MVCLE CLCLE";
const EVEN3: &str = "CDS CDSY CDSG LPD LPDG";
const EXTENDED1: &str = "LXR LXBR LCXBR LNXBR LPXBR LTXBR AXBR SXBR MXBR DXBR CXBR KXBR SQXBR FIXBR FIXBRA LXDBR LXEBR \
    LXDB LXEB MXDBR MXDB CXFBR CXGBR CXFBRA CXGBRA CXLFBR CXLGBR LZXR TCXB LDXBR LEXBR LDXBRA LEXBRA";
const EXTENDED2: &str = "LXR LXBR LCXBR LNXBR LPXBR LTXBR AXBR SXBR MXBR DXBR CXBR KXBR SQXBR FIXBR FIXBRA LDXBR LEXBR \
    LDXBRA LEXBRA CFXBR CGXBR CFXBRA CGXBRA CLFXBR CLGXBR";
const NOT_STORAGE: &str = "SLA SRA SLL SRL SLDA SRDA SLDL SRDL SLAK SRAK SLLK SRLK SLAG SRAG SLLG SRLG RLL RLLG LA LAY \
    LAE LAEY SRNM SRNMB SRNMT TCEB TCDB TCXB MVCLE CLCLE MVCLU CLCLU CIT CGIT CLGIT CLFIT LARL";
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
const ROUNDING: &str = "FIEBR FIDBR FIXBR CFEBR CFDBR CFXBR CGEBR CGDBR CGXBR FIEBRA FIDBRA FIXBRA CFEBRA CFDBRA CFXBRA \
    CGEBRA CGDBRA CGXBRA CLFEBR CLFDBR CLFXBR CLGEBR CLGDBR CLGXBR CEFBRA CDFBRA CXFBRA CEGBRA CDGBRA CXGBRA CELFBR \
    CDLFBR CXLFBR CELGBR CDLGBR CXLGBR LEDBRA LDXBRA LEXBRA LEDBR LDXBR LEXBR DIEBR DIDBR";
const ALIGN4: &str = "CS CSY CDSX LAM STAM LAMY STAMY LAA LAAL LAN LAO LAX LRL LGFRL LLGFRL STRL CRL CLRL CGFRL CLGFRL";
const ALIGN8: &str = "CDS CDSY CSG LAAG LAALG LANG LAOG LAXG LPDG LGRL STGRL CGRL CLGRL ASI_ AGSI_ STCKF_";
const ALIGN16: &str = "CDSG LPQ STPQ";
const RANGE: &str = "LM LMG LMY LMH LMD STM STMG STMY STMH LAM LAMY STAM STAMY";

fn is(list: &str, mnemonic: &str) -> bool {
    list.split(' ').any(|m| m == mnemonic)
}

/// Whether a mnemonic is one of binary floating point, by its ending.
fn floating(mnemonic: &str) -> bool {
    let ends = ["EBR", "DBR", "XBR", "EB", "DB", "XB", "EBRA", "DBRA", "XBRA"];
    ends.iter().any(|e| mnemonic.ends_with(e)) && !is("SRNMB CDB", mnemonic) && mnemonic.len() >= 3
        || is("LZER LZDR LZXR LER LDR LXR LPDFR LNDFR LCDFR", mnemonic)
}

/// The wants of an instruction, by its mnemonic.
pub fn operands(mnemonic: &str) -> Operands {
    let m = mnemonic;
    let float = floating(m) || is(FLOAT_STORAGE, m);
    let kind = match m {
        "EX" | "EXRL" => Kind::Execute,
        "CS" | "CSY" => Kind::Swap(4),
        "CDS" | "CDSY" | "CSG" => Kind::Swap(8),
        "CDSG" => Kind::Swap(16),
        _ if is(BRANCHES, m) => Kind::Branch,
        _ if is(LONG, m) => Kind::Long,
        _ => Kind::Plain,
    };
    let branch = kind == Kind::Branch || kind == Kind::Execute;
    Operands {
        kind,
        changes1: (!float || is(FROM_FLOAT, m)) && !is(UNCHANGED1, m) && !is(TO_FLOAT, m),
        changes2: is("CFI_ CKSM CLST MVST", m),
        changes3: is("LPD LPDG", m),
        even1: is(EVEN1, m),
        even2: is("MVCL CLCL CKSM", m),
        even3: is(EVEN3, m),
        float1: float && !is(FROM_FLOAT, m) || is(TO_FLOAT, m),
        float2: float && !is(TO_FLOAT, m) || is(FROM_FLOAT, m),
        pair1: is(EXTENDED1, m),
        pair2: is(EXTENDED2, m),
        pair3: false,
        storage: !branch && !is(NOT_STORAGE, m),
        align: match m {
            _ if is(ALIGN4, m) => 4,
            _ if is(ALIGN8, m) => 8,
            _ if is(ALIGN16, m) => 16,
            _ if m.ends_with("HRL") => 2,
            _ => 1,
        },
        rounding: is(ROUNDING, m),
        packed: is("AP ZAP CP SP MP DP SRP ED EDMK CVB CVBY CVBG UNPK TP", m),
        apart: is("ED EDMK MVCIN PACK UNPK PKA PKU UNPKA UNPKU", m),
        range: is(RANGE, m),
    }
}
