//: tso robust states=35642
//: pso violation shape=MP states=2034
//: pgas violation shape=MP states=2034
//: ra robust states=753148
//: rc20 robust states=938502
//: cpp20 robust states=492473
// Read-copy-update where every thread reads and updates, and may go offline so that nobody waits
// for it (Desnoyers et al. 2012, the quiescent-state flavour). An offline thread announces a
// period later than all others. Coming online and waiting for the others are store buffering
// (announce, then read the pointer; publish, then read the announcements): both need their fence.
// An announcement made while staying online needs none.
name "rcu-offline";
domain 8;
const N = 3;
const OFFLINE = 7;
global ptr, period, seen[N], lock;
nonatomic node[2] = 1;

proc announce() {
  local g;
  g = period.load(acq);
  seen[me].store(g, rel);
}

proc read() {
  local p, r;
  p = ptr.load(acq);
  r = node[p];
  assert(r == 1);
}

proc update() {
  local p, g, i;
  lock.bcas(0, 1, acq);
  p = ptr.load(rlx);
  node[1 - p] = 1;
  ptr.store(1 - p, rel);
  g = period.load(rlx);
  g = g + 1;
  period.store(g, rel);
  fence(sc);
  i = 0;
  while (i < N) {
    wait(seen[i] >= g, acq);
    i = i + 1;
  }
  node[p] = 0;
  lock.store(0, rel);
}

thread t[N] {
  read();
  announce();
  read();
  seen[me].store(OFFLINE, rel);
  update();
  announce();
  fence(sc);
  read();
  seen[me].store(OFFLINE, rel);
}
