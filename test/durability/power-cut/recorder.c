/*
 * Preloaded into the server: records, in one order for all threads, what it changes on disk below a folder, when each
 * sync begins and ends, and when it sends anything to a client. `recording.ts` reads what is written here.
 *
 * A change and its record are one step under a lock. A sync is two records, so that what happens meanwhile is seen not to
 * be covered by it. What is sent is recorded before it is sent: all that it tells has to be on disk by then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPENED = 1, WRITTEN, SIZED, SYNC_BEGUN, SYNC_ENDED, RENAMED, UNLINKED, MADE, REMOVED, LINKED, SENT, FOREIGN };

struct header {
  uint64_t at;
  uint64_t inode;
  uint64_t offset;
  uint32_t kind;
  uint32_t detail;
  uint32_t path_length;
  uint32_t data_length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static size_t root_length;
static int log_file = -1;
static long delay_us;
static uint32_t syncs;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("RECORD_ROOT"), *file = getenv("RECORD_LOG"), *delay = getenv("RECORD_SYNC_DELAY_US");
  if (!folder || !file) return;
  if (delay) delay_us = atol(delay);
  int (*really_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  log_file = really_open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) abort();
  root_length = strlen(folder);
  root = folder;
}

static int is_below(const char *path) {
  return root && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* The path of a descriptor, if that lies below the folder. */
static int path_of(int fd, char *path) {
  char link[64];
  if (!root) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path);
}

/* The absolute path of a name, if that lies below the folder. */
static int resolve(int folder, const char *name, char *path) {
  if (!root || !name) return 0;
  if (name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
    return is_below(path);
  }
  char base[PATH_MAX];
  if (folder == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) return 0;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length < 0) return 0;
    base[length] = 0;
  }
  if ((size_t)snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return 0;
  return is_below(path);
}

static uint64_t inode_of(int fd) {
  struct stat stat;
  return fstat(fd, &stat) == 0 ? stat.st_ino : 0;
}

static void put(uint32_t kind, uint64_t inode, uint64_t offset, uint32_t detail, const char *path, size_t path_length,
                const void *data, size_t length) {
  static ssize_t (*really_writev)(int, const struct iovec *, int);
  if (!really_writev) really_writev = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
  int before = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct header header = {(uint64_t)now.tv_sec * 1000000000u + now.tv_nsec, inode, offset, kind, detail,
                          (uint32_t)path_length, (uint32_t)length};
  struct iovec parts[3] = {{&header, sizeof header}, {(void *)path, path_length}, {(void *)data, length}};
  if (really_writev(log_file, parts, 3) != (ssize_t)(sizeof header + path_length + length)) abort();
  errno = before;
}

static void put_path(uint32_t kind, uint64_t inode, uint64_t offset, uint32_t detail, const char *path) {
  put(kind, inode, offset, detail, path, strlen(path), NULL, 0);
}

static void put_two(uint32_t kind, const char *from, const char *to) {
  put(kind, 0, 0, 0, from, strlen(from), to, strlen(to));
}

/* Whether a descriptor is a connection: anything sent there is noted by the port of who gets it. */
static void note_sending(int fd) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  int before = errno;
  if (root && getpeername(fd, (struct sockaddr *)&peer, &length) == 0) {
    int port = peer.ss_family == AF_INET    ? ntohs(((struct sockaddr_in *)&peer)->sin_port)
               : peer.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&peer)->sin6_port)
                                            : 0;
    pthread_mutex_lock(&lock);
    if (port) put(SENT, 0, 0, port, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  errno = before;
}

/* Writing */

#define WRITING(fd, call, offset_after, bytes) \
  char path[PATH_MAX]; \
  if (!path_of(fd, path)) { \
    note_sending(fd); \
    return call; \
  } \
  pthread_mutex_lock(&lock); \
  ssize_t done = call; \
  if (done > 0) { \
    uint64_t at = (offset_after); \
    put(WRITTEN, inode_of(fd), at, 0, path, strlen(path), bytes, done); \
  } \
  pthread_mutex_unlock(&lock); \
  return done

static uint64_t position(int fd, ssize_t done) { return lseek(fd, 0, SEEK_CUR) - done; }

