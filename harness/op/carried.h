// Values with errors that a reference gets instead of those in its tensors: what the steps of a composite before it
// made.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay {

// For as long as the object lives, references read these values for the tensors of these names, except outputs, which
// they overwrite.
template <class S>
class Carried {
 public:
  using Values = std::map<std::string, std::vector<S>>;

  explicit Carried(const Values& values) : outer_(std::exchange(current_, &values)) {}
  ~Carried() { current_ = outer_; }
  Carried(const Carried&) = delete;
  Carried& operator=(const Carried&) = delete;

  // Null: the tensor's own.
  static const std::vector<S>* find(const std::string& tensor) {
    if (!current_) return nullptr;
    const auto found = current_->find(tensor);
    return found == current_->end() ? nullptr : &found->second;
  }

 private:
  inline static thread_local const Values* current_ = nullptr;
  const Values* outer_;
};

}  // namespace assay
