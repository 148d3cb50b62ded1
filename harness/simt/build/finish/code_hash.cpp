// FNV-1a over the lines that matter.
#include "harness/simt/build/finish/code_hash.h"

#include <array>

#include "harness/simt/build/finish/symbols.h"

namespace assay::simt::finish {
namespace {

constexpr std::string_view kName = "assay_code_hash";

bool is_for_debuggers(const Line& line) {
  static constexpr std::array kDirectives{".loc", ".file", ".ident", ".cfi_"};
  for (const std::string_view directive : kDirectives)
    if (line.operation.starts_with(directive)) return true;
  return line.section.starts_with(".debug");
}

// Labels that mark where a variable changes or a scope begins: .LVL3, .LBB2, .LBE2, .Ltmp7.
bool marks_only(const Line& line) {
  static constexpr std::array kPrefixes{".LVL", ".LBB", ".LBE", ".LFB", ".LFE", ".Ltmp", ".Lfunc_"};
  if (line.label.empty() || !line.operation.empty()) return false;
  for (const std::string_view prefix : kPrefixes)
    if (line.label.starts_with(prefix)) return true;
  return false;
}

}  // namespace

uint64_t code_hash(const Assembly& assembly) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    hash = (hash ^ '\n') * 0x100000001b3u;
  };
  for (const Line& line : assembly.lines) {
    if (line.label.empty() && line.operation.empty()) continue;  // a comment, or nothing
    if (is_for_debuggers(line) || marks_only(line)) continue;
    add(line.label);
    add(line.operation);
    add(line.operands);
  }
  return hash;
}

std::string define_code_hash(Assembly& assembly, uint64_t hash) {
  for (Line& line : assembly.lines)
    if (states_visibility(line.operation) && line.operands == kName) line.dropped = true;
  const std::string name(kName);
  return "\t.section\t.rodata\n\t.balign\t8\n" + name + ":\n\t.quad\t" + std::to_string(hash) + "\n";
}

}  // namespace assay::simt::finish
