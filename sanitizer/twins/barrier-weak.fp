//: rc20 violation kind=data-race
//: cpp20 violation kind=data-race
// As barrier, all relaxed: it keeps threads back and orders nothing.
name "barrier-weak";
domain 8;
const N = 3;
const ROUNDS = 2;
global count, generation;
nonatomic data[6];

thread p[N] {
  local round, r;
  while (round < ROUNDS) {
    data[round * N + me] = 1;
    r = count.fadd(1, rlx);
    if (r == N - 1) {
      count.store(0, rlx);
      generation.store(round + 1, rlx);
    } else {
      wait(generation == round + 1, rlx);
    }
    r = data[round * N + (me + 1) % N];
    assert(r == 1);
    round = round + 1;
  }
}
