//! Pure functions from outcomes and diagnostics to bytes.
