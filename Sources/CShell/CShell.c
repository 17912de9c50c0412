#define _GNU_SOURCE

#include "CShell.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

int cshell_pipe(int32_t ends[2]) { return pipe2(ends, O_CLOEXEC); }

static int start(
    const char *command, const char *folder, int32_t input, int32_t output, int32_t errors,
    int32_t *process, posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    int failure = folder ? posix_spawn_file_actions_addchdir_np(actions, folder) : 0;
    if (failure) return failure;
    posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO);
    // Not all libraries set close-on-exec, and a command must inherit none of their descriptors.
    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    char *arguments[] = {"sh", "-c", (char *)command, NULL};
    pid_t child = 0;
    failure = posix_spawn(&child, "/bin/sh", actions, attributes, arguments, environ);
    *process = child;
    return failure;
}

int cshell_start(
    const char *command, const char *folder, int32_t input, int32_t output, int32_t errors,
    int32_t *process)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int failure = posix_spawnattr_init(&attributes);
    if (failure) return failure;
    failure = posix_spawn_file_actions_init(&actions);
    if (!failure) {
        failure = start(command, folder, input, output, errors, process, &attributes, &actions);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return failure;
}
