// The tables that the build writes into a kernel module about its kernels and its shared memory (build/finish).
//
// A module is one library, whatever number of kernel files it is linked from. The linker joins the tables of all its
// files and names where they begin and end; the names are hidden, so each module reads its own.
#pragma once

#include <cstdint>

namespace assay::simt {

// One function of the module; 0 where nothing is known.
struct FunctionFacts {
  const void* function;
  uint64_t stack_bytes;   // that it is proven to need at most, its callees included
  uint64_t shared_bytes;  // of the static shared arrays that it names, its callees included
  uint64_t threads_max;   // that it declares by __launch_bounds__
};

// One static shared array of a checked module.
struct SharedArrayFacts {
  const void* address;
  uint64_t bytes;
  const char* name;  // mangled; nullptr: the mark that an array's elements have been constructed
};

struct Module {
  const FunctionFacts *functions, *functions_end;
  const SharedArrayFacts *arrays, *arrays_end;
  const char *shared, *shared_end;        // where all of its shared memory lies
  const char* dynamic;                    // what `extern __shared__` names stand for; kSharedBytesMax bytes in there
  const char *constants, *constants_end;  // __constant__ variables, but those that are `const` as well
};

extern "C" {
#define ASSAY_SIMT_OF_MODULE __attribute__((weak, visibility("hidden")))
extern const FunctionFacts __start_assay_functions[] ASSAY_SIMT_OF_MODULE;
extern const FunctionFacts __stop_assay_functions[] ASSAY_SIMT_OF_MODULE;
extern const SharedArrayFacts __start_assay_shared_arrays[] ASSAY_SIMT_OF_MODULE;
extern const SharedArrayFacts __stop_assay_shared_arrays[] ASSAY_SIMT_OF_MODULE;
extern const char __start_assay_shared[] ASSAY_SIMT_OF_MODULE;
extern const char __stop_assay_shared[] ASSAY_SIMT_OF_MODULE;
extern const char __start_assay_constants[] ASSAY_SIMT_OF_MODULE;
extern const char __stop_assay_constants[] ASSAY_SIMT_OF_MODULE;
extern const char assay_simt_dynamic_shared[] ASSAY_SIMT_OF_MODULE;
#undef ASSAY_SIMT_OF_MODULE
}

// The module that the calling code is part of.
inline Module this_module() {
  return {__start_assay_functions,    __stop_assay_functions,  __start_assay_shared_arrays,
          __stop_assay_shared_arrays, __start_assay_shared,    __stop_assay_shared,
          assay_simt_dynamic_shared,  __start_assay_constants, __stop_assay_constants};
}

}  // namespace assay::simt
