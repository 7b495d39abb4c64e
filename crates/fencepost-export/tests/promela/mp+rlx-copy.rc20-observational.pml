/* relaxed message passing, used through a copy, exported by fencepost.
   SPIN finds no assertion violated iff: relaxed message passing, used through a copy is observationally robust against rc20: nothing depends on a stale read.
     spin -a FILE && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
   A search that reports "max search depth too small" proves nothing: enlarge -m. */
/* Failures of the program itself are no violations of robustness: spin -DCHECK_ASSERTIONS -a FILE reports them too. */
#ifdef CHECK_ASSERTIONS
#define FAIL assert(false);
#else
#define FAIL
#endif

bit m_data_0;
bit m_flag_1;
unsigned vsc0 : 2 = 3;
unsigned vsc1 : 2 = 3;
unsigned msc0 : 2 = 1;
unsigned msc1 : 2 = 2;
unsigned wsc0 : 2 = 1;
unsigned wsc1 : 2 = 2;
unsigned v_c0 : 2;
unsigned v_c1 : 2;
unsigned v_none : 2;
unsigned v_w0 : 2;
unsigned v_w1 : 2;
unsigned vrmw_c0 : 2;
unsigned vrmw_c1 : 2;
unsigned vrmw_none : 2;
unsigned vrmw_w0 : 2;
unsigned vrmw_w1 : 2;

active proctype t0_producer() {
  goto L0;
L0: /* store data */
  if
  :: d_step {
      assert(!((vsc0 & 1) != 0 && (vrmw_c0 & 1) != 0));
      vsc0 = vsc0 | msc0;
      msc0 = vsc0;
      wsc0 = vsc0;
      vsc1 = vsc1 & ~1;
      msc1 = msc1 & ~1;
      wsc1 = wsc1 & ~1;
      v_c0 = v_c0 & ~1;
      v_c1 = v_c1 | 1;
      v_none = v_none | 1;
      v_w1 = v_w1 | 1;
      v_w0 = v_none;
      v_w0 = v_w0 & ~1;
      vrmw_c0 = vrmw_c0 & ~1;
      vrmw_c1 = vrmw_c1 | 1;
      vrmw_none = vrmw_none | 1;
      vrmw_w1 = vrmw_w1 | 1;
      vrmw_w0 = vrmw_none;
      vrmw_w0 = vrmw_w0 & ~1;
      m_data_0 = 1;
    };
    goto L1
  fi;
L1: /* store flag */
  if
  :: d_step {
      assert(!((vsc0 & 2) != 0 && (vrmw_c0 & 2) != 0));
      vsc0 = vsc0 | msc1;
      msc1 = vsc0;
      wsc1 = vsc0;
      vsc1 = vsc1 & ~2;
      msc0 = msc0 & ~2;
      wsc0 = wsc0 & ~2;
      v_c0 = v_c0 & ~2;
      v_c1 = v_c1 | 2;
      v_none = v_none | 2;
      v_w0 = v_w0 | 2;
      v_w1 = v_none;
      v_w1 = v_w1 & ~2;
      vrmw_c0 = vrmw_c0 & ~2;
      vrmw_c1 = vrmw_c1 | 2;
      vrmw_none = vrmw_none | 2;
      vrmw_w0 = vrmw_w0 | 2;
      vrmw_w1 = vrmw_none;
      vrmw_w1 = vrmw_w1 & ~2;
      m_flag_1 = 1;
    };
    goto end
  fi;
end:
  false
}

active proctype t1_consumer() {
  bit r_f_0;
  bit taint0;
  bit r_d_1;
  bit taint1;
  bit r_copy_2;
  bit taint2;
  goto L0;
L0: /* load flag */
  if
  :: d_step {
      if
      :: (vsc1 & 2) != 0 && (v_c1 & 2) != 0 ->
          msc1 = msc1 | vsc1;
          vsc1 = vsc1 | wsc1;
          r_f_0 = m_flag_1;
          taint0 = 1;
      :: else ->
          msc1 = msc1 | vsc1;
          vsc1 = vsc1 | wsc1;
          v_c1 = v_c1 & ~2;
          vrmw_c1 = vrmw_c1 & ~2;
          r_f_0 = m_flag_1;
          taint0 = 0;
      fi;
    };
    goto L1
  fi;
L1: /* load data */
  if
  :: d_step {
      if
      :: (vsc1 & 1) != 0 && (v_c1 & 1) != 0 ->
          msc0 = msc0 | vsc1;
          vsc1 = vsc1 | wsc0;
          r_d_1 = m_data_0;
          taint1 = 1;
      :: else ->
          msc0 = msc0 | vsc1;
          vsc1 = vsc1 | wsc0;
          v_c1 = v_c1 & ~1;
          vrmw_c1 = vrmw_c1 & ~1;
          r_d_1 = m_data_0;
          taint1 = 0;
      fi;
      taint2 = taint1;
      r_copy_2 = r_d_1;
      assert(!taint0);
      if
      :: (r_f_0 != 1) ->
          r_f_0 = 0;
          taint0 = 0;
          r_d_1 = 0;
          taint1 = 0;
          r_copy_2 = 0;
          taint2 = 0;
      :: else ->
          assert(!taint2);
          if
          :: (r_copy_2 == 1) ->
              r_f_0 = 0;
              taint0 = 0;
              r_d_1 = 0;
              taint1 = 0;
              r_copy_2 = 0;
              taint2 = 0;
          :: else ->
              FAIL skip;
              r_f_0 = 0;
              taint0 = 0;
              r_d_1 = 0;
              taint1 = 0;
              r_copy_2 = 0;
              taint2 = 0;
          fi;
      fi;
    };
    goto end
  fi;
end:
  false
}
