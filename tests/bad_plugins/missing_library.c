/* The library that bad_missing_dependency needs and that nobody finds at run time. */
int function_of_the_missing_library(void);
int function_of_the_missing_library(void) {
    return 0;
}
