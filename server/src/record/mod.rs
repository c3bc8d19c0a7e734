//! Following a harness's record: a file that grows, is replaced, is torn.
//! What a line means is the harness's room's business.
