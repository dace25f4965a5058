//! General instructions (POP, chapter 7), in operation-code order.

use crate::control::test_access;
use crate::crypto::*;
use crate::deflate::deflate_conversion_call;
use crate::general::*;
use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0x0102 UPT     E     ESAZ -   { call update_tree }                         [013 SG SP]
    0x010b TAM     E     ESAZ -   { call test_addressing_mode }              [013]
    0x010c SAM24   E     ESAZ -   { ends call set_addressing_mode_24 }       [- SP]
    0x010d SAM31   E     ESAZ -   { ends call set_addressing_mode_31 }       [- SP]
    0x010e SAM64   E     Z    -   { ends call set_addressing_mode_64 }       [-]
    0x04   SPM     RR    ALL  -   { call set_program_mask }                  [0123]
    0x05   BALR    RR    ALL  -   { ends inline branch_and_link_register }   [-]
    0x06   BCTR    RR    ALL  -   { ends inline branch_on_count_register_32 } [-]
    0x07   BCR     RR    ALL  -   { branch inline branch_on_condition_register } [-] as [BranchOnCondition(Register)]
    0x0a   SVC     I     ALL  -   { ends call supervisor_call }              [-] is [SupervisorCall]
    0x0b   BSM     RR    ESAZ -   { ends call branch_and_set_mode }          [-]
    0x0c   BASSM   RR    ESAZ -   { ends call branch_and_save_and_set_mode } [-]
    0x0d   BASR    RR    ALL  -   { ends inline branch_and_save_register }   [-] as [BranchAndSave(Register)]
    0x0e   MVCL    RR    ALL  -   { call move_long }                         [0123 S1(Pair24) F2 E1 E2]
    0x0f   CLCL    RR    ALL  -   { call compare_logical_long }              [012 F1 F2 E1 E2]
    0x10   LPR     RR    ALL  -   { r1_32 = load_positive(W32, r2_32); overflow }
    0x11   LNR     RR    ALL  -   { r1_32 = load_negative(W32, r2_32) }
    0x12   LTR     RR    ALL  -   { r1_32 = load_and_test(W32, r2_32) }
    0x13   LCR     RR    ALL  -   { r1_32 = load_complement(W32, r2_32); overflow }
    0x14   NR      RR    ALL  -   { r1_32 = and(W32, r1_32, r2_32) }
    0x15   CLR     RR    ALL  -   { compare_logical(W32, r1_32, r2_32) }
    0x16   OR      RR    ALL  -   { r1_32 = or(W32, r1_32, r2_32) }
    0x17   XR      RR    ALL  -   { r1_32 = exclusive_or(W32, r1_32, r2_32) }
    0x18   LR      RR    ALL  -   { r1_32 = load(W32, r2_32) }
    0x19   CR      RR    ALL  -   { compare(W32, r1_32, r2_32) }
    0x1a   AR      RR    ALL  -   { r1_32 = add(W32, r1_32, r2_32); overflow }
    0x1b   SR      RR    ALL  -   { r1_32 = subtract(W32, r1_32, r2_32); overflow }
    0x1c   MR      RR    ALL  -   { inline multiply_register }               [- E1]
    0x1d   DR      RR    ALL  -   { call divide_register }                   [- E1 IK]
    0x1e   ALR     RR    ALL  -   { r1_32 = add_logical(W32, r1_32, r2_32) }
    0x1f   SLR     RR    ALL  -   { r1_32 = subtract_logical(W32, r1_32, r2_32) }
    0x40   STH     RXa   ALL  -   { m2_16 = load(W16, r1_16) }
    0x41   LA      RXa   ALL  -   { inline load_address }                    [-] as [LoadAddress]
    0x42   STC     RXa   ALL  -   { m2_8 = load(W8, r1_8) }
    0x43   IC      RXa   ALL  -   { r1_8 = load(W8, m2_8) }
    0x44   EX      RXa   ALL  -   { ends call execute } [- F2 H2 EX] as [Execute { relative: false }]
    0x45   BAL     RXa   ALL  -   { ends inline branch_and_link }            [-]
    0x46   BCT     RXa   ALL  -   { ends inline branch_on_count_32 }         [-]
    0x47   BC      RXb   ALL  -   { branch inline branch_on_condition }      [-] as [BranchOnCondition(Address)]
    0x48   LH      RXa   ALL  -   { r1_32 = load(W32, m2_16s) }
    0x49   CH      RXa   ALL  -   { compare(W32, r1_32, m2_16s) }
    0x4a   AH      RXa   ALL  -   { r1_32 = add(W32, r1_32, m2_16s); overflow }
    0x4b   SH      RXa   ALL  -   { r1_32 = subtract(W32, r1_32, m2_16s); overflow }
    0x4c   MH      RXa   ALL  -   { r1_32 = multiply(W32, r1_32, m2_16s) }
    0x4d   BAS     RXa   ALL  -   { ends inline branch_and_save }            [-] as [BranchAndSave(Address)]
    0x4e   CVD     RXa   ALL  -   { call convert_to_decimal }                [- S2(8)]
    0x4f   CVB     RXa   ALL  -   { call convert_to_binary }                 [- F2 D IK]
    0x50   ST      RXa   ALL  -   { m2_32 = load(W32, r1_32) }
    0x51   LAE     RXa   ESAZ -   { call load_address_extended }             [-]
    0x54   N       RXa   ALL  -   { r1_32 = and(W32, r1_32, m2_32) }
    0x55   CL      RXa   ALL  -   { compare_logical(W32, r1_32, m2_32) }
    0x56   O       RXa   ALL  -   { r1_32 = or(W32, r1_32, m2_32) }
    0x57   X       RXa   ALL  -   { r1_32 = exclusive_or(W32, r1_32, m2_32) }
    0x58   L       RXa   ALL  -   { r1_32 = load(W32, m2_32) }
    0x59   C       RXa   ALL  -   { compare(W32, r1_32, m2_32) }
    0x5a   A       RXa   ALL  -   { r1_32 = add(W32, r1_32, m2_32); overflow }
    0x5b   S       RXa   ALL  -   { r1_32 = subtract(W32, r1_32, m2_32); overflow }
    0x5c   M       RXa   ALL  -   { inline multiply }                        [- F2 E1]
    0x5d   D       RXa   ALL  -   { call divide }                            [- F2 E1 IK]
    0x5e   AL      RXa   ALL  -   { r1_32 = add_logical(W32, r1_32, m2_32) }
    0x5f   SL      RXa   ALL  -   { r1_32 = subtract_logical(W32, r1_32, m2_32) }
    0x71   MS      RXa   ESAZ -   { r1_32 = multiply(W32, r1_32, m2_32) }
    0x84   BRXH    RSI   ESAZ -   { ends inline branch_relative_on_index_high } [-]
    0x85   BRXLE   RSI   ESAZ -   { ends inline branch_relative_on_index_low_or_equal } [-]
    0x86   BXH     RSa   ALL  -   { ends inline branch_on_index_high }       [-]
    0x87   BXLE    RSa   ALL  -   { ends inline branch_on_index_low_or_equal } [-]
    0x88   SRL     RSa   ALL  -   { r1_32 = shift_right_logical(W32, r1_32, shift) }
    0x89   SLL     RSa   ALL  -   { r1_32 = shift_left_logical(W32, r1_32, shift) }
    0x8a   SRA     RSa   ALL  -   { r1_32 = shift_right(W32, r1_32, shift) }
    0x8b   SLA     RSa   ALL  -   { r1_32 = shift_left(W32, r1_32, shift); overflow }
    0x8c   SRDL    RSa   ALL  -   { call shift_right_double_logical }        [- E1] is [Number]
    0x8d   SLDL    RSa   ALL  -   { call shift_left_double_logical }         [- E1] is [Number]
    0x8e   SRDA    RSa   ALL  -   { call shift_right_double }                [012 E1] is [Number]
    0x8f   SLDA    RSa   ALL  -   { call shift_left_double }                 [0123 E1 IF] is [Number]
    0x90   STM     RSa   ALL  -   { call store_multiple }                    [- S2(Words)] as [StoreMultiple(W32)]
    0x91   TM      SI    ALL  -   { test_under_mask(W8, m1_8, imm) }
    0x92   MVI     SI    ALL  -   { m1_8 = load(W8, imm) }
    0x93   TS      S     ALL  -   { call test_and_set }                      [01 S2(1)]
    0x94   NI      SI    ALL  -   { inline and_immediate }                   [01 S1(1)]
    0x95   CLI     SI    ALL  -   { compare_logical(W8, m1_8, imm) }
    0x96   OI      SI    ALL  -   { inline or_immediate }                    [01 S1(1)]
    0x97   XI      SI    ALL  -   { inline exclusive_or_immediate }          [01 S1(1)]
    0x98   LM      RSa   ALL  -   { call load_multiple }                     [- F2] as [LoadMultiple(W32)]
    0x9a   LAM     RSa   ESAZ -   { call load_access_multiple }              [- F2 W2]
    0x9b   STAM    RSa   ESAZ -   { call store_access_multiple }             [- S2(Words) W2]
    0xa50  IIHH    RIa   Z    -   { r1_hh = load(W16, imm16u) }
    0xa51  IIHL    RIa   Z    -   { r1_hl = load(W16, imm16u) }
    0xa52  IILH    RIa   Z    -   { r1_lh = load(W16, imm16u) }
    0xa53  IILL    RIa   Z    -   { r1_16 = load(W16, imm16u) }
    0xa54  NIHH    RIa   Z    -   { r1_hh = and(W16, r1_hh, imm16u) }
    0xa55  NIHL    RIa   Z    -   { r1_hl = and(W16, r1_hl, imm16u) }
    0xa56  NILH    RIa   Z    -   { r1_lh = and(W16, r1_lh, imm16u) }
    0xa57  NILL    RIa   Z    -   { r1_16 = and(W16, r1_16, imm16u) }
    0xa58  OIHH    RIa   Z    -   { r1_hh = or(W16, r1_hh, imm16u) }
    0xa59  OIHL    RIa   Z    -   { r1_hl = or(W16, r1_hl, imm16u) }
    0xa5a  OILH    RIa   Z    -   { r1_lh = or(W16, r1_lh, imm16u) }
    0xa5b  OILL    RIa   Z    -   { r1_16 = or(W16, r1_16, imm16u) }
    0xa5c  LLIHH   RIa   Z    -   { r1_64 = load(W64, imm_hh) }
    0xa5d  LLIHL   RIa   Z    -   { r1_64 = load(W64, imm_hl) }
    0xa5e  LLILH   RIa   Z    -   { r1_64 = load(W64, imm_lh) }
    0xa5f  LLILL   RIa   Z    -   { r1_64 = load(W64, imm16u) }
    0xa70  TMLH    RIa   ESAZ -   { test_under_mask_half(W16, r1_lh, imm16u) }
    0xa71  TMLL    RIa   ESAZ -   { test_under_mask_half(W16, r1_16, imm16u) }
    0xa72  TMHH    RIa   Z    -   { test_under_mask_half(W16, r1_hh, imm16u) }
    0xa73  TMHL    RIa   Z    -   { test_under_mask_half(W16, r1_hl, imm16u) }
    0xa74  BRC     RIc   ESAZ -   { branch inline branch_relative_on_condition } [-] as [BranchOnCondition(Relative)]
    0xa75  BRAS    RIb   ESAZ -   { ends inline branch_relative_and_save }   [-] as [BranchAndSave(Relative)]
    0xa76  BRCT    RIb   ESAZ -   { ends inline branch_relative_on_count_32 } [-] as [BranchOnCount(W32)]
    0xa77  BRCTG   RIb   Z    -   { ends inline branch_relative_on_count_64 } [-] as [BranchOnCount(W64)]
    0xa78  LHI     RIa   ESAZ -   { r1_32 = load(W32, imm) }
    0xa79  LGHI    RIa   Z    -   { r1_64 = load(W64, imm) }
    0xa7a  AHI     RIa   ESAZ -   { r1_32 = add(W32, r1_32, imm); overflow }
    0xa7b  AGHI    RIa   Z    -   { r1_64 = add(W64, r1_64, imm); overflow }
    0xa7c  MHI     RIa   ESAZ -   { r1_32 = multiply(W32, r1_32, imm) }
    0xa7d  MGHI    RIa   Z    -   { r1_64 = multiply(W64, r1_64, imm) }
    0xa7e  CHI     RIa   ESAZ -   { compare(W32, r1_32, imm) }
    0xa7f  CGHI    RIa   Z    -   { compare(W64, r1_64, imm) }
    0xa8   MVCLE   RSa   ESAZ -   { call move_long_extended }                [0123 S1(Pair) F3 E1 E3] is [Number]
    0xa9   CLCLE   RSa   ESAZ -   { call compare_logical_long_extended }     [0123 F1 F3 E1 E3] is [Number]
    0xaf   MC      SI    ALL  -   { call monitor_call }                      [- SP MO] is [Number]
    0xb205 STCK    S     ALL  -   { call store_clock }                       [0 S2(8)]
    0xb21a CFC     S     ESAZ -   { call compare_and_form_codeword }           [012 FG SP] is [Number]
    0xb222 IPM     RRE   ESAZ -   { inline insert_program_mask }             [-]
    0xb241 CKSM    RRE   ESAZ -   { call checksum }                          [03 F2 E2]
    0xb24c TAR     RRE   ESAZ -   { call test_access }                       [0123 KT]
    0xb24d CPYA    RRE   ESAZ -   { a1 = load(W32, a2) }
    0xb24e SAR     RRE   ESAZ -   { a1 = load(W32, r2_32) }
    0xb24f EAR     RRE   ESAZ -   { r1_32 = load(W32, a2) }
    0xb252 MSR     RRE   ESAZ -   { r1_32 = multiply(W32, r1_32, r2_32) }
    0xb254 MVPG    RRE   ESAZ -   { call move_page }                         [012 S1(Page) F2 SP P]
    0xb255 MVST    RRE   ESAZ -   { call move_string }                       [13 S1 F2 SP] as [MoveString]
    0xb257 CUSE    RRE   ESAZ -   { call compare_until_substring_equal }     [0123 F1 F2 E1 E2]
    0xb25d CLST    RRE   ESAZ -   { call compare_logical_string }            [0123 F1 F2 SP] as [CompareString]
    0xb25e SRST    RRE   ESAZ -   { call search_string }                     [123 F2 SP] as [SearchString]
    0xb263 CMPSC   RRE   ESAZ -   { call compression_call }                  [013 S1(Pair) F2 FG E1 E2 SP D]
    0xb278 STCKE   S     ESAZ -   { call store_clock_extended }              [0 S2(16)]
    0xb27c STCKF   S     Z    25  { call store_clock }                       [0 S2(8)]
    0xb2a5 TRE     RRE   ESAZ -   { call translate_extended }                [013 S1(Pair) F2 E1]
    0xb2a6 CUUTF   RRFc  ESAZ -   { call convert_utf16_to_utf8 }             [0123 S1(Pair) F2 E1 E2]
    0xb2a7 CUTFU   RRFc  ESAZ -   { call convert_utf8_to_utf16 }             [0123 S1(Pair) F2 E1 E2]
    0xb2b0 STFLE   S     Z    7   { call store_facility_list_extended }      [03 S2(Doublewords0) D2]
    0xb2e8 PPA     RRFc  Z    49  { inline hint }                            [-]
    0xb2ec ETND    RRE   Z    73  { call extract_nesting_depth }             [- SO]
    0xb2ed ECPGA   RRE   Z    67  { call crate::control::no_peripheral_counter } [3 P]
    0xb2f8 TEND    S     Z    73  { ends call transaction_end }              [02 SO]
    0xb2fa NIAI    IE    Z    49  { inline hint }                            [-]
    0xb2fc TABORT  S     Z    73  { ends call transaction_abort }            [23 SO SP] is [Number]
    0xb900 LPGR    RRE   Z    -   { r1_64 = load_positive(W64, r2_64); overflow }
    0xb901 LNGR    RRE   Z    -   { r1_64 = load_negative(W64, r2_64) }
    0xb902 LTGR    RRE   Z    -   { r1_64 = load_and_test(W64, r2_64) }
    0xb903 LCGR    RRE   Z    -   { r1_64 = load_complement(W64, r2_64); overflow }
    0xb904 LGR     RRE   Z    -   { r1_64 = load(W64, r2_64) }
    0xb906 LGBR    RRE   Z    21  { r1_64 = load(W64, r2_8s) }
    0xb907 LGHR    RRE   Z    21  { r1_64 = load(W64, r2_16s) }
    0xb908 AGR     RRE   Z    -   { r1_64 = add(W64, r1_64, r2_64); overflow }
    0xb909 SGR     RRE   Z    -   { r1_64 = subtract(W64, r1_64, r2_64); overflow }
    0xb90a ALGR    RRE   Z    -   { r1_64 = add_logical(W64, r1_64, r2_64) }
    0xb90b SLGR    RRE   Z    -   { r1_64 = subtract_logical(W64, r1_64, r2_64) }
    0xb90c MSGR    RRE   Z    -   { r1_64 = multiply(W64, r1_64, r2_64) }
    0xb90d DSGR    RRE   Z    -   { call divide_single_long_register }       [- E1 IK] as [DivideSingle(W64)]
    0xb90f LRVGR   RRE   Z    -   { r1_64 = reversed(W64, r2_64) }
    0xb910 LPGFR   RRE   Z    -   { r1_64 = load_positive(W64, r2_32s) }
    0xb911 LNGFR   RRE   Z    -   { r1_64 = load_negative(W64, r2_32s) }
    0xb912 LTGFR   RRE   Z    -   { r1_64 = load_and_test(W64, r2_32s) }
    0xb913 LCGFR   RRE   Z    -   { r1_64 = load_complement(W64, r2_32s) }
    0xb914 LGFR    RRE   Z    -   { r1_64 = load(W64, r2_32s) }
    0xb916 LLGFR   RRE   Z    -   { r1_64 = load(W64, r2_32) }
    0xb917 LLGTR   RRE   Z    -   { r1_64 = thirty_one_bits(W64, r2_32) }
    0xb918 AGFR    RRE   Z    -   { r1_64 = add(W64, r1_64, r2_32s); overflow }
    0xb919 SGFR    RRE   Z    -   { r1_64 = subtract(W64, r1_64, r2_32s); overflow }
    0xb91a ALGFR   RRE   Z    -   { r1_64 = add_logical(W64, r1_64, r2_32) }
    0xb91b SLGFR   RRE   Z    -   { r1_64 = subtract_logical(W64, r1_64, r2_32) }
    0xb91c MSGFR   RRE   Z    -   { r1_64 = multiply(W64, r1_64, r2_32s) }
    0xb91d DSGFR   RRE   Z    -   { call divide_single_long_by_word_register } [- E1 IK] as [DivideSingle(W32)]
    0xb91e KMAC    RRE   ESAZ 17  { call compute_authentication_code }       [013 F2 SG E2 SP]
    0xb91f LRVR    RRE   ESAZ -   { r1_32 = reversed(W32, r2_32) }
    0xb920 CGR     RRE   Z    -   { compare(W64, r1_64, r2_64) }
    0xb921 CLGR    RRE   Z    -   { compare_logical(W64, r1_64, r2_64) }
    0xb926 LBR     RRE   Z    21  { r1_32 = load(W32, r2_8s) }
    0xb927 LHR     RRE   Z    21  { r1_32 = load(W32, r2_16s) }
    0xb929 KMA     RRFb  Z    146 { call cipher_with_authentication }        [013 S1(SecondPair) F2 F3 SG E1 E2 E3 SP]
    0xb92a KMF     RRE   Z    77  { call cipher_message_with_cipher_feedback } [013 S1(SecondPair) F2 SG E1 E2 SP]
    0xb92b KMO     RRE   Z    77  { call cipher_message_with_output_feedback } [013 S1(SecondPair) F2 SG E1 E2 SP]
    0xb92c PCC     RRE   Z    77  { call perform_cryptographic_computation } [012 SG SP]
    0xb92d KMCTR   RRFb  Z    77  { call cipher_message_with_counter }      [013 S1(SecondPair) F2 F3 FG SG E1 E2 E3 SP]
    0xb92e KM      RRE   ESAZ 17  { call cipher_message }                    [013 S1(SecondPair) F2 FG SG E1 E2 SP]
    0xb92f KMC     RRE   ESAZ 17  { call cipher_message_with_chaining }      [013 S1(SecondPair) F2 SG E1 E2 SP]
    0xb930 CGFR    RRE   Z    -   { compare(W64, r1_64, r2_32s) }
    0xb931 CLGFR   RRE   Z    -   { compare_logical(W64, r1_64, r2_32) }
    0xb939 DFLTCC  RRFa  Z    151 { call deflate_conversion_call }          [0123 S1(Pair) F2 SG E1 E2 SP D]
    0xb93a KDSA    RRE   Z    155 { call compute_digital_signature_authentication } [0123 F2 SG E2 SP]
    0xb93c PRNO    RRE   Z    57  { ends call perform_random_number_operation } [03 S1(Pair) F2 SG E1 E2 SP]
    0xb93e KIMD    RRE   ESAZ 17  { call compute_intermediate_digest }       [03 F2 SG E2 SP]
    0xb93f KLMD    RRE   ESAZ 17  { call compute_last_digest }               [03 S1(Pair) F2 SG E1 E2 SP]
    0xb946 BCTGR   RRE   Z    -   { ends inline branch_on_count_register_64 } [-]
    0xb960 CGRT    RRFc  Z    34  { inline compare_and_trap_long }           [- DX]
    0xb961 CLGRT   RRFc  Z    34  { inline compare_logical_and_trap_long }   [- DX]
    0xb964 NNGRK   RRFa  Z    61  { r1_64 = not_and(W64, r2_64, r3_64) }
    0xb965 OCGRK   RRFa  Z    61  { r1_64 = or_with_complement(W64, r2_64, r3_64) }
    0xb966 NOGRK   RRFa  Z    61  { r1_64 = not_or(W64, r2_64, r3_64) }
    0xb967 NXGRK   RRFa  Z    61  { r1_64 = not_exclusive_or(W64, r2_64, r3_64) }
    0xb972 CRT     RRFc  Z    34  { inline compare_and_trap }                [- DX]
    0xb973 CLRT    RRFc  Z    34  { inline compare_logical_and_trap }        [- DX]
    0xb974 NNRK    RRFa  Z    61  { r1_32 = not_and(W32, r2_32, r3_32) }
    0xb975 OCRK    RRFa  Z    61  { r1_32 = or_with_complement(W32, r2_32, r3_32) }
    0xb976 NORK    RRFa  Z    61  { r1_32 = not_or(W32, r2_32, r3_32) }
    0xb977 NXRK    RRFa  Z    61  { r1_32 = not_exclusive_or(W32, r2_32, r3_32) }
    0xb980 NGR     RRE   Z    -   { r1_64 = and(W64, r1_64, r2_64) }
    0xb981 OGR     RRE   Z    -   { r1_64 = or(W64, r1_64, r2_64) }
    0xb982 XGR     RRE   Z    -   { r1_64 = exclusive_or(W64, r1_64, r2_64) }
    0xb983 FLOGR   RRE   Z    21  { call find_leftmost_one }                 [02 E1] as [LeftmostOne]
    0xb984 LLGCR   RRE   Z    21  { r1_64 = load(W64, r2_8) }
    0xb985 LLGHR   RRE   Z    21  { r1_64 = load(W64, r2_16) }
    0xb986 MLGR    RRE   Z    -   { call multiply_logical_long_register }    [- E1] as [MultiplyLogical]
    0xb987 DLGR    RRE   Z    -   { call divide_logical_long_register } [- E1 IK] as [DivideLogical { storage: false }]
    0xb988 ALCGR   RRE   Z    -   { r1_64 = add_logical_with_carry(W64, r1_64, r2_64) } as [AddCarry(W64)]
    0xb989 SLBGR   RRE   Z    -   { r1_64 = subtract_logical_with_borrow(W64, r1_64, r2_64) } as [SubtractBorrow(W64)]
    0xb990 TRTT    RRFc  ESAZ -   { call translate_two_to_two }              [013 S1(Pair) F2 FG E1 SP]
    0xb991 TRTO    RRFc  ESAZ -   { call translate_two_to_one }              [013 S1(PairHalf) F2 FG E1 SP]
    0xb992 TROT    RRFc  ESAZ -   { call translate_one_to_two }              [013 S1(PairTwice) F2 FG E1]
    0xb993 TROO    RRFc  ESAZ -   { call translate_one_to_one }              [013 S1(Pair) F2 FG E1]
    0xb994 LLCR    RRE   Z    21  { r1_32 = load(W32, r2_8) }
    0xb995 LLHR    RRE   Z    21  { r1_32 = load(W32, r2_16) }
    0xb996 MLR     RRE   ESAZ -   { inline multiply_logical_register }       [- E1]
    0xb997 DLR     RRE   ESAZ -   { call divide_logical_register }           [- E1 IK]
    0xb998 ALCR    RRE   ESAZ -   { r1_32 = add_logical_with_carry(W32, r1_32, r2_32) } as [AddCarry(W32)]
    0xb999 SLBR    RRE   ESAZ -   { r1_32 = subtract_logical_with_borrow(W32, r1_32, r2_32) } as [SubtractBorrow(W32)]
    0xb9a1 TPEI    RRE   Z    144 { unbuilt }
    0xb9b0 CU14    RRFc  Z    22  { call convert_utf8_to_utf32 }             [0123 S1(Pair) F2 E1 E2]
    0xb9b1 CU24    RRFc  Z    22  { call convert_utf16_to_utf32 }            [0123 S1(Pair) F2 E1 E2]
    0xb9b2 CU41    RRE   Z    22  { call convert_utf32_to_utf8 }             [0123 S1(Pair) F2 E1 E2]
    0xb9b3 CU42    RRE   Z    22  { call convert_utf32_to_utf16 }            [0123 S1(Pair) F2 E1 E2]
    0xb9bd TRTRE   RRFc  Z    26  { call translate_and_test_reverse_extended } [013 F1 FG E1 SP]
    0xb9be SRSTU   RRE   Z    22  { call search_string_unicode }             [123 F2 SP]
    0xb9bf TRTE    RRFc  Z    26  { call translate_and_test_extended }       [013 F1 FG E1 SP]
    0xb9c0 SELFHR  RRFa  Z    61  { inline select_high }                     [-]
    0xb9c8 AHHHR   RRFa  Z    45  { r1_h = add(W32, r2_h, r3_h); overflow }
    0xb9c9 SHHHR   RRFa  Z    45  { r1_h = subtract(W32, r2_h, r3_h); overflow }
    0xb9ca ALHHHR  RRFa  Z    45  { r1_h = add_logical(W32, r2_h, r3_h) }
    0xb9cb SLHHHR  RRFa  Z    45  { r1_h = subtract_logical(W32, r2_h, r3_h) }
    0xb9cd CHHR    RRE   Z    45  { compare(W32, r1_h, r2_h) }
    0xb9cf CLHHR   RRE   Z    45  { compare_logical(W32, r1_h, r2_h) }
    0xb9d8 AHHLR   RRFa  Z    45  { r1_h = add(W32, r2_h, r3_32); overflow }
    0xb9d9 SHHLR   RRFa  Z    45  { r1_h = subtract(W32, r2_h, r3_32); overflow }
    0xb9da ALHHLR  RRFa  Z    45  { r1_h = add_logical(W32, r2_h, r3_32) }
    0xb9db SLHHLR  RRFa  Z    45  { r1_h = subtract_logical(W32, r2_h, r3_32) }
    0xb9dd CHLR    RRE   Z    45  { compare(W32, r1_h, r2_32) }
    0xb9df CLHLR   RRE   Z    45  { compare_logical(W32, r1_h, r2_32) }
    0xb9e0 LOCFHR  RRFc  Z    53  { inline load_register_on_condition_high } [-]
    0xb9e1 POPCNT  RRFc  Z    45  { call population_count }                  [01]
    0xb9e2 LOCGR   RRFc  Z    45  { inline load_register_on_condition_long } [-]
    0xb9e3 SELGR   RRFa  Z    61  { inline select_long }                     [-]
    0xb9e4 NGRK    RRFa  Z    45  { r1_64 = and(W64, r2_64, r3_64) }
    0xb9e5 NCGRK   RRFa  Z    61  { r1_64 = and_with_complement(W64, r2_64, r3_64) }
    0xb9e6 OGRK    RRFa  Z    45  { r1_64 = or(W64, r2_64, r3_64) }
    0xb9e7 XGRK    RRFa  Z    45  { r1_64 = exclusive_or(W64, r2_64, r3_64) }
    0xb9e8 AGRK    RRFa  Z    45  { r1_64 = add(W64, r2_64, r3_64); overflow }
    0xb9e9 SGRK    RRFa  Z    45  { r1_64 = subtract(W64, r2_64, r3_64); overflow }
    0xb9ea ALGRK   RRFa  Z    45  { r1_64 = add_logical(W64, r2_64, r3_64) }
    0xb9eb SLGRK   RRFa  Z    45  { r1_64 = subtract_logical(W64, r2_64, r3_64) }
    0xb9ec MGRK    RRFa  Z    58  { call multiply_long_distinct }            [- E1]
    0xb9ed MSGRKC  RRFa  Z    58  { call multiply_single_long_distinct }     [0123 IF] as [MultiplySingle(W64)]
    0xb9f0 SELR    RRFa  Z    61  { inline select }                          [-]
    0xb9f2 LOCR    RRFc  Z    45  { inline load_register_on_condition }      [-]
    0xb9f4 NRK     RRFa  Z    45  { r1_32 = and(W32, r2_32, r3_32) }
    0xb9f5 NCRK    RRFa  Z    61  { r1_32 = and_with_complement(W32, r2_32, r3_32) }
    0xb9f6 ORK     RRFa  Z    45  { r1_32 = or(W32, r2_32, r3_32) }
    0xb9f7 XRK     RRFa  Z    45  { r1_32 = exclusive_or(W32, r2_32, r3_32) }
    0xb9f8 ARK     RRFa  Z    45  { r1_32 = add(W32, r2_32, r3_32); overflow }
    0xb9f9 SRK     RRFa  Z    45  { r1_32 = subtract(W32, r2_32, r3_32); overflow }
    0xb9fa ALRK    RRFa  Z    45  { r1_32 = add_logical(W32, r2_32, r3_32) }
    0xb9fb SLRK    RRFa  Z    45  { r1_32 = subtract_logical(W32, r2_32, r3_32) }
    0xb9fd MSRKC   RRFa  Z    58  { call multiply_single_distinct }        [0123 IF] as [MultiplySingle(W32)]
    0xba   CS      RSa   ALL  -   { call compare_and_swap }                  [01 S2(4) W2] as [CompareAndSwap(W32)]
    0xbb   CDS     RSa   ALL  -   { call compare_double_and_swap }           [01 S2(8) D2 E1 E3]
    0xbd   CLM     RSb   ALL  -   { call compare_logical_characters_under_mask } [012 F2] as [CompareUnderMask]
    0xbe   STCM    RSb   ALL  -   { inline store_under_mask_or_part }        [- S2(Mask)] as [StoreUnderMask]
    0xbf   ICM     RSb   ALL  -   { inline insert_under_mask_or_word }       [012 F2] as [InsertUnderMask]
    0xc00  LARL    RILb  ESAZ -   { inline load_address_relative }           [-]
    0xc01  LGFI    RILa  Z    21  { r1_64 = load(W64, imm) }
    0xc04  BRCL    RILc  ESAZ -   { branch inline branch_relative_on_condition } [-] as [BranchOnCondition(Relative)]
    0xc05  BRASL   RILb  ESAZ -   { ends inline branch_relative_and_save }   [-] as [BranchAndSave(Relative)]
    0xc06  XIHF    RILa  Z    21  { r1_h = exclusive_or(W32, r1_h, imm32u) }
    0xc07  XILF    RILa  Z    21  { r1_32 = exclusive_or(W32, r1_32, imm32u) }
    0xc08  IIHF    RILa  Z    21  { r1_h = load(W32, imm32u) }
    0xc09  IILF    RILa  Z    21  { r1_32 = load(W32, imm32u) }
    0xc0a  NIHF    RILa  Z    21  { r1_h = and(W32, r1_h, imm32u) }
    0xc0b  NILF    RILa  Z    21  { r1_32 = and(W32, r1_32, imm32u) }
    0xc0c  OIHF    RILa  Z    21  { r1_h = or(W32, r1_h, imm32u) }
    0xc0d  OILF    RILa  Z    21  { r1_32 = or(W32, r1_32, imm32u) }
    0xc0e  LLIHF   RILa  Z    21  { r1_64 = load(W64, imm_h) }
    0xc0f  LLILF   RILa  Z    21  { r1_64 = load(W64, imm32u) }
    0xc20  MSGFI   RILa  Z    34  { r1_64 = multiply(W64, r1_64, imm) }
    0xc21  MSFI    RILa  Z    34  { r1_32 = multiply(W32, r1_32, imm) }
    0xc24  SLGFI   RILa  Z    21  { r1_64 = subtract_logical(W64, r1_64, imm32u) }
    0xc25  SLFI    RILa  Z    21  { r1_32 = subtract_logical(W32, r1_32, imm32u) }
    0xc28  AGFI    RILa  Z    21  { r1_64 = add(W64, r1_64, imm); overflow }
    0xc29  AFI     RILa  Z    21  { r1_32 = add(W32, r1_32, imm); overflow }
    0xc2a  ALGFI   RILa  Z    21  { r1_64 = add_logical(W64, r1_64, imm32u) }
    0xc2b  ALFI    RILa  Z    21  { r1_32 = add_logical(W32, r1_32, imm32u) }
    0xc2c  CGFI    RILa  Z    21  { compare(W64, r1_64, imm) }
    0xc2d  CFI     RILa  Z    21  { compare(W32, r1_32, imm) }
    0xc2e  CLGFI   RILa  Z    21  { compare_logical(W64, r1_64, imm32u) }
    0xc2f  CLFI    RILa  Z    21  { compare_logical(W32, r1_32, imm32u) }
    0xc42  LLHRL   RILb  Z    34  { r1_32 = load(W32, rel_16) }
    0xc44  LGHRL   RILb  Z    34  { r1_64 = load(W64, rel_16s) }
    0xc45  LHRL    RILb  Z    34  { r1_32 = load(W32, rel_16s) }
    0xc46  LLGHRL  RILb  Z    34  { r1_64 = load(W64, rel_16) }
    0xc47  STHRL   RILb  Z    34  { rel_16 = load(W16, r1_16) }
    0xc48  LGRL    RILb  Z    34  { r1_64 = load(W64, rel_64a) }
    0xc4b  STGRL   RILb  Z    34  { rel_64a = load(W64, r1_64) }
    0xc4c  LGFRL   RILb  Z    34  { r1_64 = load(W64, rel_32as) }
    0xc4d  LRL     RILb  Z    34  { r1_32 = load(W32, rel_32a) }
    0xc4e  LLGFRL  RILb  Z    34  { r1_64 = load(W64, rel_32a) }
    0xc4f  STRL    RILb  Z    34  { rel_32a = load(W32, r1_32) }
    0xc5   BPRP    MII   Z    49  { inline hint }                            [-]
    0xc60  EXRL    RILb  Z    35  { ends call execute_relative }             [- F2 EX] as [Execute { relative: true }]
    0xc62  PFDRL   RILb  Z    34  { inline hint }                            [-]
    0xc64  CGHRL   RILb  Z    34  { compare(W64, r1_64, rel_16s) }
    0xc65  CHRL    RILb  Z    34  { compare(W32, r1_32, rel_16s) }
    0xc66  CLGHRL  RILb  Z    34  { compare_logical(W64, r1_64, rel_16) }
    0xc67  CLHRL   RILb  Z    34  { compare_logical(W32, r1_32, rel_16) }
    0xc68  CGRL    RILb  Z    34  { compare(W64, r1_64, rel_64a) }
    0xc6a  CLGRL   RILb  Z    34  { compare_logical(W64, r1_64, rel_64a) }
    0xc6c  CGFRL   RILb  Z    34  { compare(W64, r1_64, rel_32as) }
    0xc6d  CRL     RILb  Z    34  { compare(W32, r1_32, rel_32a) }
    0xc6e  CLGFRL  RILb  Z    34  { compare_logical(W64, r1_64, rel_32a) }
    0xc6f  CLRL    RILb  Z    34  { compare_logical(W32, r1_32, rel_32a) }
    0xc7   BPP     SMI   Z    49  { inline hint }                            [-]
    0xc81  ECTG    SSF   Z    31  { call extract_cpu_time }                  [- F1 F2 F3]
    0xc82  CSST    SSF   Z    32  { call compare_and_swap_and_store }        [01 S1(Swapped) S2(Stored) FG SP]
    0xc84  LPD     SSF   Z    45  { call load_pair_disjoint }                [0 F1 F2 W1 W2 E3]
    0xc85  LPDG    SSF   Z    45  { call load_pair_disjoint_long }           [0 F1 F2 D1 D2 E3]
    0xcc6  BRCTH   RILb  Z    45  { ends inline branch_relative_on_count_high } [-]
    0xcc8  AIH     RILa  Z    45  { r1_h = add(W32, r1_h, imm); overflow }
    0xcca  ALSIH   RILa  Z    45  { r1_h = add_logical(W32, r1_h, imm) }
    0xccb  ALSIHN  RILa  Z    45  { r1_h = add_without_cc(W32, r1_h, imm) }
    0xccd  CIH     RILa  Z    45  { compare(W32, r1_h, imm) }
    0xccf  CLIH    RILa  Z    45  { compare_logical(W32, r1_h, imm32u) }
    0xd0   TRTR    SSa   Z    22  { call translate_and_test_reverse }        [012 F1 F2]
    0xd1   MVN     SSa   ALL  -   { call move_numerics }                     [- S1 F2]
    0xd2   MVC     SSa   ALL  -   { call move_characters }                   [- S1 F2] as [MoveField]
    0xd3   MVZ     SSa   ALL  -   { call move_zones }                        [- S1 F2]
    0xd4   NC      SSa   ALL  -   { call and_characters }                    [01 S1 F2]
    0xd5   CLC     SSa   ALL  -   { call compare_logical_characters }        [012 F1 F2] as [CompareField]
    0xd6   OC      SSa   ALL  -   { call or_characters }                     [01 S1 F2]
    0xd7   XC      SSa   ALL  -   { call exclusive_or_characters }           [01 S1 F2] as [ExclusiveOrField]
    0xdc   TR      SSa   ALL  -   { call translate }                         [- S1 F2]
    0xdd   TRT     SSa   ALL  -   { call translate_and_test }                [012 F1 F2]
    0xe1   PKU     SSf   ESAZ -   { call pack_unicode }                      [- S1(16) F2 SP]
    0xe2   UNPKU   SSa   ESAZ -   { call unpack_unicode }                    [013 S1 F2 SP]
    0xe302 LTG     RXYa  Z    21  { r1_64 = load_and_test(W64, m2_64) }
    0xe304 LG      RXYa  Z    -   { r1_64 = load(W64, m2_64) }
    0xe306 CVBY    RXYa  Z    18  { call convert_to_binary }                 [- F2 D IK]
    0xe308 AG      RXYa  Z    -   { r1_64 = add(W64, r1_64, m2_64); overflow }
    0xe309 SG      RXYa  Z    -   { r1_64 = subtract(W64, r1_64, m2_64); overflow }
    0xe30a ALG     RXYa  Z    -   { r1_64 = add_logical(W64, r1_64, m2_64) }
    0xe30b SLG     RXYa  Z    -   { r1_64 = subtract_logical(W64, r1_64, m2_64) }
    0xe30c MSG     RXYa  Z    -   { r1_64 = multiply(W64, r1_64, m2_64) }
    0xe30d DSG     RXYa  Z    -   { call divide_single_long }                [- F2 E1 IK]
    0xe30e CVBG    RXYa  Z    -   { call convert_to_binary_long }            [- F2 D IK]
    0xe30f LRVG    RXYa  Z    -   { r1_64 = reversed(W64, m2_64) }
    0xe312 LT      RXYa  Z    21  { r1_32 = load_and_test(W32, m2_32) }
    0xe314 LGF     RXYa  Z    -   { r1_64 = load(W64, m2_32s) }
    0xe315 LGH     RXYa  Z    -   { r1_64 = load(W64, m2_16s) }
    0xe316 LLGF    RXYa  Z    -   { r1_64 = load(W64, m2_32) }
    0xe317 LLGT    RXYa  Z    -   { r1_64 = thirty_one_bits(W64, m2_32) }
    0xe318 AGF     RXYa  Z    -   { r1_64 = add(W64, r1_64, m2_32s); overflow }
    0xe319 SGF     RXYa  Z    -   { r1_64 = subtract(W64, r1_64, m2_32s); overflow }
    0xe31a ALGF    RXYa  Z    -   { r1_64 = add_logical(W64, r1_64, m2_32) }
    0xe31b SLGF    RXYa  Z    -   { r1_64 = subtract_logical(W64, r1_64, m2_32) }
    0xe31c MSGF    RXYa  Z    -   { r1_64 = multiply(W64, r1_64, m2_32s) }
    0xe31d DSGF    RXYa  Z    -   { call divide_single_long_by_word }        [- F2 E1 IK]
    0xe31e LRV     RXYa  ESAZ -   { r1_32 = reversed(W32, m2_32) }
    0xe31f LRVH    RXYa  ESAZ -   { r1_16 = reversed(W16, m2_16) }
    0xe320 CG      RXYa  Z    -   { compare(W64, r1_64, m2_64) }
    0xe321 CLG     RXYa  Z    -   { compare_logical(W64, r1_64, m2_64) }
    0xe324 STG     RXYa  Z    -   { m2_64 = load(W64, r1_64) }
    0xe325 NTSTG   RXYa  Z    73  { call nontransactional_store }                 [- S2(8) D2]
    0xe326 CVDY    RXYa  Z    18  { call convert_to_decimal }                [- S2(8)]
    0xe32a LZRG    RXYa  Z    53  { r1_64 = zero_rightmost_byte(W64, m2_64) }
    0xe32e CVDG    RXYa  Z    -   { call convert_to_decimal_long }           [- S2(16)]
    0xe32f STRVG   RXYa  Z    -   { m2_64 = reversed(W64, r1_64) }
    0xe330 CGF     RXYa  Z    -   { compare(W64, r1_64, m2_32s) }
    0xe331 CLGF    RXYa  Z    -   { compare_logical(W64, r1_64, m2_32) }
    0xe332 LTGF    RXYa  Z    34  { r1_64 = load_and_test(W64, m2_32s) }
    0xe334 CGH     RXYa  Z    34  { compare(W64, r1_64, m2_16s) }
    0xe336 PFD     RXYb  Z    34  { inline hint }                            [-]
    0xe338 AGH     RXYa  Z    58  { r1_64 = add(W64, r1_64, m2_16s); overflow }
    0xe339 SGH     RXYa  Z    58  { r1_64 = subtract(W64, r1_64, m2_16s); overflow }
    0xe33a LLZRGF  RXYa  Z    53  { r1_64 = zero_rightmost_byte(W64, m2_32) }
    0xe33b LZRF    RXYa  Z    53  { r1_32 = zero_rightmost_byte(W32, m2_32) }
    0xe33c MGH     RXYa  Z    58  { r1_64 = multiply(W64, r1_64, m2_16s) }
    0xe33e STRV    RXYa  ESAZ -   { m2_32 = reversed(W32, r1_32) }
    0xe33f STRVH   RXYa  ESAZ -   { m2_16 = reversed(W16, r1_16) }
    0xe346 BCTG    RXYa  Z    -   { ends inline branch_on_count_64 }         [-]
    0xe347 BIC     RXYb  Z    58  { ends inline branch_indirect_on_condition } [- F2]
    0xe348 LLGFSG  RXYa  Z    133 { ends call load_logical_and_shift_guarded } [- F2]
    0xe349 STGSC   RXYa  Z    133 { call store_guarded_storage_controls }    [- S2(32) SO]
    0xe34c LGG     RXYa  Z    133 { ends call load_guarded }                 [- F2]
    0xe34d LGSC    RXYa  Z    133 { call load_guarded_storage_controls }     [- F2 SO]
    0xe350 STY     RXYa  Z    18  { m2_32 = load(W32, r1_32) }
    0xe351 MSY     RXYa  Z    18  { r1_32 = multiply(W32, r1_32, m2_32) }
    0xe353 MSC     RXYa  Z    58  { call multiply_single_storage }         [0123 F2 IF] as [MultiplySingle(W32)]
    0xe354 NY      RXYa  Z    18  { r1_32 = and(W32, r1_32, m2_32) }
    0xe355 CLY     RXYa  Z    18  { compare_logical(W32, r1_32, m2_32) }
    0xe356 OY      RXYa  Z    18  { r1_32 = or(W32, r1_32, m2_32) }
    0xe357 XY      RXYa  Z    18  { r1_32 = exclusive_or(W32, r1_32, m2_32) }
    0xe358 LY      RXYa  Z    18  { r1_32 = load(W32, m2_32) }
    0xe359 CY      RXYa  Z    18  { compare(W32, r1_32, m2_32) }
    0xe35a AY      RXYa  Z    18  { r1_32 = add(W32, r1_32, m2_32); overflow }
    0xe35b SY      RXYa  Z    18  { r1_32 = subtract(W32, r1_32, m2_32); overflow }
    0xe35c MFY     RXYa  Z    34  { inline multiply }                        [- F2 E1]
    0xe35e ALY     RXYa  Z    18  { r1_32 = add_logical(W32, r1_32, m2_32) }
    0xe35f SLY     RXYa  Z    18  { r1_32 = subtract_logical(W32, r1_32, m2_32) }
    0xe370 STHY    RXYa  Z    18  { m2_16 = load(W16, r1_16) }
    0xe371 LAY     RXYa  Z    18  { inline load_address }                    [-] as [LoadAddress]
    0xe372 STCY    RXYa  Z    18  { m2_8 = load(W8, r1_8) }
    0xe373 ICY     RXYa  Z    18  { r1_8 = load(W8, m2_8) }
    0xe375 LAEY    RXYa  Z    34  { call load_address_extended }             [-]
    0xe376 LB      RXYa  Z    18  { r1_32 = load(W32, m2_8s) }
    0xe377 LGB     RXYa  Z    18  { r1_64 = load(W64, m2_8s) }
    0xe378 LHY     RXYa  Z    18  { r1_32 = load(W32, m2_16s) }
    0xe379 CHY     RXYa  Z    18  { compare(W32, r1_32, m2_16s) }
    0xe37a AHY     RXYa  Z    18  { r1_32 = add(W32, r1_32, m2_16s); overflow }
    0xe37b SHY     RXYa  Z    18  { r1_32 = subtract(W32, r1_32, m2_16s); overflow }
    0xe37c MHY     RXYa  Z    34  { r1_32 = multiply(W32, r1_32, m2_16s) }
    0xe380 NG      RXYa  Z    -   { r1_64 = and(W64, r1_64, m2_64) }
    0xe381 OG      RXYa  Z    -   { r1_64 = or(W64, r1_64, m2_64) }
    0xe382 XG      RXYa  Z    -   { r1_64 = exclusive_or(W64, r1_64, m2_64) }
    0xe383 MSGC    RXYa  Z    58  { call multiply_single_long_storage }      [0123 F2 IF] as [MultiplySingle(W64)]
    0xe384 MG      RXYa  Z    58  { call multiply_long }                     [- F2 E1]
    0xe385 LGAT    RXYa  Z    49  { inline load_and_trap_long }              [- F2 DX]
    0xe386 MLG     RXYa  Z    -   { call multiply_logical_long }             [- F2 E1] as [MultiplyLogical]
    0xe387 DLG     RXYa  Z    -   { call divide_logical_long } [- F2 E1 IK] as [DivideLogical { storage: true }]
    0xe388 ALCG    RXYa  Z    -   { r1_64 = add_logical_with_carry(W64, r1_64, m2_64) } as [AddCarry(W64)]
    0xe389 SLBG    RXYa  Z    -   { r1_64 = subtract_logical_with_borrow(W64, r1_64, m2_64) } as [SubtractBorrow(W64)]
    0xe38e STPQ    RXYa  Z    -   { call store_pair_to_quadword }            [- S2(16) Q2 E1]
    0xe38f LPQ     RXYa  Z    -   { call load_pair_from_quadword }           [- F2 Q2 E1]
    0xe390 LLGC    RXYa  Z    -   { r1_64 = load(W64, m2_8) }
    0xe391 LLGH    RXYa  Z    -   { r1_64 = load(W64, m2_16) }
    0xe394 LLC     RXYa  Z    21  { r1_32 = load(W32, m2_8) }
    0xe395 LLH     RXYa  Z    21  { r1_32 = load(W32, m2_16) }
    0xe396 ML      RXYa  ESAZ -   { inline multiply_logical }                [- F2 E1]
    0xe397 DL      RXYa  ESAZ -   { call divide_logical }                    [- F2 E1 IK]
    0xe398 ALC     RXYa  ESAZ -   { r1_32 = add_logical_with_carry(W32, r1_32, m2_32) } as [AddCarry(W32)]
    0xe399 SLB     RXYa  ESAZ -   { r1_32 = subtract_logical_with_borrow(W32, r1_32, m2_32) } as [SubtractBorrow(W32)]
    0xe39c LLGTAT  RXYa  Z    49  { inline load_logical_thirty_one_bits_and_trap } [- F2 DX]
    0xe39d LLGFAT  RXYa  Z    49  { inline load_logical_and_trap }           [- F2 DX]
    0xe39f LAT     RXYa  Z    49  { inline load_and_trap }                   [- F2 DX]
    0xe3c0 LBH     RXYa  Z    45  { r1_h = load(W32, m2_8s) }
    0xe3c2 LLCH    RXYa  Z    45  { r1_h = load(W32, m2_8) }
    0xe3c3 STCH    RXYa  Z    45  { m2_8 = load(W8, r1_h) }
    0xe3c4 LHH     RXYa  Z    45  { r1_h = load(W32, m2_16s) }
    0xe3c6 LLHH    RXYa  Z    45  { r1_h = load(W32, m2_16) }
    0xe3c7 STHH    RXYa  Z    45  { m2_16 = load(W16, r1_h) }
    0xe3c8 LFHAT   RXYa  Z    49  { inline load_and_trap_high }              [- F2 DX]
    0xe3ca LFH     RXYa  Z    45  { r1_h = load(W32, m2_32) }
    0xe3cb STFH    RXYa  Z    45  { m2_32 = load(W32, r1_h) }
    0xe3cd CHF     RXYa  Z    45  { compare(W32, r1_h, m2_32) }
    0xe3cf CLHF    RXYa  Z    45  { compare_logical(W32, r1_h, m2_32) }
    0xe50a MVCRL   SSE   Z    61  { call move_right_to_left }                [- S1(Register0) F2]
    0xe544 MVHHI   SIL   Z    34  { m1_16 = load(W16, imm) }
    0xe548 MVGHI   SIL   Z    34  { m1_64 = load(W64, imm) }
    0xe54c MVHI    SIL   Z    34  { m1_32 = load(W32, imm) }
    0xe554 CHHSI   SIL   Z    34  { compare(W16, m1_16, imm) }
    0xe555 CLHHSI  SIL   Z    34  { compare_logical(W16, m1_16, imm16u) }
    0xe558 CGHSI   SIL   Z    34  { compare(W64, m1_64, imm) }
    0xe559 CLGHSI  SIL   Z    34  { compare_logical(W64, m1_64, imm16u) }
    0xe55c CHSI    SIL   Z    34  { compare(W32, m1_32, imm) }
    0xe55d CLFHSI  SIL   Z    34  { compare_logical(W32, m1_32, imm16u) }
    0xe560 TBEGIN  SIL   Z    73  { ends call transaction_begin }            [0 S1(Tested) D1 SO SP] as [Once]
    0xe561 TBEGINC SIL   Z    73  { ends call transaction_begin_constrained } [0 SO SP] as [Once] is [Number]
    0xe727 LCBB    RXE   Z    129 { inline load_count_to_block_boundary }    [03 SP]
    0xe8   MVCIN   SSa   ALL  -   { call move_inverse }                      [- S1 F2]
    0xe9   PKA     SSf   ESAZ -   { call pack_ascii }                        [- S1(16) F2 SP]
    0xea   UNPKA   SSa   ESAZ -   { call unpack_ascii }                      [013 S1 F2 SP]
    0xeb04 LMG     RSYa  Z    -   { call load_multiple_long }                [- F2] as [LoadMultiple(W64)]
    0xeb0a SRAG    RSYa  Z    -   { r1_64 = shift_right(W64, r3_64, shift) }
    0xeb0b SLAG    RSYa  Z    -   { r1_64 = shift_left(W64, r3_64, shift); overflow }
    0xeb0c SRLG    RSYa  Z    -   { r1_64 = shift_right_logical(W64, r3_64, shift) }
    0xeb0d SLLG    RSYa  Z    -   { r1_64 = shift_left_logical(W64, r3_64, shift) }
    0xeb14 CSY     RSYa  Z    18  { call compare_and_swap }                  [01 S2(4) W2] as [CompareAndSwap(W32)]
    0xeb1c RLLG    RSYa  Z    -   { r1_64 = rotate_left(W64, r3_64, shift) }
    0xeb1d RLL     RSYa  ESAZ -   { r1_32 = rotate_left(W32, r3_32, shift) }
    0xeb20 CLMH    RSYb  Z    -   { call compare_logical_characters_under_mask_high } [012 F2]
    0xeb21 CLMY    RSYb  Z    18  { call compare_logical_characters_under_mask } [012 F2] as [CompareUnderMask]
    0xeb23 CLT     RSYb  Z    49  { inline compare_logical_storage_and_trap } [- F2 DX]
    0xeb24 STMG    RSYa  Z    -   { call store_multiple_long }               [- S2(Doublewords)] as [StoreMultiple(W64)]
    0xeb26 STMH    RSYa  Z    -   { call store_multiple_high }               [- S2(Words)]
    0xeb2b CLGT    RSYb  Z    49  { inline compare_logical_storage_and_trap_long } [- F2 DX]
    0xeb2c STCMH   RSYb  Z    -   { call store_characters_under_mask_high }  [- S2(Mask)]
    0xeb2d STCMY   RSYb  Z    18  { inline store_under_mask_or_part }        [- S2(Mask)] as [StoreUnderMask]
    0xeb30 CSG     RSYa  Z    -   { call compare_and_swap_long }             [01 S2(8) D2] as [CompareAndSwap(W64)]
    0xeb31 CDSY    RSYa  Z    18  { call compare_double_and_swap }           [01 S2(8) D2 E1 E3]
    0xeb3e CDSG    RSYa  Z    -   { call compare_double_and_swap_long }      [01 S2(16) Q2 E1 E3]
    0xeb44 BXHG    RSYa  Z    -   { ends inline branch_on_index_high_long }  [-]
    0xeb45 BXLEG   RSYa  Z    -   { ends inline branch_on_index_low_or_equal_long } [-]
    0xeb4c ECAG    RSYa  Z    34  { call extract_cpu_attribute }             [-] is [Number]
    0xeb51 TMY     SIY   Z    18  { test_under_mask(W8, m1_8, imm) }
    0xeb52 MVIY    SIY   Z    18  { m1_8 = load(W8, imm) }
    0xeb54 NIY     SIY   Z    18  { inline and_immediate }                   [01 S1(1)]
    0xeb55 CLIY    SIY   Z    18  { compare_logical(W8, m1_8, imm) }
    0xeb56 OIY     SIY   Z    18  { inline or_immediate }                    [01 S1(1)]
    0xeb57 XIY     SIY   Z    18  { inline exclusive_or_immediate }          [01 S1(1)]
    0xeb6a ASI     SIY   Z    34  { call add_immediate_to_word }             [0123 S1(4) IF] as [add_stored(W32)]
    0xeb6e ALSI    SIY   Z    34  { call add_logical_immediate_to_word }     [0123 S1(4)] as [add_logical_stored(W32)]
    0xeb7a AGSI    SIY   Z    34  { call add_immediate_to_doubleword }       [0123 S1(8) IF] as [add_stored(W64)]
    0xeb7e ALGSI   SIY   Z    34  { call add_logical_immediate_to_doubleword } [0123 S1(8)] as [add_logical_stored(W64)]
    0xeb80 ICMH    RSYb  Z    -   { call insert_characters_under_mask_high } [012 F2]
    0xeb81 ICMY    RSYb  Z    18  { inline insert_under_mask_or_word }       [012 F2] as [InsertUnderMask]
    0xeb8e MVCLU   RSYa  ESAZ -   { call move_long_unicode }                 [0123 S1(Pair) F3 E1 E3 SP] is [Number]
    0xeb8f CLCLU   RSYa  ESAZ 18  { call compare_logical_long_unicode }      [0123 F1 F3 E1 E3 SP] is [Number]
    0xeb90 STMY    RSYa  Z    18  { call store_multiple }                    [- S2(Words)] as [StoreMultiple(W32)]
    0xeb96 LMH     RSYa  Z    -   { call load_multiple_high }                [- F2]
    0xeb98 LMY     RSYa  Z    18  { call load_multiple }                     [- F2] as [LoadMultiple(W32)]
    0xeb9a LAMY    RSYa  Z    18  { call load_access_multiple }              [- F2 W2]
    0xeb9b STAMY   RSYa  Z    18  { call store_access_multiple }             [- S2(Words) W2]
    0xebdc SRAK    RSYa  Z    45  { r1_32 = shift_right(W32, r3_32, shift) }
    0xebdd SLAK    RSYa  Z    45  { r1_32 = shift_left(W32, r3_32, shift); overflow }
    0xebde SRLK    RSYa  Z    45  { r1_32 = shift_right_logical(W32, r3_32, shift) }
    0xebdf SLLK    RSYa  Z    45  { r1_32 = shift_left_logical(W32, r3_32, shift) }
    0xebe0 LOCFH   RSYb  Z    53  { inline load_on_condition_high }          [- F2]
    0xebe1 STOCFH  RSYb  Z    53  { inline store_on_condition_high }         [- S2(4)]
    0xebe2 LOCG    RSYb  Z    45  { inline load_on_condition_long }          [- F2]
    0xebe3 STOCG   RSYb  Z    45  { inline store_on_condition_long }         [- S2(8)]
    0xebe4 LANG    RSYa  Z    45  { call load_and_and_long }                 [01 S2(8) D2]
    0xebe6 LAOG    RSYa  Z    45  { call load_and_or_long }                  [01 S2(8) D2]
    0xebe7 LAXG    RSYa  Z    45  { call load_and_exclusive_or_long }        [01 S2(8) D2]
    0xebe8 LAAG    RSYa  Z    45  { call load_and_add_long }                 [0123 S2(8) D2 IF]
    0xebea LAALG   RSYa  Z    45  { call load_and_add_logical_long }         [0123 S2(8) D2]
    0xebf2 LOC     RSYb  Z    45  { inline load_on_condition }               [- F2]
    0xebf3 STOC    RSYb  Z    45  { inline store_on_condition }              [- S2(4)]
    0xebf4 LAN     RSYa  Z    45  { call load_and_and }                      [01 S2(4) W2]
    0xebf6 LAO     RSYa  Z    45  { call load_and_or }                       [01 S2(4) W2]
    0xebf7 LAX     RSYa  Z    45  { call load_and_exclusive_or }             [01 S2(4) W2]
    0xebf8 LAA     RSYa  Z    45  { call load_and_add }                      [0123 S2(4) W2 IF]
    0xebfa LAAL    RSYa  Z    45  { call load_and_add_logical }              [0123 S2(4) W2]
    0xec42 LOCHI   RIEg  Z    53  { inline load_immediate_on_condition }     [-]
    0xec44 BRXHG   RIEe  Z    -   { ends inline branch_relative_on_index_high_long } [-]
    0xec45 BRXLG   RIEe  Z    -   { ends inline branch_relative_on_index_low_or_equal_long } [-]
    0xec46 LOCGHI  RIEg  Z    53  { inline load_immediate_on_condition_long } [-]
    0xec4e LOCHHI  RIEg  Z    53  { inline load_immediate_on_condition_high } [-]
    0xec51 RISBLG  RIEf  Z    45  { inline rotate_then_insert_low }          [-]
    0xec54 RNSBG   RIEf  Z    34  { inline rotate_then_and }                 [01]
    0xec55 RISBG   RIEf  Z    34  { inline rotate_then_insert }              [012] as [RotateThenInsert]
    0xec56 ROSBG   RIEf  Z    34  { inline rotate_then_or }                  [01]
    0xec57 RXSBG   RIEf  Z    34  { inline rotate_then_exclusive_or }        [01]
    0xec59 RISBGN  RIEf  Z    49  { inline rotate_then_insert_no_cc }        [-] as [RotateThenInsert]
    0xec5d RISBHG  RIEf  Z    45  { inline rotate_then_insert_high }         [-]
    0xec64 CGRJ    RIEb  Z    34  { branch inline compare_and_branch_relative_long } [-]
    0xec65 CLGRJ   RIEb  Z    34  { branch inline compare_logical_and_branch_relative_long } [-]
    0xec70 CGIT    RIEa  Z    34  { inline compare_immediate_and_trap_long } [- DX]
    0xec71 CLGIT   RIEa  Z    34  { inline compare_logical_immediate_and_trap_long } [- DX]
    0xec72 CIT     RIEa  Z    34  { inline compare_immediate_and_trap }      [- DX]
    0xec73 CLFIT   RIEa  Z    34  { inline compare_logical_immediate_and_trap } [- DX]
    0xec76 CRJ     RIEb  Z    34  { branch inline compare_and_branch_relative } [-]
    0xec77 CLRJ    RIEb  Z    34  { branch inline compare_logical_and_branch_relative } [-]
    0xec7c CGIJ    RIEc  Z    34  { branch inline compare_immediate_and_branch_relative_long } [-]
    0xec7d CLGIJ   RIEc  Z    34  { branch inline compare_logical_immediate_and_branch_relative_long } [-]
    0xec7e CIJ     RIEc  Z    34  { branch inline compare_immediate_and_branch_relative } [-]
    0xec7f CLIJ    RIEc  Z    34  { branch inline compare_logical_immediate_and_branch_relative } [-]
    0xecd8 AHIK    RIEd  Z    45  { r1_32 = add(W32, r3_32, imm); overflow }
    0xecd9 AGHIK   RIEd  Z    45  { r1_64 = add(W64, r3_64, imm); overflow }
    0xecda ALHSIK  RIEd  Z    45  { r1_32 = add_logical(W32, r3_32, imm) }
    0xecdb ALGHSIK RIEd  Z    45  { r1_64 = add_logical(W64, r3_64, imm) }
    0xece4 CGRB    RRS   Z    34  { ends inline compare_and_branch_long }    [-]
    0xece5 CLGRB   RRS   Z    34  { ends inline compare_logical_and_branch_long } [-]
    0xecf6 CRB     RRS   Z    34  { ends inline compare_and_branch }         [-]
    0xecf7 CLRB    RRS   Z    34  { ends inline compare_logical_and_branch } [-]
    0xecfc CGIB    RIS   Z    34  { ends inline compare_immediate_and_branch_long } [-]
    0xecfd CLGIB   RIS   Z    34  { ends inline compare_logical_immediate_and_branch_long } [-]
    0xecfe CIB     RIS   Z    34  { ends inline compare_immediate_and_branch } [-]
    0xecff CLIB    RIS   Z    34  { ends inline compare_logical_immediate_and_branch } [-]
    0xee   PLO     SSe   ESAZ -   { call perform_locked_operation }          [0123 S2(Locked) S4(LockedOther) SP]
    0xef   LMD     SSe   Z    -   { call load_multiple_disjoint }            [- F2 F4]
    0xf1   MVO     SSb   ALL  -   { call move_with_offset }                  [- S1 F2]
    0xf2   PACK    SSb   ALL  -   { call pack_zoned }                        [- S1 F2]
    0xf3   UNPK    SSb   ALL  -   { call unpack_zoned }                      [- S1 F2]
}
