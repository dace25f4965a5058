//! Five rows once more under operation codes that no instruction has: what an engine makes of a row must not depend on
//! its code or name. Only a test has them (`processor/jit/tests/new_rows.rs`).

use crate::general::*;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0x02   ZLR     RR    Z    -   { r1_32 = load(W32, r2_32) }
    0x52   ZL      RXa   Z    -   { r1_32 = load(W32, m2_32) }
    0x53   ZA      RXa   Z    -   { r1_32 = add(W32, r1_32, m2_32); overflow }
    0xb2fd ZCLST   RRE   Z    -   { call compare_logical_string }            [0123 F1 F2 SP] as [CompareString]
    0xc02  ZBRCL   RILc  Z    -   { branch inline branch_relative_on_condition } [-] as [BranchOnCondition(Relative)]
}
