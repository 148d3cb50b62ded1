// Each kind of op that `assay new-op` writes passes as it is, and is refused where it would write over something.
#include <gmock/gmock.h>

#include <filesystem>

#include "harness/base/embedded.h"
#include "harness/cli/test_usage_error.h"

namespace assay {
namespace {

using selftest::expect_usage_error;
using selftest::Ran;
using selftest::run;
using selftest::Scratch;
using testing::HasSubstr;

std::vector<std::string> kinds_of_ops() {
  const std::string before = "new_op.", after = ".h";
  std::vector<std::string> kinds;
  for (const std::string& file : embedded_files())
    if (file.starts_with(before) && file.ends_with(after))
      kinds.push_back(file.substr(before.size(), file.size() - before.size() - after.size()));
  return kinds;
}

class NewOpKind : public selftest::OneInFour<testing::TestWithParam<std::string>> {};

TEST_P(NewOpKind, PassesAsItIs) {
  const Scratch scratch;
  setenv("XDG_CACHE_HOME", (scratch.path + "/cache").c_str(), 1);
  const std::string ops = scratch.path + "/ops";
  const Ran wrote = run("assay", "new-op my_op --like " + GetParam() + " --dir " + ops);
  ASSERT_EQ(wrote.exit_code, 0) << wrote.err;
  const Ran checked = run("assay", "check " + ops + "/my_op.cu --ops " + ops + " --cases 12 --device cpu --no-save" +
                                       " --out " + scratch.path + "/out");
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("PASSED"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, NewOpKind, testing::ValuesIn(kinds_of_ops()),
                         [](const auto& one) { return one.param; });

TEST(NewOpKinds, AreFour) {
  EXPECT_THAT(kinds_of_ops(), testing::UnorderedElementsAre("attention", "elementwise", "index", "reduction"));
}

TEST(NewOpKinds, UnknownOnesAndWhatIsThereAreRefused) {
  const Scratch scratch;
  expect_usage_error(run("assay", "new-op my_op --like convolution --dir " + scratch.path),
                     "no kind of ops 'convolution'", "--like takes attention, elementwise, index, reduction");
  std::ofstream(scratch.path + "/my_op.cu") << "mine";
  expect_usage_error(run("assay", "new-op my_op --dir " + scratch.path), "my_op.cu is there already", "--force");
  EXPECT_FALSE(std::filesystem::exists(scratch.path + "/my_op.h"));
}

}  // namespace
}  // namespace assay
