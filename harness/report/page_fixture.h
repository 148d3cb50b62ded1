// For tests of report.html in a real browser: headless Chromium opens it, and the tests read the page that it drew.
//
// A script added to the page's end looks at what only a browser knows (widths, pixels, what a click does) and leaves
// its answer in an attribute of the root element.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/base/command.h"
#include "harness/report/golden.h"
#include "harness/report/report.h"

namespace assay {

// The text between `begin` and `end`, empty when there is none.
inline std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

inline size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

inline void erase_elements(std::string& dom, const std::string& tag) {
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
      if (browser_.empty()) browser_ = find_program(name);
    ASSERT_FALSE(browser_.empty())
        << "no headless Chromium: run 'apt-get install chromium-headless-shell' (scripts/test does)";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Runs the browser on a page of `report`, to whose end `probe` (statements that set `answer`) is added.
  Drawn draw(const Report& report, const std::string& probe, const std::string& flag = "") {
    ProcessResult ran = run(write_page(report, probe), {"--dump-dom", flag});
    Drawn drawn{"", std::move(ran.output), std::move(ran.errors)};
    for (const char* tag : {"script", "style", "noscript"}) erase_elements(drawn.visible, tag);
    drawn.root = "<html" + between(drawn.visible, "<html", ">");
    EXPECT_THAT(drawn.console, testing::Not(testing::HasSubstr("CONSOLE")));
    EXPECT_THAT(drawn.root, testing::Not(testing::HasSubstr("data-errors")));
    EXPECT_THAT(drawn.root, testing::HasSubstr("data-drawn=\"yes\""));
    return drawn;
  }

  // A picture of the window; its bytes.
  std::string screenshot(const std::string& address, int width, int height, const std::string& flag = "") {
    run(address, {"--hide-scrollbars", fmt::format("--window-size={},{}", width, height),
                  fmt::format("--screenshot={}/shot.png", directory_), flag});
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

  // Standard output is the page as it was drawn, standard error what the browser wrote about it.
  ProcessResult run(const std::string& address, const std::vector<std::string>& flags) {
    ProcessSpec spec{.words = {browser_, "--headless", "--no-sandbox", "--disable-gpu",
                               "--user-data-dir=" + directory_ + "/profile", "--enable-logging=stderr",
                               "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000"}};
    for (const std::string& flag : flags)
      if (!flag.empty()) spec.words.push_back(flag);
    spec.words.push_back(address);
    auto ran = run_process(spec, {.limit = std::chrono::seconds(100)});
    EXPECT_TRUE(ran && ran->end.ok()) << fmt::format("{}", fmt::join(spec.words, " ")) << "\n"
                                      << (ran ? ran->errors : ran.error().line());
    return ran ? std::move(*ran) : ProcessResult{};
  }

  std::string directory_;

 private:
  std::string browser_;
};

}  // namespace assay
