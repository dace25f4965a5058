//! IPL.

use super::{Issuer, Response};
use crate::ipl::{self, Options};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `Ipl vdev|system [CLEAR|NOCLEAR] [STOP] [LOADparm text] [PARM text]`
///
/// Loads a program from a virtual device, or a saved system (QUERY NSS lists them), and starts it: the virtual machine
/// is reset, with CLEAR its storage is zeroed. From the reader (IPL 00C) the first spool file is the program. A saved
/// system begins where it was when it was saved. STOP leaves it loaded and stopped: BEGIN starts it. LOADPARM is up to
/// eight characters and PARM, which comes last, up to 64, for the program to look at.
pub fn ipl(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let from = words.need()?;
    let mut options = Options::default();
    while let Some(word) = words.next() {
        match () {
            () if word.is("CLEAR") => options.clear = true,
            () if word.is("NOCLEAR") => options.clear = false,
            () if word.is("STOP") => options.stop = true,
            () if word.is("ATTN") => (),
            () if word.is("LOADparm") => {
                let parameter = words.need()?;
                if parameter.0.len() > 8 {
                    return Err(parameter.invalid());
                }
                options.loadparm = parameter.upper();
            }
            () if word.is("PARM") || word.is("PARMregs") => {
                options.parm = words.rest().to_string();
                break;
            }
            () => return Err(message::invalid_option(word.upper())),
        }
    }
    match from.device() {
        Some(device) => ipl::from_device(cp, &issuer.vmdbk, device, &options)?,
        None => ipl::from_saved(cp, &issuer.vmdbk, &from.upper(), &options)?,
    }
    Ok(Response::none())
}
