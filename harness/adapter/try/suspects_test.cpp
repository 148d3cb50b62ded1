// Tests which candidates come next after others failed.
#include "harness/adapter/try/suspects.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Inferred calling(const std::string& pointer, const std::string& count, int cost) {
  Inferred one;
  one.adapter.launches = {{.entry = "k", .args = {pointer, count}}};
  one.cost = cost;
  return one;
}

TEST(Suspects, AreGivenInOrderUntilSomethingFails) {
  Suspects suspects({calling("x", "n", 0), calling("x", "m", 1), calling("y", "n", 2)});
  EXPECT_THAT(suspects.next(2), ElementsAre(0, 1));
  EXPECT_THAT(suspects.next(2), ElementsAre(2));
  EXPECT_THAT(suspects.next(2), IsEmpty());
}

TEST(Suspects, PutWhatAllThatFailAlikeShareBehindTheOthers) {
  Suspects suspects({calling("nullptr", "a", 0), calling("nullptr", "b", 0), calling("nullptr", "c", 0),
                     calling("nullptr", "d", 1), calling("x", "a", 3)});
  for (const size_t each : suspects.next(3)) suspects.failed(each, "OUT_OF_BOUNDS: read at k.cu:7, in no buffer");
  EXPECT_THAT(suspects.next(2), ElementsAre(4, 3)) << "absence is suspect, whatever the count is";
}

TEST(Suspects, LearnNothingFromWhatFailsInDifferentPlaces) {
  Suspects suspects({calling("nullptr", "a", 0), calling("nullptr", "b", 0), calling("nullptr", "c", 0),
                     calling("nullptr", "d", 1), calling("x", "a", 3)});
  int line = 1;
  for (const size_t each : suspects.next(3))
    suspects.failed(each, "OUT_OF_BOUNDS: read at k.cu:" + std::to_string(line++) + ", in no buffer");
  EXPECT_THAT(suspects.next(2), ElementsAre(3, 4));
}

TEST(Suspects, TakeARequirementForAnotherChoice) {
  Inferred whole = calling("x", "n", 3);
  whole.adapter.requirements = {"n % 4 == 0"};
  Suspects suspects({calling("x", "n", 0), calling("x", "n", 0), calling("x", "n", 0), calling("x", "n", 1), whole});
  for (const size_t each : suspects.next(3)) suspects.failed(each, "MISALIGNED: k.cu:7");
  EXPECT_THAT(suspects.next(2), ElementsAre(4, 3));
}

TEST(Suspects, WearOutAmongThoseThatRequireTheSame) {
  Inferred whole = calling("x", "n", 1);
  whole.adapter.requirements = {"n % 4 == 0"};
  Suspects suspects({calling("x", "n", 0), calling("y", "m", 2), whole});
  suspects.failed(suspects.next(1)[0], "MISALIGNED: k.cu:7");
  EXPECT_THAT(suspects.next(1), ElementsAre(2)) << "what failed may be right for whole vectors";
}

TEST(Suspects, GiveOutWhatIsPreferredFirst) {
  Suspects suspects({calling("x", "a", 0), calling("x", "b", 0), calling("x", "c", 0), calling("y", "d", 9)});
  suspects.failed(suspects.next(1)[0], "MISALIGNED: k.cu:7");
  suspects.prefer(3);
  EXPECT_THAT(suspects.next(2), ElementsAre(3, 1));
}

TEST(Suspects, KnowAFindingByItsKindAndLine) {
  EXPECT_EQ(gist("RACE: kernel k block (1,0,0): y[3] (k.cu:46) after"),
            gist("RACE: kernel k block (2,0,0): y[9] (k.cu:46)"));
  EXPECT_NE(gist("RACE: kernel k (k.cu:46)"), gist("RACE: kernel k (k.cu:47)"));
  EXPECT_NE(gist("RACE: kernel k (k.cuh:46)"), gist("RACE: kernel k (k.cuh:47)"));
  EXPECT_EQ(gist("UNWRITTEN: 3 of 7 elements of y"), gist("UNWRITTEN: 9 of 70 elements of y"));
}

}  // namespace
}  // namespace assay
