// Taking a folder, marking it, appending rows as they come.
#include "harness/report/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

#include "harness/base/write_file.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersMax = 1000;

// The folder itself is locked, so that no file says "in use" when no process is left that uses it.
enum class Taken { yes, by_another, unknown };

Taken take(const std::string& folder, Descriptor& lock) {
  lock = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return Taken::yes;
  return errno == EWOULDBLOCK ? Taken::by_another : Taken::unknown;  // some network file systems lock no folders
}

}  // namespace

Result<RunFolder> RunFolder::open(const std::string& directory, RunInfo info) {
  RunFolder folder;
  for (int number = 1; number <= kFoldersMax; ++number) {
    folder.path_ = number == 1 ? directory : fmt::format("{}-{}", directory, number);
    auto earlier = EarlierRun::in(folder.path_);
    if (!earlier) return tl::unexpected(earlier.error());
    if (take(folder.path_, folder.lock_) == Taken::by_another) continue;
    folder.earlier_ = *std::move(earlier);
    if (auto aside = folder.earlier_.set_aside(); !aside) return tl::unexpected(aside.error());
    info.status = kRunning;  // rows come first: where run.json is, a process that is killed can be gone on with
    if (auto opened = folder.open_rows("we"); !opened) return tl::unexpected(opened.error());
    if (auto written = write_run_info(info, folder.path_); !written) return tl::unexpected(written.error());
    return folder;
  }
  return fail(fmt::format("other runs are writing to {} and {} more like it", directory, kFoldersMax - 1),
              "choose another directory with --out");
}

Result<RunFolder> RunFolder::resume(const std::string& directory, RunInfo info, const std::vector<ResultRow>& rows) {
  RunFolder folder;
  folder.path_ = directory;
  if (take(folder.path_, folder.lock_) == Taken::by_another)
    return fail(fmt::format("another run is writing to {}", directory), "wait for it, or choose another --out");
  info.status = kRunning;  // first: whatever is left of the run as it was then belongs to one that is incomplete
  if (auto written = write_run_info(info, directory); !written) return tl::unexpected(written.error());
  if (auto removed = remove_pages(directory); !removed) return tl::unexpected(removed.error());
  std::string text;
  for (const ResultRow& row : rows) text += to_line(row) + "\n";
  if (auto written = write_file(directory + "/" + kRowsFile, text); !written) return tl::unexpected(written.error());
  if (auto opened = folder.open_rows("ae"); !opened) return tl::unexpected(opened.error());
  return folder;
}

Result<void> RunFolder::begin(RunInfo info) {
  info.status = kRunning;
  if (auto written = write_run_info(info, path_); !written) return written;
  return earlier_.forget();
}

void RunFolder::give_back() {
  rows_.reset();
  earlier_ = {};
  lock_ = {};
}

Result<void> RunFolder::open_rows(const char* mode) {
  const std::string rows = path_ + "/" + kRowsFile;
  rows_.reset(std::fopen(rows.c_str(), mode));
  if (!rows_) return tl::unexpected(write_error(rows, errno));
  return {};
}

Result<void> RunFolder::append(const ResultRow& row) {
  const std::string line = to_line(row) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), rows_.get()) != line.size() || std::fflush(rows_.get()) != 0)
    return tl::unexpected(write_error(path_ + "/" + kRowsFile, errno));
  return {};
}

}  // namespace assay
