#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "storage/job.h"

namespace jobhost::api {

/// New jobs and the lines (from 1) that they came from.
struct BulkJobs {
    std::vector<NewJob> jobs = {};
    std::vector<std::size_t> lines = {};
};

/// One job out of a JSON object, with who enqueues it (`cli`, `http`). The input is the exact bytes
/// of its value. A repeated or unknown key is refused; an option that is null counts as not given.
/// The error is a sentence.
tl::expected<NewJob, std::string> parse_new_job(std::string_view json, const std::string& source);

/// NDJSON; blank lines do not count. The error names the first offending line.
tl::expected<BulkJobs, std::string> parse_bulk(std::string_view text, const std::string& source);

/// The same out of `{"jobs": [...]}`: `lines` are the places in the array, from 0.
tl::expected<BulkJobs, std::string> parse_bulk_array(std::string_view text,
                                                     const std::string& source);

}  // namespace jobhost::api
