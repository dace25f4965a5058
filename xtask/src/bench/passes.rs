//! What each pass of the translator saves, measured alone: the small benchmarks with all passes, and with each but one.
//!
//! The passes are the translator's own table. A pass that saves nothing anywhere should go.

use super::machine::{Load, Machine};
use super::{ROUND_LIMIT, Wish, booted, median};
use crate::host::Outcome;

#[path = "../../../processor/jit/src/plan/passes.rs"]
#[allow(dead_code, unreachable_pub)]
mod table;

/// So much slower an item must be without a pass to be named.
const SHOWN: f64 = 1.03;

/// The time of an item without a pass: an empty name is for none left out.
struct Sample {
    without: &'static str,
    item: String,
    seconds: f64,
}

/// Measures and prints the table of passes on these benchmarks, or on all.
pub(super) fn passes(wish: &Wish, load: &Load, names: &[&str]) -> Outcome {
    let mut mode = "vmb.mode=bench".to_owned();
    if !names.is_empty() {
        mode += &format!(" vmb.tests={}", names.join(","));
    }
    let mut samples = Vec::new();
    for number in 1..=wish.rounds {
        for without in [""].into_iter().chain(table::PASSES.iter().map(|(_, name, _)| *name)) {
            println!("passes {number}/{} without {}", wish.rounds, if without.is_empty() { "none" } else { without });
            let (running, _) = booted(Machine::Endicott, &Load { without, ..load.clone() }, &mode)?;
            let mut running = running;
            for line in running.until("BENCH-DONE", ROUND_LIMIT)? {
                if let ["bench", item, seconds] = line.text.split_whitespace().collect::<Vec<_>>()[..] {
                    let seconds = seconds.parse().map_err(|_| format!("The guest said: {}", line.text))?;
                    samples.push(Sample { without, item: item.to_owned(), seconds });
                }
            }
        }
    }
    print!("\n{}", written(&samples));
    Ok(())
}

/// The table: how many times as long all items take without a pass, in the geometric mean, and which take longest.
fn written(samples: &[Sample]) -> String {
    let time = |without: &str, item: &str| {
        let of = |sample: &&Sample| sample.without == without && sample.item == item;
        median(samples.iter().filter(of).map(|sample| sample.seconds).collect())
    };
    let mut items: Vec<&str> = samples.iter().map(|sample| sample.item.as_str()).collect();
    items.sort_unstable();
    items.dedup();
    let mut text = "| without | what it does | mean | items that take longer |\n|---|---|---:|---|\n".to_owned();
    for (_, name, what) in table::PASSES {
        let ratio = |item| Some(time(name, item)? / time("", item)?);
        let mut ratios: Vec<(f64, &str)> = items.iter().filter_map(|item| Some((ratio(item)?, *item))).collect();
        if ratios.is_empty() {
            continue;
        }
        let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        ratios.sort_by(|one, other| other.0.total_cmp(&one.0));
        let slower = ratios.iter().take(3).filter(|(ratio, _)| *ratio >= SHOWN);
        let slower: Vec<String> = slower.map(|(ratio, item)| format!("{item} {ratio:.2}")).collect();
        text += &format!("| {name} | {what} | {mean:.2} | {} |\n", slower.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_as_good_as_the_time_without_it() {
        let sample = |without, item: &str, seconds| Sample { without, item: item.to_owned(), seconds };
        let samples = [
            sample("", "a", 1.0),
            sample("", "b", 2.0),
            sample("arms", "a", 4.0),
            sample("arms", "b", 2.0),
            sample("spans", "a", 1.0),
            sample("spans", "b", 2.02),
        ];
        let text = written(&samples);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "only what was measured: {text}");
        assert!(lines[2].starts_with("| arms |") && lines[2].ends_with("| 2.00 | a 4.00 |"), "{text}");
        assert!(lines[3].starts_with("| spans |") && lines[3].ends_with("| 1.00 |  |"), "{text}");
    }
}
