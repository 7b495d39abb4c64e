/* A program that behaves as the runtime does: sends a recorded stream over the channel, hears the answers, ends as told.
   Arguments: STREAM [exit N | abort | quit N | sleep] */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const char *channel = getenv("FENCEPOST_CHANNEL");
  const char *action = argc > 2 ? argv[2] : "exit";
  int code = argc > 3 ? atoi(argv[3]) : 0;
  FILE *stream = fopen(argv[1], "r");
  static char line[1 << 16];
  printf("options %s\n", getenv("FENCEPOST_OPTIONS"));
  fflush(stdout);
  if (!channel || !stream) return 99;
  int fd = atoi(channel);
  while (fgets(line, sizeof line, stream)) {
    if (write(fd, line, strlen(line)) < 0) return 98;
    char answer;
    if (strstr(line, "\"ev\":\"report\"") && strstr(getenv("FENCEPOST_OPTIONS"), "halt_on_error=1")) {
      if (read(fd, &answer, 1) != 1) return 97;
      printf("answer %c\n", answer);
      fflush(stdout);
      if (answer == 'h') _exit(code);
    }
    if (strstr(line, "\"ev\":\"end\"")) {
      if (read(fd, &answer, 1) != 1) return 96;
      printf("exit code %d\n", answer);
      fflush(stdout);
    }
  }
  if (!strcmp(action, "abort")) abort();
  if (!strcmp(action, "quit")) _exit(code);
  if (!strcmp(action, "sleep")) sleep(100);
  if (!strcmp(action, "linger") && fork() == 0) { sleep(100); _exit(0); } /* somebody keeps the channel open */
  return code;
}
