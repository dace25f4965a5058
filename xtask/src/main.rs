//! `cargo x TASK`: the one door for everything that is more than a plain `cargo build` or `cargo test`.

use std::env;
use std::process::ExitCode;

mod aarch64;
mod bench;
mod boots;
mod clients;
mod cms;
mod ddr;
mod deny;
mod dist;
mod guest;
mod host;
mod house;
mod kernels;
mod lua;
mod page;
mod picture;
mod real;
mod root;
mod suite;
mod tasks;

use host::Outcome;

const HELP: &str = "\
cargo x TASK (or make TASK, which first installs what is missing):

  run [ARG...]             build, fetch a guest, make the sample system, bring it up
  test [FILTER...]         format, lints, and every test, the ones that boot a guest too
  bless [FILTER...]        run the tests and accept what they print as expected from now on
  guest [--bench]          fetch and build the guest's kernel, initramfs and root file system into cache/guest
  cms                      build CMS, and its disks for the sample system, into cache/cms
  bench [--runs N] [ITEM...]  ratios against the machines Debian packages, into benches/history.tsv
                           (items: boot, hercules, idle, twocpus, disk, io, a benchmark's name; --peers measures the others only;
                           real runs programs as Debian has them, real cc java some of them; passes measures what
                           each pass of the translator saves)
  boots [N] [--cpus N] [--engine ENGINE]  boots Debian's kernel N times each on 1, 2 and 4 CPUs, to its end
  kernels [MACHINE...]     builds Linux from Debian's source for z13, z14, z15 and z16, and starts each on two models
  oracle [GROUP] [--seed N] [--count N]  our processor against qemu-s390x, 200,000 sequences
  fuzz [TARGET] [SECONDS] [SEED]  everything that reads what strangers write, a minute each
  aarch64 [CRATE...]       build for aarch64 hosts, and tests of what interprets under qemu-aarch64
  dist [--twice]           what is given away, into cache/dist: a static executable, packages; built twice, it compares
  docs                     the references in docs/reference, from the tables in the source
  page [--check]           the page for browsers, from its TypeScript; or whether it was made of that
  picture                  docs/screen.svg, the README's picture, from the screen of a 3270 client
  deny                     licences and sources of dependencies, and crates there in two versions, by cargo-deny
  house [--check FILE]     what is large, tangled or done by hand, counted; docs/house.txt has what may not grow
  house --by-hand          docs/by-hand.txt with the numbers of today
  ci                       what a change must pass
";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match perform(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("endicott: {}", failure.0);
            ExitCode::FAILURE
        }
    }
}

fn perform(words: &[&str]) -> Outcome {
    match words {
        ["run", arguments @ ..] => tasks::run_system(arguments),
        ["test", filters @ ..] => tasks::test(filters, false),
        ["bless", filters @ ..] => tasks::test(filters, true),
        ["guest"] => root::prepare(&guest::prepare()?).and_then(|()| clients::prepare()),
        ["cms"] => cms::prepare(),
        ["guest", "--bench"] => guest::prepare_benches().map(drop),
        ["bench", what @ ..] => bench::bench(what),
        ["boots", words @ ..] => boots::boots(words),
        ["kernels", words @ ..] => kernels::kernels(words),
        ["oracle", words @ ..] => tasks::oracle(words),
        ["fuzz", words @ ..] => tasks::fuzz(words),
        ["aarch64", words @ ..] => aarch64::aarch64(words),
        ["dist", words @ ..] => dist::dist(words),
        ["docs"] => tasks::docs(),
        ["page"] => page::page(),
        ["page", "--check"] => page::check(),
        ["picture"] => picture::picture(),
        ["deny"] => deny::deny(),
        ["house", words @ ..] => house::house(words),
        ["ci"] => tasks::ci(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        [task, ..] => Err(format!("There is no task {task} of that form.\n{HELP}").into()),
    }
}
