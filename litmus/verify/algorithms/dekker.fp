//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Dekker's mutual exclusion algorithm (T. J. Dekker, described by Dijkstra 1965) for two
// threads, for ever; both would not be in the critical section. Raising one's flag and looking
// at the other's is store buffering: under SRA both can see the other's flag down, and so can
// both on the machines while the flags wait in buffers. Then one writes owner and reads what the
// other wrote after it.
name "dekker";
domain 2;
global flag[2], turn, owner;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rel);
    r = flag[1 - me].load(acq);
    while (r == 1) {
      r = turn.load(acq);
      if (r != me) {
        flag[me].store(0, rel);
        wait(turn == me, acq);
        flag[me].store(1, rel);
      }
      r = flag[1 - me].load(acq);
    }
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    turn.store(1 - me, rel);
    flag[me].store(0, rel);
  }
}
