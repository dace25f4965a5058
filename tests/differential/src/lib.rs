//! The differential oracle: the same instructions on the same registers and storage, here and under QEMU.

pub mod campaign;
pub mod compare;
pub use vectors::{assemble, encode};
pub mod engines;
pub mod generate;
pub mod hercules;
pub mod image;
mod operands;
pub mod ours;
pub mod programs;
pub mod propose;
pub mod qemu;
pub mod random;

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Ending, Test};
    use vectors::{Registers, SCRATCH};

    fn test(text: &[u8], set: impl FnOnce(&mut Registers)) -> Test {
        let mut before = Registers::default();
        set(&mut before);
        Test { before, text: text.to_vec() }
    }

    /// The oracle's program reports registers, condition code, storage and signals faithfully.
    #[test]
    fn the_image_reports_what_happened() {
        let qemu = match qemu::find() {
            Ok(qemu) => qemu,
            Err(why) => return println!("skipped: {why}"),
        };
        let tests = [
            test(&[], |r| {
                for n in 0..16 {
                    r.gr[n] = 0x1111_2222_3333_0000 + n as u64;
                    r.fpr[n] = 0x4444_5555_6666_0000 + n as u64;
                    r.ar[n] = 0x7777_0000 + n as u32;
                    (r.fpr.0[n][1], r.fpr.0[n + 16]) = (n as u64, [0x8888, n as u64]);
                }
                (r.fpc, r.cc, r.program_mask) = (0xf8f8_ff03, 2, 0xf);
                r.scratch.iter_mut().enumerate().for_each(|(n, b)| *b = n as u8);
            }),
            test(&[0x1e, 0x12], |r| (r.gr[1], r.gr[2], r.cc) = (u64::from(u32::MAX), 1, 1)), // ALR 1,2
            test(&[0x00, 0x00], |r| (r.gr[15], r.fpr[7], r.ar[3], r.cc, r.fpc) = (5, 6, 7, 3, 0x3)),
            test(&[0x58, 0x10, 0x20, 0x00], |r| r.gr[2] = 0x7fff_fffc), // L 1,0(2)
            test(&[0x1d, 0x02], |_| ()),                                // DR 0,2
            test(&[0xd7, 0x03, 0x10, 0x00, 0x10, 0x00], |r| {
                r.gr[1] = SCRATCH + 8;
                r.scratch[8..12].fill(9)
            }),
            test(&[0x1a, 0x12], |r| (r.gr[1], r.gr[2], r.program_mask) = (0x7fff_ffff, 1, 8)), // AR
        ];
        let outcomes = qemu::run(&qemu, &tests).expect("the oracle runs");
        for n in [0, 1, 5] {
            assert_eq!(outcomes[n].ending, Ending::Completed);
        }
        assert!(outcomes[0].after == tests[0].before);
        assert_eq!((outcomes[1].after.gr[1], outcomes[1].after.cc), (0, 2));
        assert_eq!((outcomes[5].after.scratch[8], outcomes[5].after.cc), (0, 0));
        assert!(outcomes[2].after == tests[2].before, "{:?}", outcomes[2].after);
        // The oracle never takes a fixed-point-overflow interruption, mask bit or not.
        assert_eq!(outcomes[6].ending, Ending::Completed);
        for n in [2, 3, 4] {
            assert!(matches!(outcomes[n].ending, Ending::Signal { .. }), "test {n}: {:?}", outcomes[n].ending);
        }
    }

    /// A few thousand sequences agree with QEMU, interpreted and translated; `cargo x oracle` runs many more.
    #[test]
    fn a_short_campaign_finds_nothing() {
        let qemu = match qemu::find() {
            Ok(qemu) => qemu,
            Err(why) => return println!("skipped: {why}"),
        };
        let mut report = campaign::run(&qemu, None, 1, 6000).expect("the oracle runs");
        for difference in report.differences.iter_mut().take(10) {
            campaign::shrink(&qemu, difference).expect("the oracle runs");
            println!("{}", difference.text());
        }
        assert!(report.by_mnemonic.is_empty(), "{}", report.summary());
        assert!(report.compared > 5000, "{}", report.summary());
        let host = cfg!(all(target_arch = "x86_64", target_os = "linux")) && engine::unavailable().is_none();
        assert!(
            !host || ours::Engines::translated() > 5000,
            "the translator's share is {}",
            ours::Engines::translated()
        );
    }
}
