// ptxas lines and the arithmetic of occupancy.
#include "harness/device/cuda/resources.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/base/number.h"
#include "harness/base/optional_programs.h"
#include "harness/base/program_files.h"
#include "harness/base/scanner.h"

namespace assay {
namespace {

// "softmax<float>" from the mangled name; names of extern "C" kernels stay as they are.
std::string readable(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : mangled;
  std::free(text);
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {  // the parameters begin at the first '(' outside template arguments
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    const bool anonymous = name.compare(i, 21, "(anonymous namespace)") == 0;
    if (name[i] == '(' && depth == 0 && !anonymous) return name.substr(0, i);
    if (anonymous) i += 20;
  }
  return name;
}

// The name without the anonymous namespaces that kernels are in, as the executor has it.
std::string short_name(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const size_t at = name.find(kAnonymous); at != std::string::npos) name.erase(at, kAnonymous.size());
  return name;
}

// The whole number in front of `words`: 40 of "Used 40 registers".
std::optional<int64_t> number_before(std::string_view line, std::string_view words) {
  const size_t end = std::min(line.find(words), line.size());
  size_t begin = end;
  while (begin > 0 && is_digit(line[begin - 1])) --begin;
  return end < line.size() ? number_in<int64_t>(line.substr(begin, end - begin)) : std::nullopt;
}

// "kernels/OP/VARIANT.cu" of the line that names the object whose report follows; "" of other sources.
std::string source_of(std::string_view line) {
  constexpr std::string_view kBegin = "==> ", kEnd = ".o.ptxas <==", kFolder = "kernels/";
  if (!line.ends_with(kEnd)) return "";
  const std::string_view object = line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
  if (!object.ends_with(".cu")) return "";
  if (const size_t at = object.rfind("/kernels/"); at != std::string_view::npos)
    return std::string(object.substr(at + 1));
  return object.starts_with(kFolder) ? std::string(object) : "";
}

// The name and the GPU in "Compiling entry function '_Z3addPf' for 'sm_90a'".
std::optional<KernelResources> entry_of(std::string_view line) {
  Scanner scan(line);
  if (!scan.skip_past("Compiling entry function '")) return std::nullopt;
  const std::string name(scan.take([](char c) { return c != '\''; }));
  if (name.empty() || !scan.skip("' for 'sm_")) return std::nullopt;
  const auto capability = number_in<int>(scan.digits());
  if (!capability) return std::nullopt;
  KernelResources kernel;
  kernel.kernel = readable(name);
  kernel.capability = *capability;
  return kernel;
}

struct Multiprocessor {
  int capability;
  int threads, blocks;
  int64_t shared_bytes;  // for blocks, without what is L1 cache at least
};

constexpr std::array kMultiprocessors{
    Multiprocessor{75, 1024, 16, 64 << 10},   Multiprocessor{80, 2048, 32, 164 << 10},
    Multiprocessor{86, 1536, 16, 100 << 10},  Multiprocessor{87, 1536, 16, 164 << 10},
    Multiprocessor{89, 1536, 24, 100 << 10},  Multiprocessor{90, 2048, 32, 228 << 10},
    Multiprocessor{100, 2048, 32, 228 << 10}, Multiprocessor{120, 1536, 24, 100 << 10},
};

constexpr int64_t kRegisters = 64 << 10;   // of a multiprocessor, on all of these
constexpr int64_t kRegisterUnit = 256;     // in which a warp's registers are given out
constexpr int64_t kSharedReserved = 1024;  // of each block, from 8.0 on
constexpr int64_t kSharedUnit = 128;

constexpr std::string_view kCode = "code of the object: ";  // keep_ptxas.sh

constexpr int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Result<std::vector<KernelResources>> parse_ptxas(const std::string& text) {
  std::vector<KernelResources> kernels;
  std::string source;
  bool complete = true;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==> ")) {
      source = source_of(line);
    } else if (auto entry = entry_of(line)) {
      if (!complete) break;
      entry->source = source;
      kernels.push_back(std::move(*entry));
      complete = false;
    } else if (complete) {
      continue;
    } else if (const auto stack = number_before(line, " bytes stack frame")) {
      kernels.back().stack_bytes = *stack;
      kernels.back().spill_bytes = number_before(line, " bytes spill stores").value_or(0) +
                                   number_before(line, " bytes spill loads").value_or(0);
    } else if (const auto registers = number_before(line, " registers")) {
      kernels.back().registers = static_cast<int>(*registers);
      kernels.back().shared_bytes = number_before(line, " bytes smem").value_or(0);
      complete = true;
    }
  }
  if (!complete)
    return fail("ptxas says nothing of the registers of " + kernels.back().kernel,
                "build again; if it stays, this version of ptxas words its report in a new way");
  return kernels;
}

