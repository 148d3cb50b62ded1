// Tests reading and writing adapters: the content of a right file survives both, and the error of a wrong one names its
// line and a hint.
#include "harness/adapter/adapter.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <fstream>

#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const selftest::Scratch kScratch;  // of this process: tests run side by side

class AdapterFile : public testing::Test {
 protected:
  Result<Adapter> read(const std::string& text) const {
    std::ofstream(path_) << text;
    return read_adapter(path_);
  }
  std::string error(const std::string& text) const {
    const auto adapter = read(text);
    return adapter ? "no error" : adapter.error().line();
  }
  // The error of a file that is right except one line of its head.
  std::string error_in_head(const std::string& line) const {
    return error("op = \"softmax_backward\"\n" + line + "\n" + kLaunch);
  }
  // The same, wrong in one line of its launch, the fifth.
  std::string error_in_launch(const std::string& line) const {
    return error("op = \"softmax_backward\"\n[[launch]]\nentry = \"k\"\nargs = []\n" + line + "\n");
  }

  static constexpr const char* kLaunch = "[[launch]]\nentry = \"k\"\nargs = [\"y\", 1]\n";
  std::string path_ = kScratch.path + "/some_adapter.toml";
};

const Adapter kFull = {.path = kScratch.path + "/some_adapter.toml",
                       .source = kScratch.path + "/src/kernels.cu",
                       .op = "softmax_backward",
                       .name = "my_idea",
                       .language = KernelLanguage::host,
                       .dtypes = {DType::f32, DType::f16},
                       .blocks = {128, 33},
                       .requirements = {"cols % 4 == 0", "y == \"softmax\"", "back\\slash"},
                       .fixed = {{"rows", "cols * 2"}},
                       .ranges = {{"cols", 1, 1024, {}}, {"y", 0, 0, {"softmax"}}},
                       .skip_fills = {"ties", "runs"},
                       .finite = true,
                       .constants = {{"g", 1.5}},
                       .rounds = {"gy", "dot"},
                       .accumulate = Accumulate::f16,
                       .ftz = true,
                       .fast_math = true,
                       .zero = {"dx"},
                       .workspace = "rows * 4",
                       .deterministic = false,
                       .compile = {{kScratch.path + "/include"}, {"WIDTH=4"}, "-O1 -g"},
                       .launches = {{"first<T>", {"y", "g", "dx"}, {"rows", "2"}, {"32", "block"}, "block * 4"},
                                    {"second", {}, {"1"}, {"block"}, "0"},
                                    {.entry = "third", .args = {"block"}, .is_launcher = true}}};

void expect_same(const Adapter& a, const Adapter& b) {
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.op, b.op);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.language, b.language);
  EXPECT_EQ(a.dtypes, b.dtypes);
  EXPECT_EQ(a.blocks, b.blocks);
  EXPECT_EQ(a.requirements, b.requirements);
  ASSERT_EQ(a.fixed.size(), b.fixed.size());
  for (size_t i = 0; i < a.fixed.size(); ++i) {
    EXPECT_EQ(a.fixed[i].name, b.fixed[i].name);
    EXPECT_EQ(a.fixed[i].value, b.fixed[i].value);
  }
  ASSERT_EQ(a.ranges.size(), b.ranges.size());
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    EXPECT_EQ(a.ranges[i].name, b.ranges[i].name);
    EXPECT_EQ(a.ranges[i].min, b.ranges[i].min);
    EXPECT_EQ(a.ranges[i].max, b.ranges[i].max);
    EXPECT_EQ(a.ranges[i].values, b.ranges[i].values);
  }
  EXPECT_EQ(a.omits, b.omits);
  ASSERT_EQ(a.constants.size(), b.constants.size());
  for (size_t i = 0; i < a.constants.size(); ++i) {
    EXPECT_EQ(a.constants[i].tensor, b.constants[i].tensor);
    EXPECT_EQ(a.constants[i].value, b.constants[i].value);
  }
  EXPECT_EQ(a.mask_value, b.mask_value);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.accumulate, b.accumulate);
  EXPECT_EQ(a.ftz, b.ftz);
  EXPECT_EQ(a.fast_math, b.fast_math);
  EXPECT_EQ(a.zero, b.zero);
  EXPECT_EQ(a.workspace, b.workspace);
  EXPECT_EQ(a.deterministic, b.deterministic);
  EXPECT_EQ(a.compile, b.compile);
  EXPECT_EQ(a.declaration, b.declaration);
  ASSERT_EQ(a.launches.size(), b.launches.size());
  for (size_t i = 0; i < a.launches.size(); ++i) {
    EXPECT_EQ(a.launches[i].entry, b.launches[i].entry);
    EXPECT_EQ(a.launches[i].is_launcher, b.launches[i].is_launcher);
    EXPECT_EQ(a.launches[i].args, b.launches[i].args);
    EXPECT_EQ(a.launches[i].grid, b.launches[i].grid);
    EXPECT_EQ(a.launches[i].block, b.launches[i].block);
    EXPECT_EQ(a.launches[i].shared, b.launches[i].shared);
  }
}

