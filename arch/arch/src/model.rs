//! Models of processors: what a machine type stands for.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A model, the earlier ones first. Each has all that the ones before it have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)] // of the variants: `NAMES` says what they are
pub enum Model {
    Z10,
    Z196,
    Zec12,
    Z13,
    Z14,
    Z15,
    Z16,
    /// Everything that there is, with the machine type of a z196.
    #[default]
    Max,
}

use Model::*;

/// The models with their names and machine types.
const NAMES: [(Model, &str, &str); 8] = [
    (Z10, "z10", "2097"),
    (Z196, "z196", "2817"),
    (Zec12, "zEC12", "2827"),
    (Z13, "z13", "2964"),
    (Z14, "z14", "3906"),
    (Z15, "z15", "8561"),
    (Z16, "z16", "3931"),
    (Max, "max", "2817"),
];

impl Model {
    /// All models, the earlier ones first.
    pub fn all() -> impl Iterator<Item = Model> {
        NAMES.iter().map(|row| row.0)
    }

    /// Its name, as it is typed.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Its machine type, four digits.
    pub fn machine_type(self) -> &'static str {
        NAMES[self as usize].2
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    /// By its name, in capitals or not; otherwise which there are.
    fn from_str(text: &str) -> Result<Model, String> {
        Model::all().find(|model| model.name().eq_ignore_ascii_case(text)).ok_or_else(|| {
            let names: Vec<&str> = Model::all().map(Model::name).collect();
            format!("{text} is no model of a processor; there are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_names() {
        for (n, model) in Model::all().enumerate() {
            assert_eq!((model.name().parse(), model as usize), (Ok(model), n), "the table is in the models' order");
        }
        assert_eq!("ZEC12".parse(), Ok(Zec12));
        assert_eq!(
            "z9".parse::<Model>(),
            Err("z9 is no model of a processor; there are z10, z196, zEC12, z13, z14, z15, z16, max".into())
        );
    }
}
