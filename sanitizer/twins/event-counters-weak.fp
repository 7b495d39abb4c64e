//: rc20 violation location=bucket[0]
//: cpp20 violation location=bucket[0]
// As event-counters, but who is done does not say so with a release.
name "event-counters-weak";
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
  done[me].store(1, rlx);
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
