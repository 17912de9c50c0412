/// A redis-server on a Unix socket in a folder of its own, which a test starts, kills and starts again.
///
/// It ends with the test process at the latest.
package final class RedisServer: Sendable {
    private let holder: TemporaryFolder
    private let options: String

    private var folder: String { holder.path }
    package var socket: String { "\(folder)/redis.sock" }
    package var url: String { "unix://\(socket)" }

    /// Starts it with further options of redis-server, and returns when it responds.
    package init(_ options: String = "", isStarted: Bool = true) throws {
        (holder, self.options) = (TemporaryFolder(), options)
        if isStarted { try start() }
    }

    deinit { try? kill() }

    /// Starts it, empty.
    package func start() throws {
        try Shell.start(
            """
            cd '\(folder)' || exit
            redis-server --port 0 --unixsocket '\(socket)' --save '' --appendonly no --dir '\(folder)' \
              --pidfile '\(folder)/pid' --daemonize yes --logfile '\(folder)/log' \(options) \
              </dev/null >/dev/null || exit
            until redis-cli -s '\(socket)' ping 2>&1 | grep -q -e PONG -e NOAUTH; do sleep 0.01; done
            own=$(cat pid); echo ready; cat >/dev/null
            [ "$(cat pid 2>/dev/null)" = "$own" ] && kill "$own"
            """
        )
    }

    /// Ends it at once, as a failing machine would.
    package func kill() throws {
        try Shell.run(
            """
            cd '\(folder)' && [ -f pid ] || exit 0
            own=$(cat pid); rm pid; kill -9 "$own"
            while kill -0 "$own" 2>/dev/null; do sleep 0.01; done; rm -f redis.sock
            """
        )
    }

    /// Sends a command by redis-cli.
    package func send(_ command: String) throws {
        try Shell.run("redis-cli -s '\(socket)' --no-auth-warning \(command)")
    }
}
