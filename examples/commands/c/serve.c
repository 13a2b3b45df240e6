// Speaks for the tokenizer of tokenizer.c. cc -O2 -o bpe serve.c tokenizer.c; --impl=cmd:./bpe
#include "tokenizer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 26], one[1 << 26], two[1 << 25];
static int ids[1 << 25];

static size_t read_hex(char **at, char *bytes) { // what stands between the next two quotes
    size_t size = 0;
    for (*at = strchr(*at, '"') + 1; **at != '"'; *at += 2) sscanf(*at, "%2hhx", (unsigned char *)bytes + size++);
    ++*at;
    return size;
}

int main(void) {
    for (size_t size; fgets(line, sizeof line, stdin); fflush(stdout)) {
        char *op = strstr(line, "\"op\": ") + 6, *at, *out = one;
        if (!strncmp(op, "\"load\"", 6) && strstr(line, "\"special_tokens\": {}") && strstr(line, "\"pattern\": null")) {
            int room = 1;
            char *end = strstr(line, "\"special_tokens\"");
            for (forget(), at = strstr(line, "\"merges\"") + 8; room && strchr(at, '"') < end;)
                size = read_hex(&at, one), room = learn(one, size, two, read_hex(&at, two));
            puts(room ? "{\"ok\": true}" : "{\"unsupported\": \"holds 5,000 merges\"}");
        } else if (!strncmp(op, "\"encode\"", 8) && (at = strstr(line, "\"text\"") + 6)) {
            size = read_hex(&at, one);
            int count = encode((unsigned char *)one, size, ids);
            printf(count < 0 ? "{\"error\": \"UnicodeError\", \"message\": \"a lone surrogate\"" : "{\"ids\": [");
            for (int i = 0; i < count; i++) printf(i ? ", %d" : "%d", ids[i]);
            puts(count < 0 ? "}" : "]}");
        } else if (!strncmp(op, "\"decode\"", 8)) {
            for (at = strstr(line, "\"ids\": [") + 8; out && *at != ']'; at += strspn(at, ", ")) {
                const char *token = token_of(strtol(at, &at, 10), &size);
                for (size_t i = 0; token && i < size; i++) out += sprintf(out, "%02x", (unsigned char)token[i]);
                out = token ? out : NULL;
            }
            if (out) printf("{\"bytes\": \"%.*s\"}\n", (int)(out - one), one);
            else puts("{\"error\": \"UnknownToken\", \"message\": \"no such id\"}");
        } else if (!strncmp(op, "\"info\"", 6)) puts("{\"name\": \"bpe.c\", \"version\": \"1\"}");
        else puts("{\"unsupported\": \"has no pattern, no special tokens and no training\"}");
    }
}
