// The page's part on earlier runs, in a real browser: what got worse is on top, with the command that shows it again.
#include "harness/report/test_page_fixture.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

Report report_over_time() {
  Report report = sample_report();
  report.info.started = "2026-02-01T04:00:00Z";
  const auto worse = [](const std::string& subject, const std::string& effect) {
    return WorseView{.change = "REGRESSED",
                     .variant = "softmax/<b>row</b>",
                     .subject = subject,
                     .device = "gpu",
                     .metric = "time",
                     .values = "12.3 -> 15.1 µs",
                     .effect = effect,
                     .why = "",
                     .again = "assay replay 'one'",
                     .base = "reports/yesterday"};
  };
  report.over_time.worse = {worse("softmax/row f32 rows=8", "+23 %"), worse("softmax/row f32 rows=16", "+11 %")};
  TrendView trend{.variant = "softmax/row",
                  .subject = "softmax/row f32 rows=8",
                  .device = "gpu",
                  .gpu = "NVIDIA H100",
                  .metric = "time",
                  .unit = "µs",
                  .points = {},
                  .direction = 1,
                  .changed_at = 3,
                  .before = 12.3,
                  .after = 15.1};
  for (int i = 0; i < 5; ++i)
    trend.points.push_back(
        {fmt::format("2026-01-2{}T00:00:00Z", i), fmt::format("{}abcdef0123456", i), i < 3 ? 12.3 : 15.1});
  report.over_time.trends.push_back(trend);
  for (int i = 0; i < 40; ++i) {
    trend.variant = fmt::format("op/level{}", i);
    trend.direction = trend.changed_at = 0;
    report.over_time.trends.push_back(trend);
  }
  report.over_time.saved = {
      {.path = "cases/regressions/a.case",
       .line = "softmax/row f32 rows=3",
       .verdict = "MISMATCH",
       .since = "2026-01-12T03:00:00Z",
       .commit = "fedcba9876543210"},
      {.path = "cases/fixed/b.case", .line = "softmax/row f32 rows=4", .verdict = "", .since = "", .commit = ""}};
  return report;
}

TEST_F(Page, ShowsWhatGotWorseFirst) {
  draw(report_over_time());
  const std::string page = visible();
  EXPECT_LT(page.find("What got worse"), page.find("What fails"));
  EXPECT_EQ(ask("answer = document.querySelectorAll('#worse-list .failing-group').length"), "1") << "one of a metric";
  EXPECT_THAT(ask("answer = document.getElementById('worse').innerText"),
              testing::AllOf(HasSubstr("REGRESSED softmax/<b>row</b> time on gpu +23 % 12.3 -> 15.1 µs"),
                             HasSubstr("assay replay 'one'"), HasSubstr("1 more of this variant and metric"),
                             HasSubstr("Compared with reports/yesterday.")));
  EXPECT_THAT(ask("answer = document.querySelector('.trend').innerText"),
              testing::AllOf(HasSubstr("WORSE softmax/row time"),
                             HasSubstr("12.3 µs to 15.1 µs since commit 3abcdef01234, 2026-01-23")));
  EXPECT_EQ(ask("answer = document.querySelectorAll('.trend .spark polyline').length"), "24");
  EXPECT_EQ(ask("document.getElementById('trends-more').click(); answer = document.querySelectorAll('.trend').length"),
            "41");
  EXPECT_THAT(
      ask("answer = document.getElementById('saved-table').innerText"),
      testing::AllOf(HasSubstr("20 days, since 2026-01-12"), HasSubstr("commit fedcba987654"), HasSubstr("not run")));
}

TEST_F(Page, IsSilentOfEarlierRunsThatThereAreNone) {
  draw(sample_report());
  for (const char* part : {"worse", "trends", "saved"})
    EXPECT_EQ(ask(std::string("answer = document.getElementById('") + part + "').hidden"), "true") << part;
}

}  // namespace
}  // namespace assay
