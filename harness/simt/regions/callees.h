// Decides what the pass does with a call in a kernel: inlines it, keeps it, replaces it by its meaning, or refuses the
// kernel.
#pragma once

#include <string>

#include "llvm/IR/InstrTypes.h"

namespace assay::regions {

// The executor's state of the running block, as include/simt/fiber.h declares it.
inline constexpr const char* kBlock = "_ZN5assay4simt5blockE";

// The meaning of a function of the executor's headers.
enum class Meaning { nothing, barrier, collective, current, lane };

struct Treatment {
  enum Kind { inlined, keep, replace, refuse } kind;
  Meaning by = Meaning::nothing;
  std::string why = {};  // for people, where it is refused
};

Treatment treatment_of(const llvm::CallBase& call);

// Whether the function computes from its arguments alone, and may write through pointers among them: the C library's
// mathematics.
bool is_mathematics(llvm::StringRef name);

// Functions of the executor that say something about the running thread.
bool names_thread(llvm::StringRef name);

}  // namespace assay::regions
