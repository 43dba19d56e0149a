//! Texts of scripts and libraries. The machine that runs them is a cache beside them: it is not copied, and built again
//! where it is missing.

#[cfg_attr(not(feature = "scripting"), path = "evaluation/absent.rs")]
pub mod evaluation;
pub mod library;
mod size;
pub mod suspended;

use self::evaluation::Evaluation;
use self::library::Libraries;
use self::suspended::SuspendedSlot;

/// Libraries of functions, and scripts.
#[derive(Clone, Debug, Default)]
pub struct Scripts {
    pub libraries: Libraries,
    pub suspended: SuspendedSlot,
    pub evaluation: Evaluation,
}
