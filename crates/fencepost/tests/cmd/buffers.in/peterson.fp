global flag[2], turn;
nonatomic critical;

proc lock(i) {
  local f, t;
  flag[i].store(1, rel);
  turn.store(1 - i, rel);
  do { f = flag[1 - i].load(acq); t = turn.load(acq); } while (f == 1 && t == 1 - i);
}

thread t0 { local c; lock(0); c = critical; critical = c + 1; flag[0].store(0, rel); }
thread t1 { local c; lock(1); c = critical; critical = c + 1; flag[1].store(0, rel); }
