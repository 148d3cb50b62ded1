// Device memory of host code: what goes wrong in calls on it, and that it ends with its context.
#include "harness/simt/include/simt/device_memory.h"

#include <gmock/gmock.h>

#include <cstring>

#include "harness/simt/checked/checker.h"
#include "harness/simt/runtime/executor.h"

namespace assay::simt::test {
namespace {

using testing::HasSubstr;

// The only finding of what `calls` does, with or without a checker; "" without one.
template <class F>
std::string finding_of(bool checked, F calls, std::vector<std::string>* hints = nullptr) {
  Checker checker;
  Context context{.options = {.checker = checked ? &checker : nullptr}, .findings = {}};
  {
    const ContextScope scope(context);
    calls();
  }
  if (hints != nullptr) *hints = checker.take_hints();
  EXPECT_LE(context.findings.size(), 1u);
  for (const Finding& finding : context.findings) EXPECT_EQ(finding.kind, Kind::out_of_bounds);
  return context.findings.empty() ? "" : context.findings[0].detail;
}

TEST(DeviceMemory, IsPoisonedUntilItIsWritten) {
  for (const bool checked : {false, true})
    EXPECT_EQ(finding_of(checked,
                         [] {
                           auto* memory = static_cast<float*>(device_allocate(8, 4, "m"));
                           float values[2] = {};
                           device_copy(values, memory, sizeof values, "copy");
                           EXPECT_TRUE(values[0] != values[0] && values[1] != values[1]);
                           device_set(memory, 0, 8, "set");
                           device_copy(values, memory, sizeof values, "copy");
                           EXPECT_EQ(values[1], 0);
                           EXPECT_TRUE(device_free(memory));
                         }),
              "");
}

TEST(DeviceMemory, CallsBeyondItsEndAreFindings) {
  char host[16] = {};
  EXPECT_THAT(finding_of(true, [&] { device_copy(device_allocate(8, 1, "m"), host, 9, "cudaMemcpy"); }),
              HasSubstr("cudaMemcpy writes 9 bytes from byte 0 of m, which has 8"));
  EXPECT_THAT(
      finding_of(true, [&] { device_copy(host, static_cast<char*>(device_allocate(8, 1, "m")) + 4, 5, "copy"); }),
      HasSubstr("copy reads 5 bytes from byte 4 of m"));
  EXPECT_THAT(finding_of(true, [&] { device_set(static_cast<char*>(device_allocate(8, 1, "m")) - 4, 0, 5, "set"); }),
              HasSubstr("set writes 5 bytes from byte -4 of m"));
}

TEST(DeviceMemory, KnowsWhichBytesHaveValues) {
  EXPECT_EQ(finding_of(true,
                       [] {
                         auto* memory = static_cast<char*>(device_allocate(5000, 1, "m"));
                         EXPECT_EQ(device_bytes_with_values(memory, 5000), 0u);
                         device_set(memory, 0, 4097, "set");
                         EXPECT_EQ(device_bytes_with_values(memory, 5000), 4097u) << "a byte of a word alone";
                         EXPECT_EQ(device_bytes_with_values(memory + 3, 4094), 4094u);
                         device_wrote(memory + 4099, 901);
                         EXPECT_EQ(device_bytes_with_values(memory + 4096, 904), 1u);
                         device_wrote(memory + 4097, 2);
                         EXPECT_EQ(device_bytes_with_values(memory, 5000), 5000u);
                         EXPECT_EQ(device_bytes_with_values(memory, 0), 0u);
                       }),
            "");
  EXPECT_EQ(finding_of(false, [] { EXPECT_EQ(device_bytes_with_values(device_allocate(8, 1, "m"), 8), 8u); }), "");
}

TEST(DeviceMemory, GuardsNoticeStrayWritesWithoutAChecker) {
  for (const int at : {-1, 8})
    EXPECT_EQ(finding_of(false, [=] { std::memset(static_cast<char*>(device_allocate(8, 1, "m")) + at, 0, 1); }),
              "m: memory was written outside its 8 bytes, at byte " + std::to_string(at));
}

TEST(DeviceMemory, IsFreedOnce) {
  for (const bool checked : {false, true})
    EXPECT_THAT(finding_of(checked,
                           [] {
                             void* memory = device_allocate(8, 1, "m");
                             EXPECT_TRUE(device_free(nullptr));
                             EXPECT_TRUE(device_free(memory));
                             EXPECT_FALSE(device_free(memory));
                           }),
                HasSubstr("freed already"));
}

TEST(DeviceMemory, IsNobodysWhileItIsClosed) {
  float value = 1;
  EXPECT_THAT(finding_of(true,
                         [&] {
                           void* memory = device_allocate(4, 4, "m");
                           device_close(memory);
                           EXPECT_FALSE(device_copy(memory, &value, 4, "copy"));
                         }),
              HasSubstr("copy writes 4 bytes from byte 0 of m (freed), which has 0"));
  for (const bool checked : {false, true})
    EXPECT_EQ(finding_of(checked,
                         [&] {
                           void* memory = device_allocate(4, 4, "m");
                           device_set(memory, 0, 4, "set");
                           device_close(memory);
                           device_reopen(memory);
                           EXPECT_TRUE(device_copy(&value, memory, 4, "copy"));
                           EXPECT_TRUE(value != value);
                           EXPECT_TRUE(device_free(memory));
                         }),
              "");
}

TEST(DeviceMemory, IsFreedWithItsContextAtTheLatest) {
  std::vector<std::string> hints;
  EXPECT_EQ(finding_of(
                true, [] { device_allocate(8, 1, "m"); }, &hints),
            "");
  EXPECT_THAT(hints, testing::ElementsAre("m: 8 bytes are never freed"));
  EXPECT_EQ(device_allocate(size_t{1} << 40, 1, "m"), nullptr);
}

}  // namespace
}  // namespace assay::simt::test
