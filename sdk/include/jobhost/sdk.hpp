#pragma once

// The plugin SDK, all but <jobhost/json.hpp> (typed input) and <jobhost/testing.hpp> (unit tests).

#include <jobhost/dead_letter.hpp>
#include <jobhost/detail/entry.hpp>
#include <jobhost/job.hpp>
#include <jobhost/plugin.hpp>
#include <jobhost/retry.hpp>
