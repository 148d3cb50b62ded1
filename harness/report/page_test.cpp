// report.html in a real browser, except its part on performance (page_timings_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/report/test_page_fixture.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Page, AnswersWhetherWhereAndHowToReplay) {
  draw(sample_report());
  const std::string page = visible();
  EXPECT_THAT(page, HasSubstr("<span id=\"outcome\" class=\"badge large FAILED\">FAILED</span>"));
  EXPECT_THAT(page, HasSubstr("incomplete: 6 of 40 cases, interrupted"));
  for (const char* chip :
       {"<span class=\"badge pass\">PASS</span> 3</button>", "<span class=\"badge fail\">CRASH</span> 1</button>",
        "<span class=\"badge idle\">SKIPPED</span> 1</button>"})
    EXPECT_THAT(page, HasSubstr(chip));
  EXPECT_EQ(occurrences(page, "<div class=\"failing-group\""), 3u);
  EXPECT_EQ(occurrences(page, "<article class=\"failure\""), 3u);
  EXPECT_EQ(occurrences(page, "class=\"cell\""), 5u);
  EXPECT_THAT(page, HasSubstr("<code>assay replay 'sample_softmax/it'\\''s_\"odd\" f32 rows=2 cols=2 "
                              "fill=normal seed=7 schedule=0'</code>"));
  EXPECT_THAT(page, HasSubstr("18446744073709551615"));  // the seed, to the last digit
  EXPECT_THAT(page, HasSubstr("100 % blind"));
  EXPECT_THAT(ask("answer = document.title"), HasSubstr("FAILED: 1 of 6 cases not judged; 2 of 6 cases"));
}

TEST_F(Page, SaysWhereInTheTensorTheErrorsSit) {
  Report report = sample_report();
  report.rows.erase(report.rows.begin() + 4);  // the shrunk row, whose pictures would be shown instead
  draw(report);
  const std::string page = visible();
  EXPECT_THAT(page,
              HasSubstr("Outside the budget: 832 of 3,328 cells, in rows 130–259 of 260 and columns 32–63 of 64."));
  EXPECT_THAT(page, HasSubstr("in the only row and columns 32–63 of 64."));
  EXPECT_THAT(page, HasSubstr("a cell is 5 × 1 elements"));
  EXPECT_THAT(page, HasSubstr("<td>dq[129,1,63]</td><td class=\"number\">nan</td><td class=\"number\">0.5</td><td "
                              "class=\"number\">∞</td>"));
}

TEST_F(Page, ShowsMarkupOfADetailAsText) {
  draw(sample_report());
  EXPECT_THAT(visible(), HasSubstr("bad &lt;script&gt;document.title='owned'&lt;/script&gt; &amp; \"quoted\""));
  EXPECT_THAT(ask("answer = document.title"), Not(HasSubstr("owned")));
}

TEST_F(Page, ShowsMemoryAccessesByKernelAndLine) {
  draw(sample_report());
  EXPECT_EQ(ask(R"(
    const lines = [...document.querySelectorAll('#memory tr.source-line')];
    const shown = () => lines.filter((row) => row.offsetHeight > 0).length;
    answer = shown();
    document.querySelector('#memory button').click();
    answer += '|' + shown() + '|' + [...lines[0].cells].slice(1).map((cell) => cell.innerText).join(' '))"),
            "0|2|16,384 0 8 4 2 – – – 0 0.5");
  EXPECT_EQ(occurrences(visible(), "<div class=\"memory-entry\">"), 1u);
  EXPECT_THAT(visible(), HasSubstr("&lt;b&gt;rows&lt;/b&gt;.cu:31"));
  draw(Report{});
  EXPECT_EQ(ask("answer = document.getElementById('memory').hidden"), "true");
}

