#include "host/engine/thread_name.h"

#include <pthread.h>

namespace jobhost {

void name_this_thread(const char* name) {
    ::pthread_setname_np(::pthread_self(), name);
}

}  // namespace jobhost
