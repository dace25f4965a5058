//! General instructions (POP, chapter 7), in operation-code order.

use crate::general::*;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name  format since facility
    0x06   BCTR  RR     ALL   -  { ends inline branch_on_count_register_32 }
    0x07   BCR   RR     ALL   -  { ends inline branch_on_condition_register }
    0x0d   BASR  RR     ALL   -  { ends inline branch_and_save_register }
    0x14   NR    RR     ALL   -  { r1_32 = and(W32, r1_32, r2_32) }
    0x18   LR    RR     ALL   -  { r1_32 = load(W32, r2_32) }
    0x19   CR    RR     ALL   -  { compare(W32, r1_32, r2_32) }
    0x1a   AR    RR     ALL   -  { r1_32 = add(W32, r1_32, r2_32); overflow }
    0x1e   ALR   RR     ALL   -  { r1_32 = add_logical(W32, r1_32, r2_32) }
    0x41   LA    RXa    ALL   -  { inline load_address }
    0x44   EX    RXa    ALL   -  { ends call execute }
    0x47   BC    RXb    ALL   -  { ends inline branch_on_condition }
    0x50   ST    RXa    ALL   -  { m2_32 = load(W32, r1_32) }
    0x58   L     RXa    ALL   -  { r1_32 = load(W32, m2_32) }
    0x5a   A     RXa    ALL   -  { r1_32 = add(W32, r1_32, m2_32); overflow }
    0x5e   AL    RXa    ALL   -  { r1_32 = add_logical(W32, r1_32, m2_32) }
    0x91   TM    SI     ALL   -  { test_under_mask(W8, m1_8, imm) }
    0x92   MVI   SI     ALL   -  { m1_8 = load(W8, imm) }
    0xa74  BRC   RIc    ESAZ  -  { ends inline branch_relative_on_condition }
    0xb904 LGR   RRE    Z     -  { r1_64 = load(W64, r2_64) }
    0xb90a ALGR  RRE    Z     -  { r1_64 = add_logical(W64, r1_64, r2_64) }
    0xc00  LARL  RILb   ESAZ  -  { inline load_address_relative }
    0xd2   MVC   SSa    ALL   -  { call move_character }
    0xe304 LG    RXYa   Z     -  { r1_64 = load(W64, m2_64) }
    0xe324 STG   RXYa   Z     -  { m2_64 = load(W64, r1_64) }
    0xe35e ALY   RXYa   Z     18 { r1_32 = add_logical(W32, r1_32, m2_32) }
    0xeb7a AGSI  SIY    Z     34 { update1_64 = add(W64, update1_64, imm8); overflow }
}
