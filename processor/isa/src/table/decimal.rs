//! Decimal instructions (POP, chapter 8).

use crate::decimal::*;
use crate::general::test_decimal;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0xde   ED      SSa   ALL  -   { call edit }
    0xdf   EDMK    SSa   ALL  -   { call edit_and_mark }
    0xebc0 TP      RSLa  ESAZ -   { call test_decimal }
    0xf0   SRP     SSc   ALL  -   { call shift_and_round_decimal }
    0xf8   ZAP     SSb   ALL  -   { call zero_and_add }
    0xf9   CP      SSb   ALL  -   { call compare_decimal }
    0xfa   AP      SSb   ALL  -   { call add_decimal }
    0xfb   SP      SSb   ALL  -   { call subtract_decimal }
    0xfc   MP      SSb   ALL  -   { call multiply_decimal }
    0xfd   DP      SSb   ALL  -   { call divide_decimal }
}
