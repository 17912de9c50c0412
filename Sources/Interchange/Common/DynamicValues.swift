/// The values that Postman, Insomnia and Bruno make up when a request is sent: `$guid`, `$randomFirstName`.
enum DynamicValues {
    /// A template that makes such values anew for each request; nil if none does.
    static func template(_ name: String) -> String? { templates[name] }

    /// A value of the kind, which is always the same; nil for an unknown name.
    static func fixed(_ name: String) -> String? { values[name] }

    private static let templates = [
        "$guid": "{{ uuid }}", "$uuid": "{{ uuid }}", "$randomUUID": "{{ uuid }}",
        "$timestamp": "{{ now('+0 s', 'unix') }}", "$isoTimestamp": "{{ now }}",
        "$timestampMilliseconds": "{{ now('+0 s', 'unixms') }}",
        "$randomInt": "{{ random(0, 1000) }}",
        "$randomAlphaNumeric": "{{ random(0, 9) }}",
        "$randomPrice": "{{ random(0, 999) }}.{{ random(10, 99) }}",
        "$randomBankAccount": "{{ random(10000000, 99999999) }}",
        "$randomCreditCardMask": "{{ random(1000, 9999) }}",
        "$randomIP":
            "{{ random(1, 223) }}.{{ random(0, 255) }}.{{ random(0, 255) }}.{{ random(1, 254) }}",
        "$randomHexColor": "#{{ random(100000, 999999) }}",
        "$randomSemver": "{{ random(0, 9) }}.{{ random(0, 9) }}.{{ random(0, 9) }}",
        "$randomPassword": "Aa-{{ random(100000000, 999999999) }}",
        "$randomEmail": "user{{ random }}@example.com",
        "$randomExampleEmail": "user{{ random }}@example.com",
        "$randomUserName": "user{{ random }}",
        "$randomDomainName": "host{{ random }}.example",
        "$randomUrl": "https://host{{ random }}.example",
        "$randomPhoneNumber": "555-{{ random(100, 999) }}-{{ random(1000, 9999) }}",
        "$randomPhoneNumberExt":
            "1-555-{{ random(100, 999) }}-{{ random(1000, 9999) }} x{{ random(10, 99) }}",
        "$randomLatitude": "{{ random(-89, 89) }}.{{ random(1000, 9999) }}",
        "$randomLongitude": "{{ random(-179, 179) }}.{{ random(1000, 9999) }}",
        "$randomDateFuture": "{{ now('+90 day') }}", "$randomDatePast": "{{ now('-90 day') }}",
        "$randomDateRecent": "{{ now('-1 h') }}",
        "$randomWeekday": "{{ now('+0 s', '%A') }}", "$randomMonth": "{{ now('+0 s', '%B') }}",
    ]

    private static let values: [String: String] = {
        var values = [
            "$randomBoolean": "true", "$randomColor": "blue", "$randomAbbreviation": "HTTP",
            "$randomIPV6": "2001:db8::1", "$randomMACAddress": "02:00:00:00:00:01",
            "$randomLocale": "en", "$randomUserAgent": "Mozilla/5.0", "$randomProtocol": "https",
            "$randomFirstName": "Ada", "$randomLastName": "Lovelace",
            "$randomFullName": "Ada Lovelace", "$randomNamePrefix": "Ms.",
            "$randomNameSuffix": "PhD", "$randomJobArea": "Research",
            "$randomJobDescriptor": "Senior", "$randomJobTitle": "Senior Engineer",
            "$randomJobType": "Engineer", "$randomCity": "London",
            "$randomStreetName": "Long Street", "$randomStreetAddress": "12 Long Street",
            "$randomCountry": "Norway", "$randomCountryCode": "NO",
            "$randomImageDataUri": "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=",
            "$randomBankAccountName": "Checking Account", "$randomBankAccountBic": "EXAMGB2L",
            "$randomBankAccountIban": "GB33BUKB20201555555555",
            "$randomTransactionType": "payment", "$randomCurrencyCode": "EUR",
            "$randomCurrencyName": "Euro", "$randomCurrencySymbol": "€",
            "$randomBitcoin": "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
            "$randomCompanyName": "Example Ltd", "$randomCompanySuffix": "Ltd",
            "$randomBs": "share open standards", "$randomBsAdjective": "open",
            "$randomBsBuzz": "share", "$randomBsNoun": "standards",
            "$randomCatchPhrase": "Open shared standard",
            "$randomCatchPhraseAdjective": "Open", "$randomCatchPhraseDescriptor": "shared",
            "$randomCatchPhraseNoun": "standard", "$randomDatabaseColumn": "id",
            "$randomDatabaseType": "int", "$randomDatabaseCollation": "utf8_general_ci",
            "$randomDatabaseEngine": "InnoDB", "$randomDomainSuffix": "example",
            "$randomDomainWord": "host", "$randomFileName": "report.txt",
            "$randomFileType": "text", "$randomFileExt": "txt",
            "$randomCommonFileName": "report.pdf", "$randomCommonFileType": "application",
            "$randomCommonFileExt": "pdf", "$randomFilePath": "/tmp/report.txt",
            "$randomDirectoryPath": "/tmp", "$randomMimeType": "text/plain",
            "$randomProduct": "Chair", "$randomProductAdjective": "Small",
            "$randomProductMaterial": "Wood", "$randomProductName": "Small Wood Chair",
            "$randomDepartment": "Books", "$randomNoun": "bus", "$randomVerb": "open",
            "$randomIngverb": "opening", "$randomAdjective": "open", "$randomWord": "word",
            "$randomWords": "some words", "$randomPhrase": "These are some words.",
            "$randomLoremWord": "lorem", "$randomLoremWords": "lorem ipsum dolor",
            "$randomLoremSentence": "Lorem ipsum dolor sit amet.",
            "$randomLoremSentences": "Lorem ipsum dolor sit amet. Consectetur adipiscing elit.",
            "$randomLoremParagraph": "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
            "$randomLoremParagraphs": "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
            "$randomLoremText": "Lorem ipsum dolor sit amet.",
            "$randomLoremSlug": "lorem-ipsum-dolor",
            "$randomLoremLines": "Lorem ipsum dolor sit amet.",
        ]
        let images = [
            "Avatar", "Abstract", "Animals", "Business", "Cats", "City", "Food", "Nightlife",
            "Fashion", "People", "Nature", "Sports", "Transport",
        ]
        for image in images { values["$random\(image)Image"] = "https://example.com/image.png" }
        values["$randomImageUrl"] = "https://example.com/image.png"
        return values
    }()
}
