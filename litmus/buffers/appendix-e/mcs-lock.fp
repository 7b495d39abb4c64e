//: tso robust states=86
//: pso violation shape=S states=108
//: pgas violation shape=S states=108
//: ra robust states=65
//: rc20 violation shape=S states=45
//: cpp20 violation shape=S states=45
// The queue lock of Mellor-Crummey and Scott as in Herlihy and Shavit's book: two threads lock and unlock once.
// Figure 7 of "Locality and singularity" calls it "robust" by its name and not robust by the table. It is robust against
// TSO; where stores overtake stores, a thread can be linked into the queue before its flag is up, so that it
// is woken before it waits. (mcs-lock.fp in litmus/algorithms raises no flag: there, nothing can be overtaken.)
name "mcs-lock";
domain 3;
global tail, locked[3], next[3];

thread p[2] {
  local prev, r, mine = me + 1;
  prev = tail.xchg(mine, acqrel);
  if (prev != 0) {
    locked[mine].store(1, rlx);
    next[prev].store(mine, rlx);
    do {
      r = locked[mine].load(rlx);
    } while (r != 0);
  }
  r = next[mine].load(rlx);
  if (r == 0) {
    r = tail.cas(mine, 0, acqrel, rlx);
    if (r == mine) goto done;
    do {
      r = next[mine].load(rlx);
    } while (r == 0);
  }
  r = next[mine].load(rlx);
  locked[r].store(0, rlx);
  next[mine].store(0, rlx);
  done:
}
