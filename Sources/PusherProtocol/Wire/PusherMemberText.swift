import WireCoding

/// Members of a presence channel, encoded for the confirmation of a subscription, whose data is JSON text inside of a JSON string. Several
/// of these texts can be joined with commas, so each member is encoded only once.
package struct PusherMemberText: Hashable, Sendable {
    /// The encoded user ids, separated by commas.
    private(set) var ids: [UInt8] = []
    /// The encoded members of the object with each user's information, separated by commas.
    private(set) var hash: [UInt8] = []

    /// Makes a text without members.
    package init() {}

    /// Whether there are no members.
    package var isEmpty: Bool { ids.isEmpty }

    /// The number of bytes that the members take in a confirmation. When several texts are joined, the commas between them are not counted.
    package var byteCount: Int { ids.count + hash.count }

    /// Adds a member after all others.
    package mutating func append(_ member: PusherMember) {
        if !ids.isEmpty {
            ids.append(UInt8(ascii: ","))
            hash.append(UInt8(ascii: ","))
        }
        var text: [UInt8] = []
        JSONWriter.appendString(member.userID, to: &text)
        Self.append(text, to: &ids)
        text.append(UInt8(ascii: ":"))
        text.append(contentsOf: (member.infoJSON ?? "null").utf8)
        Self.append(text, to: &hash)
    }

    /// Appends a text to `out` with the escapes of a JSON string, but without quotes around it.
    private static func append(_ text: [UInt8], to out: inout [UInt8]) {
        var string: [UInt8] = []
        string.reserveCapacity(text.count + text.count / 4 + 2)
        JSONWriter.appendString(text, to: &string)
        // The first and last byte are the quotes around the string.
        out.append(contentsOf: string.dropFirst().dropLast())
    }
}
