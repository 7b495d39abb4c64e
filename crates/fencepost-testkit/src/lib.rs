//! Read expectations, run the matrix, generate programs.
