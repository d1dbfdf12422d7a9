#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <jobhost/abi.h>

#include "host/plugin/abi_values.h"
#include "host/plugin/plugin_description.h"
#include "host/plugin/plugin_library.h"

namespace jobhost {

// C tables written down in a test, as a plugin would have them.

inline jobhost_str c_text(std::string_view text) {
    return borrow(text);
}

/// An error that only has a type and a message.
inline jobhost_error c_error(std::string_view type, std::string_view message) {
    jobhost_error error = {};
    error.struct_size = sizeof error;
    error.type = c_text(type);
    error.message = c_text(message);
    return error;
}

/// A plugin with one job type whose run function is a lambda.
class OneTypePlugin {
public:
    using Run = std::function<jobhost_status(const jobhost_job&, const jobhost_run*)>;

    explicit OneTypePlugin(Run run) : run_(std::move(run)) {
        table_.struct_size = sizeof table_;
        table_.name = c_text("test.type");
        table_.timeout_us = -1;
        table_.data = this;
        table_.run = [](void*, const jobhost_job_type* table, const jobhost_job* job,
                        const jobhost_run* api) {
            return static_cast<const OneTypePlugin*>(table->data)->run_(*job, api);
        };
        library.label = "hand_made 1.0";
        type.name = "test.type";
        type.table = &table_;
        type.fields = table_;
    }
    OneTypePlugin(const OneTypePlugin&) = delete;
    OneTypePlugin& operator=(const OneTypePlugin&) = delete;

    PluginLibrary library = {};
    DescribedType type = {};

private:
    Run run_;
    jobhost_job_type table_ = {};
};

}  // namespace jobhost
