//: tso violation shape=SB states=45
//: pso violation shape=SB states=50
//: pgas violation shape=SB states=50
//: ra unsupported
//: rc20 unsupported
//: cpp20 unsupported
// An atomic transfer between two accounts, announced before, and a clerk who pays in at both and then looks for announcements: the load
// overtakes the stores. Under PSO and PGAS one store overtakes the other, too, and the section sees half of what was paid in.
name "transfer+reader";
domain 4;
global a = 1, b = 1, open;

thread transfer {
  local r, s;
  open.store(1, rlx);
  atomic {
    r = a.load(rlx);
    s = b.load(rlx);
    a.store(0, rlx);
    b.store(r + s, rlx);
  }
}

thread clerk {
  local r;
  a.store(2, rlx);
  b.store(2, rlx);
  r = open.load(rlx);
}
