// Units of assembly and what they name, from the kernels on.
#include "harness/cxx/device_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/adapter/read/cuda_text.h"

namespace assay::cxx {
namespace {

using simt::finish::Line;
using simt::finish::operands_of;

constexpr std::string_view kKernelMark = "# assay kernel ";
constexpr size_t kTableEntryBytes = 88, kVariableBytes = 32;  // of ProgramKernel and ProgramVariable

// Directives that put bytes somewhere, or say something of the instructions around them.
bool is_content(const Line& line) {
  static const std::set<std::string_view> kData = {
      ".byte", ".value", ".short", ".word",   ".2byte",   ".long",    ".int",   ".4byte", ".quad",   ".8byte",
      ".octa", ".zero",  ".skip",  ".space",  ".string",  ".ascii",   ".asciz", ".float", ".double", ".loc",
      ".comm", ".lcomm", ".local", ".incbin", ".uleb128", ".sleb128", ".xword", ".hword"};
  return line.is_instruction() || line.operation.starts_with(".cfi") || kData.contains(line.operation) ||
         (line.in_inline_assembly && !line.operation.empty());
}

// Directives that say something of a symbol, wherever they stand.
bool is_about_symbol(const Line& line) {
  return is_one_of(line.operation, {".globl", ".weak", ".hidden", ".internal", ".protected", ".type", ".size"});
}

void add_names(std::string_view text, std::set<std::string_view>& names) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && simt::finish::is_symbol_character(text[end])) ++end;
    if (end > i && !(text[i] >= '0' && text[i] <= '9')) names.insert(text.substr(i, end - i));
    i = end + 1;
  }
}

}  // namespace

DevicePart::DevicePart(std::string_view assembly, const std::set<std::string>& variables) : assembly_(assembly) {
  read_units();
  for (const Line& line : assembly_.lines) {
    const size_t mark = line.text.find(kKernelMark);
    if (mark != std::string_view::npos && !line.function.empty()) {
      std::string_view rest = line.text.substr(mark + kKernelMark.size());
      Kernel kernel{line.function, {}, {}, {}};
      for (std::string_view* part : {&kernel.start, &kernel.sizes, &kernel.parameters}) {
        *part = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(part->size() + 1, rest.size()));
      }
      if (std::ranges::find(kernels_, kernel.function, &Kernel::function) == kernels_.end()) kernels_.push_back(kernel);
    }
    if (line.operation != ".size" && line.operation != ".comm") continue;
    const auto operands = operands_of(line.operands);
    if (operands.size() > 1 && simt::finish::number_in(operands[1])) sizes_.emplace(operands[0], operands[1]);
  }
  for (const Kernel& kernel : kernels_)
    for (const std::string_view symbol : {kernel.function, kernel.start, kernel.sizes}) need(symbol);
  for (const std::string& variable : variables) need(variable);
  need("assay_complete_table");
}

void DevicePart::read_units() {
  std::map<std::string_view, size_t> functions;
  size_t now = 0;  // the unit of data; 0 is what stands in front of all labels
  units_.emplace_back();
  std::string_view section;
  std::vector<size_t> ahead;  // what the compiler says of a function's cold part in front of its label
  for (size_t i = 0; i < assembly_.lines.size(); ++i) {
    const Line& line = assembly_.lines[i];
    if (line.section.starts_with(".debug")) continue;
    size_t unit = now;
    if (line.function.empty() && line.operation.starts_with(".cfi") && !line.in_inline_assembly) {
      ahead.push_back(i);
      continue;
    }
    if (!line.function.empty()) {
      const auto [found, is_new] = functions.emplace(line.function, units_.size());
      if (is_new) units_.emplace_back();
      unit = found->second;
      units_[unit].lines.insert(units_[unit].lines.end(), ahead.begin(), ahead.end());
      for (const size_t each : ahead) add_names(assembly_.lines[each].operands, units_[unit].names);
      ahead.clear();
    } else if (!line.label.empty() || line.section != section || line.operation == ".local" ||
               (line.operation == ".comm" && assembly_.lines[i - 1].operation != ".local")) {
      unit = now = units_.size();
      units_.emplace_back();
    }
    section = line.section;
    if (!line.label.empty()) unit_of_.emplace(line.label, unit);
    if (line.operation == ".comm" || line.operation == ".set") unit_of_.emplace(operands_of(line.operands)[0], unit);
    units_[unit].lines.push_back(i);
    const bool is_text = is_one_of(line.operation, {".string", ".ascii", ".asciz"});
    if ((line.operation == ".set" || is_content(line)) && !is_text) add_names(line.operands, units_[unit].names);
  }
}

