#include "host/plugin/plugin_description.h"

#include <algorithm>
#include <set>

#include "host/engine/error_names.h"
#include "host/plugin/abi_values.h"
#include "host/plugin/plugin_policy.h"
#include "storage/enqueue_rules.h"
#include "storage/json_text.h"
#include "storage/utf8.h"

namespace jobhost {
namespace {

constexpr std::size_t kMostTables = 10'000;
constexpr std::size_t kMostVersionBytes = 64;
constexpr std::string_view kBuiltInDelay = "default";

class DescriptionReader {
public:
    explicit DescriptionReader(const jobhost_plugin& plugin) : plugin_(plugin) {}

    tl::expected<PluginDescription, std::vector<std::string>> read() {
        read_names();
        read_types();
        read_handlers();
        read_forwarders();
        read_delays();
        read_error_types();
        read_triggers();
        if (!mistakes_.empty()) return tl::unexpected(std::move(mistakes_));
        return std::move(out_);
    }

private:
    void mistake(std::string sentence) { mistakes_.push_back(std::move(sentence)); }

    void read_names() {
        out_.name = checked_name("the plugin's name", plugin_.name);
        if (!is_readable(plugin_.version) || plugin_.version.len > kMostVersionBytes ||
            !is_utf8(view_of(plugin_.version))) {
            mistake("the plugin's version is not a text of at most 64 bytes");
        } else {
            out_.version = text_of(plugin_.version);
        }
    }

    std::string checked_name(const std::string& what, jobhost_str name) {
        if (!is_readable(name)) {
            mistake(what + " is NULL but has a length");
            return {};
        }
        if (const auto reason = check_name(view_of(name))) {
            mistake(what + (name.len == 0 ? " " : " " + json_string(view_of(name)) + " ") +
                    *reason);
        }
        return text_of(name);
    }

    /// Calls `use(what, table, fields)` for each table of the list that can be read.
    template <class Table, class Use>
    void each(const char* what, const Table* const* tables, std::size_t count, Use use) {
        if (count == 0) return;
        if (tables == nullptr || count > kMostTables) {
            mistake(std::string("the list of ") + what + "s has " + std::to_string(count) +
                    " entries" + (tables == nullptr ? " at NULL" : "; the limit is 10000"));
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::string shown = std::string(what) + "[" + std::to_string(i) + "]";
            if (tables[i] == nullptr) {
                mistake(shown + " is NULL");
            } else if (!has_first_size(*tables[i])) {
                mistake(shown + " has struct_size " + std::to_string(tables[i]->struct_size) +
                        "; it must be at least " + std::to_string(kFirstSize<Table>));
            } else {
                use(shown, tables[i], read_struct(*tables[i]));
            }
        }
    }

    template <class Table>
    std::string unique_name(const std::string& what, jobhost_str name,
                            const std::vector<Table>& known) {
        std::string text = checked_name("the name of " + what, name);
        if (std::ranges::any_of(known, [&](const Table& other) { return other.name == text; })) {
            mistake(what + " has the name " + json_string(text) + ", which is there already");
        }
        return text;
    }

    void read_types() {
        const std::string origin = "plugin " + out_.label();
        each("job_type", plugin_.job_types, plugin_.n_job_types,
             [&](const std::string& what, const jobhost_job_type* table,
                 const jobhost_job_type& fields) {
                 DescribedType type;
                 type.name = unique_name(what, fields.name, out_.types);
                 type.table = table;
                 type.fields = fields;
                 const std::string shown = "job type " + json_string(type.name);
                 if (fields.run == nullptr) mistake(shown + " has no run function");
                 std::vector<std::string> wrong;
                 type.policy = plugin_policy(fields, origin, wrong);
                 for (const std::string& end : wrong) mistake(shown + ": " + end);
                 out_.types.push_back(std::move(type));
             });
    }

