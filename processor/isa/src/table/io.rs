//! I/O instructions (POP, chapter 14).

use crate::control::*;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0xb230 CSCH    S     ESAZ -   { ends call clear_subchannel }             [03 P OP] is [InputOutput]
    0xb231 HSCH    S     ESAZ -   { ends call halt_subchannel }              [0123 P OP] is [InputOutput]
    0xb232 MSCH    S     ESAZ -   { ends call modify_subchannel }            [0123 F2 W2 P OP] is [InputOutput]
    0xb233 SSCH    S     ESAZ -   { ends call start_subchannel }             [0123 F2 W2 P OP] is [StartSubchannel]
    0xb234 STSCH   S     ESAZ -   { ends call store_subchannel }             [03 S2(52) W2 P OP] is [InputOutput]
    0xb235 TSCH    S     ESAZ -   { ends call test_subchannel }              [013 S2(64) W2 P OP] is [InputOutput]
    0xb236 TPI     S     ESAZ -   { ends call test_pending_interruption }    [01 S2(8) W2 P] is [InputOutput]
    0xb237 SAL     S     ESAZ -   { ends call set_address_limit }            [- P OP] is [InputOutput]
    0xb238 RSCH    S     ESAZ -   { ends call resume_subchannel }            [0123 P OP] is [InputOutput]
    0xb239 STCRW   S     ESAZ -   { ends call store_channel_report_word }    [01 S2(4) W2 P] is [InputOutput]
    0xb23a STCPS   S     ESAZ -   { ends call store_channel_path_status }    [- S2(32) SP P] is [InputOutput]
    0xb23b RCHP    S     ESAZ -   { ends call reset_channel_path }           [023 P OP] is [InputOutput]
    0xb23c SCHM    S     ESAZ -   { ends call set_channel_monitor }          [- P OP] is [InputOutput]
    0xb25f CHSC    RRE   Z    -   { ends call channel_subsystem_call }       [0123 S1(4096) SP P OP] is [InputOutput]
    0xb274 SIGA    S     ESAZ -   { ends call signal_adapter }               [0123 P OP] is [InputOutput]
    0xb276 XSCH    S     ESAZ -   { ends call cancel_subchannel }            [0123 P OP] is [InputOutput]
    0xb9a0 CLP     RRFc  Z    -   { ends call call_logical_processor }       [0123 P OP]
    0xb9d0 PCISTG  RRE   Z    69  { ends call pci_in_pair }                  [0123 E2 P OP]
    0xb9d2 PCILG   RRE   Z    69  { ends call pci_in_pair }                  [0123 E2 P OP]
    0xb9d3 RPCIT   RRE   Z    69  { ends call refresh_pci_translations }     [0123 E2 P OP]
    0xb9d4 PCISTGI RRE   Z    153 { ends call pci_in_pair }                  [0123 E2 P OP]
    0xb9d5 PCIWB   RRE   Z    153 { call pci_write_barrier }                 [- P]
    0xb9d6 PCILGI  RRE   Z    153 { ends call pci_in_pair }                  [0123 E2 P OP]
    0xe3d0 MPCIFC  RXYa  Z    69  { ends call pci_function_controls }        [0123 D2 P OP]
    0xe3d4 STPCIFC RXYa  Z    69  { ends call pci_function_controls }        [0123 D2 P OP]
    0xebd0 PCISTB  RSYa  Z    69  { ends call pci_store_block }              [0123 F2 D2 P OP]
    0xebd1 SIC     RSYa  Z    72  { call set_interruption_controls }         [- P OP] is [Number]
    0xebd4 PCISTBI RSYa  Z    153 { ends call pci_store_block }              [0123 F2 D2 P OP]
}
