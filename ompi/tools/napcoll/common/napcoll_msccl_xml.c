/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reading MSCCL XML (see the header): elements and attributes, by a table.
 */

#include "common/napcoll_msccl.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"

void napcoll_msccl_free(napcoll_msccl_t *program)
{
    if (NULL != program) {
        free(program->gpu);
        free(program->tb);
        free(program->step);
        free(program->level);
        free(program->order);
        free(program->seen);
        free(program->stack);
        free(program);
    }
}

#if NAPCOLL_HAVE_EXPAT

#    include <expat.h>

enum { ALGO, GPU, TB, STEP, DEPTHS, MOST_STEPS = 1 << 20 };

typedef struct {
    XML_Parser parser;
    napcoll_msccl_t *program;
    napcoll_plan_text_error_t *error;
    int depth;
    bool failed;
} reader_t;

/* ---- the table ---- */

typedef enum { NUMBER, WORD, NAME, IGNORED } kind_t;

typedef struct {
    int depth;
    const char *name;
    kind_t kind;
    /* of the element's struct */
    size_t at;
    /* the attribute must be there, with a number from least to most, or one of the words */
    bool needed;
    int least, most;
    const char *const *words;
} attribute_t;

#    define OF(type, field) offsetof(napcoll_msccl##type##_t, field)
#    define NUMBER_OF(depth, type, field, needed, least, most)                \
        {                                                                     \
            depth, #field, NUMBER, OF(type, field), needed, least, most, NULL \
        }
#    define WORD_OF(depth, type, field, name, words)              \
        {                                                         \
            depth, name, WORD, OF(type, field), true, 0, 0, words \
        }
#    define IGNORED_OF(depth, name)                    \
        {                                              \
            depth, name, IGNORED, 0, false, 0, 0, NULL \
        }

enum { RANK = NAPCOLL_MOST_PLAN_RANKS - 1, MOST = NAPCOLL_MOST_PLAN_NUMBER };

static const attribute_t known[] = {
    {ALGO, "name", NAME, 0, true, 0, 0, NULL},
    NUMBER_OF(ALGO, , ngpus, true, 1, NAPCOLL_MOST_PLAN_RANKS),
    NUMBER_OF(ALGO, , nchunksperloop, true, 1, MOST),
    WORD_OF(ALGO, , coll, "coll", napcoll_msccl_colls),
    NUMBER_OF(ALGO, , inplace, true, 0, 1),
    IGNORED_OF(ALGO, "nchannels"),
    IGNORED_OF(ALGO, "proto"),
    IGNORED_OF(ALGO, "outofplace"),
    IGNORED_OF(ALGO, "minBytes"),
    IGNORED_OF(ALGO, "maxBytes"),
    IGNORED_OF(ALGO, "redop"),
    IGNORED_OF(ALGO, "maxcount"),
    IGNORED_OF(ALGO, "nthreadblocks"),
    NUMBER_OF(GPU, _gpu, id, true, 0, RANK),
    NUMBER_OF(GPU, _gpu, i_chunks, false, 0, MOST),
    NUMBER_OF(GPU, _gpu, o_chunks, false, 0, MOST),
    NUMBER_OF(GPU, _gpu, s_chunks, true, 0, MOST),
    NUMBER_OF(TB, _tb, id, true, 0, MOST_STEPS),
    NUMBER_OF(TB, _tb, send, true, -1, RANK),
    NUMBER_OF(TB, _tb, recv, true, -1, RANK),
    NUMBER_OF(TB, _tb, chan, true, -1, MOST),
    NUMBER_OF(STEP, _step, s, true, 0, MOST_STEPS),
    WORD_OF(STEP, _step, type, "type", napcoll_msccl_types),
    WORD_OF(STEP, _step, srcbuf, "srcbuf", napcoll_msccl_buffers),
    NUMBER_OF(STEP, _step, srcoff, true, -1, MOST),
    WORD_OF(STEP, _step, dstbuf, "dstbuf", napcoll_msccl_buffers),
    NUMBER_OF(STEP, _step, dstoff, true, -1, MOST),
    NUMBER_OF(STEP, _step, cnt, true, 0, MOST),
    NUMBER_OF(STEP, _step, depid, true, -1, MOST_STEPS),
    NUMBER_OF(STEP, _step, deps, true, -1, MOST_STEPS),
    NUMBER_OF(STEP, _step, hasdep, true, 0, 1),
};

