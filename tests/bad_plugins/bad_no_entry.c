/* Exports something, but not the entry. */
__attribute__((visibility("default"))) int something_else(void);
int something_else(void) {
    return 0;
}
