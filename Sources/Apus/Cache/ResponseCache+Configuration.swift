import Glibc

extension ResponseCache {
    /// Where a cache is, and how large it may become.
    public struct Configuration: Sendable, Hashable {
        /// Tells caches in one folder apart; the default is the unnamed one.
        public var name: String
        /// The folder; the default is `$XDG_CACHE_HOME/apus`, else `~/.cache/apus`.
        public var directory: String
        /// Bytes that entries in memory may take.
        ///
        /// The default is 64 MiB.
        public var memoryCostLimit: Int
        /// How many entries there may be in memory.
        ///
        /// The default is 10,000.
        public var memoryCountLimit: Int
        /// Bytes that entries on disk may take.
        ///
        /// The default is 512 MiB.
        public var diskLimit: Int
        /// How many entries there may be on disk; by default as many as fit.
        public var diskCountLimit: Int
        /// The part of a limit of the disk's that is left when it was passed.
        ///
        /// The default is 0.9; memory always gives up just what it must.
        public var evictionFraction: Double

        /// Makes a configuration; what is not given has its default.
        public init(
            name: String = "",
            directory: String? = nil,
            memoryCostLimit: Int = 64 << 20,
            memoryCountLimit: Int = 10_000,
            diskLimit: Int = 512 << 20,
            diskCountLimit: Int = .max,
            evictionFraction: Double = 0.9
        ) {
            self.name = name
            self.directory = directory ?? Self.standardDirectory
            self.memoryCostLimit = memoryCostLimit
            self.memoryCountLimit = memoryCountLimit
            self.diskLimit = diskLimit
            self.diskCountLimit = diskCountLimit
            self.evictionFraction = min(max(evictionFraction, 0), 1)
        }

        /// `$XDG_CACHE_HOME/apus`, else `~/.cache/apus`.
        public static var standardDirectory: String {
            StandardFolders.cache
        }

        /// The folder of the cache of this name.
        var folder: String {
            // Escaped, so that a name with a slash or dots stays one folder.
            name.isEmpty ? directory : "\(directory)/cache-\(PercentEncoding.component(name))"
        }
    }
}
