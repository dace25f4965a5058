//! Models of processors: what each has, and what it says of itself.

use complex::model::Model::*;
use complex::model::{Model, facilities, identity};
use complex::{FACILITIES, Identity};

#[test]
fn each_model_has_what_those_before_it_have() {
    for (n, model) in Model::all().enumerate() {
        let list = facilities(model);
        assert_eq!(list.consistent(), list, "{model}: nothing without what it implies");
        for earlier in Model::all().take(n) {
            let missing = facilities(earlier).0.iter().zip(list.0).any(|(a, b)| a & !b != 0);
            assert!(!missing, "{model} lacks something of {earlier}");
        }
    }
    assert_eq!(facilities(Max), FACILITIES);
}

/// What kernels and programs of each level look for (kernel: `CONFIG_MARCH_*`; programs: HWCAP).
#[test]
fn levels_are_what_programs_look_for() {
    let has = |model: Model, bits: &[u32]| bits.iter().all(|&bit| facilities(model).has(bit));
    let has_none = |model: Model, bits: &[u32]| bits.iter().all(|&bit| !facilities(model).has(bit));
    assert!(has(Z10, &[0, 1, 18, 21, 25, 27, 32, 33, 34, 35, 42, 43, 44]));
    assert!(has_none(Z10, &[37, 45, 48, 49, 53, 129]));
    assert!(has(Z196, &[37, 45, 77]) && has_none(Z196, &[48, 49, 73, 78]));
    assert!(has(Zec12, &[48, 49, 50, 73, 78]) && has_none(Zec12, &[53, 80, 129]));
    assert!(has(Z13, &[53, 80, 129]) && has_none(Z13, &[58, 134, 135]));
    assert!(has(Z14, &[58, 134, 135, 146]) && has_none(Z14, &[61, 148, 151, 152]));
    assert!(has(Z15, &[61, 148, 151, 152]) && has_none(Z15, &[193]));
    assert!(has(Z16, &[193]));
}

#[test]
fn a_model_has_its_machine_type() {
    assert_eq!(identity(Z14).cpu_id() >> 16 & 0xffff, 0x3906);
    assert_eq!(identity(Max), Identity::default());
}
