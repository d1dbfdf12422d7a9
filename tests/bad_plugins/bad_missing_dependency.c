/* Needs a library that is not installed. */
int function_of_the_missing_library(void);
int use_the_missing_library(void);

int use_the_missing_library(void) {
    return function_of_the_missing_library();
}
#include "tests/bad_plugins/plain_plugin.h"
