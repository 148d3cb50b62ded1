// Blocks of made-up launches: right ones are silent, and each way to miss an element is reported with its blocks.
#include "harness/judge/ownership.h"

#include <gmock/gmock.h>

#include <functional>

namespace assay::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kCount = (int64_t{1} << 32) + 100;
constexpr int64_t kWidth = 64;
const Grid kGrid{(kCount + kWidth - 1) / kWidth};

using Elements = std::function<std::vector<int64_t>(uint64_t block)>;

// Elements of a block that takes 64 in a row, with an index of this type.
template <class Index>
std::vector<int64_t> in_a_row(uint64_t block) {
  std::vector<int64_t> elements;
  for (int64_t thread = 0; thread < kWidth; ++thread) {
    const auto i = static_cast<Index>(static_cast<int64_t>(block) * kWidth + thread);
    if (static_cast<int64_t>(i) < kCount) elements.push_back(static_cast<int64_t>(i));
  }
  return elements;
}

struct Launched {
  explicit Launched(const Elements& of_block, const Grid& grid = kGrid, std::vector<uint64_t> blocks = {}) {
    if (blocks.empty()) blocks = {0, 1, 2, kGrid.x / 2, kGrid.x - 2, kGrid.x - 1};
    for (const uint64_t block : blocks) run(of_block, grid, block);
  }
  void run(const Elements& of_block, const Grid& grid, uint64_t block) {
    std::vector<VirtualTensor::Change> changes;
    for (const int64_t element : of_block(block)) changes.push_back({element, 0});
    ownership.add(grid, block, changes);
  }

  Tensor base{"y", DType::f32, Role::output, {7}};
  VirtualTensor tensor = VirtualTensor::reserve(base, {kCount}).value();
  Ownership ownership{tensor};
};

TEST(Ownership, IsSilentWhereEachBlockHasElementsOfItsOwn) {
  const Launched right(in_a_row<int64_t>);
  EXPECT_THAT(right.ownership.suspected(), IsEmpty());
  EXPECT_THAT(right.ownership.findings(), IsEmpty());
}

TEST(Ownership, TellsABlockThatWritesElementsOfAnother) {
  Launched wrong(in_a_row<uint32_t>, kGrid, {0, 1, kGrid.x - 1});
  EXPECT_EQ(wrong.ownership.findings().at(0).kind, Kind::out_of_bounds);
  EXPECT_THAT(wrong.ownership.findings().at(0).detail,
              HasSubstr("y[64], element 64, is written by block (1,0,0) and by "
                        "block (67108865,0,0)"));
}

TEST(Ownership, SuspectsTheBlockThatOwnsWhatAnotherHasWritten) {
  const Elements shifted = [](uint64_t block) { return in_a_row<uint32_t>(block == kGrid.x - 1 ? 5 : block); };
  Launched wrong(shifted, kGrid, {0, 1, kGrid.x - 1});
  ASSERT_THAT(wrong.ownership.suspected(), ElementsAre(5));
  wrong.run(shifted, kGrid, 5);
  EXPECT_THAT(wrong.ownership.suspected(), IsEmpty());
  EXPECT_THAT(wrong.ownership.findings().at(0).detail, HasSubstr("element 320"));
}

TEST(Ownership, SuspectsByTheAxesOfTheGrid) {
  const Grid grid{4, kGrid.x / 4 + 1};
  const Elements across = [&](uint64_t block) {
    return in_a_row<int64_t>(block == 1000 ? 999 : block % 4 * grid.y + block / 4);
  };
  const Launched wrong(across, grid, {0, 1, 4, 1000});
  EXPECT_THAT(wrong.ownership.suspected(), ElementsAre(999 * 4));
}

TEST(Ownership, TellsABlockThatWritesTooLittle) {
  const Launched wrong(
      [](uint64_t block) { return block == 2 ? std::vector<int64_t>{128} : in_a_row<int64_t>(block); });
  EXPECT_EQ(wrong.ownership.findings().at(0).kind, Kind::unwritten);
  EXPECT_THAT(wrong.ownership.findings().at(0).detail, HasSubstr("block (2,0,0) writes 1 of them"));
}

TEST(Ownership, TellsAGridThatIsTooSmall) {
  const Launched wrong(in_a_row<int64_t>, Grid{1000}, {0, 1, 999});
  EXPECT_THAT(wrong.ownership.findings().at(0).detail, HasSubstr("1000 blocks leave some unwritten"));
}

TEST(Ownership, AdmitsBlocksThatOverlapTheirNeighbours) {
  const Elements overlapping = [](uint64_t block) {
    std::vector<int64_t> elements = in_a_row<int64_t>(block);
    if (block > 0) elements.insert(elements.begin(), elements.front() - 1);
    return elements;
  };
  EXPECT_THAT(Launched(overlapping).ownership.findings(), IsEmpty());
  EXPECT_TRUE(Launched(overlapping).ownership.is_shared());
  EXPECT_FALSE(Launched(in_a_row<int64_t>).ownership.is_shared());
}

}  // namespace
}  // namespace assay::judge
