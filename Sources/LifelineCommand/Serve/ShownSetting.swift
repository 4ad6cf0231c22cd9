import Foundation
import ServerStorage
import WireCoding

/// The value of a setting as `config show` prints it.
enum ShownSetting: Hashable, Sendable {
    case string(String?)
    case integer(Int?)
    case bool(Bool)
    /// A time in seconds; nil for none. Fractions are printed when there are any.
    case seconds(Duration?)
    case strings([String])
    /// A secret, printed as `•••` unless secrets are shown.
    case secret(Secret?)
    /// Addresses that may contain credentials: user, password and query are secrets.
    case addresses([String])

    /// JSON text.
    func json(showsSecrets: Bool) -> String {
        switch self {
        case .string(let text): text.map { JSONText.string($0).text } ?? "null"
        case .integer(let number): number.map(String.init) ?? "null"
        case .bool(let value): value ? "true" : "false"
        case .seconds(let duration): duration.map(Self.seconds) ?? "null"
        case .strings(let texts): Self.list(texts)
        case .secret(let secret):
            secret.map { JSONText.string(showsSecrets ? $0.revealed : Self.mask).text } ?? "null"
        case .addresses(let addresses): Self.list(showsSecrets ? addresses : addresses.map(Self.masked))
        }
    }

    /// The value for output to people: JSON on one line without control characters, or `none`.
    func text(showsSecrets: Bool) -> String {
        let json = json(showsSecrets: showsSecrets)
        return json == "null" ? "none" : json.printable
    }

    static let mask = "•••"

    private static func list(_ texts: [String]) -> String {
        "[" + texts.map { JSONText.string($0).text }.joined(separator: ", ") + "]"
    }

    private static func seconds(_ duration: Duration) -> String {
        let (whole, fraction) = duration.components
        guard fraction != 0 else { return "\(whole)" }
        return "\(Double(whole) + Double(fraction) / 1e18)"
    }

    /// The address with `xxx` in place of user, password, query and fragment. The path stays, because it identifies the address.
    static func masked(_ address: String) -> String {
        guard var parts = URLComponents(string: address) else { return mask }
        if parts.user != nil { parts.user = "xxx" }
        if parts.password != nil { parts.password = "xxx" }
        if parts.query != nil { parts.query = "xxx" }
        if parts.fragment != nil { parts.fragment = "xxx" }
        return parts.string ?? mask
    }
}
