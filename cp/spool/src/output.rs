//! An output file while it is open: records go in, blocks go to the host.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::file::Device;
use crate::splink::{self, BLOCK, LONGEST, RECORDS};

/// How much is collected before the host is asked to write.
const BUFFER: usize = 64 * BLOCK;

/// What a punch, printer or console has written since it was last closed. It needs no lock on the spool. It becomes a
/// spool file by [`Spool::close_output`](crate::Spool::close_output); dropped instead, it leaves nothing behind.
#[derive(Debug)]
pub struct OutputFile {
    pub(crate) id: Arc<str>,
    pub(crate) path: PathBuf,
    pub(crate) user: String,
    pub(crate) spid: u16,
    pub(crate) device: Device,
    pub(crate) records: u32,
    pub(crate) blocks: u32,
    pub(crate) record_length: u16,
    host: fs::File,
    /// Full blocks not yet written.
    full: Vec<u8>,
    block: Box<[u8; BLOCK]>,
    /// Where the next record goes, and how many are in the block.
    at: usize,
    count: u32,
    finished: bool,
    /// A spool file now: it stays on the host.
    pub(crate) closed: bool,
}

impl OutputFile {
    pub(crate) fn create(folder: &Path, id: &str, user: &str, spid: u16, device: Device) -> Result<OutputFile, Error> {
        let path = folder.join(format!("{id}.data"));
        let host = fs::File::create_new(&path).map_err(|e| Error::of(&path, e))?;
        Ok(OutputFile {
            id: id.into(),
            path,
            user: user.into(),
            spid,
            device,
            records: 0,
            blocks: 0,
            record_length: device.record_length(),
            host,
            full: Vec::new(),
            block: Box::new([0; BLOCK]),
            at: RECORDS,
            count: 0,
            finished: false,
            closed: false,
        })
    }

    /// Its number among the writer's files, already while it is open.
    pub fn spid(&self) -> u16 {
        self.spid
    }

    /// What writes it.
    pub fn device(&self) -> Device {
        self.device
    }

    /// How many records have been written.
    pub fn records(&self) -> u32 {
        self.records
    }

    /// Adds a record: the command code of the CCW and its data, whose trailing blanks are not kept. On an error the
    /// record is not part of the file, and what was written before still is.
    pub fn write(&mut self, op: u8, data: &[u8]) -> Result<(), Error> {
        // A file that was finished, and then could not be closed, goes on with a new block.
        self.finished = false;
        let data = splink::trimmed(data);
        if data.len() > LONGEST {
            return Err(Error::RecordTooLong(data.len()));
        }
        let end = match splink::put_record(&mut self.block, self.at, op, data) {
            Some(end) => end,
            None => {
                self.end_block()?;
                splink::put_record(&mut self.block, self.at, op, data).expect("an empty block holds any record")
            }
        };
        self.at = end;
        self.count += 1;
        self.records = self.records.saturating_add(1);
        self.record_length = self.record_length.max(data.len() as u16);
        Ok(())
    }

    /// Puts the block with the others and begins a new one.
    fn end_block(&mut self) -> Result<(), Error> {
        if self.full.len() >= BUFFER {
            self.flush()?;
        }
        self.block[self.at..].fill(0);
        splink::set_count(&mut self.block, self.count);
        splink::set_record_length(&mut self.block, self.record_length);
        splink::seal(&mut self.block, &self.id, self.blocks);
        self.full.extend_from_slice(&self.block[..]);
        self.blocks += 1;
        (self.at, self.count) = (RECORDS, 0);
        self.block[..RECORDS].fill(0);
        Ok(())
    }

    /// Writes what is collected. If the host takes a part only, the rest stays collected and the host's file is cut
    /// back, so that the same can be tried again when there is room.
    fn flush(&mut self) -> Result<(), Error> {
        if self.full.is_empty() {
            return Ok(());
        }
        let written = u64::from(self.blocks) * BLOCK as u64 - self.full.len() as u64;
        if let Err(e) = self.host.write_all(&self.full) {
            let _ = self.host.set_len(written);
            let _ = std::io::Seek::seek(&mut self.host, std::io::SeekFrom::Start(written));
            return Err(Error::of(&self.path, e));
        }
        self.full.clear();
        Ok(())
    }

    /// Writes everything and forces it to disk. CLOSE does this too. A caller that does it before does not make others
    /// wait for the spool meanwhile.
    pub fn finish(&mut self) -> Result<(), Error> {
        if self.finished {
            return Ok(());
        }
        if self.count > 0 {
            self.end_block()?;
        }
        self.flush()?;
        self.host.sync_data().map_err(|e| Error::of(&self.path, e))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.closed {
            // If this fails, the next start of the system removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host's disk is full for a while: the records that were taken are all there in the end.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error_and_nothing_written_before_is_lost() {
        let folder = std::env::temp_dir().join(format!("spool-full-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut output = OutputFile::create(&folder, "x", "U1", 1, Device::Punch).unwrap();
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let disk = std::mem::replace(&mut output.host, full);
        let mut taken = 0u32;
        let error = loop {
            match output.write(0x41, &[1; 80]) {
                Ok(()) => taken += 1,
                Err(e) => break e,
            }
        };
        assert!(matches!(error, Error::Full(_)) && error.to_string().contains("disk is full"), "{error}");
        assert_eq!(output.records(), taken);
        assert!(output.write(0x41, &[1; 80]).is_err() && output.finish().is_err());
        output.host = disk;
        output.write(0x41, &[1; 80]).unwrap();
        output.finish().unwrap();
        let blocks = (taken + 1).div_ceil(44);
        assert_eq!(fs::metadata(&output.path).unwrap().len(), u64::from(blocks) * BLOCK as u64);
        assert_eq!(output.records(), taken + 1);
        drop(output);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "an output file that is not closed leaves nothing");
        fs::remove_dir_all(&folder).unwrap();
    }
}
