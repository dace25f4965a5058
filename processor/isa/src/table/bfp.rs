//! Floating-point support and binary floating point (POP, chapters 9 and 19).
//!
//! Facility 18 is long displacement, 37 floating-point extension, 41 the floating-point-support enhancements. The A-suffixed
//! forms (FIEBRA, CFEBRA, LEDBRA ...) are the same operation codes with more modifiers; rows have the original names.

use crate::bfp::{Register as R, Storage as M, arithmetic, convert, support};
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name   fmt  since facility
    0x010a PFPO   E    Z    44 { unbuilt }
    0x28   LDR    RR   ALL  -  { call support::load_register::<u64> }
    0x38   LER    RR   ALL  -  { call support::load_register::<u32> }
    0x60   STD    RXa  ALL  -  { call support::store_long }
    0x68   LD     RXa  ALL  -  { call support::load::<u64> }
    0x70   STE    RXa  ALL  -  { call support::store_short }
    0x78   LE     RXa  ALL  -  { call support::load::<u32> }
    0xb299 SRNM   S    ESAZ -  { call support::set_rounding_mode_2 }
    0xb29c STFPC  S    ESAZ -  { call support::store_fpc }
    0xb29d LFPC   S    ESAZ -  { call support::load_fpc }
    0xb2b8 SRNMB  S    Z    37 { call support::set_rounding_mode_3 }
    0xb2b9 SRNMT  S    Z    41 { call support::set_decimal_rounding_mode }
    0xb2bd LFAS   S    Z    41 { call support::load_fpc_and_signal }
    0xb300 LPEBR  RRE  ESAZ -  { call arithmetic::load_positive::<u32> }
    0xb301 LNEBR  RRE  ESAZ -  { call arithmetic::load_negative::<u32> }
    0xb302 LTEBR  RRE  ESAZ -  { call arithmetic::load_and_test::<u32> }
    0xb303 LCEBR  RRE  ESAZ -  { call arithmetic::load_complement::<u32> }
    0xb304 LDEBR  RRE  ESAZ -  { call convert::load_lengthened::<u32, u64, R> }
    0xb305 LXDBR  RRE  ESAZ -  { call convert::load_lengthened::<u64, u128, R> }
    0xb306 LXEBR  RRE  ESAZ -  { call convert::load_lengthened::<u32, u128, R> }
    0xb307 MXDBR  RRE  ESAZ -  { call arithmetic::multiply_longer::<u64, u128, R> }
    0xb308 KEBR   RRE  ESAZ -  { call arithmetic::compare_and_signal::<u32, R> }
    0xb309 CEBR   RRE  ESAZ -  { call arithmetic::compare::<u32, R> }
    0xb30a AEBR   RRE  ESAZ -  { call arithmetic::add::<u32, R> }
    0xb30b SEBR   RRE  ESAZ -  { call arithmetic::subtract::<u32, R> }
    0xb30c MDEBR  RRE  ESAZ -  { call arithmetic::multiply_longer::<u32, u64, R> }
    0xb30d DEBR   RRE  ESAZ -  { call arithmetic::divide::<u32, R> }
    0xb30e MAEBR  RRD  ESAZ -  { call arithmetic::multiply_add::<u32, R> }
    0xb30f MSEBR  RRD  ESAZ -  { call arithmetic::multiply_subtract::<u32, R> }
    0xb310 LPDBR  RRE  ESAZ -  { call arithmetic::load_positive::<u64> }
    0xb311 LNDBR  RRE  ESAZ -  { call arithmetic::load_negative::<u64> }
    0xb312 LTDBR  RRE  ESAZ -  { call arithmetic::load_and_test::<u64> }
    0xb313 LCDBR  RRE  ESAZ -  { call arithmetic::load_complement::<u64> }
    0xb314 SQEBR  RRE  ESAZ -  { call arithmetic::square_root::<u32, R> }
    0xb315 SQDBR  RRE  ESAZ -  { call arithmetic::square_root::<u64, R> }
    0xb316 SQXBR  RRE  ESAZ -  { call arithmetic::square_root::<u128, R> }
    0xb317 MEEBR  RRE  ESAZ -  { call arithmetic::multiply::<u32, R> }
    0xb318 KDBR   RRE  ESAZ -  { call arithmetic::compare_and_signal::<u64, R> }
    0xb319 CDBR   RRE  ESAZ -  { call arithmetic::compare::<u64, R> }
    0xb31a ADBR   RRE  ESAZ -  { call arithmetic::add::<u64, R> }
    0xb31b SDBR   RRE  ESAZ -  { call arithmetic::subtract::<u64, R> }
    0xb31c MDBR   RRE  ESAZ -  { call arithmetic::multiply::<u64, R> }
    0xb31d DDBR   RRE  ESAZ -  { call arithmetic::divide::<u64, R> }
    0xb31e MADBR  RRD  ESAZ -  { call arithmetic::multiply_add::<u64, R> }
    0xb31f MSDBR  RRD  ESAZ -  { call arithmetic::multiply_subtract::<u64, R> }
    0xb340 LPXBR  RRE  ESAZ -  { call arithmetic::load_positive::<u128> }
    0xb341 LNXBR  RRE  ESAZ -  { call arithmetic::load_negative::<u128> }
    0xb342 LTXBR  RRE  ESAZ -  { call arithmetic::load_and_test::<u128> }
    0xb343 LCXBR  RRE  ESAZ -  { call arithmetic::load_complement::<u128> }
    0xb344 LEDBR  RRFe ESAZ -  { call convert::load_rounded::<u64, u32> }
    0xb345 LDXBR  RRFe ESAZ -  { call convert::load_rounded::<u128, u64> }
    0xb346 LEXBR  RRFe ESAZ -  { call convert::load_rounded::<u128, u32> }
    0xb347 FIXBR  RRFe ESAZ -  { call convert::load_fp_integer::<u128> }
    0xb348 KXBR   RRE  ESAZ -  { call arithmetic::compare_and_signal::<u128, R> }
    0xb349 CXBR   RRE  ESAZ -  { call arithmetic::compare::<u128, R> }
    0xb34a AXBR   RRE  ESAZ -  { call arithmetic::add::<u128, R> }
    0xb34b SXBR   RRE  ESAZ -  { call arithmetic::subtract::<u128, R> }
    0xb34c MXBR   RRE  ESAZ -  { call arithmetic::multiply::<u128, R> }
    0xb34d DXBR   RRE  ESAZ -  { call arithmetic::divide::<u128, R> }
    0xb350 TBEDR  RRFe ESAZ -  { call convert::from_hexadecimal::<u32> }
    0xb351 TBDR   RRFe ESAZ -  { call convert::from_hexadecimal::<u64> }
    0xb353 DIEBR  RRFb ESAZ -  { call arithmetic::divide_to_integer::<u32> }
    0xb357 FIEBR  RRFe ESAZ -  { call convert::load_fp_integer::<u32> }
    0xb358 THDER  RRE  ESAZ -  { call convert::to_hexadecimal::<u32> }
    0xb359 THDR   RRE  ESAZ -  { call convert::to_hexadecimal::<u64> }
    0xb35b DIDBR  RRFb ESAZ -  { call arithmetic::divide_to_integer::<u64> }
    0xb35f FIDBR  RRFe ESAZ -  { call convert::load_fp_integer::<u64> }
    0xb365 LXR    RRE  ESAZ -  { call support::load_register::<u128> }
    0xb370 LPDFR  RRE  Z    41 { call support::load_positive }
    0xb371 LNDFR  RRE  Z    41 { call support::load_negative }
    0xb372 CPSDR  RRFb Z    41 { call support::copy_sign }
    0xb373 LCDFR  RRE  Z    41 { call support::load_complement }
    0xb374 LZER   RRE  ESAZ -  { call support::load_zero::<u32> }
    0xb375 LZDR   RRE  ESAZ -  { call support::load_zero::<u64> }
    0xb376 LZXR   RRE  ESAZ -  { call support::load_zero::<u128> }
    0xb384 SFPC   RRE  ESAZ -  { call support::set_fpc }
    0xb385 SFASR  RRE  Z    41 { call support::set_fpc_and_signal }
    0xb38c EFPC   RRE  ESAZ -  { call support::extract_fpc }
    0xb390 CELFBR RRFe Z    37 { call convert::from_integer::<u32, u32> }
    0xb391 CDLFBR RRFe Z    37 { call convert::from_integer::<u32, u64> }
    0xb392 CXLFBR RRFe Z    37 { call convert::from_integer::<u32, u128> }
    0xb394 CEFBR  RRFe ESAZ -  { call convert::from_integer::<i32, u32> }
    0xb395 CDFBR  RRFe ESAZ -  { call convert::from_integer::<i32, u64> }
    0xb396 CXFBR  RRFe ESAZ -  { call convert::from_integer::<i32, u128> }
    0xb398 CFEBR  RRFe ESAZ -  { call convert::to_integer::<u32, i32> }
    0xb399 CFDBR  RRFe ESAZ -  { call convert::to_integer::<u64, i32> }
    0xb39a CFXBR  RRFe ESAZ -  { call convert::to_integer::<u128, i32> }
    0xb39c CLFEBR RRFe Z    37 { call convert::to_integer::<u32, u32> }
    0xb39d CLFDBR RRFe Z    37 { call convert::to_integer::<u64, u32> }
    0xb39e CLFXBR RRFe Z    37 { call convert::to_integer::<u128, u32> }
    0xb3a0 CELGBR RRFe Z    37 { call convert::from_integer::<u64, u32> }
    0xb3a1 CDLGBR RRFe Z    37 { call convert::from_integer::<u64, u64> }
    0xb3a2 CXLGBR RRFe Z    37 { call convert::from_integer::<u64, u128> }
    0xb3a4 CEGBR  RRFe Z    -  { call convert::from_integer::<i64, u32> }
    0xb3a5 CDGBR  RRFe Z    -  { call convert::from_integer::<i64, u64> }
    0xb3a6 CXGBR  RRFe Z    -  { call convert::from_integer::<i64, u128> }
    0xb3a8 CGEBR  RRFe Z    -  { call convert::to_integer::<u32, i64> }
    0xb3a9 CGDBR  RRFe Z    -  { call convert::to_integer::<u64, i64> }
    0xb3aa CGXBR  RRFe Z    -  { call convert::to_integer::<u128, i64> }
    0xb3ac CLGEBR RRFe Z    37 { call convert::to_integer::<u32, u64> }
    0xb3ad CLGDBR RRFe Z    37 { call convert::to_integer::<u64, u64> }
    0xb3ae CLGXBR RRFe Z    37 { call convert::to_integer::<u128, u64> }
    0xb3c1 LDGR   RRE  Z    41 { call support::load_fpr_from_gr }
    0xb3cd LGDR   RRE  Z    41 { call support::load_gr_from_fpr }
    0xed04 LDEB   RXE  ESAZ -  { call convert::load_lengthened::<u32, u64, M> }
    0xed05 LXDB   RXE  ESAZ -  { call convert::load_lengthened::<u64, u128, M> }
    0xed06 LXEB   RXE  ESAZ -  { call convert::load_lengthened::<u32, u128, M> }
    0xed07 MXDB   RXE  ESAZ -  { call arithmetic::multiply_longer::<u64, u128, M> }
    0xed08 KEB    RXE  ESAZ -  { call arithmetic::compare_and_signal::<u32, M> }
    0xed09 CEB    RXE  ESAZ -  { call arithmetic::compare::<u32, M> }
    0xed0a AEB    RXE  ESAZ -  { call arithmetic::add::<u32, M> }
    0xed0b SEB    RXE  ESAZ -  { call arithmetic::subtract::<u32, M> }
    0xed0c MDEB   RXE  ESAZ -  { call arithmetic::multiply_longer::<u32, u64, M> }
    0xed0d DEB    RXE  ESAZ -  { call arithmetic::divide::<u32, M> }
    0xed0e MAEB   RXF  ESAZ -  { call arithmetic::multiply_add::<u32, M> }
    0xed0f MSEB   RXF  ESAZ -  { call arithmetic::multiply_subtract::<u32, M> }
    0xed10 TCEB   RXE  ESAZ -  { call arithmetic::test_data_class::<u32> }
    0xed11 TCDB   RXE  ESAZ -  { call arithmetic::test_data_class::<u64> }
    0xed12 TCXB   RXE  ESAZ -  { call arithmetic::test_data_class::<u128> }
    0xed14 SQEB   RXE  ESAZ -  { call arithmetic::square_root::<u32, M> }
    0xed15 SQDB   RXE  ESAZ -  { call arithmetic::square_root::<u64, M> }
    0xed17 MEEB   RXE  ESAZ -  { call arithmetic::multiply::<u32, M> }
    0xed18 KDB    RXE  ESAZ -  { call arithmetic::compare_and_signal::<u64, M> }
    0xed19 CDB    RXE  ESAZ -  { call arithmetic::compare::<u64, M> }
    0xed1a ADB    RXE  ESAZ -  { call arithmetic::add::<u64, M> }
    0xed1b SDB    RXE  ESAZ -  { call arithmetic::subtract::<u64, M> }
    0xed1c MDB    RXE  ESAZ -  { call arithmetic::multiply::<u64, M> }
    0xed1d DDB    RXE  ESAZ -  { call arithmetic::divide::<u64, M> }
    0xed1e MADB   RXF  ESAZ -  { call arithmetic::multiply_add::<u64, M> }
    0xed1f MSDB   RXF  ESAZ -  { call arithmetic::multiply_subtract::<u64, M> }
    0xed64 LEY    RXYa Z    18 { call support::load::<u32> }
    0xed65 LDY    RXYa Z    18 { call support::load::<u64> }
    0xed66 STEY   RXYa Z    18 { call support::store_short }
    0xed67 STDY   RXYa Z    18 { call support::store_long }
}
