//! Control instructions (POP, chapter 10).

use crate::control::*;
use crate::crypto::perform_key_management_operation;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0x0101 PR      E     ESAZ -   { unbuilt }
    0x0104 PTFF    E     Z    28  { ends call perform_timing_facility_function } [03 SG SP P] as [Once]
    0x0107 SCKPF   E     ESAZ -   { call set_clock_programmable_field }      [- SP P]
    0x01ff TRAP2   E     ESAZ -   { unbuilt }
    0x80   SSM     S     ALL  -   { ends call set_system_mask_from_storage } [- F2 P SO SP]
    0x82   LPSW    S     ALL  -   { ends call load_psw }                     [0123 F2 D2 P] is [LoadPsw]
    0x83   DIAG    RSa   ALL  -   { ends call diagnose }                     [- P] is [Diagnose]
    0x99   TRACE   RSa   ESAZ -   { unbuilt }
    0xac   STNSM   SI    ALL  -   { ends call store_then_and_system_mask }   [- S1(1) P] as [StoreThenAnd]
    0xad   STOSM   SI    ALL  -   { ends call store_then_or_system_mask }    [- S1(1) SP P] as [StoreThenOr]
    0xae   SIGP    RSa   ALL  -   { ends call signal_processor }             [0123 P] is [Number]
    0xb1   LRA     RXa   ALL  -   { call load_real_address }                 [0123 KT P SO]
    0xb200 LBEAR   S     Z    193 { call load_breaking_event_address }       [- F2 D2 P] as [LoadBreakingEvent]
    0xb201 STBEAR  S     Z    193 { call store_breaking_event_address }      [- S2(8) D2 P] as [StoreBreakingEvent]
    0xb202 STIDP   S     ALL  -   { call store_cpu_id }                      [- S2(8) D2 P]
    0xb204 SCK     S     ALL  -   { ends call set_clock }                    [0 F2 D2 P] as [Once]
    0xb206 SCKC    S     ALL  -   { ends call set_clock_comparator }         [- F2 D2 P]
    0xb207 STCKC   S     ALL  -   { call store_clock_comparator }            [- S2(8) D2 P]
    0xb208 SPT     S     ALL  -   { ends call set_cpu_timer }                [- F2 D2 P]
    0xb209 STPT    S     ALL  -   { call store_cpu_timer }                   [- S2(8) D2 P]
    0xb20a SPKA    S     ALL  -   { ends call set_psw_key_from_address }     [- P] is [Number]
    0xb20b IPK     S     ALL  -   { call insert_psw_key }                    [- P]
    0xb20d PTLB    S     ALL  -   { ends call purge_tlb }                    [- P]
    0xb210 SPX     S     ALL  -   { ends call set_prefix }                   [- F2 W2 KT P] as [Once]
    0xb211 STPX    S     ALL  -   { call store_prefix }                      [- S2(4) W2 P]
    0xb212 STAP    S     ALL  -   { call store_cpu_address }                 [- S2(2) H2 P]
    0xb214 SIE     S     Z    -   { ends call start_interpretive_execution } [- K2 SP P]
    0xb218 PC      S     ALL  -   { unbuilt }
    0xb219 SAC     S     ALL  -   { ends call set_address_space_control }    [- SP P SO SS] is [Number]
    0xb220 SERVC   RRE   ESAZ -   { ends call service_call }                 [023 SP P]
    0xb221 IPTE    RRFa  ALL  -   { ends call invalidate_page_table_entry }  [- KT P] as [Once]
    0xb223 IVSK    RRE   ESAZ -   { call insert_virtual_storage_key }        [- T2 K2 P SO] as [Once]
    0xb224 IAC     RRE   ALL  -   { call insert_address_space_control }      [0123 P SO]
    0xb225 SSAR    RRE   ALL  -   { unbuilt }
    0xb226 EPAR    RRE   ALL  -   { call extract_primary_asn }               [- P SO]
    0xb227 ESAR    RRE   ALL  -   { call extract_secondary_asn }             [- P SO]
    0xb228 PT      RRE   ALL  -   { unbuilt }
    0xb229 ISKE    RRE   ALL  -   { call insert_storage_key }                [- K2 P] as [Once]
    0xb22a RRBE    RRE   ALL  -   { ends call reset_reference_bit }          [0123 K2 P] as [Once]
    0xb22b SSKE    RRFc  ALL  -   { ends call set_storage_key }              [01 K2 P] as [Once]
    0xb22c TB      RRE   ALL  -   { call test_block }                        [0 K2 P] as [Once]
    0xb22e PGIN    RRE   ESAZ -   { unbuilt } as [Once]
    0xb22f PGOUT   RRE   ESAZ -   { unbuilt } as [Once]
    0xb240 BAKR    RRE   ESAZ -   { unbuilt }
    0xb246 STURA   RRE   ESAZ -   { call store_using_real_address }          [- R2 W2 P] as [Once] is [StoreReal]
    0xb247 MSTA    RRE   ESAZ -   { unbuilt }
    0xb248 PALB    S     ESAZ -   { call purge_alb }                         [- P]
    0xb249 EREG    RRE   ESAZ -   { unbuilt }
    0xb24a ESTA    RRE   ESAZ -   { unbuilt }
    0xb24b LURA    RRE   ESAZ -   { call load_using_real_address }           [- R2 W2 P]
    0xb250 CSP     RRE   ESAZ -   { ends call compare_and_swap_and_purge }   [01 S2(Word) E1 P] as [Once]
    0xb256 STHYI   RRE   Z    74  { ends call store_hypervisor_information } [03 S2(4096) E1 E2 SP]
    0xb258 BSG     RRE   ESAZ -   { unbuilt }
    0xb25a BSA     RRE   ESAZ -   { unbuilt }
    0xb277 RP      S     ESAZ -   { unbuilt }
    0xb279 SACF    S     ESAZ -   { ends call set_address_space_control }    [- SP P SO SS] is [Number]
    0xb27d STSI    S     ESAZ -   { ends call store_system_information }     [03 S2(4096) SP P]
    0xb280 LPP     S     Z    40  { call load_program_parameter }            [- F2 D2 P]
    0xb284 LCCTL   S     Z    67  { call load_counter_controls }             [03 F2 D2 SP P]
    0xb285 LPCTL   S     Z    67  { call load_peripheral_controls }          [03 F2 D2 P]
    0xb286 QSI     S     Z    68  { call query_sampling_information }        [0 S2(64) D2 P]
    0xb287 LSCTL   S     Z    68  { call load_sampling_controls }            [03 F2 D2 P]
    0xb28e QCTRI   S     Z    67  { call query_counter_information }         [0 S2(64) D2 P]
    0xb28f QPACI   S     Z    196 { call query_processor_activity_counters } [03 S2(16) D2 P]
    0xb2ad NQAP    RRE   Z    12  { ends call adjunct_processor_message }    [0123 E1 E2 P]
    0xb2ae DQAP    RRE   Z    12  { ends call adjunct_processor_message }    [0123 E1 E2 P]
    0xb2af PQAP    RRE   Z    12  { ends call process_adjunct_processor_queue } [03 SP P]
    0xb2b1 STFL    S     ESAZ -   { call store_facility_list }               [- P] is [Number]
    0xb2b2 LPSWE   S     Z    -   { ends call load_psw_extended }            [0123 F2 D2 P] is [LoadPsw]
    0xb2e0 SCCTR   RRE   Z    67  { call set_cpu_counter }                   [03 P] as [Counts]
    0xb2e1 SPCTR   RRE   Z    67  { call no_peripheral_counter }             [3 P]
    0xb2e4 ECCTR   RRE   Z    67  { call extract_cpu_counter }               [03 P] as [Counts]
    0xb2e5 EPCTR   RRE   Z    67  { call no_peripheral_counter }             [3 P] as [Counts]
    0xb2f0 IUCV    RRE   ESAZ -   { ends call iucv }                         [0123]
    0xb2ff TRAP4   S     ESAZ -   { unbuilt }
    0xb6   STCTL   RSa   ALL  -   { call store_control }                     [- S2(Words) W2 P]
    0xb7   LCTL    RSa   ALL  -   { ends call load_control }                 [- F2 W2 P]
    0xb905 LURAG   RRE   Z    -   { call load_using_real_address_64 }        [- R2 D2 P]
    0xb90e EREGG   RRE   Z    -   { unbuilt }
    0xb925 STURG   RRE   Z    -   { call store_using_real_address_64 }       [- R2 D2 P] as [Once] is [StoreReal]
    0xb928 PCKMO   RRE   Z    76  { call perform_key_management_operation }       [- P SG SP]
    0xb98a CSPG    RRE   Z    -   { ends call compare_and_swap_and_purge_64 } [01 S2(Doubleword) E1 P] as [Once]
    0xb98d EPSW    RRE   ESAZ -   { call extract_psw }                       [-]
    0xb98e IDTE    RRFb  Z    -   { ends call invalidate_dat_table_entry }   [- KT SP P] as [Once]
    0xb98f CRDTE   RRFb  Z    78  { ends call compare_and_replace_table_entry } [01 E1 E2 KT SP P] as [Once]
    0xb99a EPAIR   RRE   ESAZ -   { unbuilt }
    0xb99b ESAIR   RRE   ESAZ -   { unbuilt }
    0xb99c EQBS    RRFb  Z    -   { ends call extract_buffer_state }         [- P]
    0xb99d ESEA    RRE   Z    -   { unbuilt }
    0xb99e PTI     RRE   ESAZ -   { unbuilt }
    0xb99f SSAIR   RRE   ESAZ -   { unbuilt }
    0xb9a2 PTF     RRE   Z    11  { call perform_topology_function }         [02 SP P]
    0xb9a4 UVC     RRFb  Z    158 { call ultravisor_call }                   [01 S2(160) D2 P]
    0xb9aa LPTEA   RRFb  Z    -   { unbuilt }
    0xb9ab ESSA    RRFc  Z    -   { call extract_and_set_storage_attributes } [- K2 SP P] as [Once]
    0xb9ac IRBM    RRE   Z    145 { call insert_reference_bits_multiple }    [- K2 P] as [Once]
    0xb9ae RRBM    RRE   Z    66  { ends call reset_reference_bits_multiple } [- K2 P] as [Once]
    0xb9af PFMF    RRE   Z    8   { ends call perform_frame_management }     [- K2 SP P] as [Once]
    0xc80  MVCOS   SSF   Z    27  { call move_with_optional_specifications } [03 S1(R3To4096) F2 P SO]
    0xd9   MVCK    SSd   ALL  -   { call move_with_key }                     [03 S1(R1To256) F2 P]
    0xda   MVCP    SSd   ALL  -   { call move_to_primary }                   [03 S1(R1To256) F2 P SO]
    0xdb   MVCS    SSd   ALL  -   { call move_to_secondary }                 [03 S1(R1To256) F2 P SO]
    0xe303 LRAG    RXYa  Z    -   { call load_real_address_64 }              [0123 KT P]
    0xe313 LRAY    RXYa  Z    18  { call load_real_address }                 [0123 KT P SO]
    0xe500 LASP    SSE   ALL  -   { unbuilt }
    0xe501 TPROT   SSE   ALL  -   { call test_protection }                   [0123 K1 P] as [Once] is [Number]
    0xe502 STRAG   SSE   Z    -   { call store_real_address }                [- S1(8) D1 T2 P]
    0xe50e MVCSK   SSE   ESAZ -   { call move_with_source_key }              [- S1(Register0) F2 P]
    0xe50f MVCDK   SSE   ESAZ -   { call move_with_destination_key }         [- S1(Register0) F2 P]
    0xeb0f TRACG   RSYa  Z    -   { unbuilt }
    0xeb17 STCCTM  RSYb  Z    142 { call store_cpu_counter_multiple }        [013 S2(48) D2 P] as [Counts]
    0xeb25 STCTG   RSYa  Z    -   { call store_control_64 }                  [- S2(Doublewords) D2 P]
    0xeb2f LCTLG   RSYa  Z    -   { ends call load_control_64 }              [- F2 D2 P]
    0xeb60 LRIC    RSYa  Z    64  { call load_run_time_controls }            [- F2 D2 P]
    0xeb61 STRIC   RSYa  Z    64  { call store_run_time_controls }           [- S2(64) D2 P]
    0xeb71 LPSWEY  SIY   Z    193 { ends call load_psw_extended_long }       [0123 F1 D1 P] is [LoadPsw]
    0xeb8a SQBS    RSYa  Z    -   { ends call set_buffer_state }             [- P] is [Number]
}
