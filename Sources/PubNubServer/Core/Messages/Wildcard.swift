import Identifiers

/// A subscription to all channels with the same name prefix: `a.*` or `a.b.*` (rule HB-25).
package struct Wildcard: Hashable, Sendable {
    /// The pattern as the client writes it. Queues, presence and answers use it as a name.
    package let pattern: Identifier

    /// Parses a wildcard pattern.
    ///
    /// - Returns: nil unless `name` ends in `.*` after one or two non-empty parts, and has no other asterisk.
    package init?(_ name: Identifier) {
        let text = name.utf8
        guard text.count > 2, text.last == UInt8(ascii: "*"), text.dropLast().last == UInt8(ascii: ".") else { return nil }
        let parts = text.dropLast(2).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(UInt8(ascii: "*")) }) else { return nil }
        pattern = name
    }

    /// Whether `channel` begins with the text before the asterisk of the pattern. Names with further parts and presence channels match,
    /// too.
    package func matches(_ channel: Identifier) -> Bool {
        channel.utf8.count >= pattern.utf8.count && channel.utf8.starts(with: pattern.utf8.dropLast())
    }

    /// All patterns that match `channel`, at most two, the shorter one first; none for a channel without a dot.
    ///
    /// With this list, a caller reads only the matching entries of a table by pattern, and not the whole table.
    package static func patterns(matching channel: Identifier) -> [Identifier] {
        guard channel.utf8.contains(UInt8(ascii: ".")) else { return [] }
        var found: [Identifier] = []
        var part = channel.utf8.startIndex
        while found.count < 2, let dot = channel.utf8[part...].firstIndex(of: UInt8(ascii: ".")) {
            let next = channel.utf8.index(after: dot)
            guard dot > part, next < channel.utf8.endIndex else { break }
            // in bounds: the dot was found after the beginning of the part, so `part` is at most `dot`.
            guard !channel.utf8[part..<dot].contains(UInt8(ascii: "*")) else { break }
            found.append(Identifier(String(channel.text[..<next]) + "*"))
            part = next
        }
        return found
    }
}
