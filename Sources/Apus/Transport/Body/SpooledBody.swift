import Glibc

/// Bodies in the spool folder, for the modules above this one.
package enum SpooledBody {
    /// A descriptor gave more than so many bytes.
    package struct TooLarge: Error {
        /// How many there may be.
        package let limit: Int
    }

    /// A new file that only its owner may read, with the bytes that `fill` hands out.
    ///
    /// - Throws: `ApusError` with the reason `.file`, and what `fill` throws.
    package static func file(
        _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> BodyFile {
        let writer = try SpoolFolder.at(nil).makeFile()
        try fill { try writer.write($0) }
        return writer.temporaryFile()
    }

    /// What is left of a descriptor, behind the bytes that were read of it before.
    ///
    /// - Throws: `TooLarge` above the limit; `ApusError` with the reason `.file`, in which the
    ///   descriptor has the name that is given.
    package static func reading(
        _ descriptor: Int32,
        named name: String,
        after start: [UInt8],
        limit: Int
    ) throws -> BodyFile {
        try file { write in
            try start.withUnsafeBytes { try write($0) }
            var count = start.count
            var piece = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let read = Glibc.read(descriptor, &piece, piece.count)
                if read < 0, errno == EINTR { continue }
                guard read >= 0 else { throw ApusError(.file(path: name, errno: errno)) }
                if read == 0 { return }
                count += read
                guard count <= limit else { throw TooLarge(limit: limit) }
                try piece.withUnsafeBytes { try write(.init(rebasing: $0[..<read])) }
            }
        }
    }
}
