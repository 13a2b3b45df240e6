// A tokenizer as you may have one: byte-level BPE, no pattern, no special tokens, no training.
#include <stddef.h>

void forget(void);                                                            // all merges
int learn(const char *left, size_t size, const char *right, size_t other);    // the next merge; 0: there is no room
int encode(const unsigned char *text, size_t size, int *ids);                 // how many ids; -1: a lone surrogate
const char *token_of(long id, size_t *size);                                  // NULL: there is none
