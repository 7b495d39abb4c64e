#include "parts.h"

#include <atomic>
#include <thread>

static std::atomic<int> moved;

int move(void) {
  std::thread other([] { moved.store(1, std::memory_order_release); });
  other.join();
  return moved.load(std::memory_order_acquire);
}
