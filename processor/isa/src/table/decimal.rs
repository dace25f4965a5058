//! Decimal instructions (POP, chapter 8).

use crate::decimal::*;
use crate::general::test_decimal;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0xde   ED      SSa   ALL  -   { call edit }                              [012 S1 F2 D]
    0xdf   EDMK    SSa   ALL  -   { call edit_and_mark }                     [012 S1 F2 D]
    0xebc0 TP      RSLa  ESAZ -   { call test_decimal }                      [0123 F1]
    0xf0   SRP     SSc   ALL  -   { call shift_and_round_decimal }           [0123 S1 D DF] is [Number]
    0xf8   ZAP     SSb   ALL  -   { call zero_and_add }                      [0123 S1 F2 D DF]
    0xf9   CP      SSb   ALL  -   { call compare_decimal }                   [012 F1 F2 D]
    0xfa   AP      SSb   ALL  -   { call add_decimal }                       [0123 S1 F2 D DF]
    0xfb   SP      SSb   ALL  -   { call subtract_decimal }                  [0123 S1 F2 D DF]
    0xfc   MP      SSb   ALL  -   { call multiply_decimal }                  [- S1 F2 SP D]
    0xfd   DP      SSb   ALL  -   { call divide_decimal }                    [- S1 F2 SP D DK]
}
