// Tasks survive the line that carries them to a worker.
#include "harness/search/task.h"

#include <gtest/gtest.h>

#include "harness/op/registry.h"
#include "harness/search/generate.h"

namespace assay {
namespace {

TEST(Task, SurvivesItsLine) {
  for (const Variant* variant : variants()) {
    for (unsigned flags = 0; flags < 16; ++flags) {
      const Extras extras{.statistics = (flags & 1) != 0,
                          .watching = {.strict_barriers = (flags & 2) != 0, .hints = (flags & 4) != 0},
                          .output_bits = (flags & 8) != 0};
      const Task task{generate_case(*find_op(variant->op), *variant, variant->dtypes.front(), 1, 0, {500}),
                      variant->device, extras};
      const Result<Task> back = parse_task(print(task));
      ASSERT_TRUE(back.has_value()) << back.error().line();
      EXPECT_EQ(print(*back), print(task));
      EXPECT_EQ(print(back->c), print(task.c));
      EXPECT_EQ(back->device, task.device);
      EXPECT_EQ(back->extras.statistics, extras.statistics);
      EXPECT_EQ(back->extras.watching, extras.watching);
      EXPECT_EQ(back->extras.output_bits, extras.output_bits);
    }
  }
}

TEST(Task, WithoutACaseLineIsAnError) {
  for (const char* line : {"", "cpu", "cpu ", "cpu --stats ", "cpu --stats", "cpu nonsense/x f32"})
    EXPECT_FALSE(parse_task(line).has_value()) << line;
}

}  // namespace
}  // namespace assay
