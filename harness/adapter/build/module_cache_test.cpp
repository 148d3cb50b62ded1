// Kept modules: found again when nothing has changed, not found when anything has, and never more than fit.
#include "harness/adapter/build/module_cache.h"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

class Cache : public testing::Test {
 protected:
  Cache() {
    write(module, "compiled");
    write(header, "one");
  }
  const selftest::Scratch scratch;
  const fs::path root = scratch.path, module = root / "made.so", header = root / "header.h";
  const ModuleCache cache{root / "cache"};
};

TEST_F(Cache, FindsWhatItKept) {
  EXPECT_EQ(cache.find("recipe"), std::nullopt);
  const fs::path kept = cache.keep("recipe", module, {header});
  EXPECT_EQ(cache.find("recipe"), kept);
  EXPECT_EQ(selftest::read_text(kept), "compiled");
  EXPECT_EQ(cache.find("another recipe"), std::nullopt);
}

TEST_F(Cache, AnotherContentIsAnotherModule) {
  const fs::path kept = cache.keep("recipe", module, {header});
  write(header, "two");
  EXPECT_EQ(cache.find("recipe"), std::nullopt);
  fs::remove(header);
  EXPECT_EQ(cache.find("recipe"), std::nullopt);
  write(header, "one");
  EXPECT_EQ(cache.find("recipe"), kept) << "the first content again";
}

TEST_F(Cache, AModuleThatAnotherProcessHasMadeStays) {
  const fs::path kept = cache.keep("recipe", module, {header});
  write(module, "compiled by another");
  EXPECT_EQ(cache.keep("recipe", module, {header}), kept);
  EXPECT_EQ(selftest::read_text(kept), "compiled") << "it may be loaded";
}

TEST_F(Cache, WhatCannotBeKeptIsUsedWhereItIs) {
  write(root / "file", "");
  EXPECT_EQ(ModuleCache(root / "file" / "cache").keep("recipe", module, {}), module);
}

TEST_F(Cache, TheLongestUnusedGoFirst) {
  const ModuleCache small(root / "small", 16);  // two modules of 8 bytes
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  small.keep("a", module, {}), pause();
  small.keep("b", module, {}), pause();
  EXPECT_TRUE(small.find("a")), pause();  // used again
  small.keep("c", module, {});
  EXPECT_TRUE(small.find("a"));
  EXPECT_FALSE(small.find("b"));
  EXPECT_TRUE(small.find("c"));
}

TEST_F(Cache, ReadsDependencyFiles) {
  write(root / "d", "out.o: /a/kernel.cu /tmp/x/generated.cu \\\n /b/with\\ space.h /c/../c/two.h\n");
  EXPECT_THAT(files_read(root / "d", "/tmp/x"), ElementsAre("/a/kernel.cu", "/b/with space.h", "/c/two.h"));
  EXPECT_THAT(files_read(root / "none", ""), ElementsAre());
}

}  // namespace
}  // namespace assay
