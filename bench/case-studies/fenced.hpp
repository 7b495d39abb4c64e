// What repairs of C++ libraries put where an order was.
#pragma once

#include <atomic>

#define FENCEPOST_SEQ_CST (::std::memory_order_seq_cst)

// An order with a fence on either side of the access it is given to: the argument is made before the access and gone at
// the end of the expression.
#define FENCEPOST_FENCED (::fencepost_fenced())

struct fencepost_fenced {
    fencepost_fenced() { std::atomic_thread_fence(std::memory_order_seq_cst); }
    ~fencepost_fenced() { std::atomic_thread_fence(std::memory_order_seq_cst); }
    fencepost_fenced(const fencepost_fenced &) = delete;
    operator std::memory_order() const { return std::memory_order_seq_cst; }
};
