/* The log function: messages of each level, and its end while another thread calls it. */
#include <molehill.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *what) {
    fprintf(stderr, "log.c:%d: %s\n", line, what);
    exit(1);
}

/* What the log function needs; freed when it is not called any more. */
typedef struct {
    atomic_int calls;
    int level;
    char message[200];
} Heard;

static void hear(void *user_data, int32_t level, const char *target, const char *message) {
    Heard *heard = user_data;
    CHECK(strncmp(target, "molehill_c", 10) == 0);
    heard->level = (int)level;
    snprintf(heard->message, sizeof heard->message, "%s", message);
    heard->calls++;
}

/* An error of the program: createTexture with an unknown format. */
static void raise_error(MolehillContext context) {
    MolehillTexture texture;
    MolehillStatus status = molehill_context_create_texture(context, 8, 8, "none", 0, 0, &texture);
    CHECK(status == MOLEHILL_STATUS_FLASH_ERROR);
}

static MolehillContext make_context(MolehillDevice *device) {
    MolehillContext context;
    MolehillContextOptions options = {.struct_size = sizeof options, .profile = "baseline", .swf_version = 30};
    CHECK(molehill_device_software(NULL, device) == MOLEHILL_STATUS_OK);
    CHECK(molehill_context_create(*device, &options, &context) == MOLEHILL_STATUS_OK);
    return context;
}

static void levels(void) {
    Heard heard = {0};
    MolehillDevice device;
    MolehillContext context = make_context(&device);
    CHECK(molehill_set_log(hear, &heard, MOLEHILL_LOG_LEVEL_WARN) == MOLEHILL_STATUS_OK);
    raise_error(context);
    CHECK(heard.calls == 0);
    CHECK(molehill_set_log(hear, &heard, MOLEHILL_LOG_LEVEL_INFO) == MOLEHILL_STATUS_OK);
    raise_error(context);
    CHECK(heard.calls == 1 && heard.level == MOLEHILL_LOG_LEVEL_INFO);
    CHECK(strcmp(heard.message, "ArgumentError: Error #2008: Parameter textureFormat must be one of the accepted values.") == 0);
    molehill_context_destroy(context);
    molehill_device_destroy(device);
}

static atomic_int inside;

static void wait_a_little(void) {
    nanosleep(&(struct timespec){0, 50000000}, NULL);
}

/* Uses its data for a while; calls Molehill itself, with an error. */
static void hear_slowly(void *user_data, int32_t level, const char *target, const char *message) {
    Heard *heard = user_data;
    uint64_t number;
    inside = 1;
    wait_a_little();
    CHECK(molehill_object_user_data((MolehillObject){12345}, &number) == MOLEHILL_STATUS_BAD_HANDLE);
    MolehillDevice device;
    MolehillContext context = make_context(&device);
    raise_error(context);
    molehill_context_destroy(context);
    molehill_device_destroy(device);
    hear(heard, level, target, message);
}

static void *log_something(void *data) {
    MolehillDevice device;
    MolehillContext context = make_context(&device);
    (void)data;
    raise_error(context);
    molehill_context_destroy(context);
    molehill_device_destroy(device);
    return NULL;
}

/* Frees the data as soon as the log function is not set any more. */
static void end_while_it_runs(MolehillLog next) {
    Heard *heard = calloc(1, sizeof *heard);
    pthread_t thread;
    inside = 0;
    molehill_set_log(hear_slowly, heard, MOLEHILL_LOG_LEVEL_INFO);
    pthread_create(&thread, NULL, log_something, NULL);
    while (!inside)
        sched_yield();
    CHECK(molehill_set_log(next, NULL, MOLEHILL_LOG_LEVEL_INFO) == MOLEHILL_STATUS_OK);
    CHECK(heard->calls == 1);
    memset(heard, 0xEE, sizeof *heard);
    free(heard);
    pthread_join(thread, NULL);
}

static void hear_nothing(void *user_data, int32_t level, const char *target, const char *message) {
    (void)user_data, (void)level, (void)target, (void)message;
}

/* Two threads end the log in the log function: neither waits for the other. */
static void end_itself(void *user_data, int32_t level, const char *target, const char *message) {
    (void)level, (void)target, (void)message;
    atomic_int *both = user_data;
    ++*both;
    while (*both < 2)
        sched_yield();
    CHECK(molehill_set_log(NULL, NULL, 0) == MOLEHILL_STATUS_OK);
}

int main(void) {
    static atomic_int both;
    pthread_t threads[2];
    levels();
    end_while_it_runs(NULL);
    end_while_it_runs(hear_nothing);
    molehill_set_log(end_itself, &both, MOLEHILL_LOG_LEVEL_INFO);
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, log_something, NULL);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
