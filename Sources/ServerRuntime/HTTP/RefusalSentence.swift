import WireCoding

/// Extracts the sentence of an error answer for the log: the whole body of a plain text, or the message in the JSON of one of the services
/// (rule SO-150).
package enum RefusalSentence {
    /// The size in bytes up to which a body is read as JSON. Longer bodies are logged as plain text, up to the log's limit.
    private static let longest = 4_096

    package static func of(_ answer: HTTPAnswer) -> String {
        var text = Substring(decoding: answer.body.prefix(longest), as: UTF8.self)
        let isJSON = text.first == "{" || text.first == "["
        if isJSON, answer.body.count <= longest, let sentence = sentence(in: answer.body) {
            text = Substring(sentence)
        }
        while text.last?.isNewline == true { text.removeLast() }
        return text.isEmpty ? HTTPAnswer.reason(answer.status) : String(text)
    }

    /// Returns the sentence in a JSON body; nil for a text that is not JSON, and for JSON in none of the known formats.
    private static func sentence(in body: [UInt8]) -> String? {
        guard let json = try? JSONText(bytes: body) else { return nil }
        // The format of PubNub's answers to publishing: `[0,"Invalid Key","17959571850583541"]`.
        if let elements = json.elements { return elements.dropFirst().first?.string }
        if let words = json["errorMessage"]?.string ?? json["message"]?.string ?? json["error"]?.string { return words }
        // The format of PubNub's App Context and message actions.
        if let error = json["error"], let words = error["message"]?.string {
            let details = (error["details"]?.elements ?? []).map { detail in
                [detail["message"]?.string, detail["location"]?.string.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
            }
            return ([words] + details).joined(separator: " ")
        }
        // The server's readiness.
        if let reasons = json["reasons"]?.elements {
            return "\(json["status"]?.string ?? "refused"): \(reasons.compactMap(\.string).joined(separator: ", "))"
        }
        // PubNub's history.
        return json["error_message"]?.string
    }
}
