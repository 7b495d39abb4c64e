//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// A program without races between writes (Lahav and Boker 2020, theorem 3.14), so that RA
// reaches what SRA reaches, and loops that never end. Each thread publishes its turn and then
// raises its flag, for ever; whoever sees the other's flag raised must see a turn. It is not
// robust: looking at the other's flag after storing one's own is store buffering. RC20 permits
// no more than RA where every access is a release or an acquire, and TSO no more than SRA. With
// a buffer for each location the flag may overtake the turn.
name "ww-race-free";
domain 2;
global turn[2], flag[2];

thread p[2] {
  local f, t;
  while (1) {
    turn[me].store(1, rel);
    flag[me].store(1, rel);
    f = flag[1 - me].load(acq);
    if (f == 1) {
      t = turn[1 - me].load(acq);
      assert(t == 1);
    }
  }
}
