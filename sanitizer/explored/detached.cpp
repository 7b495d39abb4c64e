// Nobody waits for the thread but who explores.
// every schedule: exhausted
#include <atomic>
#include <thread>

static std::atomic<int> value;

int main() {
  std::thread([] { value = 1; }).detach();
  return value == 2;
}