bool DevicePart::need(std::string_view symbol) {
  const auto found = unit_of_.find(symbol);
  if (found == unit_of_.end() || units_[found->second].is_kept) return false;
  keep(found->second);
  return true;
}

void DevicePart::keep(size_t unit) {
  std::vector<size_t> next = {unit};
  while (!next.empty()) {
    Unit& each = units_[next.back()];
    next.pop_back();
    if (std::exchange(each.is_kept, true)) continue;
    for (const std::string_view name : each.names)
      if (const auto found = unit_of_.find(name); found != unit_of_.end()) next.push_back(found->second);
  }
}

std::set<std::string> DevicePart::made_at_load() const {
  std::set<std::string> made;
  for (const auto& [label, unit] : unit_of_) {
    if (!label.starts_with("_GLOBAL__sub_I_") && label.find("__static_initialization_and_") == std::string_view::npos)
      continue;
    for (const std::string_view name : units_[unit].names) {
      const auto found = unit_of_.find(name);
      if (found == unit_of_.end() || name.starts_with(".L") || !units_[found->second].is_kept) continue;
      const Line& first = assembly_.lines[units_[found->second].lines.front()];
      if (first.function.empty()) made.emplace(name);
    }
  }
  return made;
}

std::set<std::string_view> DevicePart::undefined() const {
  std::set<std::string_view> names;
  for (const Unit& unit : units_)
    if (unit.is_kept) names.insert(unit.names.begin(), unit.names.end());
  std::erase_if(names, [&](std::string_view name) { return unit_of_.contains(name); });
  return names;
}

bool DevicePart::is_observed(std::string_view function) const {
  std::set<size_t> seen;
  std::vector<size_t> next = {unit_of_.at(function)};
  while (!next.empty()) {
    const size_t unit = next.back();
    next.pop_back();
    if (!seen.insert(unit).second) continue;
    for (const size_t i : units_[unit].lines)
      if (assembly_.lines[i].operation == "rdtsc") return true;
    for (const std::string_view name : units_[unit].names) {
      for (const char* const known : {"printf", "__printf_chk", "vprintf", "puts", "putchar", "malloc", "free", "_Znwm",
                                      "_Znam", "_ZdlPv", "clock", "clock_gettime"})
        if (name == known) return true;
      for (const char* const part : {"launch_child", "set_condition"})
        if (name.find(part) != std::string_view::npos) return true;
      if (const auto found = unit_of_.find(name); found != unit_of_.end()) next.push_back(found->second);
    }
  }
  return false;
}

std::string DevicePart::print() {
  // A function's own name goes with it, or it would stand for what comes to lie in its place; local labels stay,
  // because debugging information names them.
  std::set<std::string_view> gone;
  for (const Unit& unit : units_) {
    for (const size_t i : unit.lines) {
      Line& line = assembly_.lines[i];
      // Inline assembly between functions is complete in itself, and a thread_local variable of the host is none that
      // anybody reaches.
      const bool stays = (line.in_inline_assembly && line.function.empty()) || line.thread_local_section;
      if (unit.is_kept || stays || line.dropped) continue;
      const bool is_name = !line.function.empty() && !line.label.empty() && !line.label.starts_with(".L");
      if (is_name) gone.insert(line.label);
      if (is_name || (is_content(line) && line.label.empty()))
        line.dropped = true;
      else if (is_content(line))
        assembly_.replace(line, std::string(line.label) + ":");
    }
  }
  for (Line& line : assembly_.lines)
    if (is_about_symbol(line) && gone.contains(operands_of(line.operands)[0])) line.dropped = true;
  return assembly_.print() + table();
}

