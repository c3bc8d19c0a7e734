//! Facts in, facts out: SQLite behind one small port.
//! What a fact means to a check stays out.
