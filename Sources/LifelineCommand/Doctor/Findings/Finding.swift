/// The result of a diagnosis: a code for programs, a meaning and advice for people.
///
/// Never contains secrets, tokens or payloads.
struct Finding: Error, Hashable, Sendable {
    /// The code in lower case with hyphens; it does not change between versions.
    var code: String
    /// The meaning of the finding, in one or two sentences.
    var meaning: String
    /// The advice for the user, in one or two sentences.
    var advice: String

    init(_ code: String, _ meaning: String, advice: String) {
        self.code = code
        self.meaning = meaning
        self.advice = advice
    }

    /// Text of a server, prepared for one line: at most 200 characters, no control characters.
    static func quote(_ text: some StringProtocol) -> String {
        let line = text.prefix(2000).split(whereSeparator: { $0.isWhitespace || $0.unicodeScalars.contains { $0.value < 0x20 } })
            .joined(separator: " ")
        let printable = line.unicodeScalars.filter {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        return String(String(String.UnicodeScalarView(printable)).prefix(200))
    }
}
