#include "host/cli/commands.h"

#include <exception>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "host/api/request_error.h"
#include "host/cli/exit_status.h"
#include "host/cli/new_job.h"
#include "storage/storage_error.h"

namespace jobhost::cli {
namespace {

std::string advice(const StorageError& error) {
    std::string text = error.what();
    switch (error.kind()) {
        case StorageError::Kind::kBusy: return text + "; try again";
        case StorageError::Kind::kUnknownOutcome:
            return text + "; outcome unknown: repeat with the same idempotency key";
        case StorageError::Kind::kTooNew: return text + "; use a newer jobhost";
        case StorageError::Kind::kMissing:
        case StorageError::Kind::kFull:
        case StorageError::Kind::kReadOnly:
        case StorageError::Kind::kUnavailable:
        case StorageError::Kind::kCorrupt:
        case StorageError::Kind::kMisused: return text;
    }
    return text;
}

/// The parameter as this interface writes it.
std::string sentence_of(const api::RequestError& error) {
    return error.parameter().empty() ? error.what() : flag_of(error.parameter()) + error.rest();
}

int status_of(api::RequestError::Kind kind) {
    switch (kind) {
        case api::RequestError::Kind::kBad: return kUsage;
        case api::RequestError::Kind::kNotFound: return kNotFound;
        case api::RequestError::Kind::kRefused: return kFailed;
    }
    return kFailed;
}

int run_invocation(const Invocation& invocation, Output& out) {
    Context context{out, invocation.config_file, invocation.json};
    return std::visit([&](const auto& command) { return run_command(command, context); },
                      invocation.command);
}

int run_caught(const Invocation& invocation, Output& out) {
    try {
        return run_invocation(invocation, out);
    } catch (const CommandError& error) {
        complain_of_failure(error.what(), invocation.json);
        return error.status();
    } catch (const api::RequestError& error) {
        complain_of_failure(sentence_of(error), invocation.json);
        return status_of(error.kind());
    } catch (const StorageError& error) {
        complain_of_failure(advice(error), invocation.json);
        // A place in a list that none gave, a storage URL that no engine knows.
        return error.kind() == StorageError::Kind::kMisused ? kUsage : kFailed;
    } catch (const std::exception& error) {
        complain_of_failure(error.what(), invocation.json);
        return kFailed;
    }
}

}  // namespace

int run_command_line(std::vector<std::string> arguments) {
    Output out;
    const auto parsed = parse_command_line(std::move(arguments));
    int status = kDone;
    if (const auto* none = std::get_if<NoCommand>(&parsed)) {
        if (none->is_help) {
            out.write(none->text);
            if (!none->text.ends_with('\n')) out.write("\n");
        } else {
            complain_of_failure(none->text, none->json);
            status = kUsage;
        }
    } else {
        status = run_caught(std::get<Invocation>(parsed), out);
    }
    out.flush();
    if (out.error() != 0) {
        complain("the results cannot be written: " + std::generic_category().message(out.error()));
        if (status == kDone) status = kFailed;
    }
    return status;
}

}  // namespace jobhost::cli
