//! The installer's reading and writing of settings texts, taken from the client, which is a program and no library.
//! Its files, its memory and its messages stay out.
#![allow(dead_code, unused_imports)]

#[path = "../../../client/src/install/entries.rs"]
pub(crate) mod entries;
#[path = "../../../client/src/install/harness/mod.rs"]
pub(crate) mod harness;
#[path = "../../../client/src/install/json.rs"]
pub(crate) mod json;
#[path = "../../../client/src/install/language.rs"]
pub(crate) mod language;
#[path = "../../../client/src/install/program.rs"]
pub(crate) mod program;
#[path = "../../../client/src/install/splice.rs"]
pub(crate) mod splice;
#[path = "../../../client/src/install/toml.rs"]
pub(crate) mod toml;
#[path = "../../../client/src/install/tree.rs"]
pub(crate) mod tree;
#[path = "../../../client/src/install/trust.rs"]
pub(crate) mod trust;
#[path = "../../../client/src/install/version.rs"]
pub(crate) mod version;
#[path = "../../../client/src/install/wanted.rs"]
pub(crate) mod wanted;
