// Line tables and inlined calls, read by elfutils' libdw. Slow, and only used when a finding is put into words.
#include "harness/simt/checked/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

namespace assay::simt::checked {
namespace {

// Our own headers, the C++ library's, and what nvcc puts around host code: calls are attributed to those who make them.
bool is_header(std::string_view file) {
  constexpr std::string_view kHeaders[] = {"harness/simt/include/",
                                           "harness/simt/runtime/",
                                           "harness/cxx/include/",
                                           "/include/c++/",
                                           "cuda_runtime",
                                           "/crt/",
                                           ".cudafe1."};
  return std::ranges::any_of(kHeaders,
                             [&](std::string_view each) { return file.find(each) != std::string_view::npos; });
}

std::string line_text(std::string_view file, int line) {
  const size_t slash = file.rfind('/');
  return std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) + ":" + std::to_string(line);
}

// The file and line from which an inlined function was called.
bool call_site(Dwarf_Die* unit, Dwarf_Die* inlined, const char** file, int* line) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0, file_index = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) != 0) return false;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file_index) != 0) return false;
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || file_index >= count) return false;
  *file = dwarf_filesrc(files, file_index, nullptr, nullptr);
  *line = static_cast<int>(number);
  return *file != nullptr;
}

struct Found {
  std::string line;
  bool in_header = false;
};

Found find_line(Dwfl* dwfl, Dwarf_Addr address) {
  Dwfl_Module* const module = dwfl_addrmodule(dwfl, address);
  if (module == nullptr) return {};
  Dwfl_Line* const source = dwfl_module_getsrc(module, address);
  int line = 0;
  const char* file = source == nullptr ? nullptr : dwfl_lineinfo(source, nullptr, &line, nullptr, nullptr, nullptr);
  if (file == nullptr) return {};
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
  // The scopes of an address end at the definition of the innermost inlined function; those of its own entry go on
  // outwards through every call that was inlined.
  Dwarf_Die *innermost = nullptr, *scopes = nullptr;
  int count = unit == nullptr ? 0 : dwarf_getscopes(unit, address - bias, &innermost);
  if (count > 0) count = dwarf_getscopes_die(&innermost[0], &scopes);
  for (int i = 0; i < count && is_header(file); ++i)
    if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine) call_site(unit, &scopes[i], &file, &line);
  Found found{line_text(file, line), is_header(file)};
  std::free(scopes);
  std::free(innermost);
  return found;
}

Found find(const void* return_address) {
  static std::mutex mutex;
  static auto& known = *new std::map<const void*, Found>;  // modules stay where they are; asked for at the end, too
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(return_address);
  if (!is_new) return entry->second;
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                           .find_debuginfo = dwfl_standard_find_debuginfo,
                                           .section_address = nullptr,
                                           .debuginfo_path = nullptr};
  Dwfl* const dwfl = dwfl_begin(&callbacks);
  if (dwfl == nullptr) return {};
  if (dwfl_linux_proc_report(dwfl, getpid()) == 0 && dwfl_report_end(dwfl, nullptr, nullptr) == 0)
    entry->second = find_line(dwfl, reinterpret_cast<uintptr_t>(return_address) - 1);
  dwfl_end(dwfl);
  return entry->second;
}

}  // namespace

std::string source_line(const void* return_address) { return find(return_address).line; }

std::string line_outside_headers(const void* return_address) {
  const Found found = find(return_address);
  return found.in_header ? "" : found.line;
}

}  // namespace assay::simt::checked
