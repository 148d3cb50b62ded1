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
constexpr const char* kRowsFile = "results.jsonl";

// The folder itself is locked, so that no file says "in use" when nobody is left to use it.
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
    std::error_code error;
    fs::create_directories(folder.path_, error);
    if (error) return tl::unexpected(write_error(folder.path_, error.value()));
    if (take(folder.path_, folder.lock_) == Taken::by_another) continue;
    if (auto started = folder.start(std::move(info), nullptr); !started) return tl::unexpected(started.error());
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
  if (auto started = folder.start(std::move(info), &rows); !started) return tl::unexpected(started.error());
  return folder;
}

// The mark comes first: from then on, whatever is left of an earlier run belongs to one that is incomplete.
Result<void> RunFolder::start(RunInfo info, const std::vector<ResultRow>* keep) {
  info.status = kRunning;
  if (auto written = write_run_info(info, path_); !written) return written;
  for (const Sink& sink : sinks()) {
    if (sink.file_name == kRunFile || (keep && sink.file_name == kRowsFile)) continue;
    std::error_code error;
    fs::remove(fs::path(path_) / sink.file_name, error);
    if (error) return tl::unexpected(write_error(path_ + "/" + sink.file_name, error.value()));
  }
  const std::string rows = path_ + "/" + kRowsFile;
  if (keep) {
    std::string text;
    for (const ResultRow& row : *keep) text += to_line(row) + "\n";
    if (auto written = write_file(rows, text); !written) return written;
  }
  rows_.reset(std::fopen(rows.c_str(), keep ? "ae" : "we"));
  if (!rows_) return tl::unexpected(write_error(rows, errno));
  return {};
}

Result<void> RunFolder::append(const ResultRow& row) {
  const std::string line = to_line(row) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), rows_.get()) != line.size() || std::fflush(rows_.get()) != 0)
    return tl::unexpected(write_error(path_ + "/results.jsonl", errno));
  return {};
}

}  // namespace assay
