/* Threads of the tests in this folder: thread N runs `body` with N, from 0 on. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define RUN(count, body)                                                                          \
  do {                                                                                            \
    pthread_t threads[count];                                                                     \
    for (intptr_t n = 0; n < (count); n++) pthread_create(&threads[n], NULL, (body), (void *)n); \
    for (intptr_t n = 0; n < (count); n++) pthread_join(threads[n], NULL);                        \
  } while (0)