// The variables of kernels: what changes them is no repetition of an earlier launch, and what they hold may be asked
// for.
std::set<std::string_view> DevicePart::variables() const {
  std::set<std::string_view> names;
  for (const Unit& unit : units_) {
    if (!unit.is_kept || unit.lines.empty()) continue;
    const Line& first = assembly_.lines[unit.lines.front()];
    const bool is_common = first.operation == ".local" || first.operation == ".comm";
    const bool is_written = (first.section.starts_with(".data") && !first.section.starts_with(".data.rel.ro")) ||
                            first.section.starts_with(".bss");
    const std::string_view name = is_common ? operands_of(first.operands)[0] : first.label;
    // .comm is of no section, whichever it stands in.
    if (!first.function.empty() || !(is_common || (is_written && !first.thread_local_section))) continue;
    if (sizes_.contains(name) && name.find("grid_arrivals") == std::string_view::npos) names.insert(name);
  }
  return names;
}

std::string DevicePart::table() const {
  std::string names = "\t.section\t.rodata\n", code = "\t.text\n", variables;
  std::string table = "\t.section\tassay_program_kernels,\"aw\",%progbits\n\t.balign\t8\n";
  size_t count = 0;
  const auto name_of = [&](std::string_view symbol) {
    names += fmt::format(".Lassay_symbol{}:\n\t.string\t\"{}\"\n", count, symbol);
    return fmt::format(".Lassay_symbol{}", count++);
  };
  for (const Kernel& kernel : kernels_) {
    const std::string start = fmt::format(".Lassay_start{}", count);
#if defined(__x86_64__)
    code += fmt::format("{}:\n\tmovq\t{}@GOTPCREL(%rip), %rdx\n\tjmp\t{}\n", start, kernel.function, kernel.start);
#else
    code += fmt::format("{0}:\n\tadrp\tx2, :got:{1}\n\tldr\tx2, [x2, :got_lo12:{1}]\n\tb\t{2}\n", start,
                        kernel.function, kernel.start);
#endif
    table += fmt::format("\t.quad\t{0}, {1}, {2}, {2}+8*{3}, {3}, {4}, {5}, 0, 0, 0, 0\n", name_of(kernel.function),
                         start, kernel.sizes, kernel.parameters, kernel.function, is_observed(kernel.function) ? 1 : 0);
  }
  for (const std::string_view name : this->variables())
    variables += fmt::format("\t.quad\t{}, {}, {}, 1\n", name_of(name), name, sizes_.at(name));
  return names + code + table + "\t.section\tassay_program_variables,\"aw\",%progbits\n\t.balign\t8\n" + variables +
         "\t.section\t.init_array,\"aw\"\n\t.balign\t8\n\t.quad\tassay_complete_table\n";
}

std::string end_of_tables() {
  return fmt::format(
      "\t.section\tassay_program_kernels,\"aw\",%progbits\n\t.balign\t8\n\t.zero\t{}\n"
      "\t.section\tassay_program_variables,\"aw\",%progbits\n\t.balign\t8\n\t.zero\t{}\n"
      "\t.hidden\t__start_assay_program_kernels\n\t.hidden\t__start_assay_program_variables\n"
      "\t.section\t.data.rel.ro,\"aw\"\n\t.balign\t8\n\t.globl\tassay_program_module\n"
      "assay_program_module:\n\t.quad\t__start_assay_program_kernels, __start_assay_program_variables\n"
      "\t.section\t.note.GNU-stack,\"\",%progbits\n",
      kTableEntryBytes, kVariableBytes);
}

}  // namespace assay::cxx
