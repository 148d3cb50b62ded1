// ptxas lines and the arithmetic of occupancy.
#include "harness/device/cuda/resources.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

#include "harness/base/program_files.h"

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

// Without the anonymous namespaces that kernels are in, as the executor names them.
std::string short_name(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const size_t at = name.find(kAnonymous); at != std::string::npos) name.erase(at, kAnonymous.size());
  return name;
}

int64_t number(const std::smatch& match) { return std::stoll(match[1]); }

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

constexpr int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Result<std::vector<KernelResources>> parse_ptxas(const std::string& text) {
  static const std::regex entry("Compiling entry function '([^']+)' for 'sm_([0-9]+)[a-z]?'");
  static const std::regex stack("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  static const std::regex registers("Used ([0-9]+) registers");
  static const std::regex shared("([0-9]+) bytes smem");
  static const std::regex object("^==> (?:.*/)?(kernels/.*\\.cu)\\.o\\.ptxas <==$");
  std::vector<KernelResources> kernels;
  std::string source;
  bool complete = true;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==> ")) {
      source = std::regex_search(line, match, object) ? match[1].str() : "";
    } else if (std::regex_search(line, match, entry)) {
      if (!complete) break;
      kernels.push_back({.kernel = readable(match[1]), .capability = std::stoi(match[2]), .source = source});
      complete = false;
    } else if (!complete && std::regex_search(line, match, stack)) {
      kernels.back().stack_bytes = number(match);
      kernels.back().spill_bytes = std::stoll(match[2]) + std::stoll(match[3]);
    } else if (!complete && std::regex_search(line, match, registers)) {
      kernels.back().registers = static_cast<int>(number(match));
      if (std::regex_search(line, match, shared)) kernels.back().shared_bytes = number(match);
      complete = true;
    }
  }
  if (!complete)
    return fail("ptxas says nothing of the registers of " + kernels.back().kernel,
                "build again; if it stays, this version of ptxas words its report in a new way");
  return kernels;
}

std::optional<double> occupancy(const KernelResources& kernel, int block, int64_t dynamic_shared_bytes) {
  const auto* const sm = std::find_if(kMultiprocessors.begin(), kMultiprocessors.end(),
                                      [&](const Multiprocessor& m) { return m.capability == kernel.capability; });
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
  if (std::any_of(candidates.begin(), candidates.end(), is_own)) std::erase_if(candidates, std::not_fn(is_own));
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

std::string kernel_resources_path() { return program_file("kernel_resources.txt").string(); }

}  // namespace assay
