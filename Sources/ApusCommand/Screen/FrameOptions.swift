import ArgumentParser
import Explorer
import Glibc
import Terminal

/// Runs the explorer without a terminal: keys from one file, frames to another.
struct FrameOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Run without a terminal: write the screen to this file at the start and after each line \
            of --keys.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var frames: String?

    @Option(
        help: ArgumentHelp(
            """
            The input for --frames, line by line: key names as in `apus keys`, text in quotes, \
            size:80x24, wait:500ms, paste:"text".
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var keys: String?

    @Option(help: ArgumentHelp("The screen's size for --frames.", valueName: "columnsxrows"))
    var size = "120x36"

    @Flag(help: "Write --frames with colors, for `less -R`.")
    var color = false

    func validate() throws {
        guard (frames == nil) == (keys == nil) else {
            throw ValidationError("--frames and --keys must be used together.")
        }
        guard KeyScript.size(size) != nil else {
            throw ValidationError("--size takes columns and rows, such as 120x36, not “\(size)”.")
        }
    }

    /// The key script to play; nil to run the explorer on the terminal.
    var wish: ExplorerProgram.Frames? {
        get throws {
            guard frames != nil, let keys, let size = KeyScript.size(size) else { return nil }
            guard let file = fopen(keys, "re") else {
                throw CommandError("\(keys): \(systemMessage(errno))")
            }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: Self.limit + 1)
            let count = fread(&bytes, 1, Self.limit + 1, file)
            guard ferror(file) == 0 else {
                throw CommandError("\(keys): \(systemMessage(errno))")
            }
            guard count <= Self.limit else {
                throw CommandError("\(keys): it is larger than \(Self.limit >> 20) MiB")
            }
            do throws(KeyScriptError) {
                let script = try KeyScript(String(decoding: bytes[..<count], as: UTF8.self))
                return ExplorerProgram.Frames(script: script, size: size, isColored: color)
            } catch {
                throw CommandError("\(keys):\(error.line): \(error.problem)")
            }
        }
    }

    /// The largest script in bytes, because a device or a pipe may have no end.
    private static let limit = 1 << 20

    /// Plays the script and writes the frames; returns the exit status.
    @MainActor
    func write(_ wish: ExplorerProgram.Frames, of program: ExplorerProgram) throws -> Int32 {
        let played: (text: String, status: Int32)
        do throws(ScreenStartError) {
            played = try program.play(wish)
        } catch {
            throw CommandError(error.text)
        }
        guard let frames else { return 0 }
        // With `--color` escape sequences are intended; without it, text is made safe for a terminal.
        try OutputFile(path: frames, content: color ? .bytes(force: true) : .text)
            .write { output in try output.write(played.text) }
        return played.status
    }
}
