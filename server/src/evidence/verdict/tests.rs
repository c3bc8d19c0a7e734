//! What verdicts must hold to: recorded runs, lines written by hand for runners that could not be run, any bytes.
//! Each kind has its own file.

mod anything;
mod apart;
mod endings;
mod recorded;
mod shapes;
