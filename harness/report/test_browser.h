// For tests of report.html in a real browser: one headless Chromium, spoken to by its DevTools protocol, which sets
// what a window of the desktop cannot be asked for: a width of 390 px, the dark scheme, a page without scripts.
// https://chromedevtools.github.io/devtools-protocol
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/base/optional_programs.h"
#include "harness/base/process.h"

namespace assay {

class Browser {
 public:
  using Json = nlohmann::json;

  // The only one of this process: starting it takes longer than any page.
  static Browser& instance() {
    static Browser browser;
    return browser;
  }

  // Whether there is no Chromium. Then all that is below does nothing.
  bool is_missing() const { return profile_.empty(); }

  // The page's console output and errors since the last call of open().
  const std::string& console() const { return console_; }

  void resize(int width, int height) {
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  }
  void set_dark(bool dark) {
    call("Emulation.setEmulatedMedia",
         {{"features", {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}}}});
  }
  void set_scripts(bool on) { call("Emulation.setScriptExecutionDisabled", {{"value", !on}}); }

  // Returns when all of the page is loaded.
  void open(const std::string& address) {
    loaded_ = false;
    call("Page.navigate", {{"url", address}});
    console_.clear();
    while (!loaded_ && receive()) continue;
  }

  // The value of an expression, as text.
  std::string evaluate(const std::string& expression) {
    const Json answer = call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}});
    if (answer.contains("exceptionDetails")) return answer["exceptionDetails"].dump();
    const Json value = answer.value("result", Json::object()).value("value", Json());
    return value.is_string() ? value.get<std::string>() : value.dump();
  }

  std::string screenshot() { return call("Page.captureScreenshot", {{"format", "png"}}).value("data", ""); }  // base64

 private:
  Browser() {
    std::string program;
    for (const char* name : {"chromium-headless-shell", "chromium", "google-chrome"})
      if (program.empty() && !is_hidden("chromium")) program = find_program(name);
    if (program.empty()) return;
    std::string profile = testing::TempDir() + "assay_browser_XXXXXX";
    profile_ = mkdtemp(profile.data());
    // The protocol's streams are the descriptors 3 and 4, which the shell makes of the standard ones.
    ProcessSpec spec{
        .words = {"/bin/sh", "-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh", program, "--headless",
                  "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + profile_,
                  "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"},
        .input = Redirect::pipe(),
        .errors = Redirect::null()};
    auto started = Process::start(spec);
    if (!started) {
      ADD_FAILURE() << started.error().line();
      return;
    }
    process_.emplace(*std::move(started));
    const Json page = call("Target.createTarget", {{"url", "about:blank"}});
    session_ = call("Target.attachToTarget", {{"targetId", page.value("targetId", "")}, {"flatten", true}})
                   .value("sessionId", "");
    for (const char* domain : {"Page", "Runtime", "Log"}) call(fmt::format("{}.enable", domain), Json::object());
  }
  ~Browser() {
    process_.reset();
    if (!profile_.empty()) std::filesystem::remove_all(profile_);
  }

  // A command's result; an empty object if there is none within a minute.
  Json call(const std::string& method, const Json& parameters) {
    if (!process_) return Json::object();
    Json command{{"id", ++last_id_}, {"method", method}, {"params", parameters}};
    if (!session_.empty()) command["sessionId"] = session_;
    process_->write(command.dump() + '\0');
    while (const auto message = receive()) {
      if (message->value("id", 0) != last_id_) continue;
      EXPECT_FALSE(message->contains("error")) << method << ": " << message->dump();
      return message->value("result", Json::object());
    }
    return Json::object();
  }

  // The next message, after noting what it says of the page.
  std::optional<Json> receive() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    size_t end = 0;
    while ((end = received_.find('\0')) == std::string::npos) {
      pollfd readable{process_ ? process_->output().fd() : -1, POLLIN, 0};
      if (std::chrono::steady_clock::now() > deadline || !process_ || !process_->output().is_open()) {
        ADD_FAILURE() << "the browser does not answer";
        process_.reset();
        return std::nullopt;
      }
      poll(&readable, 1, 1000);
      process_->output().read_some();
      received_ += process_->output().take();
    }
    const Json message = Json::parse(received_.substr(0, end));
    received_.erase(0, end + 1);
    const std::string event = message.value("method", "");
    loaded_ |= event == "Page.loadEventFired";
    if (event == "Runtime.exceptionThrown" || event == "Runtime.consoleAPICalled" || event == "Log.entryAdded")
      console_ += message["params"].dump() + "\n";
    return message;
  }

  std::optional<Process> process_;
  std::string profile_, session_, received_, console_;
  int last_id_ = 0;
  bool loaded_ = false;
};

}  // namespace assay
