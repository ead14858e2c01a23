/*
 * Loaded before libc into a PostgreSQL server (LD_PRELOAD). While the file that HOLDFAST_DISK_FULL
 * names is there, no file of a database can grow: the calls answer as if the disk were full. The
 * log is let through, because a server that cannot write it stops.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_full(int fd, off64_t end) {
  const char *flag = getenv("HOLDFAST_DISK_FULL");
  char link[64], path[4096];
  struct stat64 file;
  if (flag == NULL || access(flag, F_OK) != 0) return 0;
  if (fstat64(fd, &file) != 0 || end <= file.st_size) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strstr(path, "/base/") != NULL;
}

#define real(type, name) ((type)dlsym(RTLD_NEXT, name))

static ssize_t put(const char *name, int fd, const void *bytes, size_t count, off64_t at) {
  if (is_full(fd, at + (off64_t)count)) {
    errno = ENOSPC;
    return -1;
  }
  return real(ssize_t (*)(int, const void *, size_t, off64_t), name)(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  return put("pwrite", fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  return put("pwrite64", fd, bytes, count, at);
}

static ssize_t put_all(const char *name, int fd, const struct iovec *parts, int count, off64_t at) {
  off64_t end = at;
  for (int index = 0; index < count; index++) end += (off64_t)parts[index].iov_len;
  if (is_full(fd, end)) {
    errno = ENOSPC;
    return -1;
  }
  return real(ssize_t (*)(int, const struct iovec *, int, off64_t), name)(fd, parts, count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  return put_all("pwritev", fd, parts, count, at);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  return put_all("pwritev64", fd, parts, count, at);
}

static int reserve(const char *name, int fd, off64_t at, off64_t count) {
  if (is_full(fd, at + count)) return ENOSPC;
  return real(int (*)(int, off64_t, off64_t), name)(fd, at, count);
}

int posix_fallocate(int fd, off_t at, off_t count) {
  return reserve("posix_fallocate", fd, at, count);
}

int posix_fallocate64(int fd, off64_t at, off64_t count) {
  return reserve("posix_fallocate64", fd, at, count);
}
