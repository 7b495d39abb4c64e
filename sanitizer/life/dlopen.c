// An instrumented library that is loaded, used by several threads, and unloaded, again and again.
// library: plugin.c
// expect: silent
#include <dlfcn.h>

#include "../threads.h"

static int (*add)(int);

static void use(int me) {
  for (int i = 0; i < 10; i++) add(me);
}

int main(void) {
  for (int round = 0; round < 3; round++) {
    void *library = dlopen("./plugin.so", RTLD_NOW);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    *(void **)&add = dlsym(library, "add");
    CHECK(add != NULL);
    run_all(3, use);
    CHECK(add(0) == 30);
    CHECK(dlclose(library) == 0);
  }
  return 0;
}
