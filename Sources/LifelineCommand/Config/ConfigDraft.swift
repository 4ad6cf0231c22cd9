import Foundation
import WireCoding

/// A configuration file with new credentials. Rule CL-100.
struct ConfigDraft {
    let services: [ServiceName]

    /// The text of the file.
    ///
    /// - Parameter random: a cryptographically secure generator, because secrets are made with it.
    func text(using random: inout some RandomNumberGenerator) -> String {
        var members = [
            #"  "host": "127.0.0.1""#, #"  "port": 6001"#,
            #"  "services": [\#(services.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))]"#,
        ]
        for service in services {
            switch service {
            case .pusher:
                members.append(
                    Self.list(
                        "apps",
                        [
                            // The id has digits only, because some libraries accept no other.
                            ("id", Self.quoted("\(UInt32.random(in: 100_000...999_999, using: &random))")),
                            ("key", Self.quoted(Self.hex(10, &random))), ("secret", Self.quoted(Self.hex(32, &random))),
                            ("clientEvents", "false"),
                        ]))
            case .pubnub:
                members.append(
                    Self.list(
                        "pubnub",
                        [
                            ("publishKey", Self.quoted("pub-c-\(Self.hex(16, &random))")),
                            ("subscribeKey", Self.quoted("sub-c-\(Self.hex(16, &random))")),
                            ("secret", Self.quoted("sec-c-\(Self.hex(32, &random))")), ("accessManager", "false"),
                        ]))
            case .nexconn:
                members.append(
                    Self.list(
                        "nexconn",
                        [("key", Self.quoted(Self.hex(8, &random))), ("secret", Self.quoted(Self.hex(32, &random)))]))
            }
        }
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }

    private static func list(_ name: String, _ fields: [(String, String)]) -> String {
        "  \"\(name)\": [\n    {\n"
            + fields.map { "      \"\($0)\": \($1)" }.joined(separator: ",\n") + "\n    }\n  ]"
    }

    private static func quoted(_ text: String) -> String { JSONText.string(text).text }

    private static func hex(_ count: Int, _ random: inout some RandomNumberGenerator) -> String {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes.append(.random(in: .min ... .max, using: &random)) }
        return Hex.text(bytes)
    }
}
