// Known numbers of Philox 4x32-10, as its authors publish them.
#include "harness/program/philox.h"

#include <gmock/gmock.h>

namespace assay::program {
namespace {

using testing::ElementsAre;

TEST(Philox, HasTheNumbersThatItsAuthorsPublish) {
  EXPECT_THAT(philox(0, 0, 0), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

}  // namespace
}  // namespace assay::program
