//! `/metrics`: what is counted, in OpenMetrics' text.

use crate::system::{Counters, Processor};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicU64;

/// The type of the text.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Name, help and value of what is a level.
type Level = (&'static str, &'static str, fn(&Counters) -> u64);

const LEVELS: [Level; 15] = [
    ("users", "Users that are logged on", |it| it.users),
    ("users_disconnected", "Users that are logged on without a terminal", |it| it.disconnected),
    ("dispatch_list", "Virtual CPUs in the dispatch list", |it| it.dispatch_list),
    ("eligible_list", "Virtual CPUs in the eligible list", |it| it.eligible_list),
    ("dormant", "Virtual CPUs that are dormant", |it| it.dormant),
    ("storage_pages", "Pages of real storage, or of the host's; 0 if that is not known", |it| it.storage.real),
    ("storage_paging_area_pages", "Frames of the dynamic paging area", |it| it.storage.paging_area),
    ("storage_pageable_pages", "Frames with pages of virtual machines", |it| it.storage.pageable),
    ("storage_locked_pages", "Frames that are locked", |it| it.storage.locked),
    ("storage_free_pages", "Frames of CP's free storage", |it| it.storage.free_storage),
    ("expanded_pages", "Pages of expanded storage", |it| it.storage.expanded),
    ("page_slots", "Slots on page volumes", |it| it.storage.slots),
    ("page_slots_used", "Slots on page volumes that are in use", |it| it.storage.slots_used),
    ("spool_files", "Files in the spool", |it| it.spool_files),
    ("spool_pages", "Pages of 4096 bytes that the spool's files have", |it| it.spool_pages),
];

/// Name, help and value of what counts up for each processor.
type OfProcessor = (&'static str, &'static str, fn(&Processor) -> f64);

const PROCESSORS: [OfProcessor; 5] = [
    ("processor_busy_seconds", "Seconds that a processor had something to do", |it| it.busy_seconds),
    ("processor_emulation_seconds", "Seconds that virtual CPUs ran on a processor", |it| it.emulation_seconds),
    ("processor_dispatched", "Virtual CPUs that a processor dispatched", |it| it.dispatched as f64),
    ("processor_sie", "Times that a processor began interpretive execution", |it| it.sie as f64),
    ("processor_started", "Input and output that guests on a processor started", |it| it.started as f64),
];

/// The text.
pub(crate) fn text(counters: &Counters) -> String {
    let mut registry = Registry::with_prefix("endicott");
    for (name, help, value) in LEVELS {
        registry.register(name, help, ConstGauge::new(value(counters)));
    }
    registry.register("up_seconds", "Seconds since the system came up", ConstGauge::new(counters.up_seconds));
    let paged = [
        ("page_reads", "Pages read from page volumes", counters.storage.reads),
        ("page_writes", "Pages written to page volumes", counters.storage.writes),
    ];
    for (name, help, value) in paged {
        registry.register(name, help, ConstCounter::new(value));
    }
    for (name, help, value) in PROCESSORS {
        let family = Family::<Vec<(&'static str, String)>, Counter<f64, AtomicU64>>::default();
        for (number, processor) in counters.processors.iter().enumerate() {
            family.get_or_create(&vec![("processor", number.to_string())]).inc_by(value(processor));
        }
        registry.register(name, help, family);
    }
    let mut text = String::new();
    // Text takes whatever is written to it.
    let _ = encode(&mut text, &registry);
    text
}
