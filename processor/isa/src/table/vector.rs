//! Vector instructions (POP, chapters 21 to 25).

use crate::cpu_trait::{Cpu, Step};
use crate::fields::Fields;
use crate::vector::*;
use cpu::State;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0xe601 VLEBRH  VRX   Z    148 { call load_reversed_element::<u16> }
    0xe602 VLEBRG  VRX   Z    148 { call load_reversed_element::<u64> }
    0xe603 VLEBRF  VRX   Z    148 { call load_reversed_element::<u32> }
    0xe604 VLLEBRZ VRX   Z    148 { call load_reversed_and_zero }
    0xe605 VLBRREP VRX   Z    148 { call load_reversed_and_replicate }
    0xe606 VLBR    VRX   Z    148 { call load_bytes_reversed }
    0xe607 VLER    VRX   Z    148 { call load_elements_reversed }
    0xe609 VSTEBRH VRX   Z    148 { call store_reversed_element::<u16> }
    0xe60a VSTEBRG VRX   Z    148 { call store_reversed_element::<u64> }
    0xe60b VSTEBRF VRX   Z    148 { call store_reversed_element::<u32> }
    0xe60e VSTBR   VRX   Z    148 { call store_bytes_reversed }
    0xe60f VSTER   VRX   Z    148 { call store_elements_reversed }
    0xe634 VPKZ    VSI   Z    134 { unbuilt }
    0xe635 VLRL    VSI   Z    134 { unbuilt }
    0xe637 VLRLR   VRSd  Z    134 { unbuilt }
    0xe63c VUPKZ   VSI   Z    134 { unbuilt }
    0xe63d VSTRL   VSI   Z    134 { unbuilt }
    0xe63f VSTRLR  VRSd  Z    134 { unbuilt }
    0xe649 VLIP    VRIh  Z    134 { unbuilt }
    0xe650 VCVB    VRRi  Z    134 { unbuilt }
    0xe652 VCVBG   VRRi  Z    134 { unbuilt }
    0xe658 VCVD    VRIi  Z    134 { unbuilt }
    0xe659 VSRP    VRIg  Z    134 { unbuilt }
    0xe65a VCVDG   VRIi  Z    134 { unbuilt }
    0xe65b VPSOP   VRIg  Z    134 { unbuilt }
    0xe65f VTP     VRRg  Z    134 { unbuilt }
    0xe671 VAP     VRIf  Z    134 { unbuilt }
    0xe673 VSP     VRIf  Z    134 { unbuilt }
    0xe677 VCP     VRRh  Z    134 { unbuilt }
    0xe678 VMP     VRIf  Z    134 { unbuilt }
    0xe679 VMSP    VRIf  Z    134 { unbuilt }
    0xe67a VDP     VRIf  Z    134 { unbuilt }
    0xe67b VRP     VRIf  Z    134 { unbuilt }
    0xe67e VSDP    VRIf  Z    134 { unbuilt }
    0xe700 VLEB    VRX   Z    129 { call load_element::<u8> }
    0xe701 VLEH    VRX   Z    129 { call load_element::<u16> }
    0xe702 VLEG    VRX   Z    129 { inline load_doubleword }
    0xe703 VLEF    VRX   Z    129 { call load_element::<u32> }
    0xe704 VLLEZ   VRX   Z    129 { call load_logical_element_and_zero }
    0xe705 VLREP   VRX   Z    129 { call load_and_replicate }
    0xe706 VL      VRX   Z    129 { inline load }
    0xe707 VLBB    VRX   Z    129 { call load_to_block_boundary }
    0xe708 VSTEB   VRX   Z    129 { call store_element::<u8> }
    0xe709 VSTEH   VRX   Z    129 { call store_element::<u16> }
    0xe70a VSTEG   VRX   Z    129 { inline store_doubleword }
    0xe70b VSTEF   VRX   Z    129 { call store_element::<u32> }
    0xe70e VST     VRX   Z    129 { inline store }
    0xe712 VGEG    VRV   Z    129 { call gather::<u64> }
    0xe713 VGEF    VRV   Z    129 { call gather::<u32> }
    0xe71a VSCEG   VRV   Z    129 { call scatter::<u64> }
    0xe71b VSCEF   VRV   Z    129 { call scatter::<u32> }
    0xe721 VLGV    VRSc  Z    129 { call load_gr_from_element }
    0xe722 VLVG    VRSb  Z    129 { call load_element_from_gr }
    0xe730 VESL    VRSa  Z    129 { call element_shift_left }
    0xe733 VERLL   VRSa  Z    129 { call element_rotate }
    0xe736 VLM     VRSa  Z    129 { call load_multiple }
    0xe737 VLL     VRSb  Z    129 { call load_with_length }
    0xe738 VESRL   VRSa  Z    129 { call element_shift_right_logical }
    0xe73a VESRA   VRSa  Z    129 { call element_shift_right }
    0xe73e VSTM    VRSa  Z    129 { call store_multiple }
    0xe73f VSTL    VRSb  Z    129 { call store_with_length }
    0xe740 VLEIB   VRIa  Z    129 { call load_element_immediate::<u8> }
    0xe741 VLEIH   VRIa  Z    129 { call load_element_immediate::<u16> }
    0xe742 VLEIG   VRIa  Z    129 { call load_element_immediate::<u64> }
    0xe743 VLEIF   VRIa  Z    129 { call load_element_immediate::<u32> }
    0xe744 VGBM    VRIa  Z    129 { inline generate_byte_mask }
    0xe745 VREPI   VRIa  Z    129 { call replicate_immediate }
    0xe746 VGM     VRIb  Z    129 { call generate_mask }
    0xe74a VFTCI   VRIe  Z    129 { call fp_test_data_class }
    0xe74d VREP    VRIc  Z    129 { call replicate_element }
    0xe750 VPOPCT  VRRa  Z    129 { call population_count }
    0xe752 VCTZ    VRRa  Z    129 { call count_trailing_zeros }
    0xe753 VCLZ    VRRa  Z    129 { call count_leading_zeros }
    0xe756 VLR     VRRa  Z    129 { inline load_register }
    0xe75c VISTR   VRRa  Z    129 { call isolate_string }
    0xe75f VSEG    VRRa  Z    129 { call sign_extend }
    0xe760 VMRL    VRRc  Z    129 { call merge_low }
    0xe761 VMRH    VRRc  Z    129 { call merge_high }
    0xe762 VLVGP   VRRf  Z    129 { inline load_pair }
    0xe764 VSUM    VRRc  Z    129 { call sum_across_word }
    0xe765 VSUMG   VRRc  Z    129 { call sum_across_doubleword }
    0xe766 VCKSM   VRRc  Z    129 { call checksum }
    0xe767 VSUMQ   VRRc  Z    129 { call sum_across_quadword }
    0xe768 VN      VRRc  Z    129 { inline and }
    0xe769 VNC     VRRc  Z    129 { inline and_complement }
    0xe76a VO      VRRc  Z    129 { inline or }
    0xe76b VNO     VRRc  Z    129 { inline nor }
    0xe76c VNX     VRRc  Z    135 { inline not_exclusive_or }
    0xe76d VX      VRRc  Z    129 { inline exclusive_or }
    0xe76e VNN     VRRc  Z    135 { inline nand }
    0xe76f VOC     VRRc  Z    135 { inline or_complement }
    0xe770 VESLV   VRRc  Z    129 { call element_shift_left_by }
    0xe772 VERIM   VRId  Z    129 { call rotate_and_insert }
    0xe773 VERLLV  VRRc  Z    129 { call element_rotate_by }
    0xe774 VSL     VRRc  Z    129 { call shift_left }
    0xe775 VSLB    VRRc  Z    129 { call shift_left_by_byte }
    0xe777 VSLDB   VRId  Z    129 { call shift_left_double_by_byte }
    0xe778 VESRLV  VRRc  Z    129 { call element_shift_right_logical_by }
    0xe77a VESRAV  VRRc  Z    129 { call element_shift_right_by }
    0xe77c VSRL    VRRc  Z    129 { call shift_right_logical }
    0xe77d VSRLB   VRRc  Z    129 { call shift_right_logical_by_byte }
    0xe77e VSRA    VRRc  Z    129 { call shift_right }
    0xe77f VSRAB   VRRc  Z    129 { call shift_right_by_byte }
    0xe780 VFEE    VRRb  Z    129 { call find_equal }
    0xe781 VFENE   VRRb  Z    129 { call find_not_equal }
    0xe782 VFAE    VRRb  Z    129 { call find_any_equal }
    0xe784 VPDI    VRRc  Z    129 { call permute_doubleword }
    0xe785 VBPERM  VRRc  Z    135 { call permute_bits }
    0xe786 VSLD    VRId  Z    148 { call shift_left_double_by_bit }
    0xe787 VSRD    VRId  Z    148 { call shift_right_double_by_bit }
    0xe78a VSTRC   VRRd  Z    129 { call range_compare }
    0xe78b VSTRS   VRRd  Z    148 { call string_search }
    0xe78c VPERM   VRRe  Z    129 { call permute }
    0xe78d VSEL    VRRe  Z    129 { inline select }
    0xe78e VFMS    VRRe  Z    129 { call fp_multiply_subtract }
    0xe78f VFMA    VRRe  Z    129 { call fp_multiply_add }
    0xe794 VPK     VRRc  Z    129 { call pack }
    0xe795 VPKLS   VRRb  Z    129 { call pack_logical_saturate }
    0xe797 VPKS    VRRb  Z    129 { call pack_saturate }
    0xe79e VFNMS   VRRe  Z    135 { call fp_negative_multiply_subtract }
    0xe79f VFNMA   VRRe  Z    135 { call fp_negative_multiply_add }
    0xe7a1 VMLH    VRRc  Z    129 { call multiply_logical_high }
    0xe7a2 VML     VRRc  Z    129 { call multiply_low }
    0xe7a3 VMH     VRRc  Z    129 { call multiply_high }
    0xe7a4 VMLE    VRRc  Z    129 { call multiply_logical_even }
    0xe7a5 VMLO    VRRc  Z    129 { call multiply_logical_odd }
    0xe7a6 VME     VRRc  Z    129 { call multiply_even }
    0xe7a7 VMO     VRRc  Z    129 { call multiply_odd }
    0xe7a9 VMALH   VRRd  Z    129 { call multiply_add_logical_high }
    0xe7aa VMAL    VRRd  Z    129 { call multiply_add_low }
    0xe7ab VMAH    VRRd  Z    129 { call multiply_add_high }
    0xe7ac VMALE   VRRd  Z    129 { call multiply_add_logical_even }
    0xe7ad VMALO   VRRd  Z    129 { call multiply_add_logical_odd }
    0xe7ae VMAE    VRRd  Z    129 { call multiply_add_even }
    0xe7af VMAO    VRRd  Z    129 { call multiply_add_odd }
    0xe7b4 VGFM    VRRc  Z    129 { call galois_multiply_sum }
    0xe7b8 VMSL    VRRd  Z    135 { call multiply_sum_logical }
    0xe7b9 VACCC   VRRd  Z    129 { call add_with_carry_carry }
    0xe7bb VAC     VRRd  Z    129 { call add_with_carry }
    0xe7bc VGFMA   VRRd  Z    129 { call galois_multiply_sum_accumulate }
    0xe7bd VSBCBI  VRRd  Z    129 { call subtract_with_borrow_borrow }
    0xe7bf VSBI    VRRd  Z    129 { call subtract_with_borrow }
    0xe7c0 VCLFP   VRRa  Z    129 { call fp_to_logical }
    0xe7c1 VCFPL   VRRa  Z    129 { call fp_from_logical }
    0xe7c2 VCSFP   VRRa  Z    129 { call fp_to_fixed }
    0xe7c3 VCFPS   VRRa  Z    129 { call fp_from_fixed }
    0xe7c4 VFLL    VRRa  Z    129 { call fp_load_lengthened }
    0xe7c5 VFLR    VRRa  Z    129 { call fp_load_rounded }
    0xe7c7 VFI     VRRa  Z    129 { call fp_load_integer }
    0xe7ca WFK     VRRa  Z    129 { call fp_compare_and_signal_scalar }
    0xe7cb WFC     VRRa  Z    129 { call fp_compare_scalar }
    0xe7cc VFPSO   VRRa  Z    129 { call fp_perform_sign }
    0xe7ce VFSQ    VRRa  Z    129 { call fp_square_root }
    0xe7d4 VUPLL   VRRa  Z    129 { call unpack_logical_low }
    0xe7d5 VUPLH   VRRa  Z    129 { call unpack_logical_high }
    0xe7d6 VUPL    VRRa  Z    129 { call unpack_low }
    0xe7d7 VUPH    VRRa  Z    129 { call unpack_high }
    0xe7d8 VTM     VRRa  Z    129 { call test_under_mask }
    0xe7d9 VECL    VRRa  Z    129 { call element_compare_logical }
    0xe7db VEC     VRRa  Z    129 { call element_compare }
    0xe7de VLC     VRRa  Z    129 { call complement }
    0xe7df VLP     VRRa  Z    129 { call positive }
    0xe7e2 VFS     VRRc  Z    129 { call fp_subtract }
    0xe7e3 VFA     VRRc  Z    129 { call fp_add }
    0xe7e5 VFD     VRRc  Z    129 { call fp_divide }
    0xe7e7 VFM     VRRc  Z    129 { call fp_multiply }
    0xe7e8 VFCE    VRRc  Z    129 { call fp_compare_equal }
    0xe7ea VFCHE   VRRc  Z    129 { call fp_compare_high_or_equal }
    0xe7eb VFCH    VRRc  Z    129 { call fp_compare_high }
    0xe7ee VFMIN   VRRc  Z    135 { call fp_minimum }
    0xe7ef VFMAX   VRRc  Z    135 { call fp_maximum }
    0xe7f0 VAVGL   VRRc  Z    129 { call average_logical }
    0xe7f1 VACC    VRRc  Z    129 { call add_carry }
    0xe7f2 VAVG    VRRc  Z    129 { call average }
    0xe7f3 VA      VRRc  Z    129 { call add }
    0xe7f5 VSCBI   VRRc  Z    129 { call subtract_borrow }
    0xe7f7 VS      VRRc  Z    129 { call subtract }
    0xe7f8 VCEQ    VRRb  Z    129 { call compare_equal }
    0xe7f9 VCHL    VRRb  Z    129 { call compare_high_logical }
    0xe7fb VCH     VRRb  Z    129 { call compare_high }
    0xe7fc VMNL    VRRc  Z    129 { call minimum_logical }
    0xe7fd VMXL    VRRc  Z    129 { call maximum_logical }
    0xe7fe VMN     VRRc  Z    129 { call minimum }
    0xe7ff VMX     VRRc  Z    129 { call maximum }
}
