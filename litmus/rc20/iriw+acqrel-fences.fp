//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=82
//: rc20 violation states=82
//: cpp20 violation states=82
// Independent reads of independent writes with acquire-release fences between the loads: the
// readers may still disagree, because neither is told what the other has read.
name "iriw+acqrel-fences";
domain 2;
global x, y;

thread wx {
  x.store(1, rlx);
}

thread wy {
  y.store(1, rlx);
}

thread xy {
  local r, s;
  r = x.load(rlx);
  fence(acqrel);
  s = y.load(rlx);
}

thread yx {
  local r, s;
  r = y.load(rlx);
  fence(acqrel);
  s = x.load(rlx);
}
