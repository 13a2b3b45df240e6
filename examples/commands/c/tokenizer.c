#include "tokenizer.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };
static struct { char *bytes; size_t size; } tokens[256 + MOST];               // of nobody: no bytes
static int merges, left_of[MOST], right_of[MOST], made_by[MOST];

static int id_of(const char *bytes, size_t size) {                            // -1: there is none
    if (size == 1) return (unsigned char)*bytes;
    for (int id = 256; id < 256 + merges; id++)
        if (tokens[id].bytes && tokens[id].size == size && !memcmp(tokens[id].bytes, bytes, size)) return id;
    return -1;
}

void forget(void) {
    while (merges) free(tokens[256 + --merges].bytes);
}

int learn(const char *left, size_t size, const char *right, size_t other) {
    if (merges == MOST) return 0;
    char *joined = malloc(size + other);
    memcpy(joined, left, size), memcpy(joined + size, right, other);
    int made = id_of(joined, size + other);
    left_of[merges] = id_of(left, size), right_of[merges] = id_of(right, other);
    made_by[merges] = made < 0 ? 256 + merges : made;
    if (made >= 0) free(joined), joined = NULL;                               // made before: this id is nobody's
    tokens[256 + merges].bytes = joined, tokens[256 + merges].size = size + other;
    return ++merges;
}

int encode(const unsigned char *text, size_t size, int *ids) {
    size_t count = size;
    for (size_t i = 0; i < size; i++) {
        ids[i] = text[i];
        if (i && text[i - 1] == 0xED && text[i] >= 0xA0) return -1;
    }
    for (int k = 0; k < merges; k++) {                                        // each merge in turn, from left to right
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            int hit = i + 1 < count && ids[i] == left_of[k] && ids[i + 1] == right_of[k];
            ids[kept++] = hit ? made_by[k] : ids[i];
            i += hit;
        }
        count = kept;
    }
    return count;
}

const char *token_of(long id, size_t *size) {
    static char single;
    if (id < 0 || id >= 256 + merges) return NULL;
    single = id, *size = id < 256 ? 1 : tokens[id].size;
    return id < 256 ? &single : tokens[id].bytes;
}
