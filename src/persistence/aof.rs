//! Logs of effects.
use super::{LoadError, Replayed};
use crate::engine::Engine;

pub fn replay(_engine: &mut Engine, _log: &[u8]) -> Result<Replayed, LoadError> {
    Ok(Replayed::default())
}