/* The bytes of a vector as one piece; kept until the next one, under the lock. */
static void *joined(const struct iovec *parts, int count, ssize_t length) {
  static char *buffer;
  static size_t size;
  if (size < (size_t)length) buffer = realloc(buffer, size = length);
  size_t at = 0;
  for (int i = 0; i < count && at < (size_t)length; i++) {
    size_t piece = parts[i].iov_len < length - at ? parts[i].iov_len : length - at;
    memcpy(buffer + at, parts[i].iov_base, piece);
    at += piece;
  }
  return buffer;
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL(write);
  WRITING(fd, real(fd, data, size), position(fd, done), data);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  REAL(pwrite);
  WRITING(fd, real(fd, data, size, offset), offset, data);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  REAL(pwrite64);
  WRITING(fd, real(fd, data, size, offset), offset, data);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  WRITING(fd, real(fd, parts, count), position(fd, done), joined(parts, count, done));
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  REAL(pwritev);
  WRITING(fd, real(fd, parts, count, offset), offset, joined(parts, count, done));
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  REAL(pwritev64);
  WRITING(fd, real(fd, parts, count, offset), offset, joined(parts, count, done));
}

/* Copying within the kernel: what has arrived is read again. */

static void put_copied(int fd, off64_t at, ssize_t length, const char *path) {
  char *copy = malloc(length);
  if (!copy || pread(fd, copy, length, at) != length) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    int reader = open(own, O_RDONLY | O_CLOEXEC);
    if (reader < 0 || pread(reader, copy, length, at) != length) abort();
    close(reader);
  }
  put(WRITTEN, inode_of(fd), at, 0, path, strlen(path), copy, length);
  free(copy);
}

#define COPYING(fd, call, offset_after) \
  char path[PATH_MAX]; \
  if (!path_of(fd, path)) return call; \
  pthread_mutex_lock(&lock); \
  ssize_t done = call; \
  if (done > 0) put_copied(fd, (offset_after), done, path); \
  pthread_mutex_unlock(&lock); \
  return done

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags) {
  REAL(copy_file_range);
  COPYING(to, real(from, from_at, to, to_at, size, flags), to_at ? *to_at - done : (off64_t)position(to, done));
}
ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
  REAL(sendfile);
  COPYING(to, real(to, from, offset, size), position(to, done));
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) {
  REAL(sendfile64);
  COPYING(to, real(to, from, offset, size), position(to, done));
}
long syscall(long number, ...) {
  REAL(syscall);
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_copy_file_range)
    return copy_file_range(a[0], (off64_t *)a[1], a[2], (off64_t *)a[3], a[4], a[5]);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Sizes */

#define SIZING(fd, call, size) \
  char path[PATH_MAX]; \
  if (!path_of(fd, path)) return call; \
  pthread_mutex_lock(&lock); \
  int result = call; \
  if (result == 0) put_path(SIZED, inode_of(fd), size, 0, path); \
  pthread_mutex_unlock(&lock); \
  return result

static uint64_t size_of(int fd) {
  struct stat stat;
  return fstat(fd, &stat) == 0 ? stat.st_size : 0;
}

int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  SIZING(fd, real(fd, size), size);
}
int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  SIZING(fd, real(fd, size), size);
}
int fallocate(int fd, int mode, off_t offset, off_t size) {
  REAL(fallocate);
  SIZING(fd, real(fd, mode, offset, size), size_of(fd));
}
int fallocate64(int fd, int mode, off64_t offset, off64_t size) {
  REAL(fallocate64);
  SIZING(fd, real(fd, mode, offset, size), size_of(fd));
}
int posix_fallocate(int fd, off_t offset, off_t size) {
  REAL(posix_fallocate);
  SIZING(fd, real(fd, offset, size), size_of(fd));
}
int posix_fallocate64(int fd, off64_t offset, off64_t size) {
  REAL(posix_fallocate64);
  SIZING(fd, real(fd, offset, size), size_of(fd));
}

/* Syncing */

