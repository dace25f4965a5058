//! I/O instructions (POP, chapter 14).

use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0xb230 CSCH    S     ESAZ -   { unbuilt }
    0xb231 HSCH    S     ESAZ -   { unbuilt }
    0xb232 MSCH    S     ESAZ -   { unbuilt }
    0xb233 SSCH    S     ESAZ -   { unbuilt }
    0xb234 STSCH   S     ESAZ -   { unbuilt }
    0xb235 TSCH    S     ESAZ -   { unbuilt }
    0xb236 TPI     S     ESAZ -   { unbuilt }
    0xb237 SAL     S     ESAZ -   { unbuilt }
    0xb238 RSCH    S     ESAZ -   { unbuilt }
    0xb239 STCRW   S     ESAZ -   { unbuilt }
    0xb23a STCPS   S     ESAZ -   { unbuilt }
    0xb23b RCHP    S     ESAZ -   { unbuilt }
    0xb23c SCHM    S     ESAZ -   { unbuilt }
    0xb25f CHSC    RRE   Z    -   { unbuilt }
    0xb274 SIGA    S     ESAZ -   { unbuilt }
    0xb276 XSCH    S     ESAZ -   { unbuilt }
    0xb9a0 CLP     RRFc  Z    -   { unbuilt }
    0xb9d0 PCISTG  RRE   Z    69  { unbuilt }
    0xb9d2 PCILG   RRE   Z    69  { unbuilt }
    0xb9d3 RPCIT   RRE   Z    69  { unbuilt }
    0xb9d4 PCISTGI RRE   Z    69  { unbuilt }
    0xb9d5 PCIWB   RRE   Z    69  { unbuilt }
    0xb9d6 PCILGI  RRE   Z    69  { unbuilt }
    0xe3d0 MPCIFC  RXYa  Z    69  { unbuilt }
    0xe3d4 STPCIFC RXYa  Z    69  { unbuilt }
    0xebd0 PCISTB  RSYa  Z    69  { unbuilt }
    0xebd1 SIC     RSYa  Z    69  { unbuilt }
    0xebd4 PCISTBI RSYa  Z    69  { unbuilt }
}
