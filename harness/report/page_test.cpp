// report.html in a real browser: headless Chromium opens it, and the tests read the page that it drew.
//
// A script added to the page's end looks at what only a browser knows (widths, pixels, what a click does) and leaves
// its answer in an attribute of the root element.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/report/golden.h"
#include "harness/report/sample_report.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

// The text between `begin` and `end`, empty when there is none.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

void erase_elements(std::string& dom, const std::string& tag) {
  for (size_t at = dom.find("<" + tag); at != std::string::npos; at = dom.find("<" + tag, at))
    dom.erase(at, dom.find("</" + tag + ">", at) + tag.size() + 3 - at);
}

struct Drawn {
  std::string root;     // the <html> tag with its attributes
  std::string visible;  // the page without its scripts, styles and data
  std::string console;  // what the browser wrote about it
  std::string probe() const { return between(root, "data-probe=\"", "\""); }
};

class Page : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "assay_page_XXXXXX";
    directory_ = mkdtemp(pattern.data());
    for (const char* name : {"chromium-headless-shell", "chromium", "google-chrome"})
      if (browser_.empty() && std::system(fmt::format("command -v {} >/dev/null", name).c_str()) == 0) browser_ = name;
    ASSERT_FALSE(browser_.empty())
        << "no headless Chromium: run 'apt-get install chromium-headless-shell' (scripts/test does)";
  }
  void TearDown() override { fs::remove_all(directory_); }

  // Runs the browser on a page of `report`, to whose end `probe` (statements that set `answer`) is added.
  Drawn draw(const Report& report, const std::string& probe, const std::string& flags = "") {
    run(write_page(report, probe), "--dump-dom " + flags);
    Drawn drawn{"", text_of_file(directory_ + "/out"), text_of_file(directory_ + "/err")};
    for (const char* tag : {"script", "style", "noscript"}) erase_elements(drawn.visible, tag);
    drawn.root = "<html" + between(drawn.visible, "<html", ">");
    EXPECT_THAT(drawn.console, Not(HasSubstr("CONSOLE")));
    EXPECT_THAT(drawn.root, Not(HasSubstr("data-errors")));
    EXPECT_THAT(drawn.root, HasSubstr("data-drawn=\"yes\""));
    return drawn;
  }

  // A picture of the window; its bytes.
  std::string screenshot(const std::string& address, int width, int height, const std::string& flags = "") {
    run(address, fmt::format("--hide-scrollbars --window-size={},{} --screenshot='{}/shot.png' {}", width, height,
                             directory_, flags));
    return text_of_file(directory_ + "/shot.png");
  }

  std::string write_page(const Report& report, const std::string& probe = "") {
    std::string page;
    for (const Sink& sink : sinks())
      if (sink.file_name == "report.html") page = sink.render(report);
    const std::string path = directory_ + "/report.html";
    std::ofstream(path) << page << "<script>setTimeout(() => { let answer = ''; " << probe
                        << "; document.documentElement.dataset.probe = answer; }, 1000);</script>";
    return "file://" + path;
  }

  void run(const std::string& address, const std::string& flags) {
    const std::string command = fmt::format(
        "timeout 100 {0} --headless --no-sandbox --disable-gpu --user-data-dir='{1}/profile' --enable-logging=stderr "
        "--host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=5000 {2} '{3}' >'{1}/out' 2>'{1}/err'",
        browser_, directory_, flags, address);
    const int status = std::system(command.c_str());
    ASSERT_EQ(status, 0) << command << "\n" << text_of_file(directory_ + "/err");
  }

  std::string directory_;

 private:
  std::string browser_;
};

TEST_F(Page, AnswersWhetherWhereAndHowToReplay) {
  const Drawn page = draw(sample_report(), "answer = document.title");
  EXPECT_THAT(page.visible, HasSubstr("<span id=\"outcome\" class=\"badge large fail\">FAILED</span>"));
  EXPECT_THAT(page.visible, HasSubstr("the run was interrupted after 6 of 40 planned cases"));
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
  EXPECT_THAT(page.probe(), HasSubstr("FAILED: 2 of 6 cases"));
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
  for (const char* window : {"--window-size=390,800", "--window-size=1200,900"}) {
    const Drawn page = draw(sample_report(),
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
  run(address, "--dump-dom");
  EXPECT_THAT(text_of_file(directory_ + "/out"), HasSubstr("class=\"banner\">This page could not"));
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
