// Blocking compare-and-swaps and waits of fencepost.h in C++: a lock, and a pointer that is handed over.
// expect: silent
// twin: litmus/classic/bcas-lock.fp
#include <atomic>
#include <cstdio>
#include <thread>

#include "fencepost.h"

static std::atomic<bool> locked;
static std::atomic<int *> mailbox;
static int counter, message;

static void count() {
  for (int i = 0; i < 20; i++) {
    fencepost_bcas(locked, false, true, std::memory_order_acquire);
    counter++;
    locked.store(false, std::memory_order_release);
  }
}

int main() {
  std::thread first(count), second(count);
  std::thread sender([] {
    message = 42;
    fencepost_bcas(&mailbox, nullptr, &message, std::memory_order_release);
  });
  const int *received = fencepost_wait_ne(mailbox, nullptr, std::memory_order_acquire);
  const int value = *received;
  first.join();
  second.join();
  sender.join();
  std::printf("%d %d\n", counter, value);
  return counter == 40 && value == 42 ? 0 : 1;
}
