domain 4; global x;
thread t {   local r;
x.store( 1 ,rel );   // a comment
    r=x.load(acq) ;
}
