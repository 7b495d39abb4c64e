/* The same as bits/atomic_wait.h, for waits that end after some time. */
#ifndef FENCEPOST_ATOMIC_TIMED_WAIT_H
#define FENCEPOST_ATOMIC_TIMED_WAIT_H

#pragma GCC system_header

/* In ordinary builds there is nothing to tell. */
#ifndef __FENCEPOST__
#include_next <bits/atomic_timed_wait.h>
#else

#define __atomic_wait_address_until __fencepost_inner_wait_address_until
#define __atomic_wait_address_until_bare __fencepost_inner_wait_address_until_bare
#define __atomic_wait_address_for __fencepost_inner_wait_address_for
#define __atomic_wait_address_for_bare __fencepost_inner_wait_address_for_bare
#include_next <bits/atomic_timed_wait.h>
#undef __atomic_wait_address_until
#undef __atomic_wait_address_until_bare
#undef __atomic_wait_address_for
#undef __atomic_wait_address_for_bare

#include <bits/atomic_wait.h>

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

#define FENCEPOST_TIMED(NAME)                                                        \
  template <typename _Tp, typename _Pred, typename _Time, typename... _More>         \
  bool __atomic_wait_address_##NAME(const _Tp *__addr, _Pred __pred, const _Time &__time, \
                                    _More... __more) noexcept {                      \
    __fencepost_library __scope;                                                     \
    return __fencepost_inner_wait_address_##NAME(                                    \
        __addr, __fencepost_wrapped(__addr, __pred), __time, __more...);             \
  }
FENCEPOST_TIMED(until)
FENCEPOST_TIMED(until_bare)
FENCEPOST_TIMED(for)
FENCEPOST_TIMED(for_bare)
#undef FENCEPOST_TIMED

_GLIBCXX_END_NAMESPACE_VERSION
}

#endif

#endif
