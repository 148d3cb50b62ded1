// Reading the patterns, as instruction combining leaves them.
#include "harness/simt/regions/lanes.h"

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/markers.h"
#include "llvm/IR/GlobalVariable.h"

namespace assay::regions {
namespace {

using namespace llvm;

constexpr unsigned kDepth = 8, kLaneBits = 5;
constexpr uint64_t kBlockDimX = 12;  // offset in Block

class Patterns {
 public:
  explicit Patterns(const DenseSet<const Value*>& uniform) : uniform_(uniform) {}

  bool same(const Instruction& i) const {
    if (const auto* const operation = dyn_cast<BinaryOperator>(&i)) return same_quotient(*operation);
    if (const auto* const comparison = dyn_cast<ICmpInst>(&i)) return same_comparison(*comparison);
    return false;
  }

 private:
  bool is_uniform(const Value* value) const {
    return isa<Constant>(value) || isa<Argument>(value) || uniform_.contains(value);
  }

  // A multiple of 32, given that blockDim.x is one. Overflow keeps it one.
  static bool is_multiple(const Value* value, unsigned depth = 0) {
    if (depth > kDepth) return false;
    if (is_block_dim_x(value)) return true;
    if (const auto* const number = dyn_cast<ConstantInt>(value))
      return number->isZero() || number->getValue().countr_zero() >= kLaneBits;
    const auto* const i = dyn_cast<Instruction>(value);
    if (i == nullptr) return false;
    const auto of = [&](unsigned operand) { return is_multiple(i->getOperand(operand), depth + 1); };
    switch (i->getOpcode()) {
      case Instruction::Mul:
      case Instruction::And:
        return of(0) || of(1);
      case Instruction::Shl:
        if (const auto* const by = dyn_cast<ConstantInt>(i->getOperand(1));
            by != nullptr && by->getValue().uge(kLaneBits))
          return true;
        return of(0);
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Or:
        return of(0) && of(1);
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::Trunc:
        return of(0);
      default:
        return false;
    }
  }

  static bool is_block_dim_x(const Value* value) {
    const auto* const load = dyn_cast<LoadInst>(value);
    if (load == nullptr || !load->hasMetadata(LLVMContext::MD_invariant_load)) return false;
    APInt offset(64, 0);
    const Value* const base =
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(load->getDataLayout(), offset, true);
    return isa<GlobalVariable>(base) && base->getName() == kBlock && offset == kBlockDimX;
  }

  // threadIdx.x or the thread's number, plus a multiple of 32 that all lanes have alike.
  bool is_lane(const Value* value, unsigned depth = 0) const {
    if (depth > kDepth) return false;
    if (const int index = index_of_thread(value); index == 0 || index == 3) return true;
    const auto* const i = dyn_cast<Instruction>(value);
    if (i == nullptr) return false;
    switch (i->getOpcode()) {
      case Instruction::Add:
      case Instruction::Or:
        for (unsigned k = 0; k < 2; ++k)
          if (is_lane(i->getOperand(k), depth + 1) && is_multiple(i->getOperand(1 - k)) &&
              is_uniform(i->getOperand(1 - k)))
            return true;
        return false;
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::Trunc:
      case Instruction::Freeze:
        return is_lane(i->getOperand(0), depth + 1);
      default:
        return false;
    }
  }

  bool same_quotient(const BinaryOperator& operation) const {
    const auto* const constant = dyn_cast<ConstantInt>(operation.getOperand(1));
    if (constant == nullptr) return false;
    const APInt& k = constant->getValue();
    const Value* const left = operation.getOperand(0);
    switch (operation.getOpcode()) {
      case Instruction::LShr:
      case Instruction::AShr:
        return k.uge(kLaneBits) && is_lane(left);
      case Instruction::UDiv:
        return k != 0 && k.countr_zero() >= kLaneBits && is_lane(left);
      case Instruction::And:
        return (k.countr_zero() >= kLaneBits && is_lane(left)) || same_shifted(left, k);
      default:
        return false;
    }
  }

  // (index >> n) & k and (index << n) & k where k clears all that comes of the last five bits.
  bool same_shifted(const Value* value, const APInt& k) const {
    const auto* const shift = dyn_cast<BinaryOperator>(value);
    const auto* const by = shift == nullptr ? nullptr : dyn_cast<ConstantInt>(shift->getOperand(1));
    if (by == nullptr || by->getValue().uge(32) || !is_lane(shift->getOperand(0))) return false;
    const auto n = static_cast<unsigned>(by->getZExtValue());
    if (shift->getOpcode() == Instruction::LShr || shift->getOpcode() == Instruction::AShr)
      return k.countr_zero() + n >= kLaneBits;
    return shift->getOpcode() == Instruction::Shl && k.countr_zero() >= kLaneBits + n;
  }

  bool same_comparison(const ICmpInst& comparison) const {
    const Value* const right = comparison.getOperand(1);
    if (!is_lane(comparison.getOperand(0))) return false;
    const auto* const number = dyn_cast<ConstantInt>(right);
    const bool at_whole_warp = is_multiple(right) && is_uniform(right);
    switch (comparison.getPredicate()) {
      case CmpInst::ICMP_ULT:
      case CmpInst::ICMP_SLT:
      case CmpInst::ICMP_UGE:
      case CmpInst::ICMP_SGE:
        return at_whole_warp;
      case CmpInst::ICMP_UGT:
      case CmpInst::ICMP_SGT:
      case CmpInst::ICMP_ULE:
      case CmpInst::ICMP_SLE:
        return number != nullptr && (number->getValue() + 1).countr_zero() >= kLaneBits;
      default:
        return false;
    }
  }

  const DenseSet<const Value*>& uniform_;
};

}  // namespace

bool same_in_warp(const Instruction& instruction, const DenseSet<const Value*>& uniform) {
  return Patterns(uniform).same(instruction);
}

}  // namespace assay::regions
