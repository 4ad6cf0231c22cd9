import Identifiers
import WireCoding

/// A member of a presence channel.
public struct PusherMember: Hashable, Sendable {
    public var userID: String
    /// The member's `user_info` as JSON text; nil when there is none.
    public var infoJSON: String?

    public init(userID: String, infoJSON: String? = nil) {
        self.userID = userID
        self.infoJSON = infoJSON
    }

    /// Parses `{"user_id":…,"user_info":…}`, which is a client's `channel_data` or the data of `member_added` and `member_removed`.
    ///
    /// A user id that is a number becomes text; `user_info` stays unchanged. Nil for a text that is not such an object.
    public init?(parsing text: String) {
        guard let object = try? JSONText(text), let members = object.members,
            let userID = members.last(where: { $0.key == "user_id" })?.value.identifier
        else { return nil }
        self.userID = userID
        let info = members.last { $0.key == "user_info" }?.value
        infoJSON = info.flatMap { $0.isNull ? nil : $0.text }
    }

    /// The member as the JSON text that ``init(parsing:)`` parses.
    public var json: String {
        var out: [UInt8] = []
        JSONWriter.append("{\"user_id\":", to: &out)
        JSONWriter.appendString(userID, to: &out)
        if let infoJSON {
            JSONWriter.append(",\"user_info\":", to: &out)
            out.append(contentsOf: infoJSON.utf8)
        }
        out.append(UInt8(ascii: "}"))
        return String(decoding: out, as: UTF8.self)
    }

    /// Members that cannot be parsed are skipped, and the others are returned (rule PW-40).
    private static let repair = JSONRepair.Plan(.init("presence", "ids"), .init("presence", "hash", "*"))

    /// Parses the members in the data of a presence channel's `subscription_succeeded`.
    ///
    /// The result is in the order of `ids`; members that are only in `hash` follow. Nil when the data has no `presence` object.
    ///
    /// - Parameter limit: the largest number of members to parse.
    public static func list(parsing text: String, limit: Int = .max) -> [PusherMember]? {
        guard let presence = JSONText(repairing: text, repair)?["presence"], presence.kind == .object else { return nil }
        let hash = presence["hash"]?.members ?? []
        let info = Dictionary(hash.map { (Identifier($0.key), $0.value) }) { _, last in last }
        var seen: Set<Identifier> = []
        var list: [PusherMember] = []
        let ids = (presence["ids"]?.elements ?? []).compactMap(\.identifier)
        for id in (ids + hash.map(\.key)).identifiers where seen.insert(id).inserted {
            guard list.count < limit else { break }
            list.append(PusherMember(userID: id.text, infoJSON: info[id].flatMap { $0.isNull ? nil : $0.text }))
        }
        return list
    }
}