TEST_F(AdapterFile, IsReadAsItWasWritten) {
  const std::string text = print(kFull, {"a remark", "another"});
  EXPECT_THAT(text, testing::StartsWith("# a remark\n# another\n\nop = "));
  EXPECT_THAT(text, HasSubstr("source = \"src/kernels.cu\""));
  const auto adapter = read(text);
  ASSERT_TRUE(adapter.has_value()) << adapter.error().line() << "\n" << text;
  expect_same(*adapter, kFull);
}

// Pieces that mean something to TOML, to C++ or to a shell, one after another.
rc::Gen<std::string> hostile_text() {
  static const std::vector<std::string> kPieces = {
      "a", "\"", "'",  "\\",     "\n",  "\r",    "\t", "#",  "=", "[",    "]",    ",",    " ",
      "{", "}",  "%s", "\"\"\"", "'''", "\\u00", "µ",  "漢", "😀", "\x01", "\x7f", "$(x)", "[[launch]]\n"};
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces))),
                      [](const std::vector<std::string>& pieces) { return fmt::format("{}", fmt::join(pieces, "")); });
}

TEST_F(AdapterFile, IsReadAsItWasWrittenWhateverItsTexts) {
  const bool held = rc::check([&] {
    const auto text = [] { return *hostile_text(); };
    const auto texts = [] { return *rc::gen::container<std::vector<std::string>>(hostile_text()); };
    Adapter adapter = kFull;
    adapter.source = kScratch.path + "/src/k" + text() + ".cu";
    adapter.requirements = texts();
    adapter.workspace = text();
    adapter.declaration = text();
    adapter.compile.define = texts();
    adapter.fixed[0].value = text();
    adapter.launches.pop_back();
    for (AdapterLaunch& launch : adapter.launches)
      launch = {.entry = text(), .args = texts(), .grid = {text()}, .block = {text(), text()}, .shared = text()};
    const auto again = read(print(adapter, texts()));
    RC_ASSERT(again.has_value());
    expect_same(*again, adapter);
    RC_ASSERT(!HasFailure());
  });
  EXPECT_TRUE(held);
}

TEST_F(AdapterFile, FillsInWhatItLeavesOut) {
  const auto adapter = read("op = \"softmax_backward\"\n[[launch]]\nentry = \"mine::k<T, 4>\"\nargs = [\"y\", 1]\n");
  ASSERT_TRUE(adapter.has_value()) << adapter.error().line();
  EXPECT_EQ(adapter->name, "k");
  EXPECT_EQ(adapter->source, "");
  EXPECT_EQ(adapter->dtypes, find_op("softmax_backward")->dtypes);
  EXPECT_TRUE(adapter->blocks.empty());
  EXPECT_TRUE(adapter->deterministic);
  EXPECT_EQ(adapter->language, KernelLanguage::cuda);
  EXPECT_THAT(adapter->launches[0].args, ElementsAre("y", "1"));
  EXPECT_THAT(adapter->launches[0].grid, ElementsAre("1"));
  EXPECT_THAT(adapter->launches[0].block, ElementsAre("block"));
  EXPECT_EQ(adapter->launches[0].shared, "0");
}

TEST_F(AdapterFile, ClearsWhatIsAddedToOnlyWhereThatBeginsAtZero) {
  const std::string head = "op = \"rms_norm_backward\"\nzero = [\"dw\"]\n",
                    launch = "[[launch]]\nentry = \"k\"\nargs = [\"dw\"]\n";
  const auto refused = read(head + launch);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().line(), HasSubstr(":2: dw is added to, and clearing it loses what it starts from"));
  EXPECT_TRUE(read(head + "fix = { init = \"zero\" }\n" + launch).has_value());
}

TEST_F(AdapterFile, UnknownKeysNameTheLineAndTheNearest) {
  EXPECT_THAT(error_in_head("sorce = \"x\""),
              AllOf(HasSubstr("some_adapter.toml:2: unknown key 'sorce'"), HasSubstr("did you mean 'source'")));
  EXPECT_THAT(error_in_launch("gird = [\"1\"]"), AllOf(HasSubstr(":5: unknown key 'gird'"), HasSubstr("'grid'")));
}

