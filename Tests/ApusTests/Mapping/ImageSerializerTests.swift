import Apus
import FoundationEssentials
import Testing

@Suite("Responses as images")
struct ImageSerializerTests {
    @Test(
        "format and size are told by the bytes, whatever the Content-Type says",
        arguments: [
            (ImageFixtures.png, ImageFormat.png, 2, 3),
            (ImageFixtures.bmp, .bmp, 2, 3),
            (ImageFixtures.jpeg, .jpeg, 16, 8),
            (ImageFixtures.gif, .gif, 5, 7),
            (ImageFixtures.losslessWebP, .webp, 5, 7),
            (ImageFixtures.lossyWebP, .webp, 5, 7),
            (ImageFixtures.extendedWebP, .webp, 5, 7),
            (ImageFixtures.avif, .avif, 5, 7),
            (ImageFixtures.ico, .ico, 5, 7),
        ]
    )
    func formats(base64: String, format: ImageFormat, width: Int, height: Int) throws {
        let bytes = ImageFixtures.bytes(base64)
        let image = try Response.make(bytes, type: "text/plain").value(using: .image)
        #expect(image.format == format)
        #expect(image.size == ImageSize(width: width, height: height))
        #expect(image.byteCount == bytes.count)
        #expect((image.pixels?.count == width * height * 4) == format.hasReadablePixels)
    }

    @Test("pixels are red, green, blue and alpha, row by row from the top")
    func pixels() throws {
        for base64 in [ImageFixtures.png, ImageFixtures.bmp] {
            let image = try Response.make(ImageFixtures.bytes(base64)).value(using: .image)
            #expect(try #require(image.pixel(x: 0, y: 0)) == (255, 0, 0, 255))
            #expect(try #require(image.pixel(x: 1, y: 0)) == (0, 255, 0, 255))
            #expect(try #require(image.pixel(x: 1, y: 1)) == (255, 255, 255, 128))
            #expect(try #require(image.pixel(x: 0, y: 2)) == (0, 0, 0, 255))
            #expect(image.pixel(x: 2, y: 0) == nil)
            #expect(image.pixel(x: 0, y: -1) == nil)
        }
        let gif = try Response.make(ImageFixtures.bytes(ImageFixtures.gif)).value(using: .image)
        #expect(try #require(gif.pixel(x: 4, y: 6)) == (1, 2, 3, 255))
    }

    @Test("pixels are not read unless they are wanted")
    func headerOnly() throws {
        let response = Response.make(ImageFixtures.bytes(ImageFixtures.png))
        #expect(try response.value(using: .image(decodesPixels: false)).pixels == nil)
    }

    @Test(
        "an SVG's size is its width and height, or its view box, or nothing",
        arguments: [
            (#"<svg width="20" height="10px"/>"#, ImageSize(width: 20, height: 10)),
            (
                #"<?xml version="1.0"?><!-- x --><svg viewBox="0 0 30 40.5"/>"#,
                ImageSize(width: 30, height: 41)
            ),
            (#"<svg width="100%" height="100%"/>"#, nil),
            (#"<svg width="-1" height="1e400"/>"#, nil),
        ]
    )
    func vector(text: String, size: ImageSize?) throws {
        let image = try Response.make(text, type: "image/svg+xml").value(using: .image)
        #expect(image.format == .svg)
        #expect(image.size == size)
        #expect(image.pixels == nil)
    }

    @Test(
        "what is no image is an error",
        arguments: ["hello", "BMP is a format", "<html><svg/></html>", "{\"svg\": 1}", "GIF8"]
    )
    func noImage(text: String) {
        let response = Response.make(text)
        let error = mappingError { () throws(ApusError) in try response.value(using: .image) }
        #expect(error?.code == 5005)
        #expect(error?.response == response)
    }

    @Test("an empty body is an error of its own")
    func empty() {
        #expect(
            mappingError { () throws(ApusError) in try Response.make("").value(using: .image) }?
                .code == 5008
        )
    }

    @Test("a header that promises a huge image takes no memory for it")
    func bomb() {
        var bytes = ImageFixtures.bytes(ImageFixtures.png)
        // 2^31 - 1 pixels each way.
        for at in [16, 20] { bytes.replaceSubrange(at..<at + 4, with: [0x7F, 0xFF, 0xFF, 0xFF]) }
        let error = mappingError { () throws(ApusError) in
            try Response.make(bytes).value(using: .image)
        }
        #expect(error?.code == 5005)
        let small = mappingError { () throws(ApusError) in
            try Response.make(ImageFixtures.bytes(ImageFixtures.png)).value(
                using: .image(maximumPixels: 5)
            )
        }
        #expect(small?.code == 5005)
    }

    @Test("a JPEG whose tables have more codes than a byte can name is refused before it is read")
    func tooManyCodes() {
        // stb_image of 2022 writes behind its tables for it.
        let table: [UInt8] = [0xFF, 0xC4, 0xFF, 0xFF, 0x00] + Array(repeating: 0xFF, count: 16)
        var bytes = ImageFixtures.bytes(ImageFixtures.jpeg)
        bytes.insert(contentsOf: table + Array(repeating: 0, count: 4200), at: 2)
        let error = mappingError { () throws(ApusError) in
            try Response.make(bytes).value(using: .image)
        }
        #expect(error?.code == 5005)
    }

    @Test("images cut anywhere are an error or an image, never a crash")
    func cut() {
        for base64 in ImageFixtures.all {
            let bytes = ImageFixtures.bytes(base64)
            for length in 0..<bytes.count {
                _ = mappingError { () throws(ApusError) in
                    try Response.make(Array(bytes[..<length])).value(
                        using: .image(maximumPixels: 1 << 20)
                    )
                }
            }
        }
    }

    @Test("images with any byte changed are an error or an image, never a crash")
    func changed() {
        for base64 in ImageFixtures.all {
            let bytes = ImageFixtures.bytes(base64)
            for at in bytes.indices {
                for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[at] = value
                    _ = mappingError { () throws(ApusError) in
                        try Response.make(changed).value(using: .image(maximumPixels: 1 << 16))
                    }
                }
            }
        }
    }
}

/// Small images, made with stb_image_write and Pillow.
enum ImageFixtures {
    static let all = [
        png, bmp, jpeg, gif, losslessWebP, lossyWebP, extendedWebP, avif, ico,
    ]

