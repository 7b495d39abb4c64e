//! Walk every SC run of a program, carrying a monitor.