std::optional<double> occupancy(const KernelResources& kernel, int block, int64_t dynamic_shared_bytes) {
  const auto* const sm = std::ranges::find(kMultiprocessors, kernel.capability, &Multiprocessor::capability);
  if (sm == kMultiprocessors.end() || block <= 0) return std::nullopt;
  const int64_t warps = round_up(block, 32) / 32;
  int64_t blocks = std::min<int64_t>(sm->blocks, sm->threads / (warps * 32));
  if (kernel.registers > 0)
    blocks = std::min(blocks, kRegisters / (warps * round_up(kernel.registers * 32, kRegisterUnit)));
  const int64_t reserved = sm->capability >= 80 ? kSharedReserved : 0;
  const int64_t shared = round_up(kernel.shared_bytes + dynamic_shared_bytes, kSharedUnit) + reserved;
  if (shared > 0) blocks = std::min(blocks, sm->shared_bytes / shared);
  return static_cast<double>(blocks * warps * 32) / sm->threads;
}

const KernelResources* find_resources(const std::vector<KernelResources>& all, const std::string& op,
                                      const std::string& variant, const std::string& kernel) {
  const std::string own = "kernels/" + op + "/" + variant + ".cu";
  std::vector<const KernelResources*> candidates;
  for (const KernelResources& each : all)
    if (short_name(each.kernel) == kernel) candidates.push_back(&each);
  const auto is_own = [&](const KernelResources* each) { return each->source == own; };
  if (std::ranges::any_of(candidates, is_own)) std::erase_if(candidates, std::not_fn(is_own));
  const KernelResources* found = nullptr;
  for (const KernelResources* each : candidates)
    if (!found || each->capability > found->capability) found = each;
  for (const KernelResources* each : candidates) {
    KernelResources same = *each;
    same.source = found->source;
    if (each->capability == found->capability && !(same == *found)) return nullptr;  // no telling which
  }
  return found;
}

std::map<std::string, std::string> parse_codes(const std::string& text) {
  std::map<std::string, std::string> codes;
  std::string source;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==> ")) source = source_of(line);
    if (line.starts_with(kCode) && !source.empty()) codes[source] = line.substr(kCode.size());
  }
  return codes;
}

std::string gpu_code_of(const std::string& op, const std::string& variant) {
  static const std::map<std::string, std::string> kCodes = [] {
    std::ifstream file(kernel_resources_path());
    std::stringstream text;
    text << file.rdbuf();
    return parse_codes(text.str());
  }();
  const auto found = kCodes.find("kernels/" + op + "/" + variant + ".cu");
  return found == kCodes.end() ? "" : found->second;
}

Result<std::vector<KernelResources>> read_kernel_resources() {
  const std::string path = kernel_resources_path();
  std::ifstream file(path);
  if (!file)
    return fail("no figures of kernels: " + path + " is not there",
                "build where nvcc is found; they come from the build, no GPU is needed");
  std::stringstream text;
  text << file.rdbuf();
  auto kernels = parse_ptxas(text.str());
  if (!kernels) return fail(path + ": " + kernels.error().what, kernels.error().hint);
  return kernels;
}

std::string kernel_resources_path() {
  depends_on("nvcc");
  return program_file("kernel_resources.txt").string();
}

}  // namespace assay
