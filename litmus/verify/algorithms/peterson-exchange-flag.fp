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
// Peterson's algorithm with the exchange in the wrong place, where the flag is raised (B.
// Milewski's version): nobody else writes that flag, so the exchange meets no partner. Under SRA
// the write of the turn may come before the other's although that was first, and the machines
// delay it past the look at the other's flag, while both see the turn as they wish: the first
// one to enter reads the other's flag before it is up, the second one reads the turn of the
// first, which gets to memory after its own.
name "peterson-exchange-flag";
domain 2;
global flag[2], turn, owner;

thread p[2] {
  local f, t, r;
  while (1) {
    flag[me].xchg(1, acqrel);
    turn.store(1 - me, rel);
    do {
      f = flag[1 - me].load(acq);
      t = turn.load(acq);
    } while (f == 1 && t != me);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    flag[me].store(0, rel);
  }
}
