import Glibc

/// The built program on a pseudo-terminal, and the very bytes that the terminal got of it.
struct TerminalOutput {
    let status: EndStatus
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Runs `apus` with all three standard descriptors on a terminal, and waits for its end.
    static func run(_ arguments: [String], files: PrivateFiles) throws -> TerminalOutput {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, 0)
        // Linux's own numbers of TIOCSPTLCK and TIOCGPTN, which Swift does not see.
        guard main >= 0, ioctl(main, 0x4004_5431, &lock) == 0,
            ioctl(main, 0x8004_5430, &number) == 0
        else { throw NoTerminal(errno: errno) }
        let name = "/dev/pts/\(number)"
        defer { close(main) }
        var size = winsize(ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(main, UInt(TIOCSWINSZ), &size)
        // Kept open until the program has ended: without it the terminal would hang up at once.
        let other = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw NoTerminal(errno: errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, name, O_RDWR | O_NOCTTY, 0)
        }
        let child = try PipedProgram.start([BuiltProgram.path] + arguments, in: files, &actions)
        close(other)
        let bytes = read(main)
        return TerminalOutput(status: PipedProgram.wait(for: child), bytes: bytes)
    }

    /// Everything until nobody has the terminal open any more.
    private static func read(_ main: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(main, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }

    /// What a terminal would obey or hide, or pile up, beside the sequences that the program writes itself:
    /// colours, and the progress line's return.
    var harm: [String] {
        var text = self.text
        for own in ["\r\u{1B}[K", "\u{1B}[0m"] + (31...34).map({ "\u{1B}[\($0)m" }) {
            text = text.replacing(own, with: "")
        }
        var marks = 0
        var found: [String] = []
        for scalar in text.unicodeScalars {
            marks = scalar.value == 0x301 ? marks + 1 : 0
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x20..<0x7F: break
            case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x061C, 0x200B...0x200F, 0x202A...0x202E,
                0x2060...0x206F, 0xFE00...0xFE0F, 0xFEFF, 0xE0000...0xE0FFF:
                found.append("U+" + String(scalar.value, radix: 16, uppercase: true))
            default: if marks == 5 { found.append("a tower of marks") }
            }
        }
        return found
    }
}
