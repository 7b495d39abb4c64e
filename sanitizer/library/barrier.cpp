// Barriers of C++20, several rounds, by two and three threads.
// needs: barrier
// build: -O1 -std=gnu++20
// case right:
// expect: silent
// case right-O0: -O0
// expect: silent
// case same-round: -DSAME_ROUND
// expect: race of data at @read and @write
// case libc++: -stdlib=libc++
// expect: silent
// case libc++-same-round: -stdlib=libc++ -DSAME_ROUND
// expect: race of data at @read and @write
#include <barrier>
#include <thread>

#define THREADS 3

struct count_rounds {
  void operator()() noexcept;
};

static std::barrier<count_rounds> together{THREADS};
int data[THREADS], seen[THREADS], rounds;

void count_rounds::operator()() noexcept { rounds++; }

static void work(int me) {
  for (int round = 0; round < 3; round++) {
    data[me] = round;  // @write
#ifndef SAME_ROUND
    together.arrive_and_wait();
#endif
    seen[me] = data[(me + 1) % THREADS];  // @read
    together.arrive_and_wait();
  }
}

int main() {
  std::thread one(work, 1), two(work, 2);
  work(0);
  one.join();
  two.join();
}