TEST_F(AdapterFile, WrongTypesNameTheLine) {
  EXPECT_THAT(error("op = 1\n"), HasSubstr("some_adapter.toml:1: expected a text"));
  EXPECT_THAT(error_in_head("source = [\"x\"]"), HasSubstr(":2: expected a text"));
  EXPECT_THAT(error_in_head("name = \"two words\""), HasSubstr(":2: a variant cannot be called 'two words'"));
  EXPECT_THAT(error_in_head("language = \"rust\""), HasSubstr(":2: there is no language 'rust'"));
  EXPECT_THAT(error_in_head("dtypes = \"f32\""), HasSubstr(":2: expected a list of texts"));
  EXPECT_THAT(error_in_head("dtypes = [\"f64\"]"), HasSubstr(":2: there is no element type 'f64'"));
  EXPECT_THAT(error_in_head("dtypes = [\"u8\"]"), HasSubstr(":2: softmax_backward has no cases in u8"));
  EXPECT_THAT(error_in_head("blocks = 128"), HasSubstr(":2: expected a list of block sizes"));
  EXPECT_THAT(error_in_head("blocks = []"), HasSubstr(":2: expected a list of block sizes"));
  EXPECT_THAT(error_in_head("blocks = [128, 1025]"), HasSubstr(":2: a block size is"));
  EXPECT_THAT(error_in_head("blocks = [0]"), HasSubstr(":2: a block size is"));
  EXPECT_THAT(error_in_head("requires = \"cols\""), HasSubstr(":2: expected a list of texts"));
  EXPECT_THAT(error_in_head("zero = [\"dy\"]"), HasSubstr(":2: 'dy' is no output of softmax_backward"));
  EXPECT_THAT(error_in_head("zero = [\"y\"]"), HasSubstr(":2: 'y' is no output of softmax_backward"));
  EXPECT_THAT(error_in_head("workspace = true"), HasSubstr(":2: expected a text"));
  EXPECT_THAT(error_in_head("deterministic = 1"), HasSubstr(":2: 'deterministic' must be true or false"));
  EXPECT_THAT(error_in_launch("grid = []"), HasSubstr(":5: 0 extents"));
  EXPECT_THAT(error_in_launch("block = [1, 2, 3, 4]"), HasSubstr(":5: 4 extents"));
  EXPECT_THAT(error_in_launch("grid = \"rows\""), HasSubstr(":5: expected a list of expressions"));
  EXPECT_THAT(error_in_launch("shared = 1.5"), HasSubstr(":5: expected a text"));
}

TEST_F(AdapterFile, WhatAKernelIsForMustBeWhatTheOpHas) {
  EXPECT_THAT(error_in_head("fix = \"cols\""), HasSubstr(":2: expected a table"));
  EXPECT_THAT(error_in_head("fix = { colls = \"3\" }"),
              AllOf(HasSubstr(":2: 'colls' is no dim or attribute of softmax_backward"), HasSubstr("'cols'")));
  EXPECT_THAT(error_in_head("fix = { cols = -1 }"), HasSubstr(":2: cols = -1 is outside its domain"));
  EXPECT_THAT(error_in_head("fix = { y = \"banana\" }"), HasSubstr(":2: y is never 'banana'"));
  EXPECT_THAT(error_in_head("fix = { cols = 3 }\nrange = { cols = [1, 2] }"), HasSubstr(":3: cols is fixed"));
  EXPECT_THAT(error_in_head("range = { cols = 3 }"), HasSubstr(":2: expected two numbers"));
  EXPECT_THAT(error_in_head("range = { cols = [1, 2, 3] }"), HasSubstr(":2: expected two numbers"));
  EXPECT_THAT(error_in_head("range = { cols = [5, 2] }"), HasSubstr(":2: no cols lies from 5 to 2"));
  EXPECT_THAT(error_in_head("range = { cols = [\"many\"] }"), HasSubstr(":2: cols is never 'many'"));
  EXPECT_THAT(error_in_head("range = { y = [1, 2] }"), HasSubstr(":2: y has no least and largest value"));
  EXPECT_THAT(error_in_head("range = { y = [\"banana\"] }"), HasSubstr(":2: y is never 'banana'"));
  EXPECT_THAT(error_in_head("constant = { dx = 1 }"), HasSubstr(":2: 'dx' is no input of softmax_backward"));
  EXPECT_THAT(error_in_head("constant = { g = \"one\" }"), HasSubstr(":2: expected a number"));
  EXPECT_THAT(error_in_head("constant = 1"), HasSubstr(":2: expected a table"));
  EXPECT_THAT(error_in_head("omits = [\"dy\"]"), HasSubstr(":2: 'dy' is no output of softmax_backward"));
  EXPECT_THAT(error_in_head("omits = [\"dx\"]"), HasSubstr(":2: no output is left to judge"));
  EXPECT_THAT(error_in_head("mask_value = 1e9"), HasSubstr(":2: 'mask_value' must be a negative number"));
  EXPECT_THAT(error_in_head("mask_value = -1e9"), HasSubstr(":2: softmax_backward masks no scores"));
  EXPECT_THAT(
      error("op = \"attention_forward\"\nomits = [\"lse\"]\n[[launch]]\nentry = \"k\"\nargs = [\"o\", \"lse + 1\"]"),
      HasSubstr(":2: k is given the output 'lse'"));
  EXPECT_THAT(error_in_launch("launcher = \"f\""), HasSubstr(":3: 'entry' beside 'launcher'"));
}

