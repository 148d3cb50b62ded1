// Memory, findings and the executor's context of a process.
#include "harness/program/runtime/process.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "harness/program/runtime/crashes.h"
#include "harness/program/runtime/host_memory.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/runtime_calls.h"
#include "harness/program/runtime/settings.h"
#include "harness/program/runtime/shared_memory.h"
#include "harness/program/runtime/stream_order.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/program/statistics_json.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/include/simt/device_memory.h"

namespace assay::program {
namespace {

// The finding that each tool makes; bounds are always looked at, because an access beyond them may end the program.
struct Tool {
  const char* name;
  std::vector<simt::Kind> finds;
};
const Tool kTools[] = {{"memcheck", {simt::Kind::out_of_bounds, simt::Kind::misaligned, simt::Kind::leak}},
                       {"racecheck", {simt::Kind::race}},
                       {"initcheck", {simt::Kind::uninitialised}},
                       {"synccheck", {simt::Kind::barrier}}};

bool is_asked_for(simt::Kind kind) {
  for (const Tool& tool : kTools)
    if (std::ranges::find(tool.finds, kind) != tool.finds.end())
      return settings().tools.find(tool.name) != std::string::npos || kind == simt::Kind::out_of_bounds ||
             (kind == simt::Kind::barrier && settings().tools.empty());
  return true;
}

simt::Checks checks() {
  simt::Checks checks;
  for (const simt::Detector& detector : simt::detectors())
    if (detector.by_default && !is_asked_for(detector.finds)) checks.off.push_back(detector.name);
  // As compute-sanitizer has it; in `all` a barrier counts for the threads that are left, as a GPU does it.
  if (settings().tools == "synccheck") checks.on.push_back("exited_threads");
  return checks;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The kernel, its arguments and its shape, as bytes.
std::string key_of(const simt::ProgramKernel& kernel, const simt::Launch& shape, void** arguments) {
  std::string key;
  const auto append = [&](const void* begin, size_t bytes) { key.append(static_cast<const char*>(begin), bytes); };
  const simt::ProgramKernel* const address = &kernel;
  append(&address, sizeof address);
  append(&shape.grid, sizeof shape.grid);
  append(&shape.block, sizeof shape.block);
  append(&shape.shared_bytes, sizeof shape.shared_bytes);
  for (size_t i = 0; i < kernel.parameters; ++i) append(arguments[i], kernel.sizes[i]);
  return key;
}

}  // namespace

CallSite call_site() {
  CallSite site;
  site.count = backtrace(site.frames.data(), static_cast<int>(site.frames.size()));
  return site;
}

std::string calling_line(Called called) { return line_of(call_site(), called); }

std::string line_of(const CallSite& site, Called called) {
  const auto& [frames, count] = site;
  Dl_info own{}, other{};
  dladdr(reinterpret_cast<const void*>(&calling_line), &own);
  std::string found;
  const void* caller = nullptr;  // where the program or library lies that called; other libraries are not looked into
  for (size_t i = 1; i < static_cast<size_t>(count); ++i) {
    if (dladdr(frames[i], &other) == 0 || other.dli_fbase == own.dli_fbase) continue;
    if (caller == nullptr) caller = other.dli_fbase;
    if (other.dli_fbase != caller) break;
    const std::string line = simt::checked::line_outside_headers(frames[i]);
    if (line.empty() || line == found) continue;
    const bool is_stub = called == Called::by_stub && found.empty();
    found = line;
    if (!is_stub) break;
  }
  return found.empty() ? "" : " at " + found;
}

GpuProcess& GpuProcess::get() {
  static GpuProcess& process = *new GpuProcess;
  return process;
}

GpuProcess::GpuProcess() : repeated_(seconds_now) {
  is_used_ = true;
  if (settings().is_guest) return;  // the context, signals and findings are those of the process's own code
  log_.begin();
  log_crashes();
  if (!settings().tools.empty()) {
    checker_ = new simt::Checker(checks());
    checker_->reserve(4096, kDeviceBytes);
  }
  context_.options = {.schedule = settings().schedule, .approximation = settings().schedule, .checker = checker_};
  if (settings().stats) context_.options.statistics = &statistics_;
  scope_.emplace(context_);
}

const simt::Context& GpuProcess::context() const {
  const simt::Context* const active = settings().is_guest ? simt::active_context() : nullptr;
  return active == nullptr ? context_ : *active;
}

bool GpuProcess::is_wanted(const std::string& kernel) const {
  const uint64_t number = launches - 1;  // of those before it
  return number >= settings().skip && number - settings().skip < settings().count &&
         (settings().kernels.empty() || readable(kernel).find(settings().kernels) != std::string::npos);
}

uint64_t GpuProcess::state() const {
  uint64_t hash = 0;
  for (const auto& [begin, allocation] : allocations_)
    hash = hash_of(reinterpret_cast<const void*>(begin), allocation.bytes, hash);
  Modules::get().for_each_variable(
      [&](const simt::ProgramVariable& variable) { hash = hash_of(variable.address, variable.bytes, hash); });
  return hash;
}

bool GpuProcess::run(const simt::ProgramKernel& kernel, const simt::Launch& shape, void** arguments, bool is_checked) {
  KernelLaunches& launched = launched_[kernel.name];
  ++launched.count, ++launched.left_out;
  const auto now = [&] {
    const double begin = seconds_now();
    run_now(kernel, shape, arguments, is_checked);
    launched.seconds += seconds_now() - begin;
    --launched.left_out;
  };
  footprint_.clear();
  if (kernel.is_observed || settings().every_launch || settings().is_guest) {
    now();
  } else {
    const std::string key = key_of(kernel, shape, arguments);
    const auto known = settled_footprints_.find(key);
    if (wants_footprints_ && is_checked && known == settled_footprints_.end() && repeated_.is_settled(key))
      repeated_.forget(key);
    const bool was_run = repeated_.run(
        key, [&] { return state(); }, now);
    if (!was_run && is_checked && known != settled_footprints_.end()) footprint_ = known->second;
    if (was_run && wants_footprints_ && repeated_.is_settled(key)) settled_footprints_[key] = footprint_;
  }
  const simt::Findings& findings = context().findings;
  return findings.empty() || findings.front().detail.find("launch refused") == std::string::npos;
}

void GpuProcess::run_library(const std::string& key, const std::function<void()>& work) {
  if (settings().every_launch || settings().is_guest)
    work();
  else
    repeated_.run(
        key, [&] { return state(); }, work);
}

void GpuProcess::run_now(const simt::ProgramKernel& kernel, const simt::Launch& shape, void** arguments,
                         bool is_checked) {
  simt::Options& options = context().options;
  simt::Checker* const checker = std::exchange(options.checker, is_checked ? options.checker : nullptr);
  {
    std::optional<HostMemory> known;
    if (!settings().is_guest) known.emplace(kernel, shape, arguments, __builtin_frame_address(0));
    kernel.start(shape, arguments);
  }
  if (is_checked && wants_footprints_) footprint_ = checker->take_footprint();
  options.checker = checker;
  if (!is_checked && checker != nullptr)
    for (const auto& [begin, allocation] : allocations_)
      checker->host_wrote(reinterpret_cast<const void*>(begin), allocation.bytes);
}

void GpuProcess::want_footprints() {
  wants_footprints_ = checker_ != nullptr;
  if (wants_footprints_) checker_->want_footprints();
}

void GpuProcess::log_findings(const std::string& where) {
  if (std::ranges::any_of(context_.findings, [](const simt::Finding& each) {
        return each.kind == simt::Kind::crash && each.detail.find("assertion failed") != std::string::npos;
      }))
    lasting_error = cudaErrorAssert;
  for (const simt::Finding& finding : context_.findings)
    if (is_asked_for(finding.kind)) log_.add(finding.kind, finding.detail, where);
  context_.findings.clear();
}

void GpuProcess::found(simt::Kind kind, const std::string& what, const std::string& where) {
  if (settings().is_guest)
    context().findings.push_back({kind, fmt::format("{} [{}{}]", what, where, calling_line())});
  else if (is_asked_for(kind))
    log_.add(kind, what, where + calling_line());
}

void* GpuProcess::allocate(size_t bytes, Memory memory, const std::string& call, size_t alignment) {
  if (bytes == 0 || bytes > kDeviceBytes - allocated_bytes_) return nullptr;
  const std::string name = fmt::format("memory {} of {}{}", ++allocations_made_, call, calling_line());
  void* const begin = simt::device_allocate(bytes, 0, name.c_str(), alignment);
  if (begin == nullptr) return nullptr;
  // Memory that both sides see counts as written: nobody watches the host.
  if (memory != Memory::device) simt::device_set(begin, 0, bytes, call.c_str());
  allocations_[reinterpret_cast<uintptr_t>(begin)] = {bytes, memory, name};
  shares_memory = shares_memory || memory != Memory::device;
  if (memory != Memory::device) follow_streams();  // the host may be too early
  allocated_bytes_ += bytes;
  return begin;
}

size_t GpuProcess::forget_allocations() {
  const size_t count = allocations_.size();
  allocations_.clear();
  allocated_bytes_ = 0;
  return count;
}

void* GpuProcess::reserve(size_t bytes, const std::string& call, size_t alignment) {
  void* const begin = allocate(bytes, Memory::device, call, alignment);
  if (begin == nullptr) return nullptr;
  const auto at = allocations_.find(reinterpret_cast<uintptr_t>(begin));
  reserved_[at->first] = at->second;
  allocated_bytes_ -= bytes;
  allocations_.erase(at);
  simt::device_close(begin);
  return begin;
}

bool GpuProcess::open_reserved(void* memory) {
  const auto found = reserved_.find(reinterpret_cast<uintptr_t>(memory));
  if (found == reserved_.end() || allocations_.contains(found->first)) return false;
  open_range(memory);
  GraphMemory& graphs = graph_memory_;
  graphs.used += found->second.bytes;
  graphs.kept = std::max(graphs.kept, graphs.used);
  graphs.kept_high = std::max(graphs.kept_high, graphs.kept);
  return true;
}

void* GpuProcess::reserve_range(size_t bytes, const std::string& call, size_t alignment) {
  void* const begin = reserve(bytes, call, alignment);
  if (begin != nullptr) ranges_.insert(reinterpret_cast<uintptr_t>(begin));
  return begin;
}

void GpuProcess::open_range(void* memory) {
  const auto& [begin, allocation] = *reserved_.find(reinterpret_cast<uintptr_t>(memory));
  simt::device_reopen(memory);
  allocations_[begin] = allocation;
  allocated_bytes_ += allocation.bytes;
}

bool GpuProcess::free(void* memory, const std::string& call) {
  const auto found = allocations_.find(reinterpret_cast<uintptr_t>(memory));
  if (found == allocations_.end()) {
    this->found(simt::Kind::out_of_bounds,
                fmt::format("{} of {}, which no call of cudaMalloc returned, or which is freed already", call, memory),
                call);
    return false;
  }
  const size_t bytes = found->second.bytes;
  will_be_freed(memory, bytes);
  stop_sharing(memory, bytes);
  allocated_bytes_ -= bytes;
  allocations_.erase(found);
  if (!is_reserved(memory)) return simt::device_free(memory);
  if (!ranges_.contains(reinterpret_cast<uintptr_t>(memory))) graph_memory_.used -= bytes;
  simt::device_close(memory);
  return true;
}

std::optional<std::pair<uintptr_t, const Allocation*>> GpuProcess::place_of(const void* address) const {
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto after = allocations_.upper_bound(at);
  if (after == allocations_.begin()) return std::nullopt;
  const auto& [begin, allocation] = *--after;
  if (at - begin >= allocation.bytes) return std::nullopt;
  return std::pair{begin, &allocation};
}

const Allocation* GpuProcess::allocation_of(const void* address) const {
  const auto found = place_of(address);
  return found ? found->second : nullptr;
}

// A remark, no finding: nobody sees what a program does with the value that a call returns.
void GpuProcess::failed(const char* name, cudaError_t error) {
  if (unread_error.empty() && lasting_error == cudaSuccess && error != cudaErrorNotSupported &&
      std::string_view(name).starts_with("cuda"))
    unread_error = fmt::format("{}{} failed with {}", name, calling_line(), cudaGetErrorName(error));
}

void GpuProcess::log_end() {
  if (!unread_error.empty())
    log_.note(unread_error + ", and no cudaGetLastError followed; was what it returned looked at?");
  for (const auto& [name, launched] : launched_)
    log_.row({{"kernel", readable(name)},
              {"launches", launched.count},
              {"left_out", launched.left_out},
              {"seconds", launched.seconds}});
  for (KernelCounts& kernel : statistics_.kernels) sort_lines(kernel);
  if (settings().stats) log_.row({{"statistics", statistics_}});
  if (repeated_.left_out() > 0)
    log_.note(
        fmt::format("{} launches were left out: the same kernel on the same memory had changed nothing "
                    "(--every-launch runs them)",
                    repeated_.left_out()));
  for (const auto& [begin, allocation] : allocations_)
    if (allocation.memory == Memory::device && is_asked_for(simt::Kind::leak))
      log_.add(simt::Kind::leak, fmt::format("{}: {} bytes are never freed", allocation.call, allocation.bytes),
               "the program's end");
}

}  // namespace assay::program