static int synced(int fd, int (*call)(int)) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return call(fd);
  pthread_mutex_lock(&lock);
  uint64_t inode = inode_of(fd);
  uint32_t serial = ++syncs;
  /* Who waits for it: everybody, if it is the main thread. */
  const char *who = syscall(SYS_gettid) == getpid() ? "main" : "";
  put(SYNC_BEGUN, inode, getpid(), serial, path, strlen(path), who, strlen(who));
  pthread_mutex_unlock(&lock);
  int result = call(fd);
  /* A slow disk, wherever the test runs: a sync that is under way should meet other work. */
  if (delay_us) {
    struct timespec pause = {0, (serial * 7919L % delay_us) * 1000};
    nanosleep(&pause, NULL);
  }
  pthread_mutex_lock(&lock);
  if (result == 0) put_path(SYNC_ENDED, inode, getpid(), serial, path);
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int fd) {
  REAL(fsync);
  return synced(fd, real);
}
int fdatasync(int fd) {
  REAL(fdatasync);
  return synced(fd, real);
}

/* Names */

#define OPENING(folder, name, flags, call) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  } \
  char path[PATH_MAX]; \
  if (!(flags & (O_CREAT | O_TRUNC)) || !resolve(folder, name, path)) return call; \
  pthread_mutex_lock(&lock); \
  int fd = call; \
  if (fd >= 0) put_path(OPENED, inode_of(fd), 0, (flags & O_TRUNC) != 0, path); \
  pthread_mutex_unlock(&lock); \
  return fd

int open(const char *name, int flags, ...) {
  REAL(open);
  OPENING(AT_FDCWD, name, flags, real(name, flags, mode));
}
int open64(const char *name, int flags, ...) {
  REAL(open64);
  OPENING(AT_FDCWD, name, flags, real(name, flags, mode));
}
int openat(int folder, const char *name, int flags, ...) {
  REAL(openat);
  OPENING(folder, name, flags, real(folder, name, flags, mode));
}
int openat64(int folder, const char *name, int flags, ...) {
  REAL(openat64);
  OPENING(folder, name, flags, real(folder, name, flags, mode));
}

#define NAMING(kind, folder, name, call) \
  char path[PATH_MAX]; \
  if (!resolve(folder, name, path)) return call; \
  pthread_mutex_lock(&lock); \
  int result = call; \
  if (result == 0) put_path(kind, 0, 0, 0, path); \
  pthread_mutex_unlock(&lock); \
  return result

int unlink(const char *name) {
  REAL(unlink);
  NAMING(UNLINKED, AT_FDCWD, name, real(name));
}
int unlinkat(int folder, const char *name, int flags) {
  REAL(unlinkat);
  NAMING(flags & AT_REMOVEDIR ? REMOVED : UNLINKED, folder, name, real(folder, name, flags));
}
int remove(const char *name) {
  REAL(remove);
  NAMING(UNLINKED, AT_FDCWD, name, real(name));
}
int rmdir(const char *name) {
  REAL(rmdir);
  NAMING(REMOVED, AT_FDCWD, name, real(name));
}
int mkdir(const char *name, mode_t mode) {
  REAL(mkdir);
  NAMING(MADE, AT_FDCWD, name, real(name, mode));
}
int mkdirat(int folder, const char *name, mode_t mode) {
  REAL(mkdirat);
  NAMING(MADE, folder, name, real(folder, name, mode));
}

#define NAMING_TWO(kind, from_folder, from, to_folder, to, call) \
  char one[PATH_MAX], two[PATH_MAX]; \
  int is_first = resolve(from_folder, from, one), is_second = resolve(to_folder, to, two); \
  if (!is_first && !is_second) return call; \
  pthread_mutex_lock(&lock); \
  int result = call; \
  if (result == 0) put_two(is_first && is_second ? kind : FOREIGN, one, two); \
  pthread_mutex_unlock(&lock); \
  return result

int rename(const char *from, const char *to) {
  REAL(rename);
  NAMING_TWO(RENAMED, AT_FDCWD, from, AT_FDCWD, to, real(from, to));
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  REAL(renameat);
  NAMING_TWO(RENAMED, from_folder, from, to_folder, to, real(from_folder, from, to_folder, to));
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  REAL(renameat2);
  NAMING_TWO(flags ? FOREIGN : RENAMED, from_folder, from, to_folder, to, real(from_folder, from, to_folder, to, flags));
}
int link(const char *from, const char *to) {
  REAL(link);
  NAMING_TWO(LINKED, AT_FDCWD, from, AT_FDCWD, to, real(from, to));
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  REAL(linkat);
  NAMING_TWO(LINKED, from_folder, from, to_folder, to, real(from_folder, from, to_folder, to, flags));
}
