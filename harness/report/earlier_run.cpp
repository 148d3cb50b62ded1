// Renaming files into a hidden folder, and back.
#include "harness/report/earlier_run.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "harness/base/interrupt.h"
#include "harness/base/write_file.h"
#include "harness/report/report.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path aside(const std::string& folder) { return fs::path(folder) / ".earlier"; }

}  // namespace

EarlierRun::EarlierRun(EarlierRun&& other) noexcept
    : folder_(std::exchange(other.folder_, "")), all_(other.all_), made_(std::move(other.made_)) {}

EarlierRun& EarlierRun::operator=(EarlierRun&& other) noexcept {
  put_back();
  folder_ = std::exchange(other.folder_, "");
  all_ = other.all_;
  made_ = std::move(other.made_);
  return *this;
}

Result<EarlierRun> EarlierRun::in(const std::string& folder) {
  EarlierRun earlier;
  std::error_code error;
  for (fs::path each = fs::absolute(folder + "/.").parent_path(); !fs::exists(each, error) && each.has_relative_path();
       each = each.parent_path())
    earlier.made_.insert(earlier.made_.begin(), each.string());
  earlier.folder_ = folder;
  fs::create_directories(folder, error);
  if (error) return tl::unexpected(write_error(folder, error.value()));
  return earlier;
}

Result<void> EarlierRun::set_aside() {
  std::error_code error;
  fs::remove_all(aside(folder_), error);
  if (!error) fs::create_directory(aside(folder_), error);
  if (error) return tl::unexpected(write_error(aside(folder_).string(), error.value()));
  for (const Sink& sink : sinks()) {
    const fs::path file = fs::path(folder_) / sink.file_name;
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    if (fs::is_directory(file, error)) return tl::unexpected(write_error(file.string(), EISDIR));
    fs::rename(file, aside(folder_) / sink.file_name, error);
    if (error) return tl::unexpected(write_error(file.string(), error.value()));
  }
  all_ = true;
  return {};
}

Result<void> EarlierRun::forget() {
  std::error_code error;
  fs::remove_all(aside(folder_), error);
  if (error) return tl::unexpected(write_error(aside(folder_).string(), error.value()));
  folder_.clear();
  return {};
}

void EarlierRun::put_back() {
  if (folder_.empty()) return;
  std::error_code ignored;
  if (!was_interrupted()) {
    for (const Sink& sink : sinks()) {
      if (all_) fs::remove(fs::path(folder_) / sink.file_name, ignored);
      fs::rename(aside(folder_) / sink.file_name, fs::path(folder_) / sink.file_name, ignored);
    }
  }
  fs::remove_all(aside(folder_), ignored);
  for (auto each = made_.rbegin(); each != made_.rend(); ++each) fs::remove(*each, ignored);  // those that are empty
  folder_.clear();
}

}  // namespace assay
