//! All server-side knowledge of single harnesses, one folder each, one row each in the table.
//! Checks and sockets stay out.
