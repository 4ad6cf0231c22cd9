import OrderedCollections
import PubNubProtocol
import WireCoding

/// The rights of a PubNub access token, as text and as JSON. Does not check the signature.
struct PubNubTokenReport {
    let token: PubNubAccessToken

    init(_ text: String) throws(CommandFailure) {
        do throws(PubNubAccessTokenError) {
            token = try PubNubAccessToken(parsing: text)
        } catch {
            throw CommandFailure(
                "The text is not a PubNub access token of version 3: such a token is base64url text of at most "
                    + "\(PubNubAccessToken.maximumLength) bytes.", .usage)
        }
    }

    private var groups: [(name: String, rights: PubNubGrants.Rights)] {
        [
            ("channel", token.resources.channels), ("group", token.resources.groups), ("uuid", token.resources.users),
            ("channel pattern", token.patterns.channels), ("group pattern", token.patterns.groups),
            ("uuid pattern", token.patterns.users),
        ]
    }

    /// The report as lines of text.
    ///
    /// - Parameter now: seconds since 1970.
    func lines(now: Int) -> [String] {
        var lines = [
            "issued: \(Self.time(token.issued))",
            "valid for: \(token.ttl) minutes, until \(Self.time(token.expires))\(token.isExpired(at: now) ? ", which is over" : "")",
            "authorized uuid: \(token.authorizedUser.map { $0.printable } ?? "any")",
        ]
        for (name, rights) in groups {
            for (resource, bits) in rights {
                let words = bits.words.isEmpty ? "nothing" : bits.words.joined(separator: ", ")
                lines.append("\(name) \(resource.text.printable): \(words)")
            }
        }
        return lines
    }

    /// Formats a time, limited to the years 1970 to 9999.
    ///
    /// - Parameter seconds: seconds since 1970; any number is possible, because the token is not verified.
    private static func time(_ seconds: Int) -> String {
        TimeOfDay.timestamp(milliseconds: Int64(min(max(seconds, 0), 253_402_300_799)) * 1000)
    }

    /// The rights as one JSON object, without the token itself.
    var json: String { object(token: nil) }

    func json(withToken text: String) -> String { object(token: text) }

    private func object(token text: String?) -> String {
        var object = JSONObject()
        if let text { object.put("token", text) }
        object.put("issued", token.issued)
        object.put("ttl", token.ttl)
        object.put("expires", token.expires)
        object.put("authorized_uuid", token.authorizedUser)
        object.put("resources", json: Self.json(token.resources))
        object.put("patterns", json: Self.json(token.patterns))
        return object.text
    }

    private static func json(_ grants: PubNubGrants) -> String {
        var object = JSONObject()
        object.put("channels", json: words(grants.channels))
        object.put("groups", json: words(grants.groups))
        object.put("uuids", json: words(grants.users))
        return object.text
    }

    private static func words(_ rights: PubNubGrants.Rights) -> String {
        object(rights) { ShownSetting.strings($0.words).json(showsSecrets: false) }
    }

    /// The rights as bits, as a request encodes them.
    static func bits(_ rights: PubNubGrants.Rights) -> String { object(rights) { "\($0.rawValue)" } }

    private static func object(_ rights: PubNubGrants.Rights, _ value: (PubNubRights) -> String) -> String {
        "{" + rights.map { "\(JSONText.string($0.key.text).text):\(value($0.value))" }.joined(separator: ",") + "}"
    }
}
