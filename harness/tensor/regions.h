// Which elements of a tensor are an op's own, and what the others are: pads, slots of a cache that hold nothing yet,
// rows beyond T.
//
// A contract marks them (TensorSpec::regions), a tensor carries them, and whoever fills or judges one asks here.
// Unmarked elements are plain. Marks are kept as runs of elements, so that a cache of millions of slots costs two of
// them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

enum class Region : uint8_t {
  plain,  // an input's data; an output's elements that the kernel writes
  kept,   // of a written tensor: not the kernel's to write. They hold random bits, and the same ones after the run
  unspecified,  // of a written tensor: may hold anything after the run, written or not; nobody compares them
  dead,         // of an input: holds NaN and is never read, not even to be multiplied by 0
};

std::string_view name(Region region);  // "plain", "kept", "unspecified", "dead"

class Regions {
 public:
  struct Run {
    int64_t begin = 0, end = 0;
    Region region = Region::plain;
  };

  // Elements begin … end-1. Marks may overlap where they are of one region.
  void mark(int64_t begin, int64_t end, Region region);
  // Elements from … to-1 of each of the first `rows` rows of `cols` elements, as pads are.
  void mark_columns(int64_t rows, int64_t cols, int64_t from, int64_t to, Region region);

  const std::vector<Run>& runs() const { return runs_; }  // ascending, apart from each other
  bool empty() const { return runs_.empty(); }
  int64_t count() const;  // of all elements that are not plain
  bool has(Region region) const;
  Region at(int64_t i) const;

 private:
  std::vector<Run> runs_;
};

}  // namespace assay
