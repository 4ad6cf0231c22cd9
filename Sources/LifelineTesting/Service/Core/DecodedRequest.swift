import HTTPTransport

/// The decoded parts of an HTTP request: method, path, query and body.
struct DecodedRequest: Sendable {
    let method: String
    /// The percent-decoded parts of the path. A part that is a list of names is not split at its commas.
    let path: [String]
    let query: [String: String]
    let body: [UInt8]

    init(_ request: HTTPCall) {
        method = request.method
        body = request.body
        let text = request.url
        let afterScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let target = afterScheme.firstIndex(of: "/").map { afterScheme[$0...] } ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0].split(separator: "/").map { Self.decoded($0) }
        query = parts.count > 1 ? Self.pairs(parts[1]) : [:]
    }

    /// The fields of the form in the request's body.
    var form: [String: String] { Self.pairs(String(decoding: body, as: UTF8.self)[...], plusIsSpace: true) }

    /// The comma-separated names in one part of the path.
    func list(_ index: Int) -> [String] {
        index < path.count ? path[index].split(separator: ",").map(String.init) : []
    }

    /// Whether the path belongs to PubNub's API.
    var isOfPubNub: Bool {
        switch path.first {
        case "publish", "signal", "time": true
        case "v1": path.dropFirst().first == "message-actions"
        case "v2": ["subscribe", "presence", "history"].contains(path.dropFirst().first)
        case "v3": path.dropFirst().first?.hasPrefix("history") ?? false
        default: false
        }
    }

    /// Whether the path belongs to the API of Pusher, PubNub or chat. Other paths belong to the app's own server.
    var isOfService: Bool { isOfPubNub || path.first == "apps" || path.first == "v4" }

    private static func pairs(_ text: Substring, plusIsSpace: Bool = false) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            pairs[decoded(parts[0], plusIsSpace)] = parts.count > 1 ? decoded(parts[1], plusIsSpace) : ""
        }
        return pairs
    }

    /// Decodes percent-encoding. Invalid sequences are left unchanged.
    private static func decoded(_ text: Substring, _ plusIsSpace: Bool = false) -> String {
        var out: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                out.append(value)
                rest = rest.dropFirst(2)
            } else {
                out.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
