//! `translator`: hosts that have one, which are x86-64 Linux. The feature `absent` makes this host one of the others.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(translator)");
    let host = ["CARGO_CFG_TARGET_ARCH", "CARGO_CFG_TARGET_OS"].map(|name| var(name).unwrap_or_default());
    if host == ["x86_64", "linux"] && var("CARGO_FEATURE_ABSENT").is_err() {
        println!("cargo::rustc-cfg=translator");
    }
}
