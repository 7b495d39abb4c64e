// Races that are meant to be, and plain accesses that are not to be looked at.
// case benign: -DBENIGN
// expect: silent
// case ignored: -DIGNORED
// expect: silent
// case neither:
// expect: race of data at @write and @read
// case neighbour: -DBENIGN -DNEIGHBOUR
// expect: race of data at @write and @read
#include "../threads.h"

#ifdef __FENCEPOST__
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *memory, long bytes, const char *why);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#else
#define AnnotateBenignRaceSized(file, line, memory, bytes, why) ((void)(memory))
#define AnnotateIgnoreReadsBegin(file, line) ((void)0)
#define AnnotateIgnoreReadsEnd(file, line) ((void)0)
#endif

int data[2], seen;
#ifdef NEIGHBOUR
#define WHICH 1
#else
#define WHICH 0
#endif

static void writer(int me) {
  (void)me;
  data[WHICH] = 1;  // @write
}

static void reader(int me) {
  (void)me;
#ifdef IGNORED
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
#endif
  const int read = data[WHICH];  // @read
#ifdef IGNORED
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
  seen = read;
}

int main(void) {
#ifdef BENIGN
  AnnotateBenignRaceSized(__FILE__, __LINE__, &data[0], sizeof data[0], "a hint");
#endif
  RUN(writer, reader);
  return 0;
}
