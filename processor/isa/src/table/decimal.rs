//! Decimal instructions (POP, chapter 8).

use crate::general::test_decimal;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0xde   ED      SSa   ALL  -   { unbuilt }
    0xdf   EDMK    SSa   ALL  -   { unbuilt }
    0xebc0 TP      RSLa  ESAZ -   { call test_decimal }
    0xf0   SRP     SSc   ALL  -   { unbuilt }
    0xf8   ZAP     SSb   ALL  -   { unbuilt }
    0xf9   CP      SSb   ALL  -   { unbuilt }
    0xfa   AP      SSb   ALL  -   { unbuilt }
    0xfb   SP      SSb   ALL  -   { unbuilt }
    0xfc   MP      SSb   ALL  -   { unbuilt }
    0xfd   DP      SSb   ALL  -   { unbuilt }
}
