//! Passes of the translator that can be left out, so that what each saves can be measured alone.
//!
//! `ENDICOTT_WITHOUT=spans,copies` in the environment leaves these out for the whole process. What is translated is
//! right without any of them, only slower. `make bench ARGS=passes` measures each; docs/performance.md has the table.

use std::sync::OnceLock;

/// A pass that can be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    Arms,
    Spans,
    Tables,
    Copies,
    Codes,
    Rounds,
    Lanes,
    Stretches,
    Fields,
    Strings,
    Floats,
    Vectors,
    Control,
    Inline,
    Returns,
    Links,
    Shared,
    Large,
    Across,
}

/// All of them, by the names that the environment has, and what each does.
pub(crate) const PASSES: [(Pass, &str, &str); 19] = [
    (Pass::Arms, "arms", "the other way of a loop's branch stays in its code"),
    (Pass::Spans, "spans", "accesses off one register share a TLB probe"),
    (Pass::Tables, "tables", "a small table counts as one access"),
    (Pass::Copies, "copies", "copies of registers that need not be made"),
    (Pass::Codes, "codes", "condition codes that are not looked at"),
    (Pass::Rounds, "rounds", "registers stay in the host's around a loop"),
    (Pass::Lanes, "lanes", "four or eight rounds of a loop at once"),
    (Pass::Stretches, "stretches", "a loop that moves or clears, up to the end of a page"),
    (Pass::Fields, "fields", "MVC, XC and CLC inline"),
    (Pass::Strings, "strings", "SRST, CLST and MVST inline"),
    (Pass::Floats, "floats", "binary floating point by the host"),
    (Pass::Vectors, "vectors", "vector instructions by the host"),
    (Pass::Control, "control", "control instructions inline"),
    (Pass::Inline, "inline", "other routines' common cases inline"),
    (Pass::Returns, "returns", "the stack of the latest calls"),
    (Pass::Links, "links", "links to blocks of other pages"),
    (Pass::Shared, "shared", "code that another CPU has made of the same text"),
    (Pass::Large, "large", "large pages of the host's for code"),
    (Pass::Across, "across", "LOAD and STORE MULTIPLE over the end of a page"),
];

/// The passes that are named, as bits, or the first name that is none's.
fn bits(names: &str) -> Result<u32, &str> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).try_fold(0, |all, name| {
        let (pass, ..) = PASSES.iter().find(|(_, known, _)| *known == name).ok_or(name)?;
        Ok(all | 1 << *pass as u32)
    })
}

/// Those that are left out, as bits.
pub(crate) fn without() -> u32 {
    static WITHOUT: OnceLock<u32> = OnceLock::new();
    *WITHOUT.get_or_init(|| {
        let names = std::env::var("ENDICOTT_WITHOUT").unwrap_or_default();
        bits(&names).unwrap_or_else(|name| {
            let known: Vec<&str> = PASSES.iter().map(|(_, name, _)| *name).collect();
            panic!("ENDICOTT_WITHOUT has no pass {name}; there are {}", known.join(", "))
        })
    })
}

impl Pass {
    /// Whether it is not left out.
    pub(crate) fn is_on(self) -> bool {
        without() >> self as u32 & 1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_names_and_unknown_ones_are_told() {
        assert_eq!(bits(""), Ok(0));
        assert_eq!(bits("arms, copies"), Ok(1 << Pass::Arms as u32 | 1 << Pass::Copies as u32));
        assert_eq!(bits("arms,riddles"), Err("riddles"));
        let all: Vec<u32> = PASSES.iter().map(|(pass, name, _)| bits(name).expect(name) ^ 1 << *pass as u32).collect();
        assert_eq!(all, [0; PASSES.len()]);
        assert!(PASSES.iter().enumerate().all(|(n, (pass, ..))| n == *pass as usize), "in the order of the type");
    }
}
