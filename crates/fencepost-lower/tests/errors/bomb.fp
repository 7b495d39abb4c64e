global x;
proc a() { x.store(1); x.store(1); x.store(1); x.store(1); x.store(1); x.store(1); x.store(1); x.store(1); }
proc b() { a(); a(); a(); a(); a(); a(); a(); a(); a(); a(); }
proc c() { b(); b(); b(); b(); b(); b(); b(); b(); b(); b(); }
proc d() { c(); c(); c(); c(); c(); c(); c(); c(); c(); c(); }
proc e() { d(); d(); d(); d(); d(); d(); d(); d(); d(); d(); }
proc f() { e(); e(); e(); e(); e(); e(); e(); e(); e(); e(); }
proc g() { f(); f(); f(); f(); f(); f(); f(); f(); f(); f(); }
thread t { g(); }
