// Every function of fencepost.h, in C, for every width: none of them has to wait.
// expect: silent
// build: -O1 -std=c11 -pedantic
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "fencepost.h"

static _Atomic int number;
static _Atomic uint8_t byte;
static _Atomic uint16_t half;
static _Atomic bool truth;
static _Atomic(void *) pointer;
static uint64_t plain;
static int object;

int main(void) {
  fencepost_wait(&number, 0, memory_order_acquire);
  fencepost_bcas(&number, 0, -1, memory_order_acq_rel);
  fencepost_wait(&number, -1, memory_order_relaxed);
  fencepost_wait_32(&number, (uint32_t)-1, memory_order_seq_cst);
  fencepost_bcas_32(&number, (uint32_t)-1, 7, memory_order_seq_cst);
  fencepost_bcas(&pointer, NULL, &object, memory_order_release);
  void *found = fencepost_wait_ne_ptr(&pointer, NULL, memory_order_acquire);
  fencepost_wait_ptr(&pointer, &object, memory_order_acquire);
  fencepost_bcas_ptr(&pointer, &object, NULL, memory_order_seq_cst);
  fencepost_bcas(&truth, false, true, memory_order_seq_cst);
  fencepost_bcas_8(&byte, 0, 3, memory_order_relaxed);
  fencepost_wait_8(&byte, 3, memory_order_relaxed);
  const uint8_t narrow = fencepost_wait_ne_8(&byte, 0, memory_order_acquire);
  const uint64_t wide = fencepost_wait_ne(&byte, 0, memory_order_acquire);
  fencepost_bcas_16(&half, 0, 65535, memory_order_seq_cst);
  fencepost_wait_16(&half, 65535, memory_order_acquire);
  const uint16_t middle = fencepost_wait_ne_16(&half, 0, memory_order_acquire);
  fencepost_bcas_64(&plain, 0, UINT64_MAX, __ATOMIC_SEQ_CST);
  fencepost_wait_64(&plain, UINT64_MAX, __ATOMIC_ACQUIRE);
  const uint64_t widest = fencepost_wait_ne_64(&plain, 0, __ATOMIC_ACQUIRE);
  printf("%d %d %d\n", atomic_load(&number), narrow, middle);
  return found == &object && narrow == 3 && wide == 3 && middle == 65535 && widest == UINT64_MAX ? 0 : 1;
}
