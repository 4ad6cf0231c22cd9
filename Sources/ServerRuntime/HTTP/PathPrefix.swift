import WireCoding

/// The first part of every path of a server that shares its host name with other servers, such as `/realtime` (rule SR-22). A value.
package struct PathPrefix: Hashable, Sendable {
    /// The prefix: empty, or with a slash at its beginning and none at its end.
    package let text: String

    /// Accepts the prefix with or without slashes around it.
    package init(_ text: String) {
        let inner = text.drop { $0 == "/" }.reversed().drop { $0 == "/" }.reversed()
        self.text = inner.isEmpty ? "" : "/" + String(inner)
    }

    /// Returns the part of a target after the prefix, beginning with a slash; nil when the target does not begin with the prefix. Nothing
    /// is decoded before the comparison, so a prefix with escaped letters is a different path.
    package func strip(_ target: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard !text.isEmpty else { return target }
        guard let start = RequestTarget.startOfPath(target) else { return nil }
        let rest = target.clampedBytes(from: start)
        guard rest.starts(with: text.utf8) else { return nil }
        let inner = rest.clampedBytes(from: text.utf8.count)
        return inner.first == UInt8(ascii: "/") ? inner : nil
    }

    /// Returns the part of a target after the prefix; nil when the target does not begin with the prefix.
    package func strip(_ target: String) -> String? {
        guard !text.isEmpty else { return target }
        var target = target
        return target.withUTF8 { bytes in
            strip(UnsafeRawBufferPointer(bytes)).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
