// Finds what a function does with its pointer parameters, through local pointers and the functions that it calls.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

namespace assay::reader {

struct PointerUse {
  bool indexed = false;                 // p[i], *p
  bool written = false;                 // p[i] = …
  bool added_to = false;                // by atomicAdd
  bool read = false;                    // its elements, as p[i] += … does too
  bool passed = false;                  // to something whose body is not known, which may do anything
  bool tested = false;                  // compared, or a condition
  bool many = false;                    // indexed by what is no constant: it points to several elements
  std::vector<PointerUse> fields = {};  // of those of record_of_pointers, in order

  void merge(const PointerUse& other);
};

// A structure without constructors whose fields are numbers and pointers, at least one of them a pointer, as kernels
// take their arguments by value: its fields are what is followed. nullptr for any other type.
const clang::RecordDecl* record_of_pointers(clang::QualType type);

// One for each parameter, in order; parameters that are neither pointers nor references have no use.
std::vector<PointerUse> pointer_uses(const clang::FunctionDecl& function);

}  // namespace assay::reader
