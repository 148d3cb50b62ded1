// The function that one of ours hides, where this library is loaded before the C library (LD_PRELOAD).
#pragma once

#include <dlfcn.h>

namespace assay::program {

template <class Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace assay::program
