#pragma once

namespace jobhost {

/// The name that `ps -L`, gdb and crash reports show; at most 15 characters. ARCHITECTURE.md lists
/// them all.
void name_this_thread(const char* name);

}  // namespace jobhost
