//! The checks: one file each, one line in the registry.
//! A check looks at a session and a reply; it does no I/O and knows no other check.
