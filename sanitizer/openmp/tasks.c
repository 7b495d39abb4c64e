// Tasks of OpenMP: what their creator did comes before them, and they before `taskwait`, the end of a group, a barrier,
// and tasks that depend on them.
// needs: omp.h
// build: -O1 -fopenmp
// waits for: threads of OpenMP
// case right:
// expect: silent
// case right-O0: -O0
// expect: silent
// case does-not-wait: -DDOES_NOT_WAIT
// expect: race of results at @wait
// case independent: -DINDEPENDENT
// expect: race of chain at @link
// case readers: -DREADERS_WRITE
// expect: race of both at @readers
#include <omp.h>
#include <stdio.h>

#define N 8

int input, results[N], chain, both, sum, parts[N];

static int fibonacci(int n) {
  int one, other;
  if (n < 2) return n;
#pragma omp task shared(one)
  one = fibonacci(n - 1);
#pragma omp task shared(other)
  other = fibonacci(n - 2);
#pragma omp taskwait
  return one + other;
}

int main(void) {
  int fib = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    input = 5;
    for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
      results[i] = input + i;
    }
#ifndef DOES_NOT_WAIT
#pragma omp taskwait
#endif
    for (int i = 0; i < N; i++) sum += results[i];  // @wait
#pragma omp taskwait
#pragma omp taskgroup
    {
      for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
        {
#pragma omp task firstprivate(i)
          results[i] = i;
        }
      }
    }
    for (int i = 0; i < N; i++) sum += results[i];
    for (int i = 0; i < N; i++) {
#ifdef INDEPENDENT
#pragma omp task
#else
#pragma omp task depend(inout : chain)
#endif
      chain = chain + 1;  // @link
    }
    for (int i = 0; i < 2; i++) {
#pragma omp task depend(in : chain)
      {
#ifdef READERS_WRITE
        both = chain;  // @readers
#else
        results[i] = chain;
#endif
      }
    }
#pragma omp taskwait
#pragma omp taskloop grainsize(2)
    for (int i = 0; i < N; i++) parts[i] = i;
    for (int i = 0; i < N; i++) sum += parts[i];
    fib = fibonacci(6);
  }
  printf("%d %d %d\n", sum, chain, fib);
  return 0;
}
