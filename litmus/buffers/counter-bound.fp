//: tso unbounded
//: pso unbounded
//: pgas unbounded
//: ra unbounded
//: rc20 unbounded
//: cpp20 unbounded
// A counter that is modelled up to 3. Its stores can be late, and nobody can tell: who sees the other one's flag has looked at the
// counter before. Nothing is found up to the bound, and nothing is claimed beyond it.
name "counter-bound";
domain 8;
global x, y;

thread counts {
  local r, s;
  while (1) {
    r = x.load(rlx);
    bound(r < 3);
    x.store(r + 1, rlx);
    s = y.load(rlx);
  }
}

thread looks {
  local r;
  r = x.load(rlx);
  y.store(1, rlx);
}
