// A 16-bit float type as plain functions over its bits, so that two headers which define the same names can be
// compared: small_float_table.inc is compiled against ours and against NVIDIA's, each into a library of its own.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::simt::test {

struct SmallFloatTable {
  struct Unary {
    const char* name;
    uint16_t (*call)(uint16_t);
  };
  struct Binary {
    const char* name;
    uint32_t (*call)(uint16_t, uint16_t);
  };
  struct FromFloat {
    const char* name;
    uint16_t (*call)(float);
  };
  struct FromInteger {
    const char* name;
    uint16_t (*call)(int64_t);
  };
  struct ToInteger {
    const char* name;
    int64_t (*call)(uint16_t);
  };
  float (*widen)(uint16_t);
  uint16_t (*from_double)(double);
  std::vector<FromFloat> from_float;
  std::vector<FromInteger> from_integer;
  std::vector<ToInteger> to_integer;
  std::vector<Unary> unary;
  std::vector<Binary> binary;
};

}  // namespace assay::simt::test
