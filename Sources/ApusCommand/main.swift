import Apus
import ArgumentParser
import Glibc
import Recordings
import Terminal

StandardDescriptors.openClosed()
// A file beyond its limit (`ulimit -f`) is a failed write, not the end.
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
    case let failure as CommandFailure:
        StandardError.write("apus: \(failure)")
        return ExitStatus.usage
    case let fault as WorkspaceFault:
        StandardError.write("apus: \(fault.description)")
        return ExitStatus.usage
    case let error as RecordingError:
        StandardError.write("apus: \(error)")
        return ExitStatus.usage
    case let fault as SessionFault:
        StandardError.write("apus: \(fault)")
        return ExitStatus.usage
    case let error as ApusError:
        StandardError.write("apus: \(error.message)")
        return ExitStatus.of(error)
    default:
        widenHelp()
        let message = RootCommand.fullMessage(for: error)
        guard RootCommand.exitCode(for: error).isSuccess else {
            if !message.isEmpty { StandardError.write(message) }
            return (error as? ExitCode)?.rawValue ?? ExitStatus.usage
        }
        // Help, the version, a completion script: they are the output that was asked for.
        do {
            try StandardOutput.print(message)
            return 0
        } catch {
            return tell(error)
        }
    }
}

/// Has help be told in as many columns as it needs.
///
/// In fewer than its indentation swift-argument-parser ends the process. It asks `COLUMNS` before
/// the terminal, and nobody after it does.
func widenHelp() {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    setenv("COLUMNS", String(isKnown ? max(40, Int(size.ws_col)) : 80), 1)
}

/// Ends the process without the exit handlers of libraries.
///
/// OpenSSL's would take its tables from under the transport's thread. Answers that the disk has
/// yet to get are waited for.
func leave(_ status: Int32) -> Never {
    fflush(nil)
    ExitFlush.run()
    _exit(status)
}
