//! `cargo x docs`: writes the references in `docs/reference/`, and what CMS's assembler knows of instructions, from the
//! tables in the source, which are what runs.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

mod cms;
mod cp;
mod instructions;
mod monitor;
mod opcodes;
mod pipelines;

/// Every page: its file name and its text.
fn pages() -> Vec<(&'static str, String)> {
    let description = cms::description();
    vec![
        ("commands.md", cp::commands()),
        ("messages.md", cp::messages()),
        ("cms.md", cms::page(&description)),
        ("pipelines.md", pipelines::page(&description)),
        ("instructions.md", instructions::page()),
        ("monitor.md", monitor::page()),
    ]
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reference");
    let table = ("../../guest/cms/assemble/opcodes.c", opcodes::table());
    for (name, text) in pages().into_iter().chain([table]) {
        let path = folder.join(name);
        if let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text)) {
            eprintln!("endicott: {}: {error}.", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}", path.display());
    }
    ExitCode::SUCCESS
}
