name "message passing";
global data, flag;

thread writer {
  data.store(1, sc);
  flag.store(1, rel);
}

thread reader {
  local r, s;
  r = flag.load(sc);
  fence(acq);
  s = data.load(acq);
}