    void read_handlers() {
        each("dead_letter_handler", plugin_.dead_letter_handlers, plugin_.n_dead_letter_handlers,
             [&](const std::string& what, const jobhost_dead_letter_handler* table,
                 const jobhost_dead_letter_handler& fields) {
                 const auto has_name = [&](const auto& other) {
                     return other.name == view_of(fields.job_type);
                 };
                 const std::string type = checked_name("the type of " + what, fields.job_type);
                 if (std::ranges::none_of(out_.types, has_name)) {
                     mistake(what + " is for the job type " + json_string(type) +
                             ", which this plugin does not declare");
                 }
                 if (std::ranges::any_of(out_.handlers, has_name)) {
                     mistake("job type " + json_string(type) +
                             " has two dead-letter handlers; one is allowed");
                 }
                 if (fields.handle == nullptr) {
                     mistake("the dead-letter handler of " + json_string(type) +
                             " has no handle function");
                 }
                 out_.handlers.push_back({type, table, fields});
             });
    }

    void read_forwarders() {
        each("forwarder", plugin_.forwarders, plugin_.n_forwarders,
             [&](const std::string& what, const jobhost_forwarder* table,
                 const jobhost_forwarder& fields) {
                 const std::string name = unique_name(what, fields.name, out_.forwarders);
                 if (fields.applies_to == nullptr || fields.forward == nullptr) {
                     mistake("forwarder " + json_string(name) + " has no " +
                             (fields.forward == nullptr ? "forward" : "applies_to") + " function");
                 }
                 out_.forwarders.push_back({name, table, fields});
             });
    }

    void read_delays() {
        each("retry_delay", plugin_.retry_delays, plugin_.n_retry_delays,
             [&](const std::string& what, const jobhost_retry_delay* table,
                 const jobhost_retry_delay& fields) {
                 const std::string name = unique_name(what, fields.name, out_.delays);
                 if (name == kBuiltInDelay) {
                     mistake(what + " has the name \"default\", which is the built-in curve");
                 }
                 if (fields.delay_us == nullptr) {
                     mistake("retry delay " + json_string(name) + " has no delay_us function");
                 }
                 out_.delays.push_back({name, table, fields});
             });
    }

    void read_error_types() {
        std::set<std::string, std::less<>> names;
        const auto add = [&](const std::string& what, jobhost_str name) {
            if (!is_readable(name) || name.len == 0) {
                mistake(what + " has an empty name or base");
            } else {
                names.insert(normalised_type_name(view_of(name)));
            }
        };
        each("error_type", plugin_.error_types, plugin_.n_error_types,
             [&](const std::string& what, const jobhost_error_type* /*table*/,
                 const jobhost_error_type& fields) {
                 add(what, fields.name);
                 if (fields.bases == nullptr) return;
                 for (std::size_t i = 0; i < std::min(fields.n_bases, kMostTables); ++i) {
                     add(what, fields.bases[i]);
                 }
             });
        out_.error_types.assign(names.begin(), names.end());
    }

    void read_triggers() {
        each("trigger_type", plugin_.trigger_types, plugin_.n_trigger_types,
             [&](const std::string& what, const jobhost_trigger_type* /*table*/,
                 const jobhost_trigger_type& fields) {
                 out_.trigger_kinds.push_back(checked_name("the kind of " + what, fields.kind));
             });
    }

    const jobhost_plugin plugin_;
    PluginDescription out_ = {};
    std::vector<std::string> mistakes_ = {};
};

}  // namespace

tl::expected<PluginDescription, std::vector<std::string>> read_description(
    const jobhost_plugin& plugin) {
    if (!has_first_size(plugin)) {
        return tl::unexpected(std::vector<std::string>{
            "its description has struct_size " + std::to_string(plugin.struct_size) +
            "; it must be at least " + std::to_string(kFirstSize<jobhost_plugin>)});
    }
    return DescriptionReader(read_struct(plugin)).read();
}

}  // namespace jobhost
