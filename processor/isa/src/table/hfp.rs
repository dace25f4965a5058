//! Hexadecimal floating point (POP, chapter 18).

use crate::hfp::*;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0x20   LPDR    RR    ALL  -   { call load_positive::<u64> }
    0x21   LNDR    RR    ALL  -   { call load_negative::<u64> }
    0x22   LTDR    RR    ALL  -   { call load_and_test::<u64> }
    0x23   LCDR    RR    ALL  -   { call load_complement::<u64> }
    0x24   HDR     RR    ALL  -   { call halve::<u64> }
    0x25   LDXR    RR    ALL  -   { call load_rounded::<u128, u64> }
    0x26   MXR     RR    ALL  -   { call multiply::<u128, u128, Register> }
    0x27   MXDR    RR    ALL  -   { call multiply::<u64, u128, Register> }
    0x29   CDR     RR    ALL  -   { call compare::<u64, Register> }
    0x2a   ADR     RR    ALL  -   { call add::<u64, Register> }
    0x2b   SDR     RR    ALL  -   { call subtract::<u64, Register> }
    0x2c   MDR     RR    ALL  -   { call multiply::<u64, u64, Register> }
    0x2d   DDR     RR    ALL  -   { call divide::<u64, Register> }
    0x2e   AWR     RR    ALL  -   { call add_unnormalized::<u64, Register> }
    0x2f   SWR     RR    ALL  -   { call subtract_unnormalized::<u64, Register> }
    0x30   LPER    RR    ALL  -   { call load_positive::<u32> }
    0x31   LNER    RR    ALL  -   { call load_negative::<u32> }
    0x32   LTER    RR    ALL  -   { call load_and_test::<u32> }
    0x33   LCER    RR    ALL  -   { call load_complement::<u32> }
    0x34   HER     RR    ALL  -   { call halve::<u32> }
    0x35   LEDR    RR    ALL  -   { call load_rounded::<u64, u32> }
    0x36   AXR     RR    ALL  -   { call add::<u128, Register> }
    0x37   SXR     RR    ALL  -   { call subtract::<u128, Register> }
    0x39   CER     RR    ALL  -   { call compare::<u32, Register> }
    0x3a   AER     RR    ALL  -   { call add::<u32, Register> }
    0x3b   SER     RR    ALL  -   { call subtract::<u32, Register> }
    0x3c   MDER    RR    ALL  -   { call multiply::<u32, u64, Register> }
    0x3d   DER     RR    ALL  -   { call divide::<u32, Register> }
    0x3e   AUR     RR    ALL  -   { call add_unnormalized::<u32, Register> }
    0x3f   SUR     RR    ALL  -   { call subtract_unnormalized::<u32, Register> }
    0x67   MXD     RXa   ALL  -   { call multiply::<u64, u128, Storage> }
    0x69   CD      RXa   ALL  -   { call compare::<u64, Storage> }
    0x6a   AD      RXa   ALL  -   { call add::<u64, Storage> }
    0x6b   SD      RXa   ALL  -   { call subtract::<u64, Storage> }
    0x6c   MD      RXa   ALL  -   { call multiply::<u64, u64, Storage> }
    0x6d   DD      RXa   ALL  -   { call divide::<u64, Storage> }
    0x6e   AW      RXa   ALL  -   { call add_unnormalized::<u64, Storage> }
    0x6f   SW      RXa   ALL  -   { call subtract_unnormalized::<u64, Storage> }
    0x79   CE      RXa   ALL  -   { call compare::<u32, Storage> }
    0x7a   AE      RXa   ALL  -   { call add::<u32, Storage> }
    0x7b   SE      RXa   ALL  -   { call subtract::<u32, Storage> }
    0x7c   MDE     RXa   ALL  -   { call multiply::<u32, u64, Storage> }
    0x7d   DE      RXa   ALL  -   { call divide::<u32, Storage> }
    0x7e   AU      RXa   ALL  -   { call add_unnormalized::<u32, Storage> }
    0x7f   SU      RXa   ALL  -   { call subtract_unnormalized::<u32, Storage> }
    0xb22d DXR     RRE   ESAZ -   { call divide::<u128, Register> }
    0xb244 SQDR    RRE   ESAZ -   { call square_root::<u64, Register> }
    0xb245 SQER    RRE   ESAZ -   { call square_root::<u32, Register> }
    0xb324 LDER    RRE   ESAZ -   { call load_lengthened::<u32, u64, Register> }
    0xb325 LXDR    RRE   ESAZ -   { call load_lengthened::<u64, u128, Register> }
    0xb326 LXER    RRE   ESAZ -   { call load_lengthened::<u32, u128, Register> }
    0xb32e MAER    RRD   ESAZ 20  { call multiply_add::<u32, Register> }
    0xb32f MSER    RRD   ESAZ 20  { call multiply_subtract::<u32, Register> }
    0xb336 SQXR    RRE   ESAZ -   { call square_root::<u128, Register> }
    0xb337 MEER    RRE   ESAZ -   { call multiply::<u32, u32, Register> }
    0xb338 MAYLR   RRD   Z    23  { unbuilt }
    0xb339 MYLR    RRD   Z    23  { call multiply_unnormalized_low::<Register> }
    0xb33a MAYR    RRD   Z    23  { unbuilt }
    0xb33b MYR     RRD   Z    23  { call multiply_unnormalized::<Register> }
    0xb33c MAYHR   RRD   Z    23  { unbuilt }
    0xb33d MYHR    RRD   Z    23  { call multiply_unnormalized_high::<Register> }
    0xb33e MADR    RRD   ESAZ 20  { call multiply_add::<u64, Register> }
    0xb33f MSDR    RRD   ESAZ 20  { call multiply_subtract::<u64, Register> }
    0xb360 LPXR    RRE   ESAZ -   { call load_positive::<u128> }
    0xb361 LNXR    RRE   ESAZ -   { call load_negative::<u128> }
    0xb362 LTXR    RRE   ESAZ -   { call load_and_test::<u128> }
    0xb363 LCXR    RRE   ESAZ -   { call load_complement::<u128> }
    0xb366 LEXR    RRE   ESAZ -   { call load_rounded::<u128, u32> }
    0xb367 FIXR    RRE   ESAZ -   { call load_fp_integer::<u128> }
    0xb369 CXR     RRE   ESAZ -   { call compare::<u128, Register> }
    0xb377 FIER    RRE   ESAZ -   { call load_fp_integer::<u32> }
    0xb37f FIDR    RRE   ESAZ -   { call load_fp_integer::<u64> }
    0xb3b4 CEFR    RRE   ESAZ -   { call from_fixed::<u32> }
    0xb3b5 CDFR    RRE   ESAZ -   { call from_fixed::<u64> }
    0xb3b6 CXFR    RRE   ESAZ -   { call from_fixed::<u128> }
    0xb3b8 CFER    RRFe  ESAZ -   { call to_fixed::<u32> }
    0xb3b9 CFDR    RRFe  ESAZ -   { call to_fixed::<u64> }
    0xb3ba CFXR    RRFe  ESAZ -   { call to_fixed::<u128> }
    0xb3c4 CEGR    RRE   Z    -   { call from_fixed_64::<u32> }
    0xb3c5 CDGR    RRE   Z    -   { call from_fixed_64::<u64> }
    0xb3c6 CXGR    RRE   Z    -   { call from_fixed_64::<u128> }
    0xb3c8 CGER    RRFe  Z    -   { call to_fixed_64::<u32> }
    0xb3c9 CGDR    RRFe  Z    -   { call to_fixed_64::<u64> }
    0xb3ca CGXR    RRFe  Z    -   { call to_fixed_64::<u128> }
    0xed24 LDE     RXE   ESAZ -   { call load_lengthened::<u32, u64, Storage> }
    0xed25 LXD     RXE   ESAZ -   { call load_lengthened::<u64, u128, Storage> }
    0xed26 LXE     RXE   ESAZ -   { call load_lengthened::<u32, u128, Storage> }
    0xed2e MAE     RXF   ESAZ 20  { call multiply_add::<u32, Storage> }
    0xed2f MSE     RXF   ESAZ 20  { call multiply_subtract::<u32, Storage> }
    0xed34 SQE     RXE   ESAZ -   { call square_root::<u32, Storage> }
    0xed35 SQD     RXE   ESAZ -   { call square_root::<u64, Storage> }
    0xed37 MEE     RXE   ESAZ -   { call multiply::<u32, u32, Storage> }
    0xed38 MAYL    RXF   Z    23  { unbuilt }
    0xed39 MYL     RXF   Z    23  { call multiply_unnormalized_low::<Storage> }
    0xed3a MAY     RXF   Z    23  { unbuilt }
    0xed3b MY      RXF   Z    23  { call multiply_unnormalized::<Storage> }
    0xed3c MAYH    RXF   Z    23  { unbuilt }
    0xed3d MYH     RXF   Z    23  { call multiply_unnormalized_high::<Storage> }
    0xed3e MAD     RXF   ESAZ 20  { call multiply_add::<u64, Storage> }
    0xed3f MSD     RXF   ESAZ 20  { call multiply_subtract::<u64, Storage> }
}
