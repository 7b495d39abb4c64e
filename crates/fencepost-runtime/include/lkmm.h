/* lkmm.h: the Linux kernel's names for shared memory, for tests of the model checker GenMC.
 *
 * They are translated to C11, and judged by C++20, which is not the kernel's own memory model: it knows neither
 * dependencies nor barriers between writes only. smp_mb() is an SC fence, smp_rmb() an acquire fence, smp_wmb() a
 * release fence, and an operation that returns a value and names no order has an SC fence before and after it. There
 * is no RCU. Not together with <stdatomic.h>.
 *
 * This file may be copied into any project. C11, with gcc or clang.
 */
#ifndef FENCEPOST_LKMM_H
#define FENCEPOST_LKMM_H

#include <pthread.h>
#include <stdint.h>

#include "genmc.h"

#if defined(memory_order_relaxed) || defined(ATOMIC_VAR_INIT)
#error "<stdatomic.h> and <lkmm.h> have the same names: include one of them"
#endif

#define memory_order_relaxed __ATOMIC_RELAXED
#define memory_order_consume __ATOMIC_CONSUME
#define memory_order_acquire __ATOMIC_ACQUIRE
#define memory_order_release __ATOMIC_RELEASE
#define memory_order_acq_rel __ATOMIC_ACQ_REL
#define memory_order_seq_cst __ATOMIC_SEQ_CST

#define atomic_load_explicit(p, order) __atomic_load_n((p), (order))
#define atomic_store_explicit(p, v, order) __atomic_store_n((p), (v), (order))
#define atomic_exchange_explicit(p, v, order) __atomic_exchange_n((p), (v), (order))
#define atomic_fetch_add_explicit(p, v, order) __atomic_fetch_add((p), (v), (order))
#define atomic_fetch_sub_explicit(p, v, order) __atomic_fetch_sub((p), (v), (order))
#define atomic_compare_exchange_strong_explicit(p, e, v, order, failure) \
  __atomic_compare_exchange_n((p), (e), (v), 0, (order), (failure))
#define atomic_compare_exchange_weak_explicit(p, e, v, order, failure) \
  __atomic_compare_exchange_n((p), (e), (v), 1, (order), (failure))

/* Reads, writes, barriers. */
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define barrier() __asm__ __volatile__("" : : : "memory")
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic() smp_mb()
#define smp_mb__after_spinlock() smp_mb()
#define smp_mb__after_unlock_lock() smp_mb()
#define smp_store_mb(x, v) (WRITE_ONCE(x, v), smp_mb())

/* EXPRESSION between two full barriers. */
#define FENCEPOST_FULL(expression)          \
  __extension__({                           \
    smp_mb();                               \
    __typeof__(expression) _result = (expression); \
    smp_mb();                               \
    _result;                                \
  })

#define FENCEPOST_CMPXCHG(p, o, n, order, failure)                                   \
  __extension__({                                                                    \
    __typeof__(*(p)) _old = (o);                                                     \
    (void)__atomic_compare_exchange_n((p), &_old, (n), 0, (order), (failure));       \
    _old;                                                                            \
  })
#define xchg_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define xchg_acquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define xchg(p, v) FENCEPOST_FULL(xchg_relaxed(p, v))
#define cmpxchg_relaxed(p, o, n) FENCEPOST_CMPXCHG(p, o, n, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, o, n) FENCEPOST_CMPXCHG(p, o, n, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, o, n) FENCEPOST_CMPXCHG(p, o, n, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define cmpxchg(p, o, n) FENCEPOST_FULL(cmpxchg_relaxed(p, o, n))

/* Locks. */
typedef pthread_mutex_t spinlock_t;
#define spin_lock(lock) pthread_mutex_lock(lock)
#define spin_unlock(lock) pthread_mutex_unlock(lock)
#define spin_trylock(lock) (pthread_mutex_trylock(lock) == 0)

/* Counters. */
typedef struct {
  int counter;
} atomic_t;
typedef struct {
  int64_t counter;
} atomic64_t;
typedef atomic64_t atomic_long_t;

#define ATOMIC_INIT(i) { (i) }
#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)
#define atomic_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_add_return(i, v) FENCEPOST_FULL(atomic_add_return_relaxed(i, v))
#define atomic_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_sub_return(i, v) FENCEPOST_FULL(atomic_sub_return_relaxed(i, v))
#define atomic_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_add(i, v) FENCEPOST_FULL(atomic_fetch_add_relaxed(i, v))
#define atomic_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_sub(i, v) FENCEPOST_FULL(atomic_fetch_sub_relaxed(i, v))
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_fetch_inc(v) atomic_fetch_add(1, v)
#define atomic_fetch_dec(v) atomic_fetch_sub(1, v)
#define atomic_sub_and_test(i, v) (atomic_sub_return(i, v) == 0)
#define atomic_dec_and_test(v) (atomic_dec_return(v) == 0)
#define atomic_inc_and_test(v) (atomic_inc_return(v) == 0)
#define atomic_xchg(v, i) xchg(&(v)->counter, i)
#define atomic_xchg_relaxed(v, i) xchg_relaxed(&(v)->counter, i)
#define atomic_xchg_acquire(v, i) xchg_acquire(&(v)->counter, i)
#define atomic_xchg_release(v, i) xchg_release(&(v)->counter, i)
#define atomic_cmpxchg(v, o, n) cmpxchg(&(v)->counter, o, n)
#define atomic_cmpxchg_relaxed(v, o, n) cmpxchg_relaxed(&(v)->counter, o, n)
#define atomic_cmpxchg_acquire(v, o, n) cmpxchg_acquire(&(v)->counter, o, n)
#define atomic_cmpxchg_release(v, o, n) cmpxchg_release(&(v)->counter, o, n)

#endif
