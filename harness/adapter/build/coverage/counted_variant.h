// RegisterVariant in a kernel file that is compiled with g++'s counters, which `assay check --coverage` reads.
//
// It is put in front of the file. Counters are written after each run, because the processes of cases end without the
// functions that exit() would call. Where the variant is built in, as those of kernels/, the counted one takes its
// place.
#pragma once

#include <utility>

#include "harness/op/replacing.h"
#include "harness/op/variant.h"

extern "C" void __gcov_dump();
extern "C" void __gcov_reset();

// Writes the counts of this process outside of runs: cases are moved to what a variant takes.
extern "C" __attribute__((visibility("default"))) void assay_write_counters() {
  __gcov_dump();
  __gcov_reset();
}

namespace assay {

// The last counts are written before the folder of the counters is removed: the compiler's own function, which runs
// later, would make it anew.
struct EndOfCounting {
  ~EndOfCounting() { __gcov_dump(); }
};
static const EndOfCounting kEndOfCounting;

struct RegisterCounted {
  explicit RegisterCounted(Variant variant) {
    variant.run = [run = std::move(variant.run)](Call& call) {
      run(call);
      assay_write_counters();
    };
    const ReplacingVariants replacing;
    RegisterVariant(std::move(variant));
  }
};

}  // namespace assay

#define RegisterVariant RegisterCounted
