//! A folder of the host for a guest: a server of 9P2000.L, the protocol that Linux's file system `9p` speaks.
//!
//! [`Server::answer`] takes a message and makes its reply; how they come and go is another's affair. A [`Folder`] is
//! what it serves. Whatever a guest sends, no file outside of the folder is opened, and none becomes set-user-ID:
//!
//! - A file is named by its place below the folder, a list of names of which none is `..` or has a slash. The host
//!   resolves it in one step that neither follows links nor leaves the folder, however others rename beside it.
//! - What is found there is looked at before it is opened, by a descriptor that stands for the file itself. Only
//!   ordinary files and folders are opened.
//! - The host's permissions hold for the user that runs this program. That user's files and those of the host's root
//!   are the guest's root's; all others belong to [`NOBODY`]. An owner cannot be changed, and a set-ID bit not be set.
//!
//! Fids, open files, locks and messages are bounded. The rest of the protocol is the specification's of 9P2000, with
//! the messages that `9P2000.L` has in its place, as Linux's documentation lists them. Extended attributes are refused.

#![cfg(target_os = "linux")]

mod attributes;
mod folder;
mod locks;
mod server;
mod wire;

pub use attributes::NOBODY;
pub use folder::Folder;
pub use server::{LONGEST, Server};
pub use wire::{Qid, message};
