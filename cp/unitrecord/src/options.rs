//! The operands that SPOOL, CLOSE and CHANGE share: what they say of a file, and how that gets into its attributes.

use crate::unit::{Settings, queue_of};
use directory::SpoolKind;
use spool::{Change, Queue};

/// The user who gets a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipient {
    /// The user ID.
    pub userid: String,
    /// The queue that was named.
    pub queue: Option<Queue>,
    /// FOR: the file stays on the device's own kind of queue.
    pub on_behalf: bool,
}

/// Operands; what was not said is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// CLASS: the spool class.
    pub class: Option<char>,
    /// COPY: how many copies.
    pub copies: Option<u16>,
    /// CONT or NOCONT.
    pub continuous: Option<bool>,
    /// EOF or NOEOF.
    pub eof: Option<bool>,
    /// HOLD or NOHOLD.
    pub hold: Option<bool>,
    /// KEEP or NOKEEP.
    pub keep: Option<bool>,
    /// MSG or NOMSG.
    pub notify: Option<bool>,
    /// RESCAN or NORESCAN.
    pub rescan: Option<bool>,
    /// FORM: the form's name.
    pub form: Option<String>,
    /// DEST: where output is to go.
    pub dest: Option<String>,
    /// DIST: the distribution code.
    pub dist: Option<String>,
    /// TO or FOR.
    pub to: Option<Recipient>,
    /// NAME: file name and file type.
    pub name: Option<(String, String)>,
    /// START or STOP of a console.
    pub start: Option<bool>,
    /// TERM or NOTERM of a console.
    pub show: Option<bool>,
    /// CLOSE and PURGE as operands.
    pub close: bool,
    /// PURGE as an operand.
    pub purge: bool,
    /// A word that only output devices, only readers, only consoles know.
    pub output_only: Option<String>,
    /// A word that only readers know.
    pub reader_only: Option<String>,
    /// A word that only consoles know.
    pub console_only: Option<String>,
}

impl Options {
    /// Puts what was said into `settings`.
    pub fn apply(&self, settings: &mut Settings) {
        fn set<T: Clone>(to: &mut T, new: &Option<T>) {
            if let Some(new) = new {
                to.clone_from(new);
            }
        }
        set(&mut settings.class, &self.class);
        set(&mut settings.copies, &self.copies);
        set(&mut settings.cont, &self.continuous);
        set(&mut settings.eof, &self.eof);
        set(&mut settings.hold, &self.hold);
        set(&mut settings.keep, &self.keep);
        set(&mut settings.messages, &self.notify);
        set(&mut settings.rescan, &self.rescan);
        set(&mut settings.form, &self.form);
        set(&mut settings.dest, &self.dest);
        set(&mut settings.dist, &self.dist);
        set(&mut settings.name, &self.name);
    }

    /// TO and FOR: the user and the queue that get the file, of output from a device of this kind.
    pub fn address(&self, kind: SpoolKind, settings: &mut Settings) {
        if let Some(to) = &self.to {
            settings.to = Some(to.userid.clone());
            settings.on_behalf = to.on_behalf;
            let usual = if to.on_behalf { queue_of(kind) } else { Queue::Reader };
            settings.queue = to.queue.unwrap_or(usual);
        }
    }

    /// What CHANGE makes of these operands.
    pub fn change(&self) -> Change {
        Change {
            class: self.class,
            form: self.form.clone(),
            copies: self.copies,
            user_hold: self.hold,
            keep: self.keep,
            dist: self.dist.clone(),
            dest: self.dest.clone(),
            name: self.name.as_ref().map(|(name, _)| name.clone()),
            kind: self.name.as_ref().map(|(_, file_type)| file_type.clone()),
            ..Change::default()
        }
    }
}
