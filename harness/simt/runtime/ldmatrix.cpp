// ldmatrix: matrices of 8 x 8 16-bit elements from shared memory to the fragments of a warp.
//
// Lane 8 m + r has brought the address of row r of matrix m. Layout: PTX ISA, "Warp-level matrix load instruction".
#include <fmt/format.h>

#include <cstring>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/include/ptx/apart_calls.h"
#include "harness/simt/include/simt/matrix_calls.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

constexpr size_t kSide = 8, kRowBytes = 16;

// Register m of lane l: the elements (l / 4, l % 4 * 2) and (l / 4, l % 4 * 2 + 1) of matrix m, or of its transpose.
template <size_t matrices, bool transposed>
void load(const WarpCall* const (&lanes)[32]) {
  for (size_t matrix = 0; matrix < matrices; ++matrix) {
    uint16_t elements[kSide][kSide];
    for (size_t row = 0; row < kSide; ++row) {
      const auto* const from = static_cast<const LdmatrixCall*>(lanes[kSide * matrix + row])->row;
      if (!transposed) std::memcpy(elements[row], from, kRowBytes);
      if (transposed)
        for (size_t col = 0; col < kSide; ++col)
          std::memcpy(&elements[col][row], static_cast<const char*>(from) + 2 * col, 2);
    }
    for (size_t lane = 0; lane < 32; ++lane)
      std::memcpy(&static_cast<const LdmatrixCall*>(lanes[lane])->registers[matrix], &elements[lane / 4][lane % 4 * 2],
                  4);
  }
}

[[noreturn]] void report_misaligned(const void* pc) {
  stop_launch(Kind::misaligned,
              fmt::format("ldmatrix ({}) of a row whose address is no multiple of {}; a GPU stops the kernel here",
                          checked::source_line(pc), kRowBytes));
}

}  // namespace

void ldmatrix_row(const Fiber* me, const void* row) { ldmatrix_row_from(__builtin_return_address(0), me, row); }

void ldmatrix_row_from(const void* pc, const Fiber* me, const void* row) {
  checked::Monitor* const checker = this_worker_if_any()->launch->checker;
  const bool misaligned = reinterpret_cast<uintptr_t>(row) % kRowBytes != 0;
  if (misaligned && (checker == nullptr || checker->hears(checked::Event::misaligned))) report_misaligned(pc);
  if (checker != nullptr) checker->check_ldmatrix_row(row, pc, linear_index(me->thread_idx, block.block_dim));
}

const WarpFunction kLdmatrixX1{"ldmatrix.x1", load<1, false>};
const WarpFunction kLdmatrixX2{"ldmatrix.x2", load<2, false>};
const WarpFunction kLdmatrixX4{"ldmatrix.x4", load<4, false>};
const WarpFunction kLdmatrixX1Trans{"ldmatrix.x1.trans", load<1, true>};
const WarpFunction kLdmatrixX2Trans{"ldmatrix.x2.trans", load<2, true>};
const WarpFunction kLdmatrixX4Trans{"ldmatrix.x4.trans", load<4, true>};

}  // namespace assay::simt
