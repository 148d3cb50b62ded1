// Ends the program where the user's files are read for too long: readers have no other way to be stopped. Says that it
// goes on before that.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace assay {

// While it lives, what neither ends by itself nor is a compiler ends the program: with the message of
// preparation_hangs(), the exit code for it, and no files left. A line on standard error says that it goes on, for the
// first time after `first_word`, then each time when it has taken twice as long, or a minute more.
class Preparing {
 public:
  explicit Preparing(std::chrono::milliseconds first_word = std::chrono::seconds(15));
  ~Preparing();
  Preparing(const Preparing&) = delete;
  Preparing& operator=(const Preparing&) = delete;

 private:
  void watch();
  void say_that_it_goes_on();

  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::milliseconds next_word_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace assay
