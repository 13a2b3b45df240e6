// A tokenizer of the contract in C: no pattern, no special tokens, no training. cc -O2 -o bpe bpe.c; --impl=cmd:./bpe
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };
static char *token[256 + MOST];                      // id to hex
static int merges, left[MOST], right[MOST], made[MOST];

static int id_of(const char *hex, size_t length) {   // the first token of these bytes
    for (int id = 0; id < 256 + merges; id++)
        if (strlen(token[id]) == length && !memcmp(token[id], hex, length)) return id;
    return 256 + merges;
}

static void load(char *at) {                         // ... "merges": [["61", "62"], ...], "special_tokens": {}, ...
    if (!strstr(at, "\"special_tokens\": {}") || !strstr(at, "\"pattern\": null")) {
        puts("{\"unsupported\": \"has no pattern and no special tokens\"}");
        return;
    }
    for (merges = 0, at = strstr(at, "[["); at && *at == '['; merges++) {
        if (merges == MOST) { puts("{\"unsupported\": \"holds 5,000 merges\"}"); return; }
        char *one = strchr(at, '"') + 1, *other = strchr(strchr(one, '"') + 1, '"') + 1;
        int first = strcspn(one, "\""), second = strcspn(other, "\"");
        left[merges] = id_of(one, first), right[merges] = id_of(other, second);
        free(token[256 + merges]);
        token[256 + merges] = malloc(first + second + 1);
        sprintf(token[256 + merges], "%.*s%.*s", first, one, second, other);
        made[merges] = id_of(token[256 + merges], first + second);
        if (made[merges] != 256 + merges) *token[256 + merges] = 0; // made before: this id is nobody's
        at = other + second + 2;                     // past "]
        if (*at == ',') at += 2;
    }
    puts("{\"ok\": true}");
}

static void encode(const char *hex) {
    int count = strcspn(hex, "\"") / 2, *ids = malloc((count + 1) * sizeof *ids);
    for (int i = 0; i < count; i++) {
        sscanf(hex + 2 * i, "%2x", (unsigned *)&ids[i]);
        if (i && ids[i - 1] == 0xED && ids[i] >= 0xA0) {
            puts("{\"error\": \"UnicodeError\", \"message\": \"a lone surrogate\"}");
            free(ids);
            return;
        }
    }
    for (int k = 0; k < merges; k++) {               // every merge in order, each from left to right
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int hit = i + 1 < count && ids[i] == left[k] && ids[i + 1] == right[k];
            ids[kept++] = hit ? made[k] : ids[i];
            i += hit;
        }
        count = kept;
    }
    printf("{\"ids\": [");
    for (int i = 0; i < count; i++) printf(i ? ", %d" : "%d", ids[i]);
    puts("]}");
    free(ids);
}

static void decode(char *at) {
    char *answer = malloc(16), *ids = at;
    size_t length = 0;
    for (answer[0] = 0; *ids != ']';) {
        long id = strtol(ids, &ids, 10);
        if (id < 0 || id >= 256 + merges || !*token[id]) {
            puts("{\"error\": \"UnknownToken\", \"message\": \"no such id\"}");
            free(answer);
            return;
        }
        answer = realloc(answer, length + strlen(token[id]) + 1);
        length += sprintf(answer + length, "%s", token[id]);
        ids += strspn(ids, ", ");
    }
    printf("{\"bytes\": \"%s\"}\n", answer);
    free(answer);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    for (int byte = 0; byte < 256; byte++) sprintf(token[byte] = malloc(3), "%02x", byte);
    while (getline(&line, &room, stdin) > 0) {
        if (strstr(line, "\"op\": \"load\"")) load(line);
        else if (strstr(line, "\"op\": \"encode\"")) encode(strstr(line, "\"text\": \"") + 9);
        else if (strstr(line, "\"op\": \"decode\"")) decode(strstr(line, "\"ids\": [") + 8);
        else if (strstr(line, "\"op\": \"info\"")) puts("{\"name\": \"bpe.c\", \"version\": \"1\"}");
        else puts("{\"unsupported\": \"does not train\"}");
        fflush(stdout);
    }
}
