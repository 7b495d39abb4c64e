//: tso robust
//: pso robust
//: pgas robust
//: ra violation copies=4 shape=IRIW
//: rc20 violation copies=4 shape=IRIW
//: cpp20 violation copies=4 shape=IRIW
// Independent reads of independent writes: two writers, and two readers that see them in different
// orders. Four copies show it, and no fewer. On machines with store buffers memory is one.
name "iriw";
domain 2;
global x, y;

thread worker[*] {
  choose {
    x.bcas(0, 1, rel);
  } or {
    y.bcas(0, 1, rel);
  } or {
    wait(x == 1, acq);
    wait(y == 0, acq);
  } or {
    wait(y == 1, acq);
    wait(x == 0, acq);
  }
}
