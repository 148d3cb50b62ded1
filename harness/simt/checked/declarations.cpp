// Types are spelled from the outside in: a pointer's is that of what it points to, and a star.
#include "harness/simt/checked/declarations.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <vector>

namespace assay::simt::checked {
namespace {

std::string name_of(Dwarf_Die* die) {
  const char* const name = dwarf_diename(die);
  return name == nullptr ? "" : name;
}

// "" for a type that a declaration in one line cannot have, such as a pointer to a function.
std::string type_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &type) == nullptr) return "void";
  const auto with = [&](const char* behind) {
    const std::string inner = type_of(&type);
    return inner.empty() ? "" : inner + behind;
  };
  switch (dwarf_tag(&type)) {
    case DW_TAG_pointer_type:
      return with("*");
    case DW_TAG_reference_type:
      return with("&");
    case DW_TAG_const_type:
      return with(" const");
    case DW_TAG_restrict_type:
    case DW_TAG_volatile_type:
      return with("");
    case DW_TAG_typedef:  // CUDA's are known everywhere, others in their library alone
      if (const std::string name = name_of(&type); name.starts_with("cuda") || name.starts_with("cublas")) return name;
      return with("");
    case DW_TAG_subroutine_type:
    case DW_TAG_array_type:
      return "";
    default:
      return name_of(&type);
  }
}

std::string declaration_of(Dwarf_Die* function) {
  std::string text = type_of(function);
  if (text.empty()) return "";
  text += " " + name_of(function) + "(";
  Dwarf_Die child;
  bool is_first = true;
  for (int more = dwarf_child(function, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
    const std::string type = type_of(&child);
    if (type.empty()) return "";
    text += (is_first ? "" : ", ") + type + " " + name_of(&child);
    is_first = false;
  }
  return text + ")";
}

// Functions lie in their unit and in namespaces.
void look_in(Dwarf_Die* parent, const std::string& name, std::vector<std::string>& found) {
  Dwarf_Die child;
  for (int more = dwarf_child(parent, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    Dwarf_Attribute attribute;
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_namespace) look_in(&child, name, found);
    if (tag == DW_TAG_subprogram && name_of(&child) == name &&
        dwarf_attr(&child, DW_AT_declaration, &attribute) == nullptr &&
        dwarf_attr_integrate(&child, DW_AT_external, &attribute) != nullptr)
      found.push_back(declaration_of(&child));
  }
}

}  // namespace

std::string declaration_in(const std::string& file, const std::string& name) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  Dwarf* const dwarf = descriptor < 0 ? nullptr : dwarf_begin(descriptor, DWARF_C_READ);
  std::vector<std::string> found;
  Dwarf_Off at = 0, next = 0;
  size_t header = 0;
  while (dwarf != nullptr && dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf, at + header, &unit) != nullptr) look_in(&unit, name, found);
    at = next;
  }
  if (dwarf != nullptr) dwarf_end(dwarf);
  if (descriptor >= 0) close(descriptor);
  return found.size() == 1 ? found[0] : "";
}

}  // namespace assay::simt::checked
