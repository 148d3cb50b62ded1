// Ends the program where the user's files are read for too long: readers have no other way to be stopped.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace assay {

// While it lives, what neither ends by itself nor is a compiler ends the program: with the message of
// preparation_hangs(), the exit code for it, and no files left.
class Preparing {
 public:
  Preparing();
  ~Preparing();
  Preparing(const Preparing&) = delete;
  Preparing& operator=(const Preparing&) = delete;

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace assay