TEST_F(AdapterFile, DeclaredPrecisionsMustBeTheOps) {
  EXPECT_THAT(error_in_head("rounds = [\"p\"]"), AllOf(HasSubstr(":2: softmax_backward knows no rounding 'p'"),
                                                       HasSubstr("gy (g y of every element"), HasSubstr("dot (")));
  EXPECT_THAT(error("op = \"transpose_2d\"\nrounds = [\"p\"]\n" + std::string(kLaunch)), HasSubstr("leave rounds out"));
  EXPECT_THAT(error_in_head("accumulate = \"fp16\""), HasSubstr(":2: 'accumulate' must be \"f32\""));
  EXPECT_THAT(error_in_head("accumulate = \"tf32\""), HasSubstr(":2: softmax_backward has no matrix product"));
  EXPECT_THAT(error_in_head("accumulate = \"bf16_operands\""), HasSubstr(":2: softmax_backward has no matrix product"));
  EXPECT_THAT(error_in_head("ftz = 1"), HasSubstr(":2: 'ftz' must be true or false"));
  EXPECT_THAT(error_in_head("fast_math = \"yes\""), HasSubstr(":2: 'fast_math' must be true or false"));
}

TEST_F(AdapterFile, WhatItIsNotMeantForMustBeFills) {
  const auto adapter =
      read(std::string("op = \"softmax_backward\"\nskip_fills = [\"ties\"]\nfinite = true\n") + kLaunch);
  ASSERT_TRUE(adapter) << adapter.error().line();
  EXPECT_THAT(adapter->skip_fills, ElementsAre("ties"));
  EXPECT_TRUE(adapter->finite);
  EXPECT_THAT(error_in_head("skip_fills = [\"tie\"]"),
              AllOf(HasSubstr("some_adapter.toml:2: there is no fill 'tie'"), HasSubstr("did you mean 'ties'?")));
  EXPECT_THAT(error_in_head("finite = 1"), HasSubstr("'finite' must be true or false"));
}

// An unknown that nobody settled is no failure of the kernel.
TEST_F(AdapterFile, AnUnknownThatIsLeftNamesItsLine) {
  const std::string rest = std::string("op = \"softmax_backward\"\n") + kLaunch;
  EXPECT_THAT(error("# read\n  # UNKNOWN layout (order): say which\n" + rest),
              AllOf(HasSubstr("some_adapter.toml:2: still open: layout (order): say which"),
                    HasSubstr("then delete this line")));
  EXPECT_TRUE(read("# Nothing is unknown here.\n" + rest));
}

TEST_F(AdapterFile, MissingPartsAreNamed) {
  EXPECT_THAT(error("op = \"softmax_backward\"\n"), HasSubstr("no launch; begin one with [[launch]]"));
  EXPECT_THAT(error("op = \"softmax_backward\"\nlaunch = 3\n"), HasSubstr(":2: 'launch' must be a list of tables"));
  EXPECT_THAT(error(kLaunch), HasSubstr("no op"));
  EXPECT_THAT(error(std::string("op = \"softmax_backwards\"\n") + kLaunch),
              HasSubstr(":1: there is no op 'softmax_backwards'; did you mean 'softmax_backward'"));
  EXPECT_THAT(error("op = \"softmax_backward\"\n[[launch]]\nargs = []\n"), HasSubstr(":2: a launch without an entry"));
  EXPECT_THAT(error("op = \"softmax_backward\"\n[[launch]]\nentry = \"k\"\n"), HasSubstr(":2: a launch without args"));
  EXPECT_THAT(error("op = \n"), HasSubstr("some_adapter.toml:1: "));
  EXPECT_THAT(read_adapter("/no/such.toml").error().line(), HasSubstr("no adapter file /no/such.toml; `assay adapt"));
}

TEST(Adapter, KernelsAreCalledByTheirLastName) {
  EXPECT_EQ(kernel_of("k"), "k");
  EXPECT_EQ(kernel_of("a::b::k<std::pair<int, T>>"), "k");
}

TEST(Adapter, NamesASourceBesideItself) {
  EXPECT_THAT(print({.source = "/a/b/k.cu", .op = "o", .launches = {{"k", {}}}}, {}), HasSubstr("source = \"k.cu\""));
  EXPECT_THAT(print({.path = "/a/c/k.toml", .source = "/a/b/k.cu", .op = "o", .launches = {{"k", {}}}}, {}),
              HasSubstr("source = \"../b/k.cu\""));
}

}  // namespace
}  // namespace assay
