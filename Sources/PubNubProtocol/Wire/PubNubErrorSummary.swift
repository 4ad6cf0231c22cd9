import WireCoding

/// The parts of an answer that show whether the answer reports an error, and which error. These parts are read in one pass without building
/// a tree.
struct PubNubErrorSummary {
    /// The number in the member `status` of the answer; nil for none.
    var status: Int?
    /// The service's description of the error: from `message`, `error`, `error_message`, or `error.message` with its details, or from the
    /// answer to a publish request.
    var information: String?
    var channels: [String] = []
    var channelGroups: [String] = []
    /// The member `payload` as JSON text, if it lists neither denied channels nor denied groups; otherwise nil.
    var payload: String?

    /// Checks that the bytes are JSON and extracts the parts that describe an error.
    init(reading bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
        if let offset = JSONBytes.firstInvalidUTF8(bytes) { throw JSONSyntaxError(.invalidUTF8, at: offset) }
        var scanner = JSONScanner(bytes)
        switch try scanner.peek() {
        case UInt8(ascii: "{"): try readObject(&scanner)
        case UInt8(ascii: "["): try readArray(&scanner)
        default: _ = try scanner.value()
        }
        try scanner.expectEnd()
        if let text = information { information = Self.shortened(text) }
    }

    private mutating func readObject(_ scanner: inout JSONScanner) throws(JSONSyntaxError) {
        var scratch: [UInt8] = []
        var texts: [String: JSONText] = [:]
        try scanner.object { (scanner, key) throws(JSONSyntaxError) in
            let value = try scanner.value()
            let length = key.end - key.start
            // Members with long names or large values are skipped: they never describe an error, and reading them would cost time in
            // successful answers.
            guard length <= 13, value.end - value.start <= 65_536 else { return }
            let name = scanner.string(key, scratch: &scratch)
            switch name {
            case "status", "message", "error", "error_message", "payload":
                texts[name] = JSONText(checked: scanner.text(value.start, value.end))
            default: return
            }
        }
        status = texts["status"]?.integer
        information = Self.information(texts)
        readPayload(texts["payload"])
    }

    /// Reads the publish service's answer `[0,"Invalid Key","15…"]`, which reports an error.
    private mutating func readArray(_ scanner: inout JSONScanner) throws(JSONSyntaxError) {
        let value = try scanner.value()
        guard value.end - value.start <= 4096 else { return }
        let elements = JSONText(checked: scanner.text(value.start, value.end)).elements ?? []
        guard elements.count >= 2, elements[0].integer == 0 else { return }
        information = elements[1].string
    }

    private static func information(_ texts: [String: JSONText]) -> String? {
        if let text = texts["message"]?.string { return text }
        if let text = texts["error"]?.string { return text }
        if let text = texts["error_message"]?.string, !text.isEmpty { return text }
        guard let error = texts["error"], let message = error["message"]?.string else { return nil }
        let details = (error["details"]?.elements ?? []).compactMap { $0["message"]?.string }
        return details.isEmpty ? message : message + " " + details.joined(separator: " ")
    }

    private mutating func readPayload(_ text: JSONText?) {
        guard let text, !text.isNull else { return }
        channels = text["channels"]?.elements?.compactMap(\.string) ?? []
        channelGroups = text["channel-groups"]?.elements?.compactMap(\.string) ?? []
        if channels.isEmpty, channelGroups.isEmpty { payload = text.text }
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= PubNubLimits.informationLength ? text : String(text.prefix(PubNubLimits.informationLength))
    }
}
