// Fork and execute another program, as every shell does.
// expect: silent
#include "../threads.h"

#include <sys/wait.h>
#include <unistd.h>

static void execute(int me) {
  (void)me;
  int status;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
    _exit(1);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

int main(void) {
  run_all(3, execute);
  return 0;
}
