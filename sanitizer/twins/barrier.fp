//: rc20 robust
//: cpp20 robust
// A barrier with a counter and a generation number: the last one to come lets the others go.
name "barrier";
domain 8;
const N = 3;
const ROUNDS = 2;
global count, generation;
nonatomic data[6];

thread p[N] {
  local round, r;
  while (round < ROUNDS) {
    data[round * N + me] = 1;
    r = count.fadd(1, acqrel);
    if (r == N - 1) {
      count.store(0, rlx);
      generation.store(round + 1, rel);
    } else {
      wait(generation == round + 1, acq);
    }
    r = data[round * N + (me + 1) % N];
    assert(r == 1);
    round = round + 1;
  }
}
