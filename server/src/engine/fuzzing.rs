//! What a settings file says, for the fuzz targets: without the file.
//! What ought to come of it stands with the targets.

use serde_json::Value;

use super::settings;

/// What the bytes of a settings file say.
///
/// # Errors
/// The line in which they are no TOML, and why.
pub fn settings(bytes: &[u8]) -> Result<Value, String> {
    settings::said(bytes)
}
