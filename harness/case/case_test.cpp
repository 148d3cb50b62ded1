// The grammar: print and parse are inverses, and every error marks its word and column.
#include "harness/case/case.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace assay {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

rc::Gen<std::string> word() {
  return rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::oneOf(rc::gen::inRange('a', 'z'), rc::gen::inRange('A', 'Z'),
                                                     rc::gen::inRange('0', '9'), rc::gen::element('_', '-', '.'))));
}

rc::Gen<Case> any_case() {
  return rc::gen::exec([] {
    Case c;
    c.op = *word();
    c.variant = *word();
    c.dtype = *rc::gen::element(DType::f32, DType::bf16, DType::f16);
    c.fill = *word();
    c.seed = *rc::gen::arbitrary<uint64_t>();
    c.schedule = *rc::gen::arbitrary<uint64_t>();
    if (*rc::gen::arbitrary<bool>()) c.nonzero = *rc::gen::inRange<int64_t>(0, std::numeric_limits<int64_t>::max());
    if (*rc::gen::arbitrary<bool>()) c.block = *rc::gen::inRange(1, 1025);
    if (*rc::gen::arbitrary<bool>()) c.grid = *rc::gen::inRange(1, std::numeric_limits<int>::max());
    if (*rc::gen::arbitrary<bool>()) {
      c.offset = Offset{*rc::gen::inRange<int64_t>(1, kOffsetMax + 1), {}};
      if (*rc::gen::arbitrary<bool>()) c.offset->tensor = *word();
    }
    for (const std::string& name : *rc::gen::unique<std::vector<std::string>>(word()))
      c.steps.push_back({name, *word()});
    for (const std::string& name : *rc::gen::unique<std::vector<std::string>>(word())) {
      const auto reserved = {"fill", "seed", "schedule", "nonzero", "block", "grid", "offset", "steps"};
      if (std::find(reserved.begin(), reserved.end(), name) == reserved.end()) c.params.emplace_back(name, *word());
    }
    return c;
  });
}

RC_GTEST_PROP(CaseLine, ParseIsTheInverseOfPrint, ()) {
  const Case c = *any_case();
  const std::string line = print(c);
  const Result<Case> back = parse_case(line);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == c);
  RC_ASSERT(print(*back) == line);
}

RC_GTEST_PROP(CaseLine, ParseSurvivesAnyText, (const std::string& text)) {
  const Result<Case> c = parse_case(text);
  if (c)
    RC_ASSERT(*parse_case(print(*c)) == *c);
  else
    RC_ASSERT(!c.error().line().empty());
}

TEST(CaseLine, KeepsOrderAndDefaults) {
  const std::string line = "some_op/some_variant bf16 rows=3 cols=65 pad=some fill=normal seed=7 block=128 schedule=12";
  const Result<Case> c = parse_case(line);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->id(), "some_op/some_variant");
  EXPECT_EQ(c->dtype, DType::bf16);
  EXPECT_EQ(c->dim("cols"), 65);
  EXPECT_EQ(c->text("pad"), "some");
  EXPECT_EQ(c->find("eps"), nullptr);
  EXPECT_EQ(c->block, 128);
  EXPECT_EQ(c->nonzero, std::nullopt);
  EXPECT_EQ(print(*c), line);
  EXPECT_EQ(print(*parse_case("a/b f32")), "a/b f32 fill=normal seed=0 schedule=0");
  EXPECT_EQ(print(*parse_case("\t a/b   f16  seed=18446744073709551615\r\n")),
            "a/b f16 fill=normal seed=18446744073709551615 schedule=0");
}

TEST(CaseLine, ReadsAndSetsValues) {
  Case c = *parse_case("a/b f32 n=12 eps=1e-5");
  EXPECT_DOUBLE_EQ(c.real("eps"), 1e-5);
  EXPECT_EQ(c.real("n"), 12);
  c.set("n", "013");
  c.set("m", "1");
  EXPECT_EQ(c.dim("n"), 13);
  EXPECT_EQ(c.real("n"), 13);
  EXPECT_EQ(print(c), "a/b f32 n=013 eps=1e-5 m=1 fill=normal seed=0 schedule=0");
  c.set("n", "13x");
  EXPECT_EQ(c.param("n").integer(), std::nullopt);
  EXPECT_EQ(c.param("n").real(), std::nullopt);
}

