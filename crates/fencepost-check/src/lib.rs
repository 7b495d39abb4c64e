//! Choose the engine, enforce the budget, replay the witness, return one outcome.
