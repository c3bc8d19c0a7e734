//! Writes the protocol's JSON Schema anew: `cargo run -p proofmark-tests --bin generate-schema`.
//! What is in it is the protocol's; the suite `tidy` fails when the file is stale.

use anyhow::Context;
use proofmark_tests::schema;

fn main() -> anyhow::Result<()> {
    let path = schema::workspace().join(schema::FILE);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    }
    std::fs::write(&path, schema::text()?).with_context(|| format!("{} can't be written", path.display()))
}
