//: tso robust states=0
//: pso violation shape=S states=108
//: pgas violation shape=S states=108
//: ra robust states=118
//: rc20 robust states=118
//: cpp20 robust states=118
// Vyukov's version of Peterson's algorithm (peterson-rlx) where each thread enters once, which is
// what its informal and formal proofs were about. The thread that gets in because the turn came
// back is the first, so there is nothing to acquire.
name "peterson-rlx-once";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  flag[me].store(1, rlx);
  turn.xchg(1 - me, acqrel);
  do {
    f = flag[1 - me].load(acq);
    if (f == 0) {
      break;
    }
    t = turn.load(rlx);
  } while (t != me);
  owner = me;
  f = owner;
  assert(f == me);
  flag[me].store(0, rel);
}
