// Finds vectors by the names that stand for them in CUDA C++.
#include "harness/adapter/read/vector_access.h"

#include <algorithm>
#include <string>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

constexpr int kVectorBytes = 16;  // the widest access of one thread

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// float2 to ulonglong4, half2 and its like, and our and others' words for the same.
bool is_vector(std::string_view word) {
  static constexpr std::string_view kElements[] = {"float",    "double",    "int",   "uint",   "short",
                                                   "ushort",   "char",      "uchar", "long",   "ulong",
                                                   "longlong", "ulonglong", "half",  "__half", "bfloat16"};
  if (is_one_of(word, {"__nv_bfloat162", "__half2", "alignas", "__align__", "aligned", "__builtin_assume_aligned",
                       "__pipeline_memcpy_async", "memcpy_async", "load_matrix_sync", "store_matrix_sync", "asm",
                       "__asm__", "BLOCK_LOAD_VECTORIZE", "BLOCK_STORE_VECTORIZE", "cute", "cutlass"}))
    return true;
  return word.size() > 1 && is_digit(word.back()) &&
         std::find(std::begin(kElements), std::end(kElements), word.substr(0, word.size() - 1)) != std::end(kElements);
}

bool includes_own_files(std::string_view code) {
  for (size_t at = code.find("#include"); at != std::string_view::npos; at = code.find("#include", at + 1)) {
    const std::string_view line = code.substr(at, code.find('\n', at) - at);
    if (line.find('"') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

int needed_alignment(std::string_view code) {
  const bool is_ptx = code.find(".visible .entry") != std::string_view::npos;  // compilers assume what they like there
  if (is_ptx || includes_own_files(code)) return kVectorBytes;
  bool vectors = false;
  for (const Token& token : tokens_of(code)) {
    if (is_one_of(token.text, {"uintptr_t", "intptr_t"})) return 1;
    vectors |= is_vector(token.text);
  }
  return vectors ? kVectorBytes : 1;
}

}  // namespace assay
