// Nobody waits for the thread. What it does after the end of `main` is explored, too.
// every schedule: exhausted
#include <atomic>
#include <thread>

static std::atomic<int> value;

int main() {
  std::thread([] { value = 1; }).detach();
  return value == 2;
}
