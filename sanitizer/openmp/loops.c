// Loops and regions of OpenMP: what comes before a region happens before it in every thread, and the region before what
// comes after it; barriers, critical sections, locks, ordered parts, reductions.
// needs: omp.h
// build: -O1 -fopenmp
// waits for: threads of OpenMP
// case right:
// expect: silent
// case right-O0: -O0
// expect: silent
// case same-element: -DSAME_ELEMENT
// expect: race of shared at @shared
// case nowait: -DNOWAIT
// expect: race of squares at @read
// case not-critical: -DNOT_CRITICAL
// expect: race of count
#include <omp.h>
#include <stdio.h>

#define N 12

int squares[N], sums[N], shared, count, taken, before, copied[3], in_order[N];
static omp_lock_t lock;

int main(void) {
  int sum = 0;
  before = 1;
  omp_init_lock(&lock);
#pragma omp parallel for num_threads(3) reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    squares[i] = i * i + before;
    sum += i;
#ifdef SAME_ELEMENT
    shared = i;  // @shared
#endif
  }
  for (int i = 0; i < N; i++) sum += squares[i];
#pragma omp parallel num_threads(3)
  {
#ifdef NOWAIT
#pragma omp for schedule(static, 1) nowait
#else
#pragma omp for schedule(static, 1)
#endif
    for (int i = 0; i < N; i++) squares[i] = i;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < N; i++) sums[i] = squares[(i + 1) % N];  // @read
    for (int round = 0; round < 3; round++) {
      squares[omp_get_thread_num()] = round;
#pragma omp barrier
      sums[omp_get_thread_num()] = squares[(omp_get_thread_num() + 1) % omp_get_num_threads()];
#pragma omp barrier
    }
#ifdef NOT_CRITICAL
    count++;
#else
#pragma omp critical
    count++;
#pragma omp critical(name)
    before++;
#endif
    omp_set_lock(&lock);
    taken++;
    omp_unset_lock(&lock);
    int mine;
#pragma omp single copyprivate(mine)
    {
      mine = 7;
      shared = 2;
    }
    copied[omp_get_thread_num()] = mine + shared;
#pragma omp sections
    {
#pragma omp section
      squares[0] = 3;
#pragma omp section
      squares[1] = 4;
    }
    copied[omp_get_thread_num()] += squares[0] + squares[1];
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < N; i++) {
#pragma omp ordered
      in_order[i] = (i ? in_order[i - 1] : 0) + 1;
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < N; i++) sums[i] += in_order[i];
  }
  omp_destroy_lock(&lock);
  printf("%d %d %d %d\n", sum, sums[3], count, taken + copied[1]);
  return 0;
}
