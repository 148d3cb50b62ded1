// Checks of a piece that are settled for all threads at once, in front of its loop: those of accesses whose addresses
// all lie in one buffer (ranges.h), of indices and of alignments.
//
// Where the proof succeeds when the block runs, the loop is a copy of the piece without these checks; otherwise one
// with all of them. What a proof leaves to do for each access is to look at its cell: reads of inputs have none.
#pragma once

#include "harness/simt/regions/rows.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace assay::regions {

class Proofs {
 public:
  // `is_interval`: the piece is all that threads do between two barriers.
  Proofs(const Point& point, const Pieces& pieces, bool is_interval)
      : point_(point), pieces_(pieces), is_interval_(is_interval) {}

  // Code in front of the loop: whether all proofs that were tried succeed; nullptr: there are none.
  llvm::Value* prove(llvm::IRBuilder<>& builder, Ranges& ranges);
  // Code in front of the loop for one segment: whether all that prove() tried succeeds, and what is known of whole rows
  // (rows.h) as well, which have their cells then. `times` are those of kTimes.
  llvm::Value* prove_rows(const Segment64& segment, llvm::Value* proven, llvm::ArrayRef<llvm::Value*> times);
  // Whether no check is left that a loop has to make; behind prove_rows().
  bool are_all_settled() const;
  // Takes the checks that are proven out of a copy of the piece, which begins in a block behind prove()'s code.
  void simplify(llvm::ValueToValueMapTy& copied) const;

 private:
  struct Access {
    llvm::StringRef kind;  // read_global, write_words, …
    unsigned bytes;
    bool is_global() const { return kind.ends_with("global"); }
    bool is_write() const { return kind.starts_with("write"); }
  };
  struct Area {
    const llvm::Value* object;  // that the addresses come from
    llvm::StringRef in;         // which buffers they may be of
    Range range;                // of the bytes
  };
  static std::optional<Access> access_of(const llvm::CallInst& call);
  llvm::Value* prove_access(llvm::CallInst& call, const Access& access);
  llvm::Value* prove_condition(llvm::Value* wrong, Place at);
  llvm::Value* prove_area(const Area& area);
  llvm::Value* call(llvm::Function* function, llvm::ArrayRef<llvm::Value*> arguments);
  void load_cells();
  bool needs_marks() const;
  bool is_written(const llvm::Value* address) const;

  const Point& point_;
  const Pieces& pieces_;
  bool is_interval_, reads_leave_marks_ = true;
  llvm::IRBuilder<>* builder_ = nullptr;
  Ranges* ranges_ = nullptr;
  llvm::SmallVector<llvm::CallInst*> checks_, proven_, rows_;
  std::vector<Area> areas_;
  llvm::Value *shared_ = nullptr, *shared_bytes_ = nullptr, *words_ = nullptr, *halves_ = nullptr;
};

}  // namespace assay::regions
