/* fencepost.h: say that a loop only waits, and what a test asserts, assumes and chooses.
 *
 * A loop that polls an atomic location until it has some value does nothing with the other values it reads. A stale
 * one makes it go round once more and is no harm; only a stale value that ends the loop too early is. fencepost
 * recognises many such loops by itself; these functions say so, and say exactly which values are waited for.
 *
 *   fencepost_wait(p, value, order)               blocks until *p == value; returns nothing
 *   fencepost_wait_ne(p, value, order)            blocks until *p != value; returns the value read
 *   fencepost_bcas(p, expected, desired, order)   blocks until a compare-and-swap of *p from expected to desired
 *                                                 succeeds; returns nothing
 *
 * Each also exists with the width in its name: _8, _16, _32, _64, _ptr. These take a pointer to anything of that
 * width, atomic or not, and integers (void * in the case of _ptr). The ones without a width are macros in C, for a
 * pointer to anything of 1, 2, 4 or 8 bytes that converts to an integer, and templates in C++, for a std::atomic<T> or
 * a pointer to one, or to a T used with the compiler's __atomic functions. In C fencepost_wait_ne returns a uint64_t,
 * whatever the type; in C++ a T. Values are compared by their representation, as compare_exchange does.
 *
 * The order is that of the load, or of the compare-and-swap that succeeds: memory_order_acquire and so on, or
 * __ATOMIC_ACQUIRE and so on. In C++ it is seq_cst if left out.
 *
 * And say which functions only wrap an atomic access, by a pattern for their names, at file scope:
 *
 *   FENCEPOST_WRAPPER("^my_load$");
 *
 * What is reported about the access is then blamed on the caller. Functions that get the variable and what to write,
 * and do nothing else, are known without it.
 *
 * And write tests, small programs of which `fencepost run` tries many schedules:
 *
 *   fencepost_assert(condition)   the test fails if the condition is false; NDEBUG does not switch it off
 *   fencepost_assume(condition)   the run ends here if the condition is false, and nothing is wrong with it
 *   fencepost_choose(n)           one of 0 to n - 1, another one in other runs; an unsigned; n is 1 or more
 *
 * Tests of other tools find their names in genmc.h and sv-comp.h, which are in the same folder as this file.
 *
 * In an ordinary build waits are loops and nothing else: no library is needed, and at -O1 and above nothing remains
 * but the loop. An assertion that fails aborts, an assumption that does not hold ends the program with exit code 0,
 * and both say so; what is chosen is always 0. What to do between two attempts can be given by defining FENCEPOST_PAUSE() before this file is
 * included; nothing, by default. Programs built by `fencepost cc` or `fencepost c++` have __FENCEPOST__ defined and
 * call fencepost's runtime instead.
 *
 * C11 or C++17 and later, with the __atomic functions of gcc and clang. This file may be copied into any project.
 */
#ifndef FENCEPOST_H
#define FENCEPOST_H

#include <stdint.h>
#ifndef __FENCEPOST__
#include <stdio.h>
#include <stdlib.h>
#endif

#if !defined(__GNUC__)
#error "fencepost.h needs the __atomic functions of gcc or clang"
#endif

#ifdef __cplusplus
#include <atomic>
#include <cstring>
#include <type_traits>
#endif

#ifndef FENCEPOST_PAUSE
#define FENCEPOST_PAUSE() ((void)0)
#endif

/* In a section of its own, which is not loaded when the program runs. A pattern that is in several files is kept once. */
#ifdef __FENCEPOST__
#define FENCEPOST_WRAPPER(PATTERN) \
  __asm__(".pushsection .fencepost.wrappers,\"MS\",@progbits,1\n\t.asciz \"" PATTERN "\"\n\t.popsection")
#elif defined(__cplusplus)
#define FENCEPOST_WRAPPER(PATTERN) static_assert(sizeof(PATTERN) > 1, "the pattern is empty")
#else
#define FENCEPOST_WRAPPER(PATTERN) _Static_assert(sizeof(PATTERN) > 1, "the pattern is empty")
#endif

/* Artificial: a debugger or a report shows the caller. */
#define FENCEPOST_INLINE static inline __attribute__((always_inline, artificial))

