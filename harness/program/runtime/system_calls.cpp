// The C library's calls that hand memory to the system, which does not access closed pages (host_watch.h) but fails.
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/host_watch.h"
#include "harness/program/runtime/next_function.h"

namespace {

using assay::program::host_passes;
using assay::program::next_function;
using assay::simt::Touch;

void passes(const iovec* parts, int count, Touch touch) {
  for (int i = 0; i < count; ++i) host_passes(parts[i].iov_base, parts[i].iov_len, touch);
}

}  // namespace

// The call goes on to the C library's once its memory is open.
#define ASSAY_PASSES(result, name, parameters, arguments, memory)      \
  ASSAY_EXPORTED result name parameters {                              \
    static auto* const next = next_function<result parameters>(#name); \
    memory;                                                            \
    return next arguments;                                             \
  }

ASSAY_PASSES(ssize_t, read, (int file, void* to, size_t bytes), (file, to, bytes), host_passes(to, bytes, Touch::write))
ASSAY_PASSES(ssize_t, write, (int file, const void* from, size_t bytes), (file, from, bytes),
             host_passes(from, bytes, Touch::read))
ASSAY_PASSES(ssize_t, pread, (int file, void* to, size_t bytes, off_t at), (file, to, bytes, at),
             host_passes(to, bytes, Touch::write))
ASSAY_PASSES(ssize_t, pwrite, (int file, const void* from, size_t bytes, off_t at), (file, from, bytes, at),
             host_passes(from, bytes, Touch::read))
ASSAY_PASSES(ssize_t, pread64, (int file, void* to, size_t bytes, off64_t at), (file, to, bytes, at),
             host_passes(to, bytes, Touch::write))
ASSAY_PASSES(ssize_t, pwrite64, (int file, const void* from, size_t bytes, off64_t at), (file, from, bytes, at),
             host_passes(from, bytes, Touch::read))
ASSAY_PASSES(ssize_t, readv, (int file, const iovec* parts, int count), (file, parts, count),
             passes(parts, count, Touch::write))
ASSAY_PASSES(ssize_t, writev, (int file, const iovec* parts, int count), (file, parts, count),
             passes(parts, count, Touch::read))
ASSAY_PASSES(ssize_t, recv, (int file, void* to, size_t bytes, int flags), (file, to, bytes, flags),
             host_passes(to, bytes, Touch::write))
ASSAY_PASSES(ssize_t, send, (int file, const void* from, size_t bytes, int flags), (file, from, bytes, flags),
             host_passes(from, bytes, Touch::read))
ASSAY_PASSES(size_t, fread, (void* to, size_t bytes, size_t count, FILE* file), (to, bytes, count, file),
             host_passes(to, bytes* count, Touch::write))
ASSAY_PASSES(size_t, fwrite, (const void* from, size_t bytes, size_t count, FILE* file), (from, bytes, count, file),
             host_passes(from, bytes* count, Touch::read))
