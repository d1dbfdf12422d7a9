#pragma once

#include <string>
#include <string_view>

namespace jobhost::cli {

/// Standard output, for results and nothing else. A reader that has gone away is fine: what it did
/// not want to read is dropped.
class Output {
public:
    Output();
    ~Output() { flush(); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// Text that is fit for a terminal already: tables, help.
    void write(std::string_view text);
    /// One line for people; control characters in it are escaped.
    void line(std::string_view text);
    /// A part of a JSON document, byte for byte; what could steer a terminal is escaped on one.
    void json(std::string_view part);
    /// The end of a JSON document, or a whole one.
    void document(std::string_view json_text);
    void flush();

    bool is_terminal() const { return is_terminal_; }
    bool colours() const { return colours_; }  // a terminal, and NO_COLOR is not set

    /// The errno of a write that failed for another reason than a reader that has gone away (a full
    /// disk); 0 when all is well.
    int error() const { return error_; }

private:
    std::string buffer_;
    bool is_terminal_ = false;
    bool colours_ = false;
    bool broken_ = false;
    int error_ = 0;
};

/// One line on standard error: `jobhost: SENTENCE`. Control characters are escaped.
void complain(std::string_view sentence);

/// Why a command cannot go on, on standard error: each line by itself, or, for a program, the whole
/// as one JSON document `{"error": ...}`.
void complain_of_failure(std::string_view sentences, bool as_json);

/// All of standard input; at most `limit` bytes and one more, so that the caller sees the excess.
std::string read_standard_input(std::size_t limit);

/// A whole file, with the same limit. Throws CommandError when it cannot be read.
std::string read_file(const std::string& path, std::size_t limit);

}  // namespace jobhost::cli
