// A virtual call while the object is being destroyed: the race is on the pointer to its virtual functions.
// (Optimised, the destructor does not bother to set it.)
// expect: race of heap
// allow: race
// build: -O0
#include <pthread.h>

#include <thread>

static int calls;

struct Base {
  virtual void call() { calls = 1; }
  // Not empty, or it would not set the pointer.
  virtual ~Base() { __asm__ volatile("" ::: "memory"); }
};

struct Derived : Base {
  void call() override { calls = 2; }
  ~Derived() override { pthread_barrier_wait(&meet); }
  static pthread_barrier_t meet;
};

pthread_barrier_t Derived::meet;

int main() {
  pthread_barrier_init(&Derived::meet, nullptr, 2);
  Base *object = new Derived;
  std::thread caller([object] {
    pthread_barrier_wait(&Derived::meet);
    object->call();
  });
  std::thread destroyer([object] { object->~Base(); });
  caller.join();
  destroyer.join();
  operator delete(object);
  return calls == 0 ? 1 : 0;
}
