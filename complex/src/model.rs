//! Models of processors: which facilities came with each, and what it says of itself.

use crate::FACILITIES;
use crate::stsi::Identity;
pub use arch::Model;
use arch::Model::*;
use cpu::Facilities;

/// Which model a facility came with; what came before the z10 is not here.
const SINCE: &[(Model, &[u32])] = &[
    // Floating-point extension, the z196's own, key setting, reference bits of many frames, access exceptions that tell
    // fetch from store, more of cryptography.
    (Z196, &[13, 14, 37, 45, 66, 75, 76, 77]),
    // Zoned conversion, hints, transactions, local TLB clearing, interlocked access 2, pages of two gigabytes.
    (Zec12, &[48, 49, 50, 51, 52, 73, 78]),
    // Load/store on condition 2, random numbers, packed conversion, vectors, counters at once.
    (Z13, &[53, 57, 80, 129, 142]),
    // Miscellaneous 2, execution protection, side effects, guarded storage, packed decimal, vectors 1, reference bits,
    // cryptography 8.
    (Z14, &[58, 130, 131, 133, 134, 135, 145, 146]),
    // Miscellaneous 3, vectors 2, DEFLATE, packed decimal 1, cryptography 9.
    (Z15, &[61, 148, 151, 152, 155]),
    // Packed decimal 2, the breaking-event-address register, reset of DAT protection, counting of activity.
    (Z16, &[192, 193, 194, 196]),
];

/// The facilities that are built and that a model has.
pub fn facilities(model: Model) -> Facilities {
    let mut list = FACILITIES;
    for &bit in SINCE.iter().filter(|(since, _)| *since > model).flat_map(|(_, bits)| bits.iter()) {
        list.0[bit as usize / 64] &= !(1 << (63 - bit % 64));
    }
    list
}

/// What a machine of a model says of itself.
pub fn identity(model: Model) -> Identity {
    Identity { machine_type: model.machine_type().into(), ..Identity::default() }
}
