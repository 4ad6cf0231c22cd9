import WireCoding

/// The words of an error answer for the log: the body of a plain text, or the sentence in the JSON of one of the services (rule SO-150).
package enum RefusalSentence {
    /// The longest body that is read as JSON. Longer ones are written as they are, up to the log's limit.
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

    /// Nil for a text that is not JSON, and for JSON of another form.
    private static func sentence(in body: [UInt8]) -> String? {
        guard let json = try? JSONText(bytes: body) else { return nil }
        // PubNub's answers to publishing: `[0,"Invalid Key","17959571850583541"]`.
        if let elements = json.elements { return elements.dropFirst().first?.string }
        if let words = json["errorMessage"]?.string ?? json["message"]?.string ?? json["error"]?.string { return words }
        // PubNub's App Context and message actions.
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
