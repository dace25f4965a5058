//! The reference of monitor records, from the table of their layouts.

use arch::monitor::{Kind, Layout, layouts};
use std::fmt::Write;

/// The names of the domains, by number.
const DOMAINS: [&str; 11] =
    ["SYSTEM", "MONITOR", "SCHEDULER", "STORAGE", "USER", "PROCESSOR", "I/O", "SEEKS", "NETWORK", "ISFC", "APPLDATA"];

/// The page.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "# Monitor records\n\n\
         Made by `make docs` from the table in `arch/arch/src/monitor.rs`. [Measuring](../measuring.md) says how they \
         are\n\
         recorded and read.\n\n\
         Every record begins with 20 bytes: its length (0, two bytes), the domain (4, one byte), its number in the \
         domain\n\
         (6, two bytes) and the TOD clock (8, eight bytes); the others are zero. Numbers are binary, the most \
         significant\n\
         byte first; names are EBCDIC. Counts are those since the system came up and wrap around, unless the \
         description\n\
         says cardinal: then it is the value now. Bytes that are not listed are zero: CP has no count for them.\n",
    );
    let all = layouts();
    for (n, name) in DOMAINS.iter().enumerate() {
        let of: Vec<&Layout> = all.iter().filter(|layout| usize::from(layout.domain) == n).collect();
        if !of.is_empty() {
            let _ = write!(page, "\n## {n} {name}\n");
            of.into_iter().for_each(|layout| record(&mut page, layout));
        }
    }
    page
}

fn record(page: &mut String, layout: &Layout) {
    let Layout { domain, record, id, length, description, .. } = layout;
    let kind = match layout.kind {
        Kind::Sample => "Sample",
        Kind::HighFrequency => "Sample, with what was seen at the high-frequency rate",
        Kind::Configuration => "Configuration",
        Kind::Event => "Event",
        Kind::Frame => "End of a page",
    };
    let _ = write!(page, "\n### {domain}.{record} MR{id}\n\n{} {kind}, {length} bytes.\n", description.trim());
    let told: Vec<_> = layout.fields.iter().filter(|field| !field.description.is_empty()).collect();
    if told.is_empty() {
        return;
    }
    let _ = write!(page, "\n| at | bytes | field | |\n|---:|---:|---|---|\n");
    for field in told {
        let _ =
            writeln!(page, "| {} | {} | {} | {} |", field.offset, field.length, field.name, field.description.trim());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_on_the_page() {
        let page = page();
        for layout in layouts() {
            assert!(page.contains(&format!("### {}.{} MR{}\n", layout.domain, layout.record, layout.id)));
        }
        assert!(page.contains("| 28 | 2 | cpu |"));
    }
}