TEST_F(Page, ShowsLinesThatNoCaseReached) {
  draw(sample_report());
  EXPECT_EQ(ask("answer = document.getElementById('coverage').hidden"), "true") << "nobody asked";
  Report report = sample_report();
  const std::string file = directory_ + "/mine.cu";
  std::ofstream(file) << "void f() {\n  if (a < b)\n    c();\n}\n";
  report.info.coverage = Coverage{.lines = 4,
                                  .lines_run = 3,
                                  .ways = 2,
                                  .ways_taken = 1,
                                  .uncovered = {{file, 2, "if (a < b)", "f()", 9, 2, 1, "", "cols, block", "a, b"},
                                                {file, 3, "c();", "f()", 0, 0, 0, "op/mine f32 n=9"}},
                                  .aimed = 7};
  draw(report);
  EXPECT_EQ(ask("answer = document.getElementById('coverage-note').innerText"),
            "3 of 4 lines ran, 1 of 2 ways of branches were taken. 7 further cases were aimed at these lines: 1 was "
            "reached; a suite that pins those cases covers more.");
  EXPECT_EQ(ask(R"(
    const rows = [...document.querySelectorAll('#coverage-list tbody tr')].filter((row) => row.cells.length === 3);
    answer = rows.map((row) => row.cells[1].innerText + ': ' + row.cells[2].innerText.replace('\n', ' ')).join('|') + '|' +
             [...document.querySelectorAll('#coverage .source .marked td')].map((cell) => cell.innerText.trim()).join('|'))"),
            "1 of 2 ways, in 9 passes: if (a < b) decided by a, b; not reached by other values of cols, block|"
            "never ran: c(); reached by op/mine f32 n=9|if (a < b)|c();");
}

TEST_F(Page, ListsTheFiguresOfTheTableWithEachCase) {
  draw(sample_report());
  EXPECT_EQ(ask(R"(
    const table = document.getElementById('cases-table');
    const at = [...table.querySelectorAll('th')].findIndex((heading) => heading.innerText === 'Judged in, s');
    answer = table.querySelectorAll('th')[at].title + '|' + table.querySelector('tbody tr').cells[at].innerText)"),
            "lower is better|0.25");
}

TEST_F(Page, DrawsOnEveryCanvas) {
  draw(sample_report());
  const std::string drawn = ask(R"(
    for (const canvas of document.querySelectorAll('canvas')) {
      const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
      answer += new Set(pixels).size > (canvas.closest('.legend') ? 0 : 1) && pixels.some((p) => p !== 0) ? 'drawn ' : 'blank ';
    })");
  EXPECT_THAT(drawn, Not(HasSubstr("blank")));
  EXPECT_EQ(occurrences(drawn, "drawn"), 1u + 1u + 8u);  // the chart, a map, a legend of eight steps
}

TEST_F(Page, StaysUsableWithTwelveThousandRows) {
  draw(large_report(12000));
  EXPECT_THAT(ask(R"(
    const text = document.getElementById('cases-text');
    text.value = 'WARP_per cols=3000';
    text.dispatchEvent(new Event('input'));
    answer = [document.querySelectorAll('article').length, document.querySelectorAll('article:first-of-type .others li').length,
              document.getElementById('cases-count').textContent, document.getElementById('chart').dataset.points].join('|'))"),
              testing::MatchesRegex("2\\|39\\|1–1 of 1 rows\\|[12][0-9][0-9][0-9]"));
  EXPECT_THAT(visible(),
              HasSubstr("of 12,000 compared cases are drawn: every failure, of the passes the worst in each"));
}

// A report with `count` bugs, each in a tensor of its own.
Report many_bugs(int count) {
  Report report = sample_report();
  for (int i = 0; i < count; ++i) {
    report.rows.push_back(row_of("sample_norm", "wrong", DType::f32, fmt::format("rows={}", i + 1), Kind::mismatch, 2));
    report.rows.back().findings = {{Kind::mismatch, fmt::format("y{}: an element is wrong", i), fmt::format("y{}", i)}};
  }
  return report;
}

TEST_F(Page, LinksLeadToEveryFailure) {
  draw(many_bugs(120));
  EXPECT_EQ(ask(R"(
    answer = document.querySelectorAll('article').length;
    document.getElementById('failing-more').click();
    const links = document.querySelectorAll('#failing a');
    links[40].click();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const card = document.getElementById(links[40].hash.slice(1));
    answer += `|${links.length}|${document.querySelectorAll('article').length}|${Math.round(card.getBoundingClientRect().top)}`)"),
            "20|123|41|0");
  EXPECT_THAT(visible(), HasSubstr("kept for the first 100; results.jsonl has them all"));
  draw(many_bugs(30), "#failure-33");  // a link that somebody was sent
  EXPECT_EQ(ask("answer = document.getElementById('failure-33').getBoundingClientRect().bottom <= innerHeight"),
            "true");
}

