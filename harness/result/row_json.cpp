// Reads and writes rows as JSON, by the table of fields.
//
// Reading is strict: a row that does not make sense is an error, never a row with holes.
#include "harness/result/row_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/op/earlier_lines.h"
#include "harness/result/fields.h"

namespace assay {

using nlohmann::json;

Result<void> check_schema(const json& in) {
  const auto found = in.is_object() ? in.find("schema") : in.end();
  if (found == in.end())
    return fail("it has no schema version, so an Assay before version 1 of the schema wrote it",
                "run the suite again, or use the Assay that wrote it");
  if (*found == kSchema) return {};
  return fail(fmt::format("its schema version is {}, and this Assay reads version {}", found->dump(), kSchema),
              "use the Assay that wrote it, or run the suite again with this one");
}

json to_json(const ResultRow& row) {
  json out{{"schema", kSchema}};
  for (const Field& field : fields())
    if (field.write) field.write(row, out);
  return out;
}

Result<ResultRow> row_from_json(const json& in) {
  ASSAY_TRY(check_schema(in));
  ResultRow row;
  try {
    for (const Field& field : fields())
      if (field.read) field.read(in, row);
    if (in.at("case") != row.line()) return fail("its case line is not that of its fields", "write both or neither");
  } catch (const json::exception& error) {
    return fail(error.what());
  }
  row.c = as_written_today(std::move(row.c));
  row.shrunk_from = as_written_today(row.shrunk_from);
  return row;
}

std::string to_line(const ResultRow& row) { return to_json(row).dump(-1, ' ', false, json::error_handler_t::replace); }

Result<ResultRow> row_from_line(std::string_view line) {
  try {
    return row_from_json(json::parse(line));
  } catch (const json::exception& error) {
    return fail(error.what());
  }
}

}  // namespace assay
