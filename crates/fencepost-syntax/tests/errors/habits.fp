global x, m;
nonatomic d;
thread t {
  local r, p;
  int i = 0;
  let mut v = x.load();
  auto w = x.load();
  std::atomic<int> y(0);
  int *q = &x;
  r++;
  ++r;
  x += 1;
  r -= 1;
  r <<= 1;
  p->next = r;
  *p = 1;
  r = *p;
  r = atomic_load(&x);
  atomic_store_explicit(&x, 1, memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::this_thread::yield();
  std::lock_guard<std::mutex> guard(m);
  m.lock();
  m.unlock();
  x.fetch_add(1, std::memory_order_relaxed);
  r = x.fetch_sub(1);
  r = x.exchange(1);
  r = x.swap(1, Ordering::AcqRel);
  x.compare_exchange_strong(r, 1);
  x.wait(0);
  x.notify_all();
  x.clear();
  while (x.load() == 0) { skip; }
  while (!x.load(acq));
  if (x.fadd(1) == 2) { skip; }
  if x == 0 { skip; }
  while r { skip; }
  assert(x.load() == 1);
  assert!(r == 1);
  assert_eq!(r, 1);
  println!("{}", r);
  std::cout << r;
  x.store(x.load() + 1);
  r = x.load() + 1;
  r = 1 + x.load();
  r = pop(x) * 2;
  switch (r) { case 0: break; }
  match r { 0 => skip, }
  loop { break; }
  delete p;
  foo::bar(r);
  r = x.load(acq;
}
