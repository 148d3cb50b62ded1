// Appending rows as they come.
#include "harness/report/row_stream.h"

#include <cerrno>
#include <filesystem>

#include "harness/report/write_file.h"
#include "harness/result/row_json.h"

namespace assay {

Result<RowStream> RowStream::open(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return tl::unexpected(write_error(directory, error.value()));
  RowStream stream;
  stream.path_ = directory + "/results.jsonl";
  stream.file_.reset(std::fopen(stream.path_.c_str(), "w"));
  if (!stream.file_) return tl::unexpected(write_error(stream.path_, errno));
  // A full disk often lets a file be created and fails on its first byte: find out before anything is computed.
  std::fputc('\n', stream.file_.get());
  if (std::fflush(stream.file_.get()) != 0) return tl::unexpected(write_error(stream.path_, errno));
  stream.file_.reset(std::freopen(stream.path_.c_str(), "w", stream.file_.release()));
  if (!stream.file_) return tl::unexpected(write_error(stream.path_, errno));
  return stream;
}

Result<void> RowStream::append(const ResultRow& row) {
  const std::string line = to_line(row) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0)
    return tl::unexpected(write_error(path_, errno));
  return {};
}

}  // namespace assay
