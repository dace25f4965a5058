//! The translator does what the interpreter does.

use differential::{campaign, engines};

/// `ENGINES=N` in the environment: so many sequences instead of a few; `SEED=N` other ones.
#[test]
fn the_engines_agree() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("ENGINES").unwrap_or(20_000);
    let rows = campaign::rows(std::env::var("GROUP").ok().as_deref(), "");
    let found = engines::compare(&rows, number("SEED").unwrap_or(1) as u64, count);
    assert!(found.is_empty(), "interpreter / translator:\n{}", found.join("\n"));
}