enum { KNOWN = sizeof(known) / sizeof(*known) };

static const char *const elements[DEPTHS] = {"algo", "gpu", "tb", "step"};

/* ---- errors ---- */

static int line_of(const reader_t *reader)
{
    return (int) XML_GetCurrentLineNumber(reader->parser);
}

/* End the parse with an error at the present place; returns false. */
__attribute__((format(printf, 2, 3))) static bool fail(reader_t *reader, const char *format, ...)
{
    char text[sizeof(reader->error->text)];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    reader->failed = true;
    (void) XML_StopParser(reader->parser, XML_FALSE);
    return napcoll_msccl_fail_at(reader->error, line_of(reader),
                                 (int) XML_GetCurrentColumnNumber(reader->parser) + 1, "%s", text);
}

/* ---- values ---- */

static bool take_number(reader_t *reader, const attribute_t *attribute, const char *text, int *to)
{
    char *end;
    const long number = strtol(text, &end, 10);

    if (end == text || '\0' != *end || ' ' == *text || number < attribute->least
        || number > attribute->most) {
        return fail(reader, "%s=\"%.40s\": expected a number from %d to %d", attribute->name, text,
                    attribute->least, attribute->most);
    }
    *to = (int) number;
    return true;
}

static bool take_word(reader_t *reader, const attribute_t *attribute, const char *text, int *to)
{
    char all[128] = "";

    for (*to = 0; NULL != attribute->words[*to]; (*to)++) {
        const char *word = attribute->words[*to];
        const size_t at = strlen(all);

        if (0 == strcmp(text, word)) {
            return true;
        }
        (void) snprintf(all + at, sizeof(all) - at, "%s%s", 0 == *to ? "" : ", ", word);
    }
    return fail(reader, "%s=\"%.40s\": expected one of %s", attribute->name, text, all);
}

/* A name that plans can have: other characters become _. */
static void take_name(napcoll_msccl_t *program, const char *text)
{
    char *name = program->name;

    (void) snprintf(name, sizeof(program->name), "%s", '\0' == *text ? "msccl" : text);
    for (size_t at = 0; '\0' != name[at]; at++) {
        if (0 == napcoll_plan_name_length(&name[at], 1)
            && (0 == at || NULL == strchr("_-.", name[at]))) {
            name[at] = 0 == at ? 'p' : '_';
        }
    }
}

static bool take_value(reader_t *reader, const attribute_t *attribute, const char *text, char *to)
{
    switch (attribute->kind) {
    case NUMBER:
        return take_number(reader, attribute, text, (int *) (void *) (to + attribute->at));
    case WORD:
        return take_word(reader, attribute, text, (int *) (void *) (to + attribute->at));
    case NAME:
        take_name(reader->program, text);
        return true;
    default:
        return true;
    }
}

/* Fill in an element's struct. */
static bool take_attributes(reader_t *reader, const char **pair, void *to)
{
    const int depth = reader->depth;
    bool seen[KNOWN] = {false};

    for (; NULL != *pair; pair += 2) {
        int i = 0;

        while (i < KNOWN && (known[i].depth != depth || 0 != strcmp(known[i].name, pair[0]))) {
            i++;
        }
        if (KNOWN == i) {
            return fail(reader, "<%s> has no attribute %.40s that is known here", elements[depth],
                        pair[0]);
        }
        seen[i] = true;
        if (!take_value(reader, &known[i], pair[1], to)) {
            return false;
        }
    }
    for (int i = 0; i < KNOWN; i++) {
        if (known[i].depth == depth && known[i].needed && !seen[i]) {
            return fail(reader, "<%s> lacks the attribute %s", elements[depth], known[i].name);
        }
    }
    return true;
}

/* ---- elements ---- */

static bool begin_algo(reader_t *reader, const char **pair)
{
    napcoll_msccl_t *program = reader->program;

    if (!take_attributes(reader, pair, program)) {
        return false;
    }
    program->parts = 1;
    if (NAPCOLL_MSCCL_ALLREDUCE == program->coll) {
        return true;
    }
    if (0 != program->nchunksperloop % program->ngpus) {
        return fail(reader, "nchunksperloop=\"%d\": expected a multiple of the %d ranks of ngpus",
                    program->nchunksperloop, program->ngpus);
    }
    program->parts = program->nchunksperloop / program->ngpus;
    if (NAPCOLL_MSCCL_ALLTOALL == program->coll && program->inplace) {
        return fail(reader, "inplace=\"1\": an alltoall in place is not supported; expected the "
                            "program for inplace=\"0\"");
    }
    return true;
}

