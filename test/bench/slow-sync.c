/* Loaded before the C library, makes every sync of a program take SLOW_SYNC_MS longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slow(const char *name, int file) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct timespec pause = {0, SLOW_SYNC_MS * 1000000L};
  int result = sync(file);
  nanosleep(&pause, 0);
  return result;
}

int fsync(int file) { return slow("fsync", file); }
int fdatasync(int file) { return slow("fdatasync", file); }
