// Nobody waits for the thread.
// every schedule: unknown
// says: join them
#include <atomic>
#include <thread>

static std::atomic<int> value;

int main() {
  std::thread([] { value = 1; }).detach();
  return value == 2;
}
