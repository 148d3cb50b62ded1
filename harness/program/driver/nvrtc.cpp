// NVRTC, which programs compile kernels with while they run. It is the toolkit's own; where a program asks it for the
// machine code of a GPU, it is asked for PTX instead, which is what can be run here, and PTX is what the program gets.
#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "harness/program/runtime/exported.h"

using nvrtcProgram = struct _nvrtcProgram*;
using nvrtcResult = int;

namespace assay::program {
namespace {

constexpr nvrtcResult kInternalError = 11;

std::mutex lock;

// The programs that were to become machine code.
std::set<nvrtcProgram>& programs() {
  static auto& all = *new std::set<nvrtcProgram>;
  return all;
}

template <class... Arguments>
nvrtcResult ask(const char* name, Arguments... arguments) {
  void* const function = dlsym(RTLD_NEXT, name);
  if (function == nullptr) return kInternalError;
  return reinterpret_cast<nvrtcResult (*)(Arguments...)>(function)(arguments...);
}

bool is_machine_code(nvrtcProgram program) {
  const std::lock_guard held(lock);
  return programs().contains(program);
}

}  // namespace

ASSAY_EXPORTED nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  std::vector<std::string> words(options, options + std::max(count, 0));
  bool is_changed = false;
  for (std::string& word : words) {
    const size_t at = word.find("sm_");
    if (at != 0 && (at == std::string::npos || word[at - 1] != '=' || word.find("arch") == std::string::npos)) continue;
    word.replace(at, 3, "compute_");
    is_changed = true;
  }
  if (is_changed) {
    const std::lock_guard held(lock);
    programs().insert(program);
  }
  if (std::ranges::none_of(words, [](const std::string& word) { return word.ends_with("-lineinfo"); }))
    words.emplace_back("-lineinfo");  // for findings
  std::vector<const char*> given;
  for (const std::string& word : words) given.push_back(word.c_str());
  return ask("nvrtcCompileProgram", program, static_cast<int>(given.size()), given.data());
}
ASSAY_EXPORTED nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
  return ask(is_machine_code(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", program, bytes);
}
ASSAY_EXPORTED nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
  return ask(is_machine_code(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN", program, code);
}
ASSAY_EXPORTED nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program != nullptr) {
    const std::lock_guard held(lock);
    programs().erase(*program);
  }
  return ask("nvrtcDestroyProgram", program);
}

}  // namespace assay::program
