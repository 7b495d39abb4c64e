name "unlocked";
domain 3;
global lock;
nonatomic data;

thread writer {
  local v;
  while (1) {
    lock.bcas(0, 1, acqrel);
    v = data;
    data = v + 1;
    lock.store(0, rel);
  }
}

thread reader {
  local v;
  while (1) {
    v = data;
  }
}
