//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra unsupported
//: rc20 unsupported
//: cpp20 unsupported
// Two stores in one atomic section, and two loads in another: never only one of the stores is seen.
name "mp+atomic-pair";
domain 2;
global data, flag;

thread send {
  atomic {
    data.store(1, rlx);
    flag.store(1, rlx);
  }
}

thread receive {
  local r, s;
  atomic {
    r = flag.load(rlx);
    s = data.load(rlx);
    assert(r == s);
  }
}
