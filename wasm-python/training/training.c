/* Python with a profile: runs like `python`, and then writes how often each part of it ran, in
 * the raw format of `profile/InstrProfData.inc`, which comes with clang. It replaces LLVM's
 * profile library, which is not built for WASI. */
#include <Python.h>

#include <stdint.h>
#include <stdio.h>
#include <profile/InstrProfData.inc>

enum {
#define VALUE_PROF_KIND(Enumerator, Value, Description) Enumerator = Value,
#include <profile/InstrProfData.inc>
};

typedef uintptr_t IntPtrT;

/* One record for each function, as the compiler lays it out. */
struct record {
#define INSTR_PROF_DATA(Type, LLVMType, Name, Initializer) Type Name;
#include <profile/InstrProfData.inc>
};

/* How often a value was seen at a place. `Values` of a record has one list of these for each of its
 * places. */
struct seen {
    uint64_t value;
    uint64_t count;
    struct seen *next;
};

/* The linker puts these around the sections that the compiler fills. */
extern const struct record __start___llvm_prf_data[], __stop___llvm_prf_data[];
extern const uint64_t __start___llvm_prf_cnts[], __stop___llvm_prf_cnts[];
extern const char __start___llvm_prf_names[], __stop___llvm_prf_names[];

extern const uint64_t __llvm_profile_raw_version;

/* Referred to by every instrumented file, so that the library is linked. */
int __llvm_profile_runtime;

/* Values kept for a place; a busy place with more of them has no value worth a branch. */
#define MOST_VALUES 16
static struct seen pool[200000];
static uint32_t pool_used;

/* Counts `value` at a place of the function whose record is `data`; instrumented code calls
 * this. */
void __llvm_profile_instrument_target(uint64_t value, void *data, uint32_t place)
{
    struct seen **link = (struct seen **)((struct record *)data)->Values + place;
    uint32_t values = 0;

    for (; *link != NULL; link = &(*link)->next, values++) {
        if ((*link)->value == value) {
            (*link)->count++;
            return;
        }
    }
    if (values < MOST_VALUES && pool_used < sizeof pool / sizeof *pool) {
        *link = &pool[pool_used++];
        **link = (struct seen){.value = value, .count = 1};
    }
}

/* The same for the length of a block that is copied or filled: lengths of little use are put
 * together, as LLVM does. */
void __llvm_profile_instrument_memop(uint64_t length, void *data, uint32_t place)
{
    if (length > 512) {
        length = 513;
    } else if (length > 8 && (length & (length - 1)) != 0) {
        length = (UINT64_C(1) << (63 - __builtin_clzll(length))) + 1;
    }
    __llvm_profile_instrument_target(length, data, place);
}

static void write_padding(FILE *file, size_t written)
{
    static const char zeroes[8];
    fwrite(zeroes, 1, (8 - written % 8) % 8, file);
}

/* Writes the values of one kind, or only adds up their size: kind, number of places, for each place
 * the number of its values, the values. */
static uint32_t write_kind(FILE *file, struct seen **places, uint32_t kind, uint32_t number)
{
    const uint32_t head[2] = {kind, number};
    uint32_t values = 0;

    if (file != NULL) {
        fwrite(head, sizeof head, 1, file);
    }
    for (uint32_t place = 0; place < number; place++) {
        uint8_t count = 0;
        for (const struct seen *seen = places[place]; seen != NULL; seen = seen->next) {
            count++;
        }
        values += count;
        if (file != NULL) {
            fwrite(&count, sizeof count, 1, file);
        }
    }
    if (file != NULL) {
        write_padding(file, number);
        for (uint32_t place = 0; place < number; place++) {
            for (const struct seen *seen = places[place]; seen != NULL; seen = seen->next) {
                fwrite(seen, sizeof seen->value + sizeof seen->count, 1, file);
            }
        }
    }
    return sizeof head + (number + 7) / 8 * 8 + values * (sizeof(uint64_t) + sizeof(uint64_t));
}

/* Writes the values of a function, if it has places for them: length of all, number of kinds, the
 * kinds. */
static void write_values(FILE *file, const struct record *record)
{
    uint32_t head[2] = {sizeof head, 0};

    for (int writing = 0; writing <= 1; writing++) {
        struct seen **places = (struct seen **)record->Values;
        if (writing && head[1] != 0) {
            fwrite(head, sizeof head, 1, file);
        }
        for (uint32_t kind = IPVK_First; kind <= IPVK_Last; kind++) {
            const uint32_t number = record->NumValueSites[kind];
            if (number != 0) {
                const uint32_t size = write_kind(writing ? file : NULL, places, kind, number);
                if (!writing) {
                    head[0] += size;
                    head[1]++;
                }
                places += number;
            }
        }
    }
}

/* Writes the profile to `path`; 0 if all of it got there. */
static int write_profile(const char *path)
{
    const uint64_t records = (uint64_t)(__stop___llvm_prf_data - __start___llvm_prf_data);
    const uint64_t counters = (uint64_t)(__stop___llvm_prf_cnts - __start___llvm_prf_cnts);
    const uint64_t names = (uint64_t)(__stop___llvm_prf_names - __start___llvm_prf_names);
    const uintptr_t distance =
        (uintptr_t)__start___llvm_prf_cnts - (uintptr_t)__start___llvm_prf_data;
    /* INSTR_PROF_RAW_HEADER: neither bitmaps nor virtual tables. */
    const uint64_t header[16] = {
        [0] = INSTR_PROF_RAW_MAGIC_32,
        [1] = __llvm_profile_raw_version,
        [3] = records,
        [5] = counters,
        [9] = names,
        [10] = distance,
        [12] = (uintptr_t)__start___llvm_prf_names,
        [15] = IPVK_Last,
    };

    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return 1;
    }
    fwrite(header, sizeof header, 1, file);
    fwrite(__start___llvm_prf_data, sizeof(struct record), records, file);
    fwrite(__start___llvm_prf_cnts, sizeof(uint64_t), counters, file);
    fwrite(__start___llvm_prf_names, 1, names, file);
    write_padding(file, names);
    const struct record *record = __start___llvm_prf_data;
    for (; record < __stop___llvm_prf_data; record++) {
        write_values(file, record);
    }
    const int failed = ferror(file);
    return fclose(file) != 0 || failed;
}

/* `python OUTPUT ARGUMENT…`; like `python ARGUMENT…`, and the profile in OUTPUT. */
int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    const char *output = argv[1];
    argv[1] = argv[0];
    const int status = Py_BytesMain(argc - 1, argv + 1);
    return status != 0 ? status : write_profile(output);
}
