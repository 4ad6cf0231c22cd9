import ConnectionEngine
import WireCoding

extension PubNubProblem {
    /// The error for arguments that no service would accept, reported before a request is sent. `reason` says how to correct the arguments.
    public static func badArguments(_ reason: String) -> PubNubProblem {
        PubNubProblem(ConnectionFailure(.badRequest, reason), information: reason)
    }
}

/// Checks arguments before a request is made (rules PL-1 to PL-4).
///
/// Refuses only arguments that cannot be sent or that would change the meaning of the request. All other properties of the arguments, such
/// as their lengths, are checked by the service.
enum CallArguments {
    /// The percent-encoded subscribe key for the path of a request. Throws when the key is empty.
    static func subscribeKey(_ settings: PubNubSettings) throws(PubNubProblem) -> String {
        guard !settings.subscribeKey.isEmpty else {
            throw .badArguments("The subscribe key is empty. Set it in the configuration.")
        }
        return PercentEncoding.encode(settings.subscribeKey)
    }

    /// The percent-encoded publish key for the path of a request. Throws when the key is empty.
    static func publishKey(_ settings: PubNubSettings) throws(PubNubProblem) -> String {
        guard !settings.publishKey.isEmpty else {
            throw .badArguments("The publish key is empty. Set it in the configuration to publish.")
        }
        return PercentEncoding.encode(settings.publishKey)
    }

    /// A single percent-encoded name for the path of a request. Throws when the name contains a comma, because the service would read such
    /// a name as two names.
    static func name(_ name: String, _ kind: NameKind) throws(PubNubProblem) -> String {
        try check(name, kind)
        return PercentEncoding.encode(name)
    }

    /// A list of percent-encoded names for the path of a request; a single comma when there are no names.
    static func pathList(_ names: [String], _ kind: NameKind) throws(PubNubProblem) -> String {
        for name in names { try check(name, kind) }
        return PubNubRequest.pathList(names)
    }

    /// A list of names for the query of a request; nil when there are no names.
    static func queryList(_ names: [String], _ kind: NameKind) throws(PubNubProblem) -> String? {
        for name in names { try check(name, kind) }
        return names.isEmpty ? nil : names.joined(separator: ",")
    }

    private static func check(_ name: String, _ kind: NameKind) throws(PubNubProblem) {
        guard !name.isEmpty else { throw .badArguments("The \(kind.rawValue) is empty. Pass one with at least one character.") }
        for byte in name.utf8 {
            if byte == UInt8(ascii: ",") {
                throw .badArguments("The \(kind.rawValue) has a comma in it. Pass each \(kind.rawValue) on its own.")
            }
            if byte < 0x20 || byte == 0x7F {
                throw .badArguments("The \(kind.rawValue) has a control character in it. Remove that character.")
            }
        }
    }

    /// The kind of a name. The raw value is the noun for such a name in error texts.
    enum NameKind: String {
        case channel
        case group = "channel group"
        case user = "user id"
        case device = "device token"
        case topic
        case actionType = "type of the message action"
        case file = "file name"
        case fileID = "file id"
    }

    /// Checks the custom type of a message: 3 to 50 letters, digits, `-` and `_`. It must begin with a letter or digit, and not with `pn-`
    /// or `pn_`.
    static func customType(_ type: String) throws(PubNubProblem) {
        let isSpelled = type.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        let isReserved = ["pn_", "pn-", "-", "_"].contains { type.hasPrefix($0) }
        guard isSpelled, !isReserved, (3...50).contains(type.utf8.count) else {
            throw .badArguments(
                "The custom message type is not allowed. Use 3 to 50 letters, digits, dashes and underscores, beginning with a "
                    + "letter or digit and not with pn- or pn_.")
        }
    }
}

extension [PubNubRequest.Parameter] {
    /// Appends a parameter unless its value is nil.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        append(PubNubRequest.Parameter(name, value))
    }

    mutating func add(_ name: String, _ value: Int?) {
        add(name, value.map(String.init))
    }

    mutating func add(_ name: String, _ value: Timetoken?) {
        add(name, value?.description)
    }

    /// Appends a parameter with the value `true` or `false`, unless it is nil.
    mutating func add(_ name: String, flag value: Bool?) {
        add(name, value.map { $0 ? "true" : "false" })
    }
}
