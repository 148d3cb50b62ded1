// Uses of an array through all addresses derived from it, and their liveness.
#include "harness/simt/regions/local_arrays.h"

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/markers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace assay::regions {
namespace {

using namespace llvm;

struct Uses {
  SmallPtrSet<const Instruction*, 16> all;    // that read or write it
  SmallPtrSet<const Instruction*, 4> begins;  // its lifetime
  bool escapes = false;
};

bool keeps_no_address(const CallBase& call) {
  const StringRef name = callee_name(&call);
  return isa<MemIntrinsic>(call) || is_mathematics(name) || name == "memcpy" || name == "memmove" || name == "memset" ||
         name == "memcmp" || name == "printf";
}

Uses uses_of(const AllocaInst& array) {
  Uses uses;
  SmallVector<const Value*> todo{&array};
  SmallPtrSet<const Value*, 16> seen;
  while (!todo.empty()) {
    const Value* const address = todo.pop_back_val();
    if (!seen.insert(address).second) continue;
    for (const User* user : address->users()) {
      const auto* const i = cast<Instruction>(user);
      if (const auto* const life = dyn_cast<LifetimeIntrinsic>(i)) {
        if (life->getIntrinsicID() == Intrinsic::lifetime_start) uses.begins.insert(i);
        continue;
      }
      uses.all.insert(i);
      if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(i) || i->getOpcode() == Instruction::BitCast) {
        todo.push_back(i);
      } else if (const auto* const store = dyn_cast<StoreInst>(i)) {
        uses.escapes |= store->getValueOperand() == address;
      } else if (const auto* const call = dyn_cast<CallBase>(i)) {
        uses.escapes |= !keeps_no_address(*call);
      } else if (!isa<LoadInst>(i) && !isa<ICmpInst>(i)) {
        uses.escapes = true;
      }
    }
  }
  return uses;
}

class Crossing {
 public:
  Crossing(Function& function, const Pieces& pieces, const Uses& uses)
      : function_(function), pieces_(pieces), uses_(uses) {}

  bool found() {
    find_needed();
    find_used();
    for (const auto& point : pieces_.points)
      if (point->kind != Point::entry && needed_.lookup(point->start) && used_.lookup(point->block)) return true;
    return false;
  }

 private:
  // Whether a use is reached from the block's beginning before the array's lifetime begins anew.
  void find_needed() {
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : post_order(&function_)) {
        bool needed = any_of(successors(block), [&](BasicBlock* next) { return needed_.lookup(next); });
        for (const Instruction& i : *block) {
          if (uses_.begins.contains(&i)) needed = false;
          if (uses_.begins.contains(&i) || uses_.all.contains(&i)) {
            needed = !uses_.begins.contains(&i);
            break;
          }
        }
        if (needed != needed_.lookup(block)) needed_[block] = changed = true;
      }
    }
  }
  // Whether a use may have come before the block's end.
  void find_used() {
    ReversePostOrderTraversal<Function*> order(&function_);
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : order) {
        bool used = any_of(predecessors(block), [&](BasicBlock* before) { return used_.lookup(before); });
        for (const Instruction& i : *block) used |= uses_.all.contains(&i);
        if (used != used_.lookup(block)) used_[block] = changed = true;
      }
    }
  }

  Function& function_;
  const Pieces& pieces_;
  const Uses& uses_;
  DenseMap<const BasicBlock*, bool> needed_, used_;
};

}  // namespace

std::vector<AllocaInst*> arrays_that_cross(Function& function, const Pieces& pieces) {
  std::vector<AllocaInst*> result;
  if (pieces.points.size() == 1) return result;
  for (Instruction& i : instructions(function)) {
    auto* const array = dyn_cast<AllocaInst>(&i);
    if (array == nullptr) continue;
    const Uses uses = uses_of(*array);
    if (uses.escapes || Crossing(function, pieces, uses).found()) result.push_back(array);
  }
  return result;
}

}  // namespace assay::regions