/* The elements of one kind are numbered from 0 on. */
static bool check_number(reader_t *reader, const char *name, int number, int expected)
{
    return number == expected
           || fail(reader, "%s=\"%d\": expected %d; they count from 0", name, number, expected);
}

static bool begin_gpu(reader_t *reader, const char **pair)
{
    napcoll_msccl_t *program = reader->program;
    napcoll_msccl_gpu_t *gpu;

    program->gpu = napcoll_memory_grow(program->gpu, (size_t) program->gpus, sizeof(*gpu));
    gpu = &program->gpu[program->gpus];
    *gpu = (napcoll_msccl_gpu_t){.line = line_of(reader), .first_tb = program->tbs};
    return take_attributes(reader, pair, gpu)
           && check_number(reader, "id", gpu->id, program->gpus++)
           && (program->gpus <= program->ngpus
               || fail(reader, "expected %d gpus, by ngpus", program->ngpus));
}

static bool begin_tb(reader_t *reader, const char **pair)
{
    napcoll_msccl_t *program = reader->program;
    napcoll_msccl_gpu_t *gpu = &program->gpu[program->gpus - 1];
    napcoll_msccl_tb_t *tb;

    program->tb = napcoll_memory_grow(program->tb, (size_t) program->tbs, sizeof(*tb));
    tb = &program->tb[program->tbs++];
    *tb = (napcoll_msccl_tb_t){
        .line = line_of(reader), .gpu = gpu->id, .first_step = program->steps};
    return take_attributes(reader, pair, tb) && check_number(reader, "id", tb->id, gpu->tbs++)
           && ((tb->send < program->ngpus && tb->recv < program->ngpus && tb->send != gpu->id
                && tb->recv != gpu->id)
               || fail(reader, "send=\"%d\" recv=\"%d\": expected -1 or another of the %d ranks",
                       tb->send, tb->recv, program->ngpus));
}

/* What a step says must fit its type, its thread block and the buffers. */
static bool check_step(reader_t *reader, const napcoll_msccl_step_t *step)
{
    const napcoll_msccl_t *program = reader->program;
    const napcoll_msccl_tb_t *tb = &program->tb[step->tb];
    const bool reads = napcoll_msccl_reads(step->type) || NAPCOLL_MSCCL_S == step->type;
    const struct {
        const char *name;
        bool used;
        int buffer, at;
    } end[] = {{"srcoff", reads, step->srcbuf, step->srcoff},
               {"dstoff", napcoll_msccl_writes(step->type), step->dstbuf, step->dstoff}};

    if ((napcoll_msccl_sends(step->type) && tb->send < 0)
        || (napcoll_msccl_receives(step->type) && tb->recv < 0)) {
        return fail(reader, "type=\"%s\": its tb has %s=\"-1\"", napcoll_msccl_types[step->type],
                    napcoll_msccl_sends(step->type) && tb->send < 0 ? "send" : "recv");
    }
    if (napcoll_msccl_reads(step->type) && NAPCOLL_MSCCL_CPY != step->type
        && (NAPCOLL_MSCCL_ALLGATHER == program->coll || NAPCOLL_MSCCL_ALLTOALL == program->coll)) {
        return fail(reader, "type=\"%s\": the program of an %s reduces nothing",
                    napcoll_msccl_types[step->type], napcoll_msccl_colls[program->coll]);
    }
    if (0 == step->cnt && NAPCOLL_MSCCL_NOP != step->type) {
        return fail(reader, "cnt=\"0\": expected 1 or more");
    }
    for (int i = 0; i < 2; i++) {
        const int chunks = napcoll_msccl_chunks(program, step->gpu, end[i].buffer);

        if (end[i].used && (end[i].at < 0 || end[i].at > chunks - step->cnt)) {
            return fail(reader, "%s=\"%d\" cnt=\"%d\": buffer %s of gpu %d has %d chunks",
                        end[i].name, end[i].at, step->cnt, napcoll_msccl_buffers[end[i].buffer],
                        step->gpu, chunks);
        }
    }
    return (step->depid < 0) == (step->deps < 0)
           || fail(reader, "depid=\"%d\" deps=\"%d\": expected a tb and its step, or -1 twice",
                   step->depid, step->deps);
}

