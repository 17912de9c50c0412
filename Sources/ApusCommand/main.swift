import Apus
import ArgumentParser
import Glibc
import Recordings
import SessionBuckets
import Terminal
import Workspaces

StandardDescriptors.openClosed()
RunningProgram.isCommandLine = true
// Writing past the file size limit (`ulimit -f`) fails instead of ending the process.
signal(SIGXFSZ, SIG_IGN)
// The explorer needs the main thread for itself, so nothing here is async.
do {
    try DescriptorLimit.check()
    try RootCommand.run(Array(CommandLine.arguments.dropFirst()))
    leave(0)
} catch {
    leave(tell(error))
}

/// Reports the error that ended the command; returns the exit status.
func tell(_ error: any Error) -> Int32 {
    switch error {
    case let failure as CommandError where failure.isBrokenPipe: return ExitStatus.brokenPipe
    case let failure as UsageError:
        widenHelp()
        StandardError.write("apus: \(failure.message)\n\(failure.usage)")
        return ExitStatus.usage
    case is CommandError, is WorkspaceError, is RecordingError, is SessionFileError, is ReplayError,
        is ObjectStoreError:
        StandardError.write("apus: \(error)")
        return ExitStatus.usage
    case let error as ApusError:
        StandardError.write("apus: \(error.commandMessage)")
        return ExitStatus.of(error)
    default:
        widenHelp()
        let message = RootCommand.fullMessage(for: error)
        guard RootCommand.exitCode(for: error).isSuccess else {
            if !message.isEmpty { StandardError.write(GivenArguments.hidden(in: message)) }
            return (error as? ExitCode)?.rawValue ?? ExitStatus.usage
        }
        // Help, the version and completion scripts are regular output.
        do {
            try StandardOutput.print(message)
            return 0
        } catch {
            return tell(error)
        }
    }
}

/// Sets `COLUMNS`, so that help is formatted for at least 40 columns.
///
/// swift-argument-parser crashes if there are fewer columns than its indentation. It reads `COLUMNS` before it
/// asks the terminal, and nothing reads the variable later.
func widenHelp() {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    setenv("COLUMNS", String(isKnown ? max(40, Int(size.ws_col)) : 80), 1)
}

/// Ends the process without the exit handlers of libraries.
///
/// OpenSSL's handler would free tables that the transport's thread still uses. Waits until cached responses
/// are on disk.
func leave(_ status: Int32) -> Never {
    fflush(nil)
    ExitFlush.run()
    _exit(status)
}
