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
    assert!(has(Z196, &[37, 45, 75, 77]) && has_none(Z196, &[48, 49, 52, 73, 78]));
    assert!(has(Zec12, &[48, 49, 50, 52, 73, 78]) && has_none(Zec12, &[53, 80, 129]));
    assert!(has(Z13, &[53, 80, 129]) && has_none(Z13, &[58, 134, 135]));
    assert!(has(Z14, &[58, 130, 131, 133, 134, 135, 146]) && has_none(Z14, &[61, 148, 151, 152, 155]));
    assert!(has(Z15, &[61, 148, 151, 152, 155]) && has_none(Z15, &[193]));
    assert!(has(Z16, &[193, 194, 196]));
}

/// What a kernel looks for before it starts, by the machine that it was built for: bits that those before it do not
/// look for.
static KERNELS: [(Model, &[u32]); 7] = [
    (Z10, &[0, 1, 18, 21, 25, 27, 32, 33, 34, 35]),
    (Z196, &[45]),
    (Zec12, &[49, 52]),
    (Z13, &[53]),
    (Z14, &[58]),
    (Z15, &[61]),
    (Z16, &[]),
];

#[test]
fn a_kernel_starts_on_its_model_and_on_none_before_it() {
    for model in Model::all() {
        let list = facilities(model).consistent();
        for &(kernel, _) in &KERNELS {
            // One for the z16 looks for nothing that the z15 lacks.
            let starts = kernel <= model || (kernel, model) == (Z16, Z15);
            let mut of_all = KERNELS.iter().filter(|(earlier, _)| *earlier <= kernel).flat_map(|(_, bits)| bits.iter());
            assert_eq!(of_all.all(|&bit| list.has(bit)), starts, "a kernel for {kernel} on {model}");
        }
    }
}

/// The features that Linux shows in /proc/cpuinfo, and the facilities that it derives them from.
static FEATURES: [(&str, &[u32]); 19] = [
    ("esan3", &[0]),
    ("stfle", &[7]),
    ("msa", &[17]),
    ("ldisp", &[19]),
    ("eimm", &[21]),
    ("dfp", &[42, 44]),
    ("edat", &[8]),
    ("etf3eh", &[22, 30]),
    ("te", &[73]),
    ("vx", &[129]),
    ("vxd", &[134]),
    ("vxe", &[135]),
    ("gs", &[133]),
    ("vxe2", &[148]),
    ("vxp", &[152]),
    ("sort", &[150]),
    ("dflt", &[151]),
    ("vxp2", &[192]),
    ("nnpa", &[165]),
];

#[test]
fn features_come_with_models() {
    let old = "esan3 stfle msa ldisp eimm dfp edat etf3eh";
    let expected = [
        (Z10, old.to_string()),
        (Z196, old.to_string()),
        (Zec12, format!("{old} te")),
        (Z13, format!("{old} te vx")),
        (Z14, format!("{old} te vx vxd vxe gs")),
        (Z15, format!("{old} te vx vxd vxe gs vxe2 vxp dflt")),
        (Z16, format!("{old} te vx vxd vxe gs vxe2 vxp dflt")),
        (Max, format!("{old} te vx vxd vxe gs vxe2 vxp dflt")),
    ];
    for (model, wanted) in expected {
        let list = facilities(model).consistent();
        let has = |(_, bits): &&(&str, &[u32])| bits.iter().all(|&bit| list.has(bit));
        let found: Vec<&str> = FEATURES.iter().filter(has).map(|(name, _)| *name).collect();
        assert_eq!(found.join(" "), wanted, "{model}");
    }
}

#[test]
fn a_model_has_its_machine_type() {
    assert_eq!(identity(Z14).cpu_id() >> 16 & 0xffff, 0x3906);
    assert_eq!(identity(Max), Identity::default());
}