static bool begin_step(reader_t *reader, const char **pair)
{
    napcoll_msccl_t *program = reader->program;
    napcoll_msccl_tb_t *tb = &program->tb[program->tbs - 1];
    napcoll_msccl_step_t *step;

    if (MOST_STEPS == program->steps) {
        return fail(reader, "expected at most %d steps", MOST_STEPS);
    }
    program->step = napcoll_memory_grow(program->step, (size_t) program->steps, sizeof(*step));
    step = &program->step[program->steps++];
    *step = (napcoll_msccl_step_t){
        .line = line_of(reader), .gpu = tb->gpu, .tb = program->tbs - 1, .sender = -1};
    return take_attributes(reader, pair, step) && check_number(reader, "s", step->s, tb->steps++)
           && check_step(reader, step);
}

static void XMLCALL begin_element(void *context, const char *name, const char **pair)
{
    static bool (*const begin[DEPTHS])(reader_t * reader, const char **pair) = {
        begin_algo, begin_gpu, begin_tb, begin_step};
    reader_t *reader = context;

    if (reader->failed) {
        return;
    }
    if (DEPTHS == reader->depth || 0 != strcmp(name, elements[reader->depth])) {
        (void) fail(reader, "<%.40s>: expected %s%s%s", name, reader->depth < DEPTHS ? "<" : "",
                    reader->depth < DEPTHS ? elements[reader->depth] : "nothing in <step", ">");
    } else if (begin[reader->depth](reader, pair)) {
        reader->depth++;
    }
}

static void XMLCALL end_element(void *context, const char *name)
{
    reader_t *reader = context;

    (void) name;
    reader->depth--;
    if (!reader->failed && 0 == reader->depth && reader->program->gpus < reader->program->ngpus) {
        (void) fail(reader, "expected %d gpus, by ngpus; found %d", reader->program->ngpus,
                    reader->program->gpus);
    }
}

/* A document type could define entities without end. */
static void XMLCALL refuse_doctype(void *context, const char *name, const char *system_id,
                                   const char *public_id, int internal)
{
    (void) name;
    (void) system_id;
    (void) public_id;
    (void) internal;
    (void) fail((reader_t *) context, "expected no <!DOCTYPE>");
}

static bool parse(reader_t *reader, const char *text, size_t length)
{
    XML_Parser parser = reader->parser;
    enum XML_Error code;

    XML_SetUserData(parser, reader);
    XML_SetElementHandler(parser, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(parser, refuse_doctype);
    if (XML_STATUS_OK == XML_Parse(parser, text, (int) length, XML_TRUE)) {
        return true;
    }
    code = XML_GetErrorCode(parser);
    if (XML_ERROR_NO_MEMORY == code) {
        napcoll_out_of_memory();
    }
    return reader->failed
               ? false
               : fail(reader, "not XML: %s; is the file complete?", XML_ErrorString(code));
}

napcoll_msccl_t *napcoll_msccl_read(const char *text, size_t length,
                                    napcoll_plan_text_error_t *error)
{
    reader_t reader = {.parser = XML_ParserCreate(NULL), .error = error};
    bool good;

    if (NULL == reader.parser) {
        napcoll_out_of_memory();
    }
    reader.program = napcoll_allocate(1, sizeof(*reader.program));
    good = length <= INT_MAX && parse(&reader, text, length);
    XML_ParserFree(reader.parser);
    if (!good) {
        napcoll_msccl_free(reader.program);
        return NULL;
    }
    return reader.program;
}

#else

napcoll_msccl_t *napcoll_msccl_read(const char *text, size_t length,
                                    napcoll_plan_text_error_t *error)
{
    (void) text;
    (void) length;
    (void) napcoll_msccl_fail_at(error, 0, 0,
                                 "is XML, which this napcoll-plan was built without: install expat "
                                 "(Debian, Ubuntu: libexpat1-dev) and configure napcoll again");
    return NULL;
}

#endif
