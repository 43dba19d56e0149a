//! The exported class, continued: the whole keyspace. Events, effects, snapshots, inspection.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::convert::{Bytes, Views, ms, out_of_memory, to_js};
use super::engine::JsEngine;
use super::listening::Listening;
use crate::engine::InspectedPart;
use crate::engine::persistence::Skipped;
use crate::keyspace::{DATABASES, Event, Inspected};
use crate::resp::encode::{Protocol, Writer};

#[derive(Serialize)]
struct EventView<'a> {
    event: &'static str,
    key: Bytes<'a>,
    db: u8,
}

#[derive(Serialize)]
struct InspectionView<'a> {
    /// A u64 in decimal, because a JavaScript number cannot hold it.
    cursor: String,
    keys: Views<'a, Inspected, KeyView<'a>>,
    total: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyView<'a> {
    key: Bytes<'a>,
    r#type: &'static str,
    size: usize,
    deadline_ms: Option<f64>,
    field_deadline_ms: Option<f64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplayedView {
    units: usize,
    dropped_bytes: usize,
    last_now_ms: Option<f64>,
}

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Selects the events to build by their names, separated by blanks: `*` for all, nothing for none.
    pub fn listen(&mut self, names: &str) {
        self.listening = Listening(names.into());
        self.listening.apply(&mut self.keylatch);
    }

    /// Takes the events since the last call as `{ event, key, db }`, in commit order; undefined if there are none.
    #[wasm_bindgen(js_name = takeEvents)]
    pub fn take_events(&mut self) -> Result<JsValue, JsError> {
        let events = self.keylatch.take_events();
        if events.is_empty() {
            return Ok(JsValue::UNDEFINED);
        }
        to_js(&Views(&events, event_view))
    }

    /// Returns the bits of the work that the last call left, as a call does.
    pub fn status(&self) -> u32 {
        self.keylatch.status().bits()
    }

    /// Takes the effects since the last call as a piece of append-only file, empty if nothing changed.
    #[wasm_bindgen(js_name = takeEffects)]
    pub fn take_effects(&mut self) -> Vec<u8> {
        self.keylatch.take_effects()
    }

    /// Loads the log in the input and returns `{ units, droppedBytes, lastNowMs }`. With `skips`, commands of other programs
    /// are left out.
    pub fn replay(&mut self, length: usize, skips: bool) -> Result<JsValue, JsError> {
        self.skipped = Skipped::default();
        let skipped = skips.then_some(&mut self.skipped);
        let replayed = self.keylatch.replay_skipping(self.area.bytes(length), skipped)?;
        to_js(&ReplayedView {
            units: replayed.units,
            dropped_bytes: replayed.dropped_bytes,
            last_now_ms: replayed.last_now_ms.map(|ms| ms as f64),
        })
    }

    /// Returns the whole keyspace as an RDB file; an error if memory is exhausted.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, JsError> {
        self.keylatch.scripts().finish();
        self.keylatch.snapshot().map_err(|_| out_of_memory())
    }

    /// Replaces the keyspace by the snapshot in the input; on an error it is unchanged. With `skips`, values of types that
    /// the engine lacks are left out.
    pub fn load(&mut self, length: usize, skips: bool) -> Result<(), JsError> {
        self.skipped = Skipped::default();
        let skipped = skips.then_some(&mut self.skipped);
        Ok(self.keylatch.load_skipping(self.area.bytes(length), skipped)?)
    }

    /// Returns what the last load or replay left out, as RESP: the number, labels with their numbers, and four elements for
    /// each part: key, database, label and offset. See `engine/persistence/skipped.rs`.
    pub fn skipped(&self) -> Vec<u8> {
        let Skipped { count, labels, parts } = &self.skipped;
        let mut reply = Writer::new(Protocol::Resp2);
        reply.array(3);
        reply.integer(*count as i64);
        reply.array(2 * labels.len());
        for (label, count) in labels {
            reply.bulk(label);
            reply.integer(*count as i64);
        }
        reply.array(4 * parts.len());
        for part in parts {
            reply.optional_bulk(part.key.as_deref());
            reply.integer(part.database.into());
            reply.bulk(&part.label);
            reply.integer(part.offset as i64);
        }
        reply.into_bytes()
    }

    /// Loads the snapshot in the input as a fresh engine would, for runs that begin again and again.
    #[wasm_bindgen(js_name = loadFresh)]
    pub fn load_fresh(&mut self, length: usize) -> Result<(), JsError> {
        self.keylatch.scripts().finish();
        Ok(self.keylatch.load_fresh(self.area.bytes(length))?)
    }

    /// Digest of the keyspace: sixteen hexadecimal digits, equal for equal keyspaces.
    pub fn digest(&mut self) -> String {
        self.keylatch.scripts().finish();
        format!("{:016x}", self.keylatch.digest())
    }

    /// Returns a page of a database: `{ cursor, keys: [{ key, type, size, deadlineMs, fieldDeadlineMs }], total }`. The
    /// cursor is a decimal number; a scan starts and ends with "0".
    pub fn inspect(&mut self, database: u8, cursor: &str, limit: usize) -> Result<JsValue, JsError> {
        let cursor = cursor.parse().map_err(|_| JsError::new("the cursor is not a number"))?;
        self.keylatch.scripts().finish();
        let page = self.keylatch.inspect(checked_database(database)?, cursor, limit).map_err(|_| out_of_memory())?;
        let keys = Views(page.keys.as_slice(), key_view);
        to_js(&InspectionView { cursor: page.cursor.to_string(), keys, total: page.total })
    }

    /// Returns the key in the input with a part of its value, as RESP: see `engine/inspect.rs`. Undefined if there is no such
    /// key.
    #[wasm_bindgen(js_name = inspectKey)]
    pub fn inspect_key(
        &self,
        length: usize,
        database: u8,
        from: usize,
        count: usize,
    ) -> Result<Option<Vec<u8>>, JsError> {
        let (mut reply, part) = (Vec::new(), InspectedPart { from, count });
        let inspected =
            self.keylatch.inspect_key(checked_database(database)?, self.area.bytes(length), part, &mut reply);
        Ok(inspected.map_err(|_| out_of_memory())?.then_some(reply))
    }
}

fn checked_database(database: u8) -> Result<u8, JsError> {
    if database < DATABASES { Ok(database) } else { Err(JsError::new("there is no such database")) }
}

fn event_view(event: &Event) -> EventView<'_> {
    EventView { event: event.kind.name(), key: Bytes(&event.key), db: event.database }
}

fn key_view(key: &Inspected) -> KeyView<'_> {
    KeyView {
        key: Bytes(&key.key),
        r#type: key.kind.name(),
        size: key.size,
        deadline_ms: key.deadline.map(ms),
        field_deadline_ms: key.field_deadline.map(ms),
    }
}
