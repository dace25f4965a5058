//! `endicott password`: gives a user a password of their own.
//!
//! The new password goes, salted and hashed, into the file `passwords` beside USER DIRECT, which comes before what the
//! source says. A system that runs takes it at the next LOGON.

use directory::{Password, Passwords};
use std::io::IsTerminal;
use std::path::PathBuf;
use terminals::local;
use tools::system::{self, DIRECTORY};

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the system; else ENDICOTT_SYSTEM in the environment, or "sample".
    #[arg(long, value_name = "DIR")]
    pub system: Option<PathBuf>,
    /// Whose password.
    #[arg(value_name = "USER")]
    pub user: String,
}

pub(crate) fn password(options: &Options) -> Result<(), String> {
    let folder = system::folder(options.system.as_deref());
    let directory = system::load_directory(&folder)?;
    let userid = options.user.to_uppercase();
    let source = folder.join(DIRECTORY);
    let Some(user) = directory.user(&userid) else {
        // It may be one whose statements cannot be read.
        let why: Vec<String> = directory.mistakes_of(&userid).map(ToString::to_string).collect();
        let why = if why.is_empty() { String::new() } else { format!(" that can be read:\n{}", why.join("\n")) };
        return Err(format!("{} has no user {userid}{why}", source.display()));
    };
    if user.barred {
        let why: Vec<String> = directory.mistakes_of(&userid).map(ToString::to_string).collect();
        return Err(format!("{userid} cannot log on until this is mended:\n{}", why.join("\n")));
    }
    if !matches!(user.password, Password::Hash(_)) {
        let source = source.display();
        return Err(format!(
            "{userid} logs on without a password, or not at all: its USER statement in {source} says so"
        ));
    }
    let clear = ask(&userid)?;
    if clear.is_empty() || clear.chars().count() > 8 || clear.contains(char::is_whitespace) {
        return Err("a password has one to eight characters and no blanks".into());
    }
    if clear.eq_ignore_ascii_case(&userid) {
        return Err("a password that is the user's name is good from this computer only: choose another".into());
    }
    let file = directory::passwords_file(&source);
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let mut passwords = Passwords::open(&file).map_err(|error| fail(&error))?;
    passwords.set(&userid, &clear).map_err(|error| fail(&error))?;
    say!("{userid} has a new password; a system that runs takes it at the next LOGON.");
    Ok(())
}

/// The password from a person at the terminal, who is asked for it, or from a line of standard input.
fn ask(userid: &str) -> Result<String, String> {
    let input = std::io::stdin();
    if input.is_terminal() {
        say::print(format_args!("New password for {userid} (it shows as you type): "));
    }
    let line = local::line(&mut input.lock()).map_err(|error| format!("standard input: {error}"))?;
    Ok(line.unwrap_or_default())
}