TEST(CaseLineDeathTest, AskingForWhatIsNotThereIsAProgrammersMistake) {
  const Case c = *parse_case("a/b f32 eps=1e-5");
  EXPECT_DEATH((void)c.dim("rows"), "a/b f32 eps=1e-5.*has no 'rows'");
  EXPECT_DEATH((void)c.dim("eps"), "'eps' is no integer");
}

struct Wrong {
  const char* line;
  int column;
  const char* word;
  const char* what;
};

TEST(CaseLine, EveryErrorMarksItsWordAndColumn) {
  for (const Wrong& wrong : {
           Wrong{"a/b", 1, "a/b", "needs an op and a dtype"},
           Wrong{"ab f32", 1, "ab", "expected op/variant"},
           Wrong{"/b f32", 1, "/b", "expected op/variant"},
           Wrong{"  a/ f32", 3, "a/", "expected op/variant"},
           Wrong{"a/b fp32 n=1", 5, "fp32", "unknown dtype"},
           Wrong{"a/b f32 n", 9, "n", "expected key=value"},
           Wrong{"a/b f32 n=1 =2", 13, "=2", "expected key=value"},
           Wrong{"a/b f32 n=1 n=2", 13, "n=2", "'n' is given twice"},
           Wrong{"a/b f32 seed=1 n=1 seed=1", 20, "seed=1", "'seed' is given twice"},
           Wrong{"a/b f32 n=", 9, "n=", "'n' has no usable value"},
           Wrong{"a/b f32 n=1 seed=-1", 13, "seed=-1", "'seed' has no usable value"},
           Wrong{"a/b f32 seed=18446744073709551616", 9, "seed=18446744073709551616", "'seed'"},
           Wrong{"a/b f32 schedule=x", 9, "schedule=x", "'schedule'"},
           Wrong{"a/b f32 nonzero=-1", 9, "nonzero=-1", "'nonzero'"},
           Wrong{"a/b f32 block=0", 9, "block=0", "'block'"},
           Wrong{"a/b f32 block=1.5", 9, "block=1.5", "'block'"},
           Wrong{"a/b f32 fill=", 9, "fill=", "'fill'"},
       }) {
    const Result<Case> c = parse_case(wrong.line);
    ASSERT_FALSE(c) << wrong.line;
    EXPECT_THAT(c.error().what, StartsWith("case line, column " + std::to_string(wrong.column) + ": ")) << wrong.line;
    EXPECT_THAT(c.error().what, HasSubstr(std::string(">>") + wrong.word + "<<")) << wrong.line;
    EXPECT_THAT(c.error().what, HasSubstr(wrong.what)) << wrong.line;
    EXPECT_FALSE(c.error().hint.empty()) << wrong.line;
  }
}

TEST(CaseLine, OffsetIsOfAllTensorsOrOfOne) {
  const std::string begin = "op/v f32 rows=3 fill=normal seed=7 block=128 ", end = " schedule=0";
  EXPECT_EQ(parse_case(begin + "offset=3" + end)->offset, (Offset{3, ""}));
  EXPECT_EQ(parse_case(begin + "offset=x:255" + end)->offset, (Offset{255, "x"}));
  EXPECT_EQ(print(*parse_case(begin + "grid=2 offset=x:3" + end)), begin + "grid=2 offset=x:3" + end);
  for (const std::string wrong : {"0", "256", "-1", "x", "x:", ":3", "x:y:3", "x:0", ""}) {
    const auto c = parse_case(begin + "offset=" + wrong + end);
    ASSERT_FALSE(c.has_value()) << wrong;
    EXPECT_THAT(c.error().line(), AllOf(HasSubstr(">>offset=" + wrong + "<<"), HasSubstr("offset=x:3"))) << wrong;
  }
}

TEST(CaseLine, AnEmptyLineIsAnError) {
  for (const char* line : {"", "   ", "\n"}) {
    const Result<Case> c = parse_case(line);
    ASSERT_FALSE(c);
    EXPECT_THAT(c.error().what, StartsWith("case line, column 1: a case line needs an op and a dtype"));
  }
}

TEST(CaseLine, FindsTheWordOfAKey) {
  const std::string_view line = "a/b f32 cols=1 col=2";
  EXPECT_EQ(word_of(line, "col"), "col=2");
  EXPECT_EQ(word_of(line, "cols"), "cols=1");
  EXPECT_EQ(word_of(line, "rows"), line);
  EXPECT_THAT(error_at(line, word_of(line, "col"), "odd", "a hint").line(),
              EndsWith("column 16: odd: a/b f32 cols=1 >>col=2<<; a hint"));
}

}  // namespace
}  // namespace assay
