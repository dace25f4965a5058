//! Directory sources: the sample damaged, and texts of statements and operands in any order.

use directory::{Directory, Passwords, sample, statement_names};

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "directory", about: "USER DIRECT sources", run };

const OPERANDS: &[&str] = &[
    "LINUX1",
    "OPERATOR",
    "PROF",
    "64M",
    "1G",
    "16E",
    "0M",
    "G",
    "ABCDEFG",
    "*",
    "009",
    "00C",
    "191",
    "1F00",
    "FFFF",
    "3215",
    "3270",
    "3390",
    "FB-512",
    "MR",
    "MW",
    "T",
    "A",
    "END",
    "0",
    "1",
    "65535",
    "4294967296",
    "V-DISK",
    "T-DISK",
    "VIRT",
    "RDR",
    "PUNCH",
    "PRT",
    "ESA",
    "XA",
    "PARM",
    "LOADPARM",
    "CPU",
    "BASE",
    "ABSOLUTE",
    "RELATIVE",
    "ALL",
    "ANY",
    "\"",
    "'",
    "-",
    ",",
    "=",
    ".",
    "NOLOG",
    "LBYONLY",
    "AUTOONLY",
];

fn run(chance: &mut Chance) {
    let text = if chance.one_in(2) {
        let mut bytes = sample().as_bytes().to_vec();
        for _ in 0..=chance.below(3) {
            chance.damage(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        let mut words: Vec<&str> = statement_names().collect();
        words.extend(OPERANDS);
        chance.text(&words, 60)
    };
    match Directory::parse("FUZZ DIRECT", &text, &Passwords::default()) {
        Ok(directory) => {
            for user in &directory.users {
                assert!(directory.user(&user.userid).is_some(), "{} is not found by its own name", user.userid);
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a source is refused without a reason");
            for error in errors {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}
