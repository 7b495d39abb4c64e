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
// The reservation with three clients: two of them, or all, may win.
name "reservation-three";
domain 4;
const N = 3;
global claim[N], winners;

thread client[N] {
  local r, c, w;
  do {
    claim[me].store(1, rel);
    c = 0;
    r = claim[int((me + 1) % N)].load(acq);
    c = c || r;
    r = claim[int((me + 2) % N)].load(acq);
    c = c || r;
    if (c) {
      claim[me].store(0, rel);
    }
  } while (c);
  w = winners.fadd(1, acqrel);
  assert(w == 0);
}
