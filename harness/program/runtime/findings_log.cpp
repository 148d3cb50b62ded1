// Lines on standard error or in a file, and the same as JSON.
#include "harness/program/runtime/findings_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness/base/printable.h"
#include "harness/program/folded_text.h"
#include "harness/program/runtime/settings.h"

namespace assay::program {
namespace {

// Appended in one piece: processes that were forked share the files.
void append(const std::string& path, const std::string& text) {
  const int file = path.empty() ? STDERR_FILENO : open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written <= 0) break;
    at += static_cast<size_t>(written);
  }
  if (file != STDERR_FILENO) close(file);
}

}  // namespace

void FindingsLog::print(const std::string& text) { append(settings().log, printable(text)); }

void FindingsLog::write(const std::string& json) {
  if (!settings().folder.empty()) append(settings().folder + "/findings.jsonl", json + "\n");
}

void FindingsLog::begin() { write(nlohmann::json{{"begins", "CUDA"}, {"process", getpid()}}.dump()); }

void FindingsLog::add(simt::Kind kind, const std::string& detail, const std::string& where) {
  const std::string kind_name = simt::name(kind);
  if (times_[kind_name + without_numbers(detail)]++ > 0) return;
  write(nlohmann::json{{"finding", kind_name}, {"detail", detail}, {"where", where}, {"process", getpid()}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (printed_++ < settings().print_limit) print(fmt::format("assay: {}: {} [{}]\n", kind_name, detail, where));
}

void FindingsLog::unchecked(const std::string& kernel) { ++unchecked_[kernel]; }

void FindingsLog::unsupported(const std::string& name) { ++unsupported_[name]; }

void FindingsLog::note(const std::string& text) {
  write(nlohmann::json{{"note", text}, {"process", getpid()}}.dump(-1, ' ', false,
                                                                   nlohmann::json::error_handler_t::replace));
  print("assay: " + text + "\n");
}

void FindingsLog::row(const nlohmann::json& row) {
  write(row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void FindingsLog::captured(const std::string& path, const std::string& text) {
  write(nlohmann::json{{"captured", path}, {"process", getpid()}}.dump(-1, ' ', false,
                                                                       nlohmann::json::error_handler_t::replace));
  print("assay: " + text + "\n");
}

void FindingsLog::end() {
  uint64_t more = 0;
  for (const auto& [key, times] : times_) more += times - 1;
  if (more > 0) print(fmt::format("assay: {} more findings alike\n", more));
  if (printed_ > settings().print_limit)
    print(fmt::format("assay: {} findings were not printed (--print-limit)\n", printed_ - settings().print_limit));
  for (const auto& [name, times] : unsupported_) note(fmt::format("not supported: {}, called {} times", name, times));
  for (const auto& [name, times] : unchecked_)
    note(fmt::format("not checked, because its blocks wait for each other: {}, {} launches", name, times));
  times_.clear();
  unchecked_.clear();
  unsupported_.clear();
}

}  // namespace assay::program
