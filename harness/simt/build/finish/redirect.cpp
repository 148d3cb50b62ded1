// Renames symbols that instructions name.
#include "harness/simt/build/finish/redirect.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace assay::simt::finish {
namespace {

using Renaming = std::pair<std::string_view, std::string_view>;

// operator new(unsigned long) and new[], operator delete(void*), with a size, and delete[].
constexpr Renaming kHeap[] = {
    {"malloc", "assay_simt_malloc"},  {"calloc", "assay_simt_calloc"}, {"free", "assay_simt_free"},
    {"_Znwm", "assay_simt_new"},      {"_Znam", "assay_simt_new"},     {"_ZdlPv", "assay_simt_delete"},
    {"_ZdlPvm", "assay_simt_delete"}, {"_ZdaPv", "assay_simt_delete"}, {"_ZdaPvm", "assay_simt_delete"}};
constexpr Renaming kCopies[] = {
    {"memcpy", "__tsan_memcpy"}, {"memmove", "__tsan_memmove"}, {"memset", "__tsan_memset"}};

// "*malloc@GOTPCREL(%rip)" -> "malloc"
std::string_view symbol_in(std::string_view operand) {
  const auto is_part = [](char c) { return is_symbol_character(c); };
  const auto begin = std::find_if(operand.begin(), operand.end(), is_part);
  return {begin, std::find_if_not(begin, operand.end(), is_part)};
}

void rename(Assembly& assembly, std::span<const Renaming> renamings) {
  for (Line& line : assembly.lines) {
    if (!line.is_instruction()) continue;
    const std::string_view symbol = symbol_in(line.operands);
    const auto found =
        std::find_if(renamings.begin(), renamings.end(), [&](const Renaming& r) { return r.first == symbol; });
    if (found == renamings.end()) continue;
    const auto at = static_cast<size_t>(symbol.data() - line.text.data());
    assembly.replace(line, std::string(line.text).replace(at, symbol.size(), found->second));
  }
}

}  // namespace

void redirect_heap(Assembly& assembly) { rename(assembly, kHeap); }
void redirect_copies(Assembly& assembly) { rename(assembly, kCopies); }

}  // namespace assay::simt::finish
