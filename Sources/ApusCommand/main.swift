import Apus
import ArgumentParser
import Glibc

// The explorer needs the main thread for itself, so nothing here is async.
do {
    var command = try RootCommand.parseAsRoot()
    try command.run()
} catch let failure as CommandFailure {
    StandardError.write("apus: \(failure)")
    exit(ExitStatus.usage)
} catch let error as ApusError {
    StandardError.write("apus: \(FailureText.line(for: error))")
    exit(ExitStatus.of(error))
} catch {
    let message = RootCommand.fullMessage(for: error)
    if RootCommand.exitCode(for: error).isSuccess {
        print(message)
        exit(0)
    }
    if !message.isEmpty { StandardError.write(message) }
    exit((error as? ExitCode)?.rawValue ?? ExitStatus.usage)
}
