// For tests of report.html in a real browser: a page is written, opened in headless Chromium, and looked at by
// statements that run in it, which see what only a browser knows: widths, pixels, what a click does.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/report/report.h"
#include "harness/report/test_browser.h"
#include "harness/report/test_golden.h"

namespace assay {

inline size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

class Page : public testing::Test {
 protected:
  void SetUp() override {
    if (browser_.is_missing())
      GTEST_SKIP() << "no Chromium: run 'apt-get install chromium-headless-shell' (scripts/test does)";
    std::string pattern = testing::TempDir() + "assay_page_XXXXXX";
    directory_ = mkdtemp(pattern.data());
    browser_.set_scripts(true);
    browser_.set_dark(false);
    browser_.resize(1200, 900);
  }
  void TearDown() override {
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  // Opens a page of `report`, which has to draw itself without complaint. `part` is of its address: "#failure-3".
  void draw(const Report& report, const std::string& part = "") {
    browser_.open(write_page(report) + part);
    EXPECT_EQ(browser_.console(), "");
    EXPECT_EQ(ask("answer = `${document.documentElement.dataset.errors} ${document.documentElement.dataset.drawn}`"),
              "undefined yes");
  }

  // Returns the value that these statements give to `answer`, after all that is due was painted.
  std::string ask(const std::string& statements) {
    return browser_.evaluate(
        "(async () => { let answer = ''; const painted = () => new Promise((resolve) => "
        "requestAnimationFrame(() => setTimeout(resolve))); await painted(); " +
        statements + "; return String(answer); })()");
  }

  // The page without its scripts, styles and data.
  std::string visible() {
    return ask(R"(const copy = document.documentElement.cloneNode(true);
                  copy.querySelectorAll('script, style, noscript').forEach((element) => element.remove());
                  answer = copy.outerHTML)");
  }

  std::string write_page(const Report& report) {
    // A name of its own: going to another part of the same page would not load it again.
    const std::string path = fmt::format("{}/report{}.html", directory_, ++pages_);
    for (const Sink& sink : sinks())
      if (sink.file_name == "report.html") std::ofstream(path) << sink.render(report);
    return "file://" + path;
  }

  std::string directory_;
  int pages_ = 0;
  Browser& browser_ = Browser::instance();
};

}  // namespace assay
