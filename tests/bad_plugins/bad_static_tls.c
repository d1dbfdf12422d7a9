/* Uses thread-local storage that only exists for libraries loaded at program start. */
__attribute__((tls_model("initial-exec"))) static __thread int counter;
int count(void);

int count(void) {
    return ++counter;
}
#include "tests/bad_plugins/plain_plugin.h"
