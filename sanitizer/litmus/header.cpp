// The templates of fencepost.h, for every kind of std::atomic: none of them has to wait.
// case 17: -std=c++17 -pedantic
// expect: silent
// case 20: -std=c++20 -pedantic
// expect: silent
#include <atomic>

#include "fencepost.h"

enum class Colour : short { red, green };
static std::atomic<int> number;
static std::atomic<char> letter;
static std::atomic<bool> truth;
static std::atomic<Colour> colour;
static std::atomic<float> real{0.5f};
static std::atomic<int *> pointer;
static unsigned long plain;
static int object;

int main() {
  fencepost_wait(number, 0);
  fencepost_bcas(&number, 0, -1, std::memory_order_acq_rel);
  fencepost_wait(number, -1, std::memory_order_relaxed);
  fencepost_wait_32(&number, static_cast<uint32_t>(-1), std::memory_order_seq_cst);
  fencepost_bcas(letter, 0, 'x');
  fencepost_bcas(truth, false, true);
  fencepost_bcas(colour, Colour::red, Colour::green);
  fencepost_wait(real, 0.5f);
  fencepost_bcas(pointer, nullptr, &object, std::memory_order_release);
  fencepost_wait(&plain, 0, __ATOMIC_ACQUIRE);
  const int *found = fencepost_wait_ne(pointer, nullptr, std::memory_order_acquire);
  return found == &object && fencepost_wait_ne(colour, Colour::red) == Colour::green ? 0 : 1;
}
