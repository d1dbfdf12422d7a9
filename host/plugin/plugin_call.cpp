#include "host/plugin/plugin_call.h"

namespace jobhost {

ThrownError error_of_call(HostRun& run, const std::string& function, jobhost_status status,
                          bool escaped) {
    if (escaped) {
        return contract_error("an exception left " + function +
                              ", which breaks the rules of the plugin ABI");
    }
    if (auto error = run.take_error()) return std::move(*error);
    return contract_error(function + " answered status " + std::to_string(status) +
                          " without saying how it failed (set_error)");
}

}  // namespace jobhost
