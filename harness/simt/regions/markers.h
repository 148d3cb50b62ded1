// The calls that stand for the executor in a thread's code. All but the first two are functions of the running thread
// alone, without any effect.
#pragma once

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace assay::regions {

inline constexpr const char* kCurrent = "assay.current";  // () -> ptr, the record of the thread
inline constexpr const char* kBarrier = "assay.barrier";  // (i32 line)
inline constexpr const char* kCollective =
    "assay.collective";                                 // (i32 mask, i8 operation, i64 value, i32 source) -> i64
inline constexpr const char* kLinear = "assay.linear";  // () -> i32, the thread's number in its block
inline constexpr const char* kIndex[3] = {"assay.x", "assay.y", "assay.z"};  // () -> i32, threadIdx

// The name of the function that the call calls; "" for an indirect call and for what is no call.
llvm::StringRef callee_name(const llvm::Value* value);
// 0, 1, 2 for a call of kIndex, 3 for one of kLinear, otherwise -1.
int index_of_thread(const llvm::Value* value);

// The function of such a name, declared with its effects. `synchronises`: threads meet there.
llvm::FunctionCallee marker(llvm::Module& module, const char* name, llvm::FunctionType* type, bool synchronises);
// One of kIndex, or kLinear.
llvm::FunctionCallee index_marker(llvm::Module& module, const char* name);

}  // namespace assay::regions
