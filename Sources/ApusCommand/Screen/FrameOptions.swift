import ArgumentParser
import Explorer
import Glibc
import Terminal

/// The explorer without a terminal: keys from a file, frames to another.
struct FrameOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show nothing: write what would be on the screen, at first and after each line of --keys, to a file.",
            valueName: "file"
        ),
        completion: .file()
    )
    var frames: String?

    @Option(
        help: ArgumentHelp(
            """
            What is typed for --frames, line by line: names of keys as in `apus keys`, texts in quotes, \
            size:80x24, wait:500ms, paste:"text".
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var keys: String?

    @Option(help: ArgumentHelp("The screen's size for --frames.", valueName: "columnsxrows"))
    var size = "120x36"

    @Flag(help: "Write the colours of --frames, too, as `less -R` shows them.")
    var color = false

    func validate() throws {
        guard (frames == nil) == (keys == nil) else {
            throw ValidationError("--frames and --keys need one another.")
        }
        guard KeyScript.size(size) != nil else {
            throw ValidationError("--size takes columns and rows, as 120x36, not “\(size)”.")
        }
    }

    /// What is to be played; nil for the explorer on the terminal.
    var wish: ExplorerProgram.Frames? {
        get throws {
            guard frames != nil, let keys, let size = KeyScript.size(size) else { return nil }
            guard let file = fopen(keys, "re") else {
                throw CommandFailure("\(keys): \(systemMessage(errno))")
            }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: Self.limit)
            let count = fread(&bytes, 1, Self.limit, file)
            guard ferror(file) == 0 else {
                throw CommandFailure("\(keys): \(systemMessage(errno))")
            }
            do throws(KeyScript.Fault) {
                let script = try KeyScript(String(decoding: bytes[..<count], as: UTF8.self))
                return ExplorerProgram.Frames(script: script, size: size, isColored: color)
            } catch {
                throw CommandFailure("\(keys):\(error.line): \(error.problem)")
            }
        }
    }

    private static let limit = 1 << 20

    /// Plays it and writes the frames; gives the exit status.
    @MainActor
    func write(_ wish: ExplorerProgram.Frames, of program: ExplorerProgram) throws -> Int32 {
        let played: (text: String, status: Int32)
        do throws(ScreenStartError) {
            played = try program.play(wish)
        } catch {
            throw CommandFailure(error.text)
        }
        guard let frames else { return 0 }
        // Colours are what was asked for; of text, a terminal gets what it may have.
        try OutputFile(path: frames, content: color ? .bytes(force: true) : .text)
            .write { output in try output.write(played.text) }
        return played.status
    }
}
