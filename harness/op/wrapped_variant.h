// A variant as plain data: what the generated file around a user's kernel registers
// (harness/adapter/build/wrapper.cu.in is its form). Such files are compiled by the dozen while it is tried how a
// kernel is called, and a std::vector or a std::function made in each is most of what the compiler does there. They are
// made here, once for all.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "harness/op/variant.h"

namespace assay {

struct WrappedDomain {
  const char* name;
  int64_t min, max;
  std::initializer_list<const char*> values;
};

struct WrappedConstant {
  const char* tensor;
  double value;
};

// The members mean what those of Variant do.
struct WrappedVariant {
  const char *op, *name, *summary;
  std::initializer_list<DType> dtypes;
  std::initializer_list<int> blocks;
  bool any_grid = false;
  int aligned = 1;
  bool deterministic = true;
  std::initializer_list<const char*> rounds;
  Accumulate accumulate = Accumulate::f32;
  bool ftz = false, fast_math = false;
  double mask_value = 0;
  std::initializer_list<const char*> omits;
  std::initializer_list<WrappedDomain> domains;
  std::initializer_list<WrappedConstant> constants;
  // Its demands of a case, as the adapter states them, and the first that a case does not meet; null for none.
  std::initializer_list<const char*> requirements;
  const char* (*unmet)(const Case&);
  // Sets the dims that follow from others; `fixes` times, for one may follow from the next.
  int fixes = 0;
  void (*fix)(Case&);
  int64_t (*workspace_bytes)(const Case&);
  void (*run)(Call&);
};

// The variant. It takes no case outside of its domains, and moves cases to near ones that meet its demands.
Variant variant_of(const WrappedVariant& wrapped);

// The tensor of that name; null for none.
const Call::Buffer* buffer_of(const Call& call, std::string_view name);

void set_dim(Case& c, std::string_view dim, int64_t value);

}  // namespace assay
