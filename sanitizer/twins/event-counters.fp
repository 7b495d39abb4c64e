//: rc20 robust
//: cpp20 robust
// Three threads count events, one collects when all are done (Margalit and Lahav 2021).
name "event-counters";
domain 16;
const N = 3;
global done[N], bucket[N];

thread counter[N] {
  local i, b;
  while (i < 2) {
    b = nondet(0, N - 1);
    bucket[b].fadd(1, rlx);
    i = i + 1;
  }
  done[me].store(1, rel);
}

thread collector {
  local i, r, sum;
  while (i < N) {
    wait(done[i] == 1, acq);
    i = i + 1;
  }
  i = 0;
  while (i < N) {
    r = bucket[i].load(rlx);
    sum = sum + r;
    i = i + 1;
  }
  assert(sum == 2 * N);
}
