//: tso violation shape=R states=88
//: pso violation shape=R states=68
//: pgas violation shape=R states=68
//: ra violation states=18
//: rc20 violation states=18
//: cpp20 violation states=18
// Peterson's algorithm after B. Milewski (discussed by A. Williams 2008), with an exchange where
// the flag is raised. The wrong place: nobody else writes that flag, so the exchange meets no
// partner and orders nothing; turn is still written blindly.
name "peterson-ra-bratosz";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  while (1) {
    flag[me].xchg(1, acqrel);
    turn.store(1 - me, rel);
    do {
      f = flag[1 - me].load(acq);
      t = turn.load(acq);
    } while (f == 1 && t != me);
    owner = me;
    f = owner;
    assert(f == me);
    flag[me].store(0, rel);
  }
}
