//! Tests of the renderers in one program: it is linked once.

mod browser;
mod golden;
mod pages;
mod support;
