//! The VMDBK: all that CP knows of one logged-on virtual machine.
//!
//! Made at LOGON or XAUTOLOG, gone after LOGOFF. It is shared: terminals, processors and other users' commands hold it at
//! the same time, so what changes is behind a lock of its own kind. Lock order, from above: system, [`Vmdbk::lock`], the
//! channel subsystem, CPU states, spool, [`Vmdbk::console`], terminals.

use crate::account::Account;
use crate::class::Classes;
use crate::console::Console;
use crate::console::display::Tone;
use crate::console::edit::Editing;
use crate::message::Message;
use base::Tod;
use directory::User;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// How error messages are shown (SET EMSG).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Emsg {
    On,
    Off,
    Code,
    #[default]
    Text,
}

/// The settings of SET that CP acts upon or shows in QUERY SET.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    pub messages: bool,
    pub warnings: bool,
    pub information: bool,
    pub special_messages: bool,
    pub emsg: Emsg,
    pub accounting: bool,
    /// RUN ON: the virtual machine goes on while CP reads.
    pub run: bool,
    /// Everything else that is only remembered: its name and what it was set to.
    pub others: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            messages: true,
            warnings: true,
            information: true,
            special_messages: false,
            emsg: Emsg::On,
            accounting: false,
            run: false,
            others: Vec::new(),
        }
    }
}

/// What changes about a virtual machine while it is logged on.
pub struct State {
    pub classes: Classes,
    pub settings: Settings,
    pub storage: u64,
    /// The saved system or device of the last IPL.
    pub ipl: Option<String>,
    /// The last disconnection or reconnection, for the forced logoff of users nobody comes back to.
    pub disconnected: Option<Tod>,
}

/// A logged-on virtual machine.
pub struct Vmdbk {
    pub userid: String,
    pub user: Arc<User>,
    pub logged_on: Tod,
    pub account: Account,
    /// LOGOFF or FORCE has begun.
    pub leaving: AtomicBool,
    state: Mutex<State>,
    console: Mutex<Console>,
}

impl Vmdbk {
    pub fn new(user: Arc<User>, now: Tod) -> Vmdbk {
        let mut console = Console::default();
        console.settings.editing = Editing::from(user.editing);
        Vmdbk {
            userid: user.userid.clone(),
            logged_on: now,
            account: Account::default(),
            leaving: AtomicBool::new(false),
            state: Mutex::new(State {
                classes: user.classes.into(),
                settings: Settings::default(),
                storage: user.storage,
                ipl: None,
                disconnected: None,
            }),
            console: Mutex::new(console),
            user,
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics with a VMDBK locked")
    }

    pub fn console(&self) -> MutexGuard<'_, Console> {
        self.console.lock().expect("no thread panics with a console locked")
    }

    /// A line for the user.
    pub fn write(&self, text: &str, tone: Tone, now: Tod) {
        self.console().write(text, tone, now);
    }

    /// An error message for the user, as SET EMSG wants it.
    pub fn write_message(&self, message: &Message, now: Tod) {
        let emsg = self.lock().settings.emsg;
        match emsg {
            Emsg::On => self.write(&message.to_string(), Tone::Normal, now),
            Emsg::Text => self.write(&message.text, Tone::Normal, now),
            Emsg::Code => self.write(&message.id(), Tone::Normal, now),
            Emsg::Off => (),
        }
    }

    pub fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    pub fn is_disconnected(&self) -> bool {
        self.console().terminal.is_none()
    }

    /// Where the user is, as QUERY NAMES shows it: `L0003`, or `DSC`.
    pub fn place(&self) -> String {
        self.console().terminal.as_ref().map_or("DSC".into(), |terminal| terminal.name.clone())
    }
}
