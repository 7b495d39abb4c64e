//! Controlled schedules: one thread runs at a time, and a seeded scheduler decides which.
