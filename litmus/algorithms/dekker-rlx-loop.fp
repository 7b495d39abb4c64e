//: tso robust states=250
//: pso robust states=994
//: pgas robust states=994
//: ra robust states=1699
//: rc20 violation location=turn states=150
//: cpp20 violation location=turn states=101
// Dekker's algorithm as in dekker-rlx with threads that enter again and again. A thread may see
// that the other has raised its flag for the second time, and not yet that it has given the turn
// away before: it then waits for a turn that is its own already. Harmless, since it will be told in
// time, but no SC run shows it. Compare dekker-rlx-acq.
name "dekker-rlx-loop";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rlx);
    fence(sc);
    r = flag[1 - me].load(rlx);
    while (r == 1) {
      r = turn.load(rlx);
      if (r != me) {
        flag[me].store(0, rlx);
        wait(turn == me, rlx);
        flag[me].store(1, rlx);
        fence(sc);
      }
      r = flag[1 - me].load(rlx);
    }
    fence(acq);
    owner = me;
    r = owner;
    assert(r == me);
    turn.store(1 - me, rlx);
    fence(rel);
    flag[me].store(0, rlx);
  }
}
