//! What calls make of the board.
//! Which command runs which check, and what an output says, is tested in `evidence/`.
