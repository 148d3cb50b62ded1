// Writes a file by temporary name, fsync and rename.
//
// Every call is checked, fsync and close included: on network file systems and with delayed allocation a full disk is
// reported there and nowhere else.
#include "harness/base/write_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace assay {
namespace {

const char* hint_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there, or choose another directory with --out";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a directory that you may write to with --out";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ENOTDIR:
    case EEXIST:
      return "a file lies where a directory is needed: move it away, or choose another --out";
    case EISDIR:
    case ENOTEMPTY:
      return "a directory lies where the file goes: move it away, or choose another --out";
    default:
      return "choose another directory with --out";
  }
}

// Zero, or the errno of the first call that failed.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int write_synced(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int error = write_all(file, text);
  // EINVAL: a file system that cannot sync. Its write has reported all that it will ever report.
  if (error == 0 && ::fsync(file) != 0 && errno != EINVAL) error = errno;
  if (::close(file) != 0 && errno != EINTR && error == 0) error = errno;
  return error;
}

}  // namespace

Error write_error(const std::string& path, int error) {
  return {"cannot write '" + path + "': " + std::strerror(error), hint_for(error)};
}

Result<void> write_file(const std::string& path, std::string_view text) {
  const std::filesystem::path target(path);
  std::error_code none;
  if (std::filesystem::is_other(target, none)) {  // a device or a pipe stays what it is
    const int error = write_synced(path, text);
    return error == 0 ? Result<void>() : tl::unexpected(write_error(path, error));
  }
  const std::string partial = target.parent_path() / ("." + target.filename().string() + ".partial");
  int error = write_synced(partial, text);
  if (error == 0 && ::rename(partial.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(partial.c_str());
  return tl::unexpected(write_error(path, error));
}

}  // namespace assay
