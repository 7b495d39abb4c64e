//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=90
//: rc20 robust states=90
//: cpp20 robust states=90
// Three threads count events with relaxed updates; a fourth waits for all of them and reads the
// total. Waiting synchronises, counting need not.
name "counter+rlx";
domain 8;
const N = 3;
global count, done[N];

thread worker[N] {
  count.fadd(1, rlx);
  done[me].store(1, rel);
}

thread main {
  local r, i;
  while (i < N) {
    wait(done[i] == 1, acq);
    i = i + 1;
  }
  r = count.load(rlx);
  assert(r == N);
}