/* What tests say. A condition is anything that could stand in an `if`. */
#ifdef __FENCEPOST__
#ifdef __cplusplus
extern "C" {
#endif
void __fencepost_assume(int condition);
unsigned __fencepost_choose(unsigned count);
void __fencepost_assert_failed(const char *text, const char *file, unsigned line) __attribute__((noreturn));
#ifdef __cplusplus
}
#endif
#define fencepost_assert(condition) \
  ((condition) ? (void)0 : __fencepost_assert_failed(#condition, __FILE__, __LINE__))
#define fencepost_assume(condition) __fencepost_assume((condition) ? 1 : 0)
FENCEPOST_INLINE unsigned fencepost_choose(unsigned n) { return __fencepost_choose(n); }
#else
#define fencepost_assert(condition)                                                                          \
  ((condition) ? (void)0                                                                                     \
               : (fprintf(stderr, "%s:%d: assertion %s failed\n", __FILE__, __LINE__, #condition), abort()))
#define fencepost_assume(condition) \
  ((condition) ? (void)0 : (fputs("an assumption did not hold: the run ends here\n", stderr), _Exit(0)))
FENCEPOST_INLINE unsigned fencepost_choose(unsigned n) { return (void)n, 0; }
#endif

/* Memory orders, in the encoding that <stdatomic.h>, <atomic> and the __atomic functions share. */
#ifdef __cplusplus
struct fencepost_order {
  int value;
  constexpr fencepost_order(int order) : value(order) {}
  constexpr fencepost_order(std::memory_order order) : value(static_cast<int>(order)) {}
};
#define FENCEPOST_ORDER(order) ((order).value)
#else
typedef int fencepost_order;
#define FENCEPOST_ORDER(order) (order)
#endif

#ifdef __FENCEPOST__

#ifdef __cplusplus
extern "C" {
#endif
/* In fencepost's runtime. The first returns the value read; if ne is 1 it waits for any other value than the given. */
#define FENCEPOST_DECLARE(N)                                                                  \
  uint64_t __fencepost_wait##N(const volatile void *p, uint64_t value, int order, int ne);    \
  void __fencepost_bcas##N(volatile void *p, uint64_t expected, uint64_t desired, int order);
FENCEPOST_DECLARE(8)
FENCEPOST_DECLARE(16)
FENCEPOST_DECLARE(32)
FENCEPOST_DECLARE(64)
#undef FENCEPOST_DECLARE
#ifdef __cplusplus
}
#endif

#define FENCEPOST_WAIT_BODY(N, p, value, order, ne) \
  return (uint##N##_t)__fencepost_wait##N((p), (value), FENCEPOST_ORDER(order), (ne));
#define FENCEPOST_BCAS_BODY(N, p, expected, desired, order) \
  __fencepost_bcas##N((p), (expected), (desired), FENCEPOST_ORDER(order));

#else

/* The object may be declared with another type of the same width. */
typedef uint8_t __attribute__((may_alias)) fencepost_cell_8;
typedef uint16_t __attribute__((may_alias)) fencepost_cell_16;
typedef uint32_t __attribute__((may_alias)) fencepost_cell_32;
typedef uint64_t __attribute__((may_alias)) fencepost_cell_64;

#define FENCEPOST_WAIT_BODY(N, p, value, order, ne)                                                             \
  for (;;) {                                                                                                    \
    const uint##N##_t found = __atomic_load_n((const volatile fencepost_cell_##N *)(p), FENCEPOST_ORDER(order)); \
    if ((found == (value)) != (ne)) return found;                                                               \
    FENCEPOST_PAUSE();                                                                                          \
  }
/* A failure is no event of its own: it is tried again until it succeeds, so its order does not matter. */
#define FENCEPOST_BCAS_BODY(N, p, expected, desired, order)                                                   \
  for (;;) {                                                                                                  \
    fencepost_cell_##N found = (expected);                                                                    \
    if (__atomic_compare_exchange_n((volatile fencepost_cell_##N *)(p), &found, (desired), 1,                 \
                                    FENCEPOST_ORDER(order), __ATOMIC_RELAXED))                                \
      return;                                                                                                 \
    FENCEPOST_PAUSE();                                                                                        \
  }

#endif

#define FENCEPOST_DEFINE(N)                                                                                 \
  FENCEPOST_INLINE void fencepost_bcas_##N(volatile void *p, uint##N##_t expected, uint##N##_t desired,     \
                                           fencepost_order order) {                                         \
    FENCEPOST_BCAS_BODY(N, p, expected, desired, order)                                                     \
  }                                                                                                         \
  FENCEPOST_INLINE uint##N##_t fencepost_until_##N(const volatile void *p, uint##N##_t value,               \
                                                   fencepost_order order, int ne) {                         \
    FENCEPOST_WAIT_BODY(N, p, value, order, ne)                                                             \
  }                                                                                                         \
  FENCEPOST_INLINE void fencepost_wait_##N(const volatile void *p, uint##N##_t value, fencepost_order order) { \
    (void)fencepost_until_##N(p, value, order, 0);                                                          \
  }                                                                                                         \
  FENCEPOST_INLINE uint##N##_t fencepost_wait_ne_##N(const volatile void *p, uint##N##_t value,             \
                                                     fencepost_order order) {                               \
    return fencepost_until_##N(p, value, order, 1);                                                         \
  }
FENCEPOST_DEFINE(8)
FENCEPOST_DEFINE(16)
FENCEPOST_DEFINE(32)
FENCEPOST_DEFINE(64)
#undef FENCEPOST_DEFINE
#undef FENCEPOST_WAIT_BODY
#undef FENCEPOST_BCAS_BODY

#if UINTPTR_MAX == UINT64_MAX
#define FENCEPOST_PTR(name) fencepost_##name##_64
#else
#define FENCEPOST_PTR(name) fencepost_##name##_32
#endif
FENCEPOST_INLINE void fencepost_wait_ptr(const volatile void *p, const void *value, fencepost_order order) {
  FENCEPOST_PTR(wait)(p, (uintptr_t)value, order);
}
FENCEPOST_INLINE void *fencepost_wait_ne_ptr(const volatile void *p, const void *value, fencepost_order order) {
  return (void *)(uintptr_t)FENCEPOST_PTR(wait_ne)(p, (uintptr_t)value, order);
}
FENCEPOST_INLINE void fencepost_bcas_ptr(volatile void *p, const void *expected, const void *desired,
                                         fencepost_order order) {
  FENCEPOST_PTR(bcas)(p, (uintptr_t)expected, (uintptr_t)desired, order);
}
#undef FENCEPOST_PTR

#ifdef __cplusplus

/* The width is that of the value: std::atomic<T> may be wider than T only where it is not lock-free. */
template <typename T>
FENCEPOST_INLINE uint64_t fencepost_bits(const T &value) {
  static_assert(std::is_trivially_copyable<T>::value, "an atomic value is copied byte by byte");
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "of 1, 2, 4 or 8 bytes");
  uint64_t bits = 0;
  if constexpr (sizeof(T) == 1) {
    uint8_t narrow;
    std::memcpy(&narrow, &value, sizeof narrow);
    bits = narrow;
  } else if constexpr (sizeof(T) == 2) {
    uint16_t narrow;
    std::memcpy(&narrow, &value, sizeof narrow);
    bits = narrow;
  } else if constexpr (sizeof(T) == 4) {
    uint32_t narrow;
    std::memcpy(&narrow, &value, sizeof narrow);
    bits = narrow;
  } else {
    std::memcpy(&bits, &value, sizeof bits);
  }
  return bits;
}

template <typename T, typename Bits>
FENCEPOST_INLINE T fencepost_value(Bits bits) {
  static_assert(sizeof(T) == sizeof(Bits), "the same width");
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/* A type that is not deduced: in fencepost_wait(flag, 1) the flag alone decides. */
template <typename T>
struct fencepost_as {
  typedef T type;
};

template <typename T>
FENCEPOST_INLINE T fencepost_until(const volatile void *p, const T &value, fencepost_order order, int ne) {
  if constexpr (sizeof(T) == 1) {
    return fencepost_value<T>(fencepost_until_8(p, static_cast<uint8_t>(fencepost_bits(value)), order, ne));
  } else if constexpr (sizeof(T) == 2) {
    return fencepost_value<T>(fencepost_until_16(p, static_cast<uint16_t>(fencepost_bits(value)), order, ne));
  } else if constexpr (sizeof(T) == 4) {
    return fencepost_value<T>(fencepost_until_32(p, static_cast<uint32_t>(fencepost_bits(value)), order, ne));
  } else {
    return fencepost_value<T>(fencepost_until_64(p, fencepost_bits(value), order, ne));
  }
}

template <typename T>
FENCEPOST_INLINE void fencepost_swap(volatile void *p, const T &expected, const T &desired, fencepost_order order) {
  const uint64_t from = fencepost_bits(expected), to = fencepost_bits(desired);
  if constexpr (sizeof(T) == 1) {
    fencepost_bcas_8(p, static_cast<uint8_t>(from), static_cast<uint8_t>(to), order);
  } else if constexpr (sizeof(T) == 2) {
    fencepost_bcas_16(p, static_cast<uint16_t>(from), static_cast<uint16_t>(to), order);
  } else if constexpr (sizeof(T) == 4) {
    fencepost_bcas_32(p, static_cast<uint32_t>(from), static_cast<uint32_t>(to), order);
  } else {
    fencepost_bcas_64(p, from, to, order);
  }
}

/* A std::atomic, a pointer to one, and a pointer to a plain object: one definition for each kind of argument. */
#define FENCEPOST_DEFINE(TARGET, CONST_TARGET, ADDRESS)                                                              \
  template <typename T>                                                                                              \
  FENCEPOST_INLINE void fencepost_wait(CONST_TARGET, typename fencepost_as<T>::type value,                           \
                                       fencepost_order order = std::memory_order_seq_cst) {                          \
    (void)fencepost_until<T>(ADDRESS, value, order, 0);                                                              \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  FENCEPOST_INLINE T fencepost_wait_ne(CONST_TARGET, typename fencepost_as<T>::type value,                           \
                                       fencepost_order order = std::memory_order_seq_cst) {                          \
    return fencepost_until<T>(ADDRESS, value, order, 1);                                                             \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  FENCEPOST_INLINE void fencepost_bcas(TARGET, typename fencepost_as<T>::type expected,                              \
                                       typename fencepost_as<T>::type desired,                                       \
                                       fencepost_order order = std::memory_order_seq_cst) {                          \
    fencepost_swap<T>(ADDRESS, expected, desired, order);                                                            \
  }
FENCEPOST_DEFINE(volatile std::atomic<T> &target, const volatile std::atomic<T> &target, &target)
FENCEPOST_DEFINE(volatile std::atomic<T> *target, const volatile std::atomic<T> *target, target)
FENCEPOST_DEFINE(volatile T *target, const volatile T *target, target)
#undef FENCEPOST_DEFINE

#else

/* An array of no elements if the width is none of the four: a compile-time error. */
#define FENCEPOST_WIDTH(p) \
  ((void)sizeof(char[sizeof *(p) == 1 || sizeof *(p) == 2 || sizeof *(p) == 4 || sizeof *(p) == 8 ? 1 : -1]))
#define FENCEPOST_UNTIL(p, value, order, ne)                                                        \
  (FENCEPOST_WIDTH(p),                                                                              \
   sizeof *(p) == 1   ? fencepost_until_8((p), (uint8_t)(uint64_t)(value), (order), (ne))           \
   : sizeof *(p) == 2 ? fencepost_until_16((p), (uint16_t)(uint64_t)(value), (order), (ne))         \
   : sizeof *(p) == 4 ? fencepost_until_32((p), (uint32_t)(uint64_t)(value), (order), (ne))         \
                      : fencepost_until_64((p), (uint64_t)(value), (order), (ne)))
#define fencepost_wait(p, value, order) ((void)FENCEPOST_UNTIL(p, value, order, 0))
#define fencepost_wait_ne(p, value, order) ((uint64_t)FENCEPOST_UNTIL(p, value, order, 1))
#define fencepost_bcas(p, expected, desired, order)                                                           \
  (FENCEPOST_WIDTH(p),                                                                                        \
   sizeof *(p) == 1   ? fencepost_bcas_8((p), (uint8_t)(uint64_t)(expected), (uint8_t)(uint64_t)(desired), (order))    \
   : sizeof *(p) == 2 ? fencepost_bcas_16((p), (uint16_t)(uint64_t)(expected), (uint16_t)(uint64_t)(desired), (order)) \
   : sizeof *(p) == 4 ? fencepost_bcas_32((p), (uint32_t)(uint64_t)(expected), (uint32_t)(uint64_t)(desired), (order)) \
                      : fencepost_bcas_64((p), (uint64_t)(expected), (uint64_t)(desired), (order)))

#endif

#endif
