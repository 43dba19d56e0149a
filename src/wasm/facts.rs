//! Facts in the form JavaScript reads.

use alloc::string::{String, ToString};

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::convert::{Bytes, Views, ms, to_js};
use super::engine::JsEngine;
use crate::keyspace::{Fact, FieldFact, Hold};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FactView<'a, Client> {
    client: Option<Client>,
    db: u8,
    key: Option<Bytes<'a>>,
    kind: &'static str,
    deadline_ms: Option<f64>,
    sets_deadline: bool,
    replaces: bool,
    if_missing: bool,
    text: Option<Bytes<'a>>,
    to: Option<PlaceView<'a>>,
    fields: Views<'a, FieldFact, FieldFactView<'a>>,
}

#[derive(Serialize)]
struct PlaceView<'a> {
    db: u8,
    key: Option<Bytes<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FieldFactView<'a> {
    field: Bytes<'a>,
    kind: &'static str,
    deadline_ms: Option<f64>,
    sets_deadline: bool,
    hold: Option<HoldView>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HoldView {
    mode: &'static str,
    permits: f64,
    limit: Option<f64>,
    /// A u64 in decimal, because a JavaScript number cannot hold it.
    token: String,
    end_ms: Option<f64>,
}

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Takes the facts since the last call, with the ids of clients, and starts or stops the queue of facts.
    #[wasm_bindgen(js_name = takeFacts)]
    pub fn take_facts(&mut self, goes_on: bool) -> Result<JsValue, JsError> {
        let facts = self.keylatch.facts().take();
        self.keylatch.facts().collect(goes_on);
        to_js(&Views(&facts, |fact| view(fact, fact.client.map(|client| client.0))))
    }
}

/// A fact with its client in the form that the host knows.
pub(super) fn view<Client>(fact: &Fact, client: Option<Client>) -> FactView<'_, Client> {
    let to = fact.to.as_ref().map(|(db, key)| PlaceView { db: *db, key: key.as_deref().map(Bytes) });
    FactView {
        client,
        db: fact.database,
        key: fact.key.as_deref().map(Bytes),
        kind: fact.kind.name(),
        deadline_ms: fact.deadline.map(ms),
        sets_deadline: fact.sets_deadline,
        replaces: fact.replaces,
        if_missing: fact.if_missing,
        text: fact.text.as_deref().map(Bytes),
        to,
        fields: Views(&fact.fields, field_view),
    }
}

fn field_view(fact: &FieldFact) -> FieldFactView<'_> {
    FieldFactView {
        field: Bytes(&fact.name),
        kind: fact.kind.name(),
        deadline_ms: fact.deadline.map(ms),
        sets_deadline: fact.sets_deadline,
        hold: fact.hold.as_ref().map(hold_view),
    }
}

fn hold_view(hold: &Hold) -> HoldView {
    HoldView {
        mode: hold.mode.name(),
        permits: hold.permits as f64,
        limit: hold.limit.map(|limit| limit as f64),
        token: hold.token.to_string(),
        end_ms: hold.end.map(ms),
    }
}
