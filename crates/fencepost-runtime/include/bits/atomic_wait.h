/* The waits of the C++ library, as fencepost watches them: std::atomic::wait and what is made of it (semaphores,
 * latches, barriers, stop tokens). Found instead of libstdc++'s header of this name, which does the work.
 *
 * The accesses of the library's own are not watched; the looks at the user's variable are. If a look reads what keeps
 * the wait waiting, that is no harm. See the runtime's hooks/library.rs.
 */
#ifndef FENCEPOST_ATOMIC_WAIT_H
#define FENCEPOST_ATOMIC_WAIT_H

#pragma GCC system_header

/* In ordinary builds there is nothing to tell. */
#ifndef __FENCEPOST__
#include_next <bits/atomic_wait.h>
#else

#define __atomic_wait_address_v __fencepost_inner_wait_address_v
#define __atomic_wait_address __fencepost_inner_wait_address
#define __atomic_wait_address_bare __fencepost_inner_wait_address_bare
#define __atomic_notify_address __fencepost_inner_notify_address
#define __atomic_notify_address_bare __fencepost_inner_notify_address_bare
#include_next <bits/atomic_wait.h>
#undef __atomic_wait_address_v
#undef __atomic_wait_address
#undef __atomic_wait_address_bare
#undef __atomic_notify_address
#undef __atomic_notify_address_bare

extern "C" {
void __fencepost_library_begin(void);
void __fencepost_library_end(void);
void __fencepost_library_looks(const volatile void *, unsigned long, bool);
void __fencepost_library_looked(void);
}

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

/* What is done while one of these lives is the library's own. */
struct __fencepost_library {
  __fencepost_library() { __fencepost_library_begin(); }
  ~__fencepost_library() { __fencepost_library_end(); }
};

/* And within that, while one of these lives, the user's variable is looked at. */
struct __fencepost_look {
  __fencepost_look(const volatile void *__addr, unsigned long __old, bool __known) {
    __fencepost_library_looks(__addr, __old, __known);
  }
  ~__fencepost_look() { __fencepost_library_looked(); }
};

/* A function of the library that looks. */
template <typename _Fn>
struct __fencepost_looking {
  const volatile void *_M_addr;
  unsigned long _M_old;
  bool _M_known;
  _Fn _M_fn;

  template <typename... _Args>
  decltype(auto) operator()(_Args &&...__args) const {
    __fencepost_look __scope(_M_addr, _M_old, _M_known);
    return _M_fn(static_cast<_Args &&>(__args)...);
  }
};

/* A value as the runtime sees it. What is larger than a word is not told: then every stale value counts. */
template <typename _Tp>
struct __fencepost_old {
  const volatile void *_M_addr;
  unsigned long _M_bits;

  __fencepost_old(const _Tp *__addr, const _Tp &__old) : _M_addr(nullptr), _M_bits(0) {
    if constexpr (sizeof(_Tp) <= sizeof(_M_bits)) {
      _M_addr = __addr;
      __builtin_memcpy(&_M_bits, &__old, sizeof(_Tp));
    }
  }
};

template <typename _Tp>
struct __fencepost_same {
  typedef _Tp type;
};

template <typename _Tp, typename _Fn, typename... _More>
void __atomic_wait_address_v(const _Tp *__addr, typename __fencepost_same<_Tp>::type __old, _Fn __fn,
                             _More... __more) noexcept {
  __fencepost_library __scope;
  const __fencepost_old<_Tp> __bits(__addr, __old);
  __fencepost_inner_wait_address_v(
      __addr, __old, __fencepost_looking<_Fn>{__bits._M_addr, __bits._M_bits, true, __fn}, __more...);
}

/* What comes after the address are functions that look, one or two of them, and flags. */
template <typename _Arg>
auto __fencepost_wrapped(const volatile void *__addr, _Arg __arg) {
  if constexpr (__is_class(_Arg)) {
    return __fencepost_looking<_Arg>{__addr, 0, false, __arg};
  } else {
    (void)__addr;
    return __arg;
  }
}

template <typename _Tp, typename... _Args>
void __atomic_wait_address(const _Tp *__addr, _Args... __args) noexcept {
  __fencepost_library __scope;
  __fencepost_inner_wait_address(__addr, __fencepost_wrapped(__addr, __args)...);
}

template <typename _Tp, typename... _Args>
void __atomic_wait_address_bare(const _Tp *__addr, _Args... __args) noexcept {
  __fencepost_library __scope;
  __fencepost_inner_wait_address_bare(__addr, __fencepost_wrapped(__addr, __args)...);
}

template <typename _Tp, typename... _More>
void __atomic_notify_address(const _Tp *__addr, _More... __more) noexcept {
  __fencepost_library __scope;
  __fencepost_inner_notify_address(__addr, __more...);
}

template <typename _Tp, typename... _More>
void __atomic_notify_address_bare(const _Tp *__addr, _More... __more) noexcept {
  __fencepost_library __scope;
  __fencepost_inner_notify_address_bare(__addr, __more...);
}

_GLIBCXX_END_NAMESPACE_VERSION
}

#endif

#endif
