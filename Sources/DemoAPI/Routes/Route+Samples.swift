import FlyingFox

extension Route {
    static let samples: [Route] = [
        Route("GET", "/image.png", "a picture") { _ in .bytes(SwiftPicture.png, type: "image/png")
        },
        Route("GET", "/html", "a page") { _ in .text(page, type: "text/html; charset=utf-8") },
        Route("GET", "/text", "UTF-8 text with wide and combined letters") { _ in .text(letters) },
        Route("GET", "/xml", "an XML document") { _ in .text(document, type: "application/xml") },
    ]

    static let page = """
        <!DOCTYPE html>
        <html lang="en">
          <head><meta charset="utf-8"><title>Swifts</title></head>
          <body><h1>Swifts</h1><p>They sleep on the wing.</p></body>
        </html>

        """

    private static let letters = """
        The swift, Apus apus, is hardly ever seen to land.
        Der Mauersegler schläft im Flug.
        アマツバメは飛びながら眠る。
        Стриж спит на лету. 🐦 e\u{301} (two code points), é (one)

        """

    private static let document = """
        <?xml version="1.0" encoding="UTF-8"?>
        <birds>
          <bird id="1"><name>Common swift</name><latin>Apus apus</latin></bird>
          <bird id="2"><name>Alpine swift</name><latin>Tachymarptis melba</latin></bird>
        </birds>

        """
}
