// What programs tell thread sanitizers about themselves, in the words of dynamic annotations.
// case right: -DANNOTATED=1
// expect: silent
// case wrong: -DANNOTATED=0
// expect: race of data at @write and @read
// case another-object: -DANNOTATED=2
// expect: race of data at @write and @read
#include "../threads.h"

#ifdef __FENCEPOST__
void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
void AnnotateThreadName(const char *file, int line, const char *name);
int RunningOnValgrind(void);
const char *ThreadSanitizerQuery(const char *question);
#else
#define AnnotateHappensBefore(file, line, object) ((void)(object))
#define AnnotateHappensAfter(file, line, object) ((void)(object))
#define AnnotateThreadName(file, line, name) ((void)(name))
#define RunningOnValgrind() 0
#define ThreadSanitizerQuery(question) "1"
#endif

int data, seen, object[2];
/* Not seen: as if it were in assembly. */
static int flag;

__attribute__((no_sanitize("thread"))) static void set(void) { *(volatile int *)&flag = 1; }
__attribute__((no_sanitize("thread"))) static int is_set(void) { return *(volatile int *)&flag; }

static void writer(int me) {
  (void)me;
  AnnotateThreadName(__FILE__, __LINE__, "writer");
  data = 1;  // @write
  if (ANNOTATED) AnnotateHappensBefore(__FILE__, __LINE__, &object[0]);
  set();
}

static void reader(int me) {
  (void)me;
  for (int i = 0; i < 100 && !is_set(); i++) sched_yield();
  if (is_set()) {
    if (ANNOTATED) AnnotateHappensAfter(__FILE__, __LINE__, &object[ANNOTATED == 2]);
    seen = data;  // @read
  }
}

int main(void) {
  RUN(writer, reader);
  CHECK(RunningOnValgrind() == 0);
  CHECK(ThreadSanitizerQuery("pure_happens_before")[0] == '1');
  return 0;
}
