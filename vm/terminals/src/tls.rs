//! A client's wire: plain TCP, TLS over it, or a socket inside this program.

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// After how long without a word from a client its host is asked whether it is there.
const ALIVE: Duration = Duration::from_secs(60);

/// What bytes go by.
enum Stream {
    /// A client of this host's network.
    Network(TcpStream),
    /// One inside this program, which has a client of its own.
    Inside(UnixStream),
}

impl Stream {
    fn source(&mut self) -> &mut dyn Source {
        match self {
            Stream::Network(stream) => stream,
            Stream::Inside(stream) => stream,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Network(stream) => stream.read(buffer),
            Stream::Inside(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Network(stream) => stream.write(bytes),
            Stream::Inside(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A non-blocking connection and what has not been sent on it yet.
pub(crate) struct Wire {
    stream: Stream,
    tls: Option<Box<ServerConnection>>,
    unsent: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream, tls: Option<Arc<ServerConfig>>) -> io::Result<Wire> {
        // A keystroke is answered at once; without this the host would wait for more to send with it.
        stream.set_nodelay(true)?;
        // A host that has gone without a word is noticed, also at a terminal that is idle.
        rustix::net::sockopt::set_socket_keepalive(&stream, true)?;
        rustix::net::sockopt::set_tcp_keepidle(&stream, ALIVE)?;
        let tls = tls.map(ServerConnection::new).transpose().map_err(io::Error::other)?;
        Ok(Wire { stream: Stream::Network(stream), tls: tls.map(Box::new), unsent: Vec::new() })
    }

    /// The wire of a client inside this program. The socket does not block.
    pub(crate) fn inside(stream: std::os::unix::net::UnixStream) -> Wire {
        Wire { stream: Stream::Inside(UnixStream::from_std(stream)), tls: None, unsent: Vec::new() }
    }

    pub(crate) fn register(&mut self, registry: &Registry, token: Token, interest: Interest) -> io::Result<()> {
        self.stream.source().register(registry, token, interest)
    }

    pub(crate) fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        self.stream.source().deregister(registry)
    }

    /// Whether the two ends still have to agree on their keys: nothing of a session has been said yet.
    pub(crate) fn is_handshaking(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.is_handshaking())
    }

    /// How many bytes the client has not taken yet.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent.len()
    }

    /// Reads what has arrived: 0 at the end, `WouldBlock` if there is nothing now.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return self.stream.read(buffer) };
        loop {
            match tls.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => (),
                result => return result,
            }
            if tls.read_tls(&mut self.stream)? == 0 {
                return Ok(0);
            }
            tls.process_new_packets().map_err(io::Error::other)?;
        }
    }

    /// Sends `bytes` after what is still unsent, as far as the client takes them now.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.tls {
            None => self.unsent.extend_from_slice(bytes),
            Some(tls) => {
                tls.writer().write_all(bytes)?;
                while tls.wants_write() {
                    tls.write_tls(&mut self.unsent)?;
                }
            }
        }
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// TLS with the certificate chain and the private key in these PEM files.
pub fn configuration(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, String> {
    let remedy = "SYSTEM CONFIG's TLS statement names a PEM file with the certificate and one with its private key";
    let wrong = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}; {remedy}", path.display());
    let read = |path: &Path| base::file::read(path, base::file::TEXT).map_err(|error| wrong(path, &error));
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(certificate)?)
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(certificate, &error))?;
    let key_der = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|error| wrong(key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| wrong(certificate, &error))?.with_no_client_auth();
    Ok(Arc::new(builder.with_single_cert(chain, key_der).map_err(|error| wrong(certificate, &error))?))
}