TEST_F(Page, ChipsOfVerdictsFilter) {
  draw(many_bugs(30));
  EXPECT_EQ(ask(R"(
    const seen = () => ['.failing-group', 'article', '#cases-table tbody tr'].map((selector) =>
        [...document.querySelectorAll(selector)].filter((e) => e.offsetHeight > 0).length).join(' ');
    const click = (verdict) => document.querySelector(`#verdicts [data-verdict=${verdict}] button`).click();
    answer = seen();
    click('CRASH');
    document.getElementById('failures-more').click();
    document.getElementById('failing-more').click();
    answer += `|${seen()}|`;
    click('CRASH');
    answer += seen())"),
            "12 20 38|1 1 1|33 33 38");
}

TEST_F(Page, ShowsTheLinesThatAFailureIsAbout) {
  std::ofstream file(directory_ + "/mine.cu");
  for (int line = 1; line <= 30; ++line)
    file << (line == 20 ? "__global__ void mine(float* y) {" : fmt::format("line <{}>", line)) << "\n";
  file.close();
  Report report;
  for (const char* detail : {"shared a[0]: read (mine.cu:9) after write (mine.cu:4)", "y: wrong", "in gone.cuh:3"}) {
    report.rows.push_back(row_of("sample_norm", "mine", DType::f32, "rows=1", Kind::race, 0, detail));
    report.rows.back().origin.source = directory_ + "/mine.cu";
  }
  draw(report);
  EXPECT_EQ(ask(R"(
    for (const source of document.querySelectorAll('.source'))
      answer += [...source.querySelectorAll('tr')].map((row) => row.innerText.replace(/\s+/, ' ') + (row.className ? '*' : '')).join(';') + '|')"),
            "17 line <17>;18 line <18>;19 line <19>;20 __global__ void mine(float* y) {*;21 line <21>;22 line <22>;23 "
            "line <23>|"
            "1 line <1>;2 line <2>;3 line <3>;4 line <4>*;5 line <5>;6 line <6>;7 line <7>;8 line <8>;9 line <9>*;"
            "10 line <10>;11 line <11>;12 line <12>|");
}

// A column, and an element that is too wide for it: nothing but what scrolls by itself may reach beyond the window.
TEST_F(Page, FitsAPhoneAndADesktop) {
  Report wide = many_bugs(1);
  wide.info.suite = std::string(80, 's');
  for (ResultRow& row : wide.rows) row.c.variant = std::string(100, 'v');
  wide.rows.back().detail = std::string(300, 'd');
  for (const Report& report : {sample_report(), timed_report(), wide}) {
    for (const int width : {320, 390, 400, 1200}) {
      browser_.resize(width, 900);
      draw(report);  // anew: charts follow a window later
      EXPECT_EQ(ask("answer = `${innerWidth} ${document.documentElement.scrollWidth}`"), fmt::format("{0} {0}", width));
    }
  }
}

TEST_F(Page, SaysWhenItCannotDrawItself) {
  draw(Report{});  // a page without ops or cases is whole, too
  const std::string address = write_page(Report{});
  std::string text = text_of_file(address.substr(7));
  text.replace(text.find("id=\"data\">") + 10, 1, "[");
  std::ofstream(address.substr(7)) << text;
  browser_.open(address);
  EXPECT_EQ(ask("answer = document.getElementById('page-error').offsetHeight > 0"), "true");
}

TEST_F(Page, HasTheOutcomeOnTopWithoutScripts) {
  browser_.set_scripts(false);
  browser_.open(write_page(sample_report()));
  const std::string text = browser_.evaluate("document.body.innerText");
  EXPECT_THAT(text.substr(0, text.find("scripts")), HasSubstr("FAILED 1 of 6 cases not judged; 2 of 6 cases failed"));
  EXPECT_THAT(text, HasSubstr("replay: assay replay 'sample_attention/flash_tiled"));
  EXPECT_THAT(text, Not(HasSubstr("All cases"))) << "an empty part of the page";
}

TEST_F(Page, LooksDifferentInTheDark) {
  draw(sample_report());
  const std::string light = browser_.screenshot();
  browser_.set_dark(true);
  draw(sample_report());
  const std::string dark = browser_.screenshot();
  EXPECT_GT(light.size(), 10'000u);
  EXPECT_GT(dark.size(), 10'000u);
  EXPECT_NE(light, dark);
}

}  // namespace
}  // namespace assay
