// swift-tools-version: 6.2
import PackageDescription

// `make` says so: the next compiler's warnings are no errors for who depends on a folder with this package.
let warnings: [SwiftSetting] =
    Context.environment["APUS_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let strict: [SwiftSetting] =
    warnings + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

// What belongs to a trait alone: without it, its package is not fetched.
func product(_ name: String, _ package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}
let argumentParser = product("ArgumentParser", "swift-argument-parser", for: "Explorer")
let histogram = product("Histogram", "hdrhistogram-swift", for: "Explorer")
let nioCore = product("NIOCore", "swift-nio", for: "Explorer")
let nioEmbedded = product("NIOEmbedded", "swift-nio", for: "Explorer")
let nioPosix = product("NIOPosix", "swift-nio", for: "Explorer")
let openCombine = product("OpenCombine", "OpenCombine", for: "Publishers")

// Arrows go down only: a target names what it may import, and nothing else resolves.
let package = Package(
    name: "Apus",
    products: [
        .library(name: "Apus", targets: ["Apus"]),
        .library(name: "ApusReactive", targets: ["ApusReactive"]),
        .library(name: "Recordings", targets: ["Recordings"]),
        .library(name: "Sharing", targets: ["Sharing"]),
        .library(name: "Explorer", targets: ["Explorer"]),
        .library(name: "TreeView", targets: ["TreeView"]),
        .library(name: "Documents", targets: ["Documents"]),
        .executable(name: "apus", targets: ["ApusCommand"]),
    ],
    // `traits: []` is the engine, its documents and recordings, for which two packages suffice.
    traits: [
        .trait(name: "Explorer", description: "The product Explorer and the program apus"),
        .trait(name: "Publishers", description: "The product ApusReactive"),
        .default(enabledTraits: ["Explorer", "Publishers"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        // C libraries
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CNettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "CNcurses",
            linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]
        ),
        .target(name: "CScan"),
        // Compiles Debian's stb_image.h (libstb-dev).
        .target(name: "CImage"),
        // Calls that Swift's Glibc has not.
        .target(name: "CFile"),
        // Starts a shell's command, for a value, a body to go through or the clipboard.
        .target(name: "CShell"),
        // Opens libraries when they are first needed; `system` is where Debian has libxml2's headers.
        .target(name: "CLoader"),
        .target(name: "CPCRE2", dependencies: ["CLoader"]),
        .target(name: "CIDN2", dependencies: ["CLoader"]),
        .target(name: "CHiredis", dependencies: ["CLoader"]),
        .target(
            name: "CDecoders",
            dependencies: ["CLoader"],
            linkerSettings: [.linkedLibrary("z")]
        ),
        .target(name: "CGumbo", dependencies: ["CLoader"]),
        .target(
            name: "CLibXML2",
            dependencies: ["CLoader"],
            cSettings: [.headerSearchPath("system")]
        ),

        // Bytes to trees
        .target(
            name: "Documents",
            dependencies: [
                "CScan", "CPCRE2", "CGumbo", "CLibXML2", "CYAML",
                .product(name: "BitCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),

        // Names of secrets, finders, masks
        .target(
            name: "Secrets",
            dependencies: [
                "Documents", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),

        // Files of rows
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: strict),

        // The engine
        .target(
            name: "Apus",
            dependencies: [
                "CCurl",
                "CDecoders",
                "CFile",
                "CIDN2",
                "CImage",
                "CNettle",
                "Documents",
                "Secrets",
                "SQLite",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "BitCollections", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ApusReactive",
            dependencies: [
                "Apus", "Documents", openCombine,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),

        // Files
        .target(
            name: "Recordings",
            dependencies: ["Apus", "Documents", "Secrets", "SQLite"],
            swiftSettings: strict
        ),
        // Beyond one machine
        .target(
            name: "Sharing",
            dependencies: [
                "Apus", "CHiredis", "CZlib", "Documents", "Recordings",
                .product(name: "BitCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "HTTPServing",
            dependencies: [
                "Documents",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                nioCore,
                nioPosix,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Servers",
            dependencies: [
                "Apus", "Documents", "HTTPServing", "Recordings", "Secrets",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                nioCore,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Workspaces",
            dependencies: [
                "Apus", "CShell", "Documents", "Secrets", "Sharing",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),

        // Files of other programs as workspaces, and workspaces as theirs
        .target(
            name: "Interchange",
            dependencies: [
                "Workspaces", "Apus", "Documents", "Secrets",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),

        // Sessions in buckets of S3
        .target(
            name: "SessionBuckets",
            dependencies: [
                "Workspaces", "Recordings", "Apus", "Documents",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),

        // The screen
        .target(
            name: "Themes",
            path: "Themes",
            resources: [.embedInCode("builtin")],
            swiftSettings: strict
        ),
        .target(
            name: "Terminal",
            dependencies: ["CNcurses", "CShell", "Documents", "Themes"],
            swiftSettings: strict
        ),
        .target(
            name: "TreeView",
            dependencies: ["Terminal", "Documents"],
            swiftSettings: strict
        ),

        // The program
        .target(
            name: "DemoAPI",
            dependencies: [
                "CZlib", "Documents", "HTTPServing",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Explorer",
            dependencies: [
                "Terminal", "TreeView", "Recordings", "Interchange", "Workspaces", "Apus",
                "Documents", "Secrets", "Sharing",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                histogram,
            ],
            swiftSettings: strict
        ),
        .target(name: "CLazyCurl", dependencies: ["CLoader"]),
        .executableTarget(
            name: "ApusCommand",
            dependencies: [
                "Explorer", "DemoAPI", "Documents", "HTTPServing", "Interchange", "Recordings",
                "Secrets", "Servers", "SessionBuckets", "Sharing", "Workspaces", "Apus", "Terminal",
                "TreeView", "CLazyCurl", argumentParser,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["startup.order"],
            swiftSettings: strict,
            // lld folds what is the same and exports nothing: 5 MB less, and 1 ms earlier.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-use-ld=lld", "-Xlinker", "--icf=all", "-Xlinker", "--gc-sections",
                        "-Xlinker", "--no-export-dynamic", "-Xclang-linker", "-static-libgcc",
                    ],
                    .when(configuration: .release)
                )
            ]
        ),

        // Tests, one target for each module, and what they share
        .target(
            name: "CTerminalHarness",
            path: "Tests/CTerminalHarness",
            linkerSettings: [.linkedLibrary("vterm"), .linkedLibrary("util")]
        ),
        .target(
            name: "TestSupport",
            dependencies: ["Terminal"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "DocumentsTests",
            dependencies: ["Documents", "CScan", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SQLiteTests",
            dependencies: ["SQLite", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SecretsTests",
            dependencies: [
                "Secrets", "Documents", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ApusTests",
            dependencies: [
                "Apus", "CCurl", "CZlib", "DemoAPI", "Documents", "Secrets", "SQLite",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ApusReactiveTests",
            dependencies: [
                "ApusReactive", "Apus", "Documents", openCombine,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RecordingsTests",
            dependencies: [
                "Recordings", "Apus", "Secrets", "SQLite", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SharingTests",
            dependencies: [
                "Sharing", "Recordings", "Apus", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ServersTests",
            dependencies: [
                "Servers", "HTTPServing", "Recordings", "Apus", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                nioCore,
                nioEmbedded,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WorkspacesTests",
            dependencies: [
                "Workspaces", "Apus", "Documents", "Secrets", "Sharing", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "InterchangeTests",
            dependencies: [
                "Interchange", "Workspaces", "Apus", "Documents", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TerminalTests",
            dependencies: ["Terminal", "TestSupport", "Themes"],
            swiftSettings: strict
        ),
        // With the explorer's services, which read images and mask secrets.
        .testTarget(
            name: "TreeViewTests",
            dependencies: ["TreeView", "Documents", "Explorer", "Terminal", "TestSupport"],
            exclude: ["Snapshots"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DemoAPITests",
            dependencies: ["DemoAPI", "Documents", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ExplorerTests",
            dependencies: [
                "Explorer", "Terminal", "TreeView", "Recordings", "Apus", "Documents",
                "Secrets", "Sharing", "TestSupport", "Workspaces", "Interchange",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Snapshots"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ApusCommand", "Apus", "CTerminalHarness", "Documents", "Explorer",
                "ExplorerExample", "HTTPServing", "Recordings", "Servers", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Cases"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionBucketsTests",
            dependencies: [
                "SessionBuckets", "Recordings", "Workspaces", "Apus", "Documents", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        // What the page on the explorer shows; a story runs it.
        .executableTarget(
            name: "ExplorerExample",
            dependencies: [
                "Apus", "Explorer", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Examples/Explorer",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "LoadBenchmark",
            dependencies: ["Apus"],
            path: "Tests/Benchmarks/Load",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "CacheBenchmark",
            dependencies: [
                "Apus", "CSQLite", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Benchmarks/Cache",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "SharedBenchmark",
            dependencies: [
                "Apus", "CHiredis", "Sharing",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Benchmarks/Shared",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "HistoryBenchmark",
            dependencies: [
                "Apus", "Recordings", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Benchmarks/History",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "DocumentBenchmarks",
            dependencies: ["Documents"],
            path: "Tests/Benchmarks/Documents",
            swiftSettings: strict
        ),
    ]
)

// `make fuzz` alone builds it: its main function is libFuzzer's, so that of the program stays out.
if Context.environment["APUS_FUZZ"] != nil {
    package.products.removeAll { $0.name == "apus" }
    package.targets.removeAll { ["ApusCommand", "EndToEndTests"].contains($0.name) }
    package.targets += [
        .target(
            name: "ApusCommand",
            sources: ["Pipe/LineSplitter.swift"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Fuzzer",
            dependencies: [
                "ApusCommand", "Apus", "Documents", "Explorer", "HTTPServing", "Interchange",
                "Recordings", "SQLite", "Secrets", "Servers", "Terminal", "TreeView", "Workspaces",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Fuzz",
            exclude: ["Dictionaries", "Seeds", "run"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]
        ),
    ]
}
