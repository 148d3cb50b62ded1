// For tests of report.html in a real browser: headless Chromium opens it, and the tests read the page that it drew.
//
// A script added to the page's end looks at what only a browser knows (widths, pixels, what a click does) and leaves
// its answer in an attribute of the root element.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
      if (browser_.empty() && std::system(fmt::format("command -v {} >/dev/null", name).c_str()) == 0) browser_ = name;
    ASSERT_FALSE(browser_.empty())
        << "no headless Chromium: run 'apt-get install chromium-headless-shell' (scripts/test does)";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Runs the browser on a page of `report`, to whose end `probe` (statements that set `answer`) is added.
  Drawn draw(const Report& report, const std::string& probe, const std::string& flags = "") {
    run(write_page(report, probe), "--dump-dom " + flags);
    Drawn drawn{"", text_of_file(directory_ + "/out"), text_of_file(directory_ + "/err")};
    for (const char* tag : {"script", "style", "noscript"}) erase_elements(drawn.visible, tag);
    drawn.root = "<html" + between(drawn.visible, "<html", ">");
    EXPECT_THAT(drawn.console, testing::Not(testing::HasSubstr("CONSOLE")));
    EXPECT_THAT(drawn.root, testing::Not(testing::HasSubstr("data-errors")));
    EXPECT_THAT(drawn.root, testing::HasSubstr("data-drawn=\"yes\""));
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

}  // namespace assay
