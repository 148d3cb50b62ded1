// The calls of CUDA's libraries that are not implemented: each fails with a status of its library, and is named when
// the program ends. The build makes a weak definition of every name in *_calls.txt, as runtime/not_supported.h says.
#pragma once

#include "harness/program/runtime/not_supported.h"

#define ASSAY_LIBRARY_NOT_SUPPORTED(name, status)                      \
  extern "C" __attribute__((visibility("default"), weak)) int name() { \
    assay::program::not_supported(#name);                              \
    return status;                                                     \
  }
