// swift-tools-version: 6.2
import PackageDescription

// Apart from the project's package: its dependencies take minutes to build, and only `transport --rivals` needs them.
let package = Package(
    name: "Rivals",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    ],
    targets: [
        .executableTarget(
            name: "AsyncHTTPClientLoad",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(name: "URLSessionLoad"),
    ]
)
