//! Sessions and real clients, through a loopback socket.

mod oracle;
mod s3270;
mod server;
mod telnet;
