import WireCoding

/// Members of a presence channel as the confirmation of a subscription has them: JSON text with the escapes of a JSON string. Texts can be
/// joined with commas, so that each member has to be encoded only once.
package struct PusherMemberText: Hashable, Sendable {
    /// The user ids, with commas between them.
    private(set) var ids: [UInt8] = []
    /// The members of the object with each user's information, with commas between them.
    private(set) var hash: [UInt8] = []

    /// The text without members.
    package init() {}

    /// Whether there are no members.
    package var isEmpty: Bool { ids.isEmpty }

    /// The number of bytes that the members take in a confirmation, without the commas between texts.
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

    /// Appends text as it stands inside of a JSON string.
    private static func append(_ text: [UInt8], to out: inout [UInt8]) {
        var string: [UInt8] = []
        string.reserveCapacity(text.count + text.count / 4 + 2)
        JSONWriter.appendString(text, to: &string)
        // Without the quotes around the string.
        out.append(contentsOf: string.dropFirst().dropLast())
    }
}
