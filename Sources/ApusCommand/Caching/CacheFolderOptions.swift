import Apus
import ArgumentParser

/// Which cache.
struct CacheFolderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The cache's folder. Default: the explorer's.", valueName: "folder"),
        completion: .directory
    )
    var cacheFolder: String?

    /// The cache, not yet opened.
    var cache: ResponseCache {
        ResponseCache(configuration: ResponseCache.Configuration(directory: cacheFolder))
    }
}