    static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

    static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAHUlEQVR4XmP4zwBE/xn+szCCaYZGBiD4zyUixwAAf6QHvC0i5TMAAAAASUVORK5CYII="
    static let bmp =
        """
        Qk2SAAAAAAAAAHoAAABsAAAAAgAAAAMAAAABACAAAwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD/AAD/AAD/AAAA
        AAAA/wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD/HhQKAP8A
        AP////+AAAD//wD/AP8=
        """.filter { !$0.isWhitespace }
    static let jpeg = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wCEAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZG
        NywtQFdBRkxOUlNSMj5aYVpQYEpRUk8BDg4OExETJhUVJk81LTVPT09PT09PT09PT09PT09PT09PT09PT09PT09P
        T09PT09PT09PT09PT09PT09PT09PT//AABEIAAgAEAMBIgACEQEDEQH/xAGiAAABBQEBAQEBAQAAAAAAAAAAAQID
        BAUGBwgJCgsQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYX
        GBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqi
        o6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+gEAAwEBAQEBAQEB
        AQAAAAAAAAECAwQFBgcICQoLEQACAQIEBAMEBwUEBAABAncAAQIDEQQFITEGEkFRB2FxEyIygQgUQpGhscEJIzNS
        8BVictEKFiQ04SXxFxgZGiYnKCkqNTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqCg4SFhoeI
        iYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2dri4+Tl5ufo6ery8/T19vf4+fr/
        2gAMAwEAAhEDEQA/AG0UUV4575//2Q==
        """.filter { !$0.isWhitespace }
    static let gif = "R0lGODdhBQAHAIEAAAECAwAAAAAAAAAAACwAAAAABQAHAAAIDAABCBxIsKDBgwcDAgA7"
    static let losslessWebP = "UklGRiAAAABXRUJQVlA4TBQAAAAvBIABAAdQgVQIIAAKmv7HiIj+Bw=="
    static let lossyWebP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoFAAcAB0CWJaQAA3AA/u+WQAA="
    static let extendedWebP =
        "UklGRkgAAABXRUJQVlA4WAoAAAAQAAAABAAABgAAQUxQSAoAAAABB9CEiAhERP8DVlA4IBgAAAAwAQCdASoFAAcAB0CWJaQAA3AA/u+WQAA="
    static let avif = """
        AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAA
        AAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAIwAAAChpaW5mAAAA
        AAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAABQAAAAcA
        AAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQB
        AoMEAAAAK21kYXQSAAoIGAimaICGg0IyFRTHh4ZlAgggnlAAAABIWtlc1jAVQw==
        """.filter { !$0.isWhitespace }
    static let ico =
        "AAABAAEABQcAAAAAIABNAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAFAAAABwgCAAAAT8UQuQAAABRJREFUeJxjZGRiZkACTAyogNp8AAYSABQuEosVAAAAAElFTkSuQmCC"
}
