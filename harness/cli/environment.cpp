// Asking the system about itself.
#include "harness/cli/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "harness/base/command.h"
#include "harness/base/printable.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/cuda/vendor_libraries.h"

namespace assay {
namespace {

// "" outside a repository, or where there is no git.
std::string git_commit() {
  const auto ran = run_process({.words = {"git", "rev-parse", "HEAD"}, .errors = Redirect::null()},
                               {.limit = std::chrono::seconds(10)});
  return ran && ran->end.ok() ? last_line(ran->output) : "";
}

// The value after "key…: " or "key=" in a system file's first line that starts with `key`.
std::string value_of(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::string value = line.substr(line.find(separator) + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '"')) value.erase(0, 1);
    while (!value.empty() && value.back() == '"') value.pop_back();
    return value;
  }
  return "";
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

// That of the kernels' GPU build, which measures differ by as much as by the host's.
std::string nvcc() { return *ASSAY_NVCC ? ", nvcc " ASSAY_NVCC : ""; }

}  // namespace

std::string program_digest() {
  std::set<std::string> files = {"/proc/self/exe"};
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(".so")) files.insert(line.substr(std::min(line.find('/'), line.size())));
  uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&](const char* data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, data + at, std::min(sizeof word, bytes - at));
      hash = (hash ^ word) * 0x100000001b3u;
    }
  };
  std::vector<char> buffer(size_t{1} << 20);
  for (const std::string& path : files) {
    std::ifstream file(path, std::ios::binary);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
      mix(buffer.data(), static_cast<size_t>(file.gcount()));
  }
  return fmt::format("{:016x}", hash);
}

void describe_gpu(RunInfo& info) {
  if (const auto runtime = open_chosen_gpu()) info.gpu = (*runtime)->info();
  info.libraries = vendor_libraries();
}

RunInfo describe_command(const std::vector<std::string>& command) {
  RunInfo info;
  info.version = ASSAY_VERSION;
  for (const std::string& word : command) info.command += (info.command.empty() ? "" : " ") + shell_quoted(word);
  std::error_code gone;
  info.folder = std::filesystem::current_path(gone).string();
  info.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return info;
}

RunInfo describe_environment(const std::vector<std::string>& command) {
  RunInfo info = describe_command(command);
  info.git_commit = git_commit();
  info.host_cpu = value_of("/proc/cpuinfo", "model name", ':');
  info.host_cores = static_cast<int>(std::thread::hardware_concurrency());
  utsname system{};
  uname(&system);
  info.host_os =
      fmt::format("{}, {} {}", value_of("/etc/os-release", "PRETTY_NAME", '='), system.sysname, system.release);
  info.compiler = compiler() + nvcc();
  return info;
}

}  // namespace assay
