//! Where a command's instructions go: what TRACE COUNT BY 2 has counted, by the functions of CMS's nucleus and of its
//! parts where [`SEGMENTS`] has them. `ENDICOTT_PROFILE_IN=execute` shows the addresses of a function, too.

use object::read::elf::ElfFile32;
use object::{BigEndian, Object, ObjectSymbol, SymbolKind};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::count::SEGMENTS;

/// The parts of [`SEGMENTS`] as they were linked, and the address that they were linked for.
const LINKED: [&str; 2] = ["pipe.elf", "csl.elf"];
const BASE: u64 = 0x100_0000;

/// How many functions are shown.
const SHOWN: usize = 100;

/// Addresses and names, in the order of the addresses.
fn functions(elf: &Path) -> BTreeMap<u64, String> {
    let bytes = std::fs::read(elf).unwrap_or_else(|why| panic!("{}: {why}", elf.display()));
    let file = ElfFile32::<BigEndian>::parse(&*bytes).expect("the linker has made it");
    let symbols = file.symbols().filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text);
    symbols.map(|symbol| (symbol.address(), symbol.name().unwrap_or_default().to_owned())).collect()
}

/// The functions that most instructions were executed in.
pub(crate) fn by_function(answer: &str) -> String {
    let [_, nucleus] = crate::nucleus().expect("there was one to be counted");
    let mut all = functions(&nucleus.with_extension("elf"));
    for ((_, page), linked) in SEGMENTS.iter().zip(LINKED) {
        let part = functions(&nucleus.with_file_name(linked));
        all.extend(part.into_iter().map(|(at, name)| (at - BASE + page * 4096, name)));
    }
    let functions = all;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let wanted = std::env::var("ENDICOTT_PROFILE_IN").ok();
    let (mut all, mut within) = (0, Vec::new());
    for line in answer.lines() {
        let Some((at, count)) = line.split_once(" INSTRUCTIONS=") else { continue };
        let (Ok(at), Ok(count)) = (u64::from_str_radix(at, 16), count.parse::<u64>()) else { continue };
        let name = functions.range(..=at).next_back().map_or("?", |(_, name)| name);
        *counts.entry(name).or_default() += count;
        all += count;
        if wanted.as_deref() == Some(name) {
            within.push((at, count));
        }
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    let mut told = format!("{all} instructions\n");
    for (name, count) in counts.iter().take(SHOWN) {
        let _ = writeln!(told, "{count:8} {:3}% {name}", count * 100 / all.max(1));
    }
    within.sort_unstable();
    for (at, count) in within {
        let _ = writeln!(told, "{at:08X} {count:8}");
    }
    told
}
