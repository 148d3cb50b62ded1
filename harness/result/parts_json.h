// Reads and writes the parts of a row as JSON, by the names that nlohmann-json looks for. Reading throws
// nlohmann::json::exception for what makes no sense.
//
// JSON has no NaN or infinity, the very values a wrong kernel produces: they travel as the strings "nan", "inf" and
// "-inf".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/program/statistics_json.h"
#include "harness/result/row.h"

namespace assay {

nlohmann::json number_to_json(double value);
double number_from_json(const nlohmann::json& value);

// Throws the exception of a malformed row.
[[noreturn]] void malformed(const std::string& what);

// Enumerators are written by name.
void to_json(nlohmann::json& out, DType dtype);
void from_json(const nlohmann::json& in, DType& dtype);
void to_json(nlohmann::json& out, Kind kind);
void from_json(const nlohmann::json& in, Kind& kind);

void to_json(nlohmann::json& out, const Param& param);  // [name, value]
void from_json(const nlohmann::json& in, Param& param);

void to_json(nlohmann::json& out, const StepChoice& choice);  // [step, variant]
void from_json(const nlohmann::json& in, StepChoice& choice);
void to_json(nlohmann::json& out, const Offset& offset);  // [elements, tensor], the tensor "" where it is of all
void from_json(const nlohmann::json& in, Offset& offset);
void to_json(nlohmann::json& out, const Finding& finding);
void from_json(const nlohmann::json& in, Finding& finding);
void to_json(nlohmann::json& out, const WorstElement& worst);
void from_json(const nlohmann::json& in, WorstElement& worst);
void to_json(nlohmann::json& out, const ErrorMap& map);
void from_json(const nlohmann::json& in, ErrorMap& map);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SensitivityProbe, mutant, noticed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelResources, kernel, capability, registers, stack_bytes, spill_bytes,
                                   shared_bytes, source)

// A sample is [microseconds, MHz], with a third element, 1, where it was discarded; in the order of measuring.
void to_json(nlohmann::json& out, const Timing& timing);
void from_json(const nlohmann::json& in, Timing& timing);

}  // namespace assay
