// swift-tools-version: 6.2
import PackageDescription

// A stranger's package, with the settings that a package has by default: everything in the README and
// in the articles that is Swift must compile here without a warning, and what can run without a network
// runs.
let apus: [Target.Dependency] = [
    "Apus", "ApusReactive", "Documents", "Explorer", "Recordings", "Sharing", "TreeView",
]
.map { .product(name: $0, package: "Apus") }

func consumer(_ name: String, _ mode: SwiftLanguageMode) -> Target {
    .executableTarget(
        name: name,
        dependencies: apus + [
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "OpenCombine", package: "OpenCombine"),
        ],
        swiftSettings: [.swiftLanguageMode(mode), .treatAllWarnings(as: .error)],
        plugins: ["Snippets"]
    )
}

let package = Package(
    name: "Consumer",
    dependencies: [
        .package(name: "Apus", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        consumer("Swift5", .v5),
        consumer("Swift6", .v6),
        .testTarget(
            name: "CassetteTests",
            dependencies: apus + [.product(name: "HTTPTypes", package: "swift-http-types")],
            exclude: ["Fixtures"]
        ),
        // The tests in the articles.
        .testTarget(name: "ArticleTests", dependencies: apus, plugins: ["Snippets"]),
        .testTarget(
            name: "TreeTests",
            dependencies: [.product(name: "TreeView", package: "Apus")]
        ),
        .plugin(name: "Snippets", capability: .buildTool(), dependencies: ["Extract"]),
        .executableTarget(name: "Extract"),
    ]
)
