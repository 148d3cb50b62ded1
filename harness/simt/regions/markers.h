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
    "assay.collective";                                       // (i32 mask, i8 operation, i64 value, i32 source) -> i64
inline constexpr const char* kLinear = "assay.linear";        // () -> i32, the thread's number in its block
inline constexpr const char* kGiveUpIf = "assay.give_up_if";  // (i1)
// () -> i32, members of the state of checks (../sieve/state.h) as they are when the piece begins.
inline constexpr const char* kTimes[] = {"assay.time_now", "assay.time_of_barrier", "assay.time_of_block",
                                         "assay.time_of_launch"};
inline constexpr const char* kIndex[3] = {"assay.x", "assay.y", "assay.z"};  // () -> i32, threadIdx

// The name of the function that the call calls; "" for an indirect call and for what is no call.
llvm::StringRef callee_name(const llvm::Value* value);
// 0, 1, 2 for a call of kIndex, 3 for one of kLinear, otherwise -1.
int index_of_thread(const llvm::Value* value);

// The function of such a name, declared with its effects. `synchronises`: threads meet there.
llvm::FunctionCallee marker(llvm::Module& module, const char* name, llvm::FunctionType* type, bool synchronises);
// One of kIndex, kTimes, or kLinear.
llvm::FunctionCallee index_marker(llvm::Module& module, const char* name);
// The call of kLinear in the function's first block, made if there is none.
llvm::Instruction* number_of_thread(llvm::Function& function);

}  // namespace assay::regions
