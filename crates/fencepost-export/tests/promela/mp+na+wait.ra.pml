/* mp+na+wait, exported by fencepost.
   SPIN finds no assertion violated iff: mp+na+wait is robust against ra.
     spin -a FILE && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
   A search that reports "max search depth too small" proves nothing: enlarge -m. */
/* Failures of the program itself are no violations of robustness: spin -DCHECK_ASSERTIONS -a FILE reports them too. */
#ifdef CHECK_ASSERTIONS
#define FAIL assert(false);
#else
#define FAIL
#endif

bit m_flag_0;
bit m_data_1;
bit about0 = 1;
bit about1;
hidden int mask0;
bit vsc0 = 1;
bit vsc1 = 1;
bit msc0 = 1;
bit wsc0 = 1;
unsigned v0 : 2;
unsigned v1 : 2;
unsigned w0 : 2;
unsigned vrmw0 : 2;
unsigned vrmw1 : 2;
unsigned wrmw0 : 2;

active proctype t0_producer() {
  goto L0;
L0: /* store data */
  if
  :: d_step {
      assert(!(about1 == 1));
      m_data_1 = 1;
      about0 = 0;
    };
    goto L1
  fi;
L1: /* store flag */
  if
  :: d_step {
      assert(!((vsc0 & 1) != 0 && (vrmw0 & 3) != 0));
      vsc0 = vsc0 | msc0;
      msc0 = vsc0;
      wsc0 = vsc0;
      vsc1 = vsc1 & ~1;
      v0 = v0 & ~3;
      w0 = v0;
      mask0 = (1 << m_flag_0);
      v1 = v1 | mask0;
      vrmw0 = vrmw0 & ~3;
      wrmw0 = vrmw0;
      mask0 = (1 << m_flag_0);
      vrmw1 = vrmw1 | mask0;
      m_flag_0 = 1;
    };
    goto end
  fi;
end:
  false
}

active proctype t1_consumer() {
  bit r_d_0;
  goto L0;
L0: /* wait flag */
  if
  :: d_step {
      ((vsc1 & 1) != 0 && (v1 & 2) != 0);
      assert(false);
    };
    goto end
  :: d_step {
      m_flag_0 == 1;
      msc0 = msc0 | vsc1;
      vsc1 = vsc1 | wsc0;
      v1 = v1 & w0;
      vrmw1 = vrmw1 & wrmw0;
      about1 = 1;
    };
    goto L1
  fi;
L1: /* load data */
  if
  :: d_step {
      assert(!(about0 == 1));
      r_d_0 = m_data_1;
      if
      :: (r_d_0 == 1) ->
          r_d_0 = 0;
          about1 = 0;
      :: else ->
          FAIL skip;
          r_d_0 = 0;
          about1 = 0;
      fi;
    };
    goto end
  fi;
end:
  false
}
