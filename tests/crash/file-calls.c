/*
 * Loaded before libc into a child of the crash tests (LD_PRELOAD). Counts the calls by which a
 * process changes files and makes them durable, in a file that others can read while it runs, and
 * ends the process in the midst of the call it is told to. Layout of the file, little endian:
 * u64 syncs, u64 calls, then one letter per call (w write, s sync, t truncate, u unlink).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { letters_max = 65536 };

struct tally {
  uint64_t syncs;
  uint64_t calls;
  char letters[letters_max];
};

static struct tally *tally;
static uint64_t kill_at;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("HOLDFAST_FILE_CALLS");
  const char *kill_text = getenv("HOLDFAST_KILL_AT_CALL");
  if (path == NULL) return;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  int (*truncate_file)(int, off_t) = (int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate");
  if (truncate_file(fd, sizeof(struct tally)) == 0) {
    void *at = mmap(NULL, sizeof(struct tally), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) tally = at;
  }
  close(fd);
  if (kill_text != NULL) kill_at = strtoull(kill_text, NULL, 10);
}

/* True when the process is to end in this call. */
static int note(char letter) {
  if (tally == NULL) return 0;
  uint64_t call = __atomic_add_fetch(&tally->calls, 1, __ATOMIC_SEQ_CST);
  if (call <= letters_max) tally->letters[call - 1] = letter;
  return call == kill_at;
}

static void end(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

typedef ssize_t (*pwrite_call)(int, const void *, size_t, off64_t);

/* Death leaves the first half of the bytes. */
static ssize_t torn(const char *name, int fd, const void *bytes, size_t count, off64_t at) {
  pwrite_call real = (pwrite_call)dlsym(RTLD_NEXT, name);
  if (note('w')) {
    real(fd, bytes, count / 2, at);
    end();
  }
  return real(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  return torn("pwrite", fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  return torn("pwrite64", fd, bytes, count, at);
}

static int synced(const char *name, int fd) {
  if (note('s')) end();
  int answer = ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
  if (tally != NULL && answer == 0) __atomic_add_fetch(&tally->syncs, 1, __ATOMIC_SEQ_CST);
  return answer;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

static int truncated(const char *name, int fd, off64_t size) {
  if (note('t')) end();
  return ((int (*)(int, off64_t))dlsym(RTLD_NEXT, name))(fd, size);
}

int ftruncate(int fd, off_t size) { return truncated("ftruncate", fd, size); }
int ftruncate64(int fd, off64_t size) { return truncated("ftruncate64", fd, size); }

int unlink(const char *path) {
  if (note('u')) end();
  return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}
