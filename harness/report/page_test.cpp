// report.html in a real browser, but for its part on performance (page_timings_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/report/page_fixture.h"
#include "harness/report/sample_report.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Page, AnswersWhetherWhereAndHowToReplay) {
  const Drawn page = draw(sample_report(), "answer = document.title");
  EXPECT_THAT(page.visible, HasSubstr("<span id=\"outcome\" class=\"badge large fail\">FAILED</span>"));
  EXPECT_THAT(page.visible, HasSubstr("incomplete: 6 of 40 cases, interrupted"));
  for (const char* chip : {"data-verdict=\"PASS\"><span class=\"badge pass\">PASS</span> 3</li>",
                           "data-verdict=\"CRASH\"><span class=\"badge fail\">CRASH</span> 1</li>",
                           "data-verdict=\"SKIPPED\"><span class=\"badge idle\">SKIPPED</span> 1</li>"})
    EXPECT_THAT(page.visible, HasSubstr(chip));
  EXPECT_EQ(occurrences(page.visible, "<div class=\"failing-group\">"), 3u);
  EXPECT_EQ(occurrences(page.visible, "<article class=\"failure\""), 4u);
  EXPECT_EQ(occurrences(page.visible, "<tr data-op="), 4u);
  EXPECT_THAT(page.visible, HasSubstr("<code>assay replay 'sample_softmax/it'\\''s_\"odd\" f32 rows=2 cols=2 "
                                      "fill=normal seed=7 schedule=0'</code>"));
  EXPECT_THAT(page.visible, HasSubstr("18446744073709551615"));  // the seed, to the last digit
  EXPECT_THAT(page.visible, HasSubstr("100 % blind"));
  EXPECT_THAT(page.probe(), HasSubstr("FAILED: 1 of 6 cases not judged; 2 of 6 cases"));
}

TEST_F(Page, SaysWhereInTheTensorTheErrorsSit) {
  const Drawn page = draw(sample_report(), "");
  EXPECT_THAT(page.visible,
              HasSubstr("Outside the budget: 832 of 3,328 cells, in rows 130–259 of 260 and columns 32–63 of 64."));
  EXPECT_THAT(page.visible, HasSubstr("in the only row and columns 32–63 of 64."));
  EXPECT_THAT(page.visible, HasSubstr("a cell is 5 × 1 elements"));
  EXPECT_THAT(page.visible, HasSubstr("<td>dq[129,1,63]</td><td class=\"number\">nan</td><td "
                                      "class=\"number\">0.5</td><td class=\"number\">∞</td>"));
}

TEST_F(Page, ShowsMarkupOfADetailAsText) {
  const Drawn page = draw(sample_report(), "answer = document.title");
  EXPECT_THAT(page.visible, HasSubstr("bad &lt;script&gt;document.title='owned'&lt;/script&gt; &amp; \"quoted\""));
  EXPECT_THAT(page.probe(), Not(HasSubstr("owned")));
}

TEST_F(Page, ShowsMemoryAccessesByKernelAndLine) {
  const Drawn page = draw(sample_report(), R"(
    const lines = [...document.querySelectorAll('#memory tr.source-line')];
    const shown = () => lines.filter((row) => row.offsetHeight > 0).length;
    answer = shown();
    document.querySelector('#memory button').click();
    answer += '|' + shown() + '|' + [...lines[0].cells].slice(1).map((cell) => cell.innerText).join(' '))");
  EXPECT_EQ(occurrences(page.visible, "<div class=\"memory-entry\">"), 1u);
  EXPECT_EQ(page.probe(), "0|2|16,384 0 8 4 2 – – – 0 0.5");
  EXPECT_THAT(page.visible, HasSubstr("&lt;b&gt;rows&lt;/b&gt;.cu:31"));
  EXPECT_EQ(draw(Report{}, "answer = document.getElementById('memory').hidden").probe(), "true");
}

TEST_F(Page, ListsTheFiguresOfTheTableWithEachCase) {
  const Drawn page = draw(sample_report(), R"(
    const table = document.getElementById('cases-table');
    const at = [...table.querySelectorAll('th')].findIndex((heading) => heading.innerText === 'Judged in, s');
    answer = table.querySelectorAll('th')[at].title + '|' + table.querySelector('tbody tr').cells[at].innerText)");
  EXPECT_EQ(page.probe(), "lower is better|0.25");
}

TEST_F(Page, DrawsOnEveryCanvas) {
  const Drawn page = draw(sample_report(), R"(
    for (const canvas of document.querySelectorAll('canvas')) {
      const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
      answer += new Set(pixels).size > (canvas.closest('.legend') ? 0 : 1) && pixels.some((p) => p !== 0) ? 'drawn ' : 'blank ';
    })");
  EXPECT_THAT(page.probe(), Not(HasSubstr("blank")));
  EXPECT_EQ(occurrences(page.probe(), "drawn"), 1u + 3u + 16u);  // the chart, three maps, two legends of eight steps
}

TEST_F(Page, StaysUsableWithTwelveThousandRows) {
  const Drawn page = draw(large_report(12000), R"(
    const text = document.getElementById('cases-text');
    document.getElementById('failures-more').click();
    text.value = 'WARP_per cols=3000';
    text.dispatchEvent(new Event('input'));
    answer = [document.querySelectorAll('article').length, document.getElementById('cases-count').textContent,
              document.getElementById('chart').dataset.points].join('|'))");
  EXPECT_THAT(page.probe(), testing::MatchesRegex("40\\|1–1 of 1 rows\\|[12][0-9][0-9][0-9]"));
  EXPECT_THAT(page.visible,
              HasSubstr("of 12,000 compared cases are drawn: every failure, of the passes the worst in each"));
  EXPECT_THAT(page.visible, HasSubstr("kept for the first 100; results.jsonl has them all"));
}

TEST_F(Page, FitsAPhoneAndADesktop) {
  for (const Report& report : {sample_report(), timed_report()})
    for (const char* window : {"--window-size=390,800", "--window-size=1200,900"}) {
      const Drawn page = draw(report,
                              "const wide = document.documentElement.scrollWidth;"
                              "answer = innerWidth + (wide <= innerWidth ? ' fits' : ' needs ' + wide)",
                              window);
      EXPECT_EQ(page.probe(), between(window, "=", ",") + " fits");
    }
}

TEST_F(Page, SaysWhenItCannotDrawItself) {
  Report report;  // a page without ops or cases is whole, too
  draw(report, "");
  const std::string address = write_page(report);
  std::string text = text_of_file(address.substr(7));
  text.replace(text.find("id=\"data\">") + 10, 1, "[");
  std::ofstream(address.substr(7)) << text;
  EXPECT_THAT(run(address, {"--dump-dom"}).output, HasSubstr("class=\"banner\">This page could not"));
}

TEST_F(Page, LooksLikeSomething) {
  const size_t blank = screenshot("about:blank", 1200, 900).size();
  std::string light;
  for (const char* flags : {"--blink-settings=preferredColorScheme=1", "--blink-settings=preferredColorScheme=0"}) {
    const std::string png = screenshot(write_page(sample_report()), 1200, 900, flags);
    ASSERT_GT(png.size(), 24u);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x04\xb0\0\0\x03\x84", 8)) << "not 1200 × 900";
    EXPECT_GT(png.size(), 5 * blank);
    EXPECT_NE(png, light) << "dark and light look the same";
    light = png;
  }
}

}  // namespace
}  // namespace assay
