//! DIAGNOSE X'DC', X'204', X'2FC', X'304': data about virtual machines and partitions.

use crate::iucv::space;
use crate::{ApplicationData, Call};
use arch::diagnose::{GuestData, GuestDataRequest};
use arch::monitor::{ApplicationList, ApplicationWideList, function};
use arch::{Program, Real};
use base::ebcdic::{padded, to_string};
use base::layout::{U32, U64};
use cpu::Interruption;
use directory::Opt;
use zerocopy::IntoBytes;

/// Not authorised.
const NOT_AUTHORISED: u64 = 5;

/// `DIAGNOSE X'DC'`: application monitor data.
///
/// Rx: the address of a list: X'00DC', a function, the length of the list; 16 bytes with 31-bit addresses, 32 with
/// 64-bit ones. The functions: X'80', the data in a buffer are recorded at each interval of the monitor; X'81', no
/// longer; X'82', now; X'83', whenever a program connects to *MONITOR. The list has the address of a product ID of 16
/// bytes, and the address and the length of the buffer, at most 4024 bytes. Ry gets 0; 4: X'81' without X'80'; 5: the
/// directory does not say OPTION APPLMON; 8: too long, or too many buffers.
pub fn application_data(call: &Call<'_>) -> Result<(), Interruption> {
    if !call.vmdbk.user.options.has(Opt::ApplMon) {
        call.set_gr(call.r3, NOT_AUTHORISED);
        return Ok(());
    }
    let at = call.address(call.r1);
    let mut list = ApplicationList::default();
    call.read(at, list.as_mut_bytes())?;
    let wide = usize::from(list.length) == size_of::<ApplicationWideList>();
    let known = [function::START_INTERVAL, function::STOP, function::EVENT, function::START_CONFIGURATION];
    let whole = wide || usize::from(list.length) == size_of::<ApplicationList>();
    call.specification(whole && list.code.get() == 0xdc && known.contains(&list.function))?;
    let (product_at, buffer, length) = match wide {
        true => {
            let mut list = ApplicationWideList::default();
            call.read(at, list.as_mut_bytes())?;
            (Real(list.product.get()), Real(list.buffer.get()), list.buffer_length.get())
        }
        false => (Real(list.product.get().into()), Real(list.buffer.get().into()), list.buffer_length.get()),
    };
    let mut product = [0; 16];
    call.read(product_at, &mut product)?;
    if list.function != function::STOP {
        call.read(buffer, &mut vec![0; length.into()])?;
    }
    let request = ApplicationData { function: list.function, product, buffer, length, space: space(call) };
    let code = call.cp.application_data(call.vmdbk, &request);
    call.set_gr(call.r3, code);
    Ok(())
}

/// `DIAGNOSE X'204'`: logical partitions.
///
/// There are none: a specification exception, by which a program knows.
pub fn partition_data(_: &Call<'_>) -> Result<(), Interruption> {
    Err(Program::Specification.into())
}

/// `DIAGNOSE X'304'`: partition resources.
///
/// There are no partitions: Ry gets 4, and nothing is stored.
pub fn partition_resources(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r3, 4);
    Ok(())
}

/// `DIAGNOSE X'2FC'`: data about guests.
///
/// Rx: the address of a list: a user ID or `*`, a group, a buffer's address, its size and the format 2. The buffer gets
/// 112 bytes about the virtual machine that asks. Ry gets 0, or -2 if the buffer is too small; Rx gets minus the number
/// of bytes that did not fit.
pub fn guest_data(call: &Call<'_>) -> Result<(), Interruption> {
    const RECORD: usize = size_of::<GuestData>();
    let mut parameters = GuestDataRequest::default();
    call.read(call.address(call.r1), parameters.as_mut_bytes())?;
    let size = parameters.size.get() as usize;
    let wanted = to_string(&parameters.userid);
    let wanted = wanted.trim_end();
    if wanted != "*" && wanted != call.vmdbk.userid {
        call.set_gr(call.r1, 0);
        call.set_gr(call.r3, 0);
        return Ok(());
    }
    if size < RECORD {
        call.set_gr(call.r1, (size as u64).wrapping_sub(RECORD as u64));
        call.set_gr(call.r3, -2i64 as u64);
        return Ok(());
    }
    let (virtual_us, _) = call.vmdbk.times();
    let elapsed = call.cp.now().micros_since(call.vmdbk.logged_on);
    let storage = call.machine.configuration.storage().size() >> 10;
    let cpus = call.machine.configuration.cpus().count() as u32;
    let (storage, cpus) = (U64::new(storage), U32::new(cpus));
    let real = U32::new(call.cp.processors().count() as u32);
    let record = GuestData {
        format: 2.into(),
        used_us: virtual_us.into(),
        elapsed_us: elapsed.into(),
        most_storage: storage,
        shared_storage: storage,
        used_storage: storage,
        real_cpus: real,
        logical_cpus: real,
        virtual_cpus: cpus,
        online_cpus: cpus,
        most_cpus: cpus,
        share: 100.into(),
        userid: padded(&call.vmdbk.userid),
        ..GuestData::default()
    };
    call.write(Real(parameters.buffer.get()), record.as_bytes())?;
    call.set_gr(call.r1, 0);
    call.set_gr(call.r3, 0);
    Ok(())
}
