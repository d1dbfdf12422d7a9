#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "storage/job.h"

namespace jobhost::cli {

/// New jobs and the lines (from 1) that they came from.
struct BulkJobs {
    std::vector<NewJob> jobs = {};
    std::vector<std::size_t> lines = {};
};

/// One job out of a JSON object. The input is the exact bytes of its value. A repeated or unknown
/// key is refused; an option that is null counts as not given. The error is a sentence.
tl::expected<NewJob, std::string> parse_bulk_line(std::string_view line);

/// NDJSON; blank lines do not count. The error names the first offending line.
tl::expected<BulkJobs, std::string> parse_bulk(std::string_view text);

}  // namespace jobhost::cli
