/// The result of a diagnosis: a code for programs, what it means and what to do about it.
///
/// Never holds secrets, tokens or payloads.
struct Finding: Error, Hashable, Sendable {
    /// In small letters with hyphens; stays the same between versions.
    var code: String
    /// What it means, in one or two sentences.
    var meaning: String
    /// What to do, in one or two sentences.
    var advice: String

    init(_ code: String, _ meaning: String, advice: String) {
        self.code = code
        self.meaning = meaning
        self.advice = advice
    }

    /// Words of a server, made fit for one line: at most 200 letters, no control characters.
    static func quote(_ text: some StringProtocol) -> String {
        let line = text.prefix(2000).split(whereSeparator: { $0.isWhitespace || $0.unicodeScalars.contains { $0.value < 0x20 } })
            .joined(separator: " ")
        let printable = line.unicodeScalars.filter {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        return String(String(String.UnicodeScalarView(printable)).prefix(200))
    }
}
