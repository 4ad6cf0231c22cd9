import Foundation
import WireCoding

/// How the value of a field in a new configuration file is made.
enum DraftValue: Hashable, Sendable {
    /// Six random digits, as a text.
    case number
    /// Random bytes in hexadecimal, after a prefix.
    case random(bytes: Int, prefix: String = "")
    case no
}

/// A configuration file with new credentials. Rule CL-100.
struct ConfigDraft {
    let services: [ServiceKind]

    /// The text of the file.
    ///
    /// - Parameter random: a cryptographically secure generator, because secrets are made with it.
    func text(using random: inout some RandomNumberGenerator) -> String {
        var members = [
            #"  "host": "127.0.0.1""#, #"  "port": 6001"#,
            #"  "services": [\#(services.map { "\"\($0.word)\"" }.joined(separator: ", "))]"#,
        ]
        for section in ServeSection.all {
            guard let service = section.service, services.contains(service), let list = section.members.last else { continue }
            members.append(Self.list(list, section.draft.map { field in (field.name, Self.text(of: field.value, &random)) }))
        }
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }

    /// The value of a field as JSON text.
    private static func text(of value: DraftValue, _ random: inout some RandomNumberGenerator) -> String {
        switch value {
        case .number: quoted("\(UInt32.random(in: 100_000...999_999, using: &random))")
        case .random(let bytes, let prefix): quoted(prefix + hex(bytes, &random))
        case .no: "false"
        }
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
