// A descriptor of cuDNN's backend interface holds attributes by their numbers, as they were set.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fake {

struct Contents;

struct Attribute {
  std::vector<char> bytes = {};                             // of numbers, enums and pointers
  std::vector<std::shared_ptr<Contents>> descriptors = {};  // instead, of CUDNN_TYPE_BACKEND_DESCRIPTOR
};

struct Contents {
  cudnnBackendDescriptorType_t type;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes = {};

  bool has(cudnnBackendAttributeName_t name) const { return attributes.count(name) != 0; }

  template <class T>
  std::vector<T> values(cudnnBackendAttributeName_t name) const {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return {};
    std::vector<T> values(found->second.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), found->second.bytes.data(), values.size() * sizeof(T));
    return values;
  }
  template <class T>
  T value(cudnnBackendAttributeName_t name, T otherwise) const {
    const auto found = attributes.find(name);
    if (found != attributes.end() && found->second.bytes.size() >= sizeof(T))
      std::memcpy(&otherwise, found->second.bytes.data(), sizeof(T));
    return otherwise;
  }
  // Throws where it is not set.
  const std::vector<std::shared_ptr<Contents>>& descriptors(cudnnBackendAttributeName_t name) const;
  const Contents& descriptor(cudnnBackendAttributeName_t name) const { return *descriptors(name).at(0); }
};

// Thrown for what the fake does not know or what NVIDIA's would refuse; the sentence becomes cuDNN's last error.
struct Refused {
  std::string why;
};

// Refuses an operation that execute() cannot do.
void check(const Contents& operation);

// Does the operations of a graph in their order, on the tensors whose addresses are given by their ids.
void execute(const Contents& graph, const std::map<int64_t, void*>& addresses);

}  // namespace fake
