/// Common defaults for `DecodingDefault`.
public enum DecodingDefaults {
    /// Zero.
    public enum Zero<Value: Decodable & ExpressibleByIntegerLiteral>: DecodingDefaultSource {
        /// Zero.
        public static var decodingDefault: Value { 0 }
    }

    /// An integer, such as `Integer<18>`.
    public enum Integer<let number: Int>: DecodingDefaultSource {
        /// The integer.
        public static var decodingDefault: Int { number }
    }

    /// True.
    public enum True: DecodingDefaultSource {
        /// True.
        public static var decodingDefault: Bool { true }
    }

    /// False.
    public enum False: DecodingDefaultSource {
        /// False.
        public static var decodingDefault: Bool { false }
    }

    /// The default that a type itself has: `""`, `[]`, `[:]` and so on.
    public enum OfType<Value: Decodable & DecodingDefaultProviding>: DecodingDefaultSource {
        /// The type's default.
        public static var decodingDefault: Value { Value.decodingDefault }
    }
}
