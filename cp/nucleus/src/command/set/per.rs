//! SET PER: the command PER.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `SET PER operands`
///
/// The same as the command PER, whose operands these are: SET PER INSTRUCT RANGE 20000-2FFF0, SET PER END.
pub fn per(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    super::super::per::per(cp, issuer, words)
}
