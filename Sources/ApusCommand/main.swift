import Apus
import ArgumentParser
import Glibc

// The explorer needs the main thread for itself, so nothing here is async.
do {
    var command = try RootCommand.command(of: Array(CommandLine.arguments.dropFirst()))
    try command.run()
    leave(0)
} catch let failure as CommandFailure {
    StandardError.write("apus: \(failure)")
    leave(ExitStatus.usage)
} catch let error as ApusError {
    StandardError.write("apus: \(FailureText.line(for: error))")
    leave(ExitStatus.of(error))
} catch {
    let message = RootCommand.fullMessage(for: error)
    if RootCommand.exitCode(for: error).isSuccess {
        print(message)
        leave(0)
    }
    if !message.isEmpty { StandardError.write(message) }
    leave((error as? ExitCode)?.rawValue ?? ExitStatus.usage)
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
