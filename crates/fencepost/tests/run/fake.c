/* A program that behaves as the runtime does: passes a connection through the door, sends a recorded stream over it, hears the answers,
   ends as told. Arguments: STREAM [exit N | abort | quit N | sleep | linger | fork]; "fork" lets a child do the same.
   FAKE_VERSION is another version than ours to speak; 0 is the time before there were versions. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The connection; -1 if there is none. */
static int connect_to_reporter(void) {
  int version, door, pair[2];
  const char *variable = getenv("FENCEPOST_DOOR"), *other = getenv("FAKE_VERSION");
  if (!variable || sscanf(variable, "%d:%d", &version, &door) != 2) return -1;
  if (other && atoi(other) == 0) return atoi(getenv("FENCEPOST_CHANNEL"));
  char byte = other ? atoi(other) : version;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return -1;
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {{CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.header), &pair[1], sizeof(int));
  struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (sendmsg(door, &packet, 0) != 1) return -1;
  close(pair[1]);
  return pair[0];
}

int main(int argc, char **argv) {
  const char *action = argc > 2 ? argv[2] : "exit";
  int code = argc > 3 ? atoi(argv[3]) : 0;
  static char line[1 << 16];
  int options_are_said = 0;
  signal(SIGPIPE, SIG_IGN);
  if (!strcmp(action, "fork")) {
    pid_t child = fork();
    if (child && waitpid(child, &code, 0) < 0) return 95;
  }
  FILE *stream = fopen(argv[1], "r");
  int fd = connect_to_reporter();
  if (fd < 0 || !stream) return 99;
  while (fgets(line, sizeof line, stream)) {
    int sent = write(fd, line, strlen(line)) > 0;
    if (!options_are_said++) { /* who reads this knows that the program has begun to talk */
      printf("options %s\n", getenv("FENCEPOST_OPTIONS"));
      fflush(stdout);
    }
    if (!sent) return 98;
    char answer = 'n';
    if (strstr(line, "\"ev\":\"report\"") && strstr(getenv("FENCEPOST_OPTIONS"), "halt_on_error=1")) {
      if (read(fd, &answer, 1) < 0) return 97;
      printf("answer %c\n", answer);
      fflush(stdout);
      if (answer == 'h') _exit(code);
    }
    if (strstr(line, "\"ev\":\"end\"")) {
      if (read(fd, &answer, 1) < 0) return 96;
      printf("exit code %d\n", answer);
      fflush(stdout);
    }
  }
  if (!strcmp(action, "abort")) abort();
  if (!strcmp(action, "quit")) _exit(code);
  if (!strcmp(action, "sleep")) sleep(100);
  if (!strcmp(action, "linger") && fork() == 0) { sleep(100); _exit(0); } /* somebody keeps the connection open */
  return code;
}
