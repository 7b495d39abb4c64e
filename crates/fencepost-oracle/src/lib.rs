//! The definitions, evaluated literally: enumerate graphs of small programs, replay witnesses.
