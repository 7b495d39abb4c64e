// A shared pointer that threads exchange: std::atomic<std::shared_ptr>.
// needs: version
// build: -O1 -std=gnu++20
// case right: -DORDER=seq_cst
// expect: silent
// case right-release: -DSTORE=release -DLOAD=acquire
// expect: silent
// case changed-later: -DCHANGED_LATER
// expect: race at @read and @write
#include <atomic>
#include <memory>
#include <thread>

#ifndef STORE
#define STORE seq_cst
#define LOAD seq_cst
#endif
#define NAME(order) std::memory_order_##order
#define WITH(order) NAME(order)

static std::atomic<std::shared_ptr<int>> box;
int seen;

int main() {
  std::thread reader([] {
    for (int i = 0; i < 3; i++) {
      const std::shared_ptr<int> here = box.load(WITH(LOAD));
      if (here) seen = *here;  // @read
    }
  });
  std::thread writer([] {
    const std::shared_ptr<int> mine = std::make_shared<int>(1);
    box.store(mine, WITH(STORE));
#ifdef CHANGED_LATER
    *mine = 2;  // @write
#endif
    box.store(nullptr, WITH(STORE));
  });
  reader.join();
  writer.join();
}
