// A race inside a library that is loaded at run time has a place in its source.
// library: plugin.c
// expect: race of races
#include <dlfcn.h>

#include "../threads.h"

static void (*race)(void);

static void use(int me) {
  (void)me;
  race();
}

int main(void) {
  void *library = dlopen("./plugin.so", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void **)&race = dlsym(library, "race");
  CHECK(race != NULL);
  run_all(2, use);
  return 0;
}
