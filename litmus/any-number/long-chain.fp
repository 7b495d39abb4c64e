//: tso robust
//: pso violation copies=5 shape=none
//: pgas violation copies=5 shape=none
//: ra robust
//: rc20 robust
//: cpp20 robust
// A message that is passed on three times. Where stores can overtake each other, the last one may see
// it and not what was written before it: five copies show that, and no fewer.
name "long-chain";
domain 2;
global x, y, z, u, v;

thread worker[*] {
  choose {
    x.store(1, rel);
    y.store(1, rel);
  } or {
    wait(y == 1, acq);
    z.store(1, rel);
  } or {
    wait(z == 1, acq);
    u.store(1, rel);
  } or {
    wait(u == 1, acq);
    v.store(1, rel);
  } or {
    wait(v == 1, acq);
    wait(x == 0, acq);
  }
}
