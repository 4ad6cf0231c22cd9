/// An address of a PostgreSQL database in the setting `data`.
///
/// libpq reads the address; this value only finds its parts, so that the password is shown nowhere. It is strict: with characters that
/// should have been encoded, any part of the text could be a part of the password.
struct DataAddress: Hashable, Sendable {
    /// The address without password and parameters.
    let shown: String

    /// Whether a value of `data` is the address of a database and not a directory.
    static func isAddress(_ text: String) -> Bool { prefix(of: text) != nil }

    private static func prefix(of text: String) -> String? {
        ["postgres://", "postgresql://"].first { text.utf8.starts(with: $0.utf8) }
    }

    /// - Returns: nil for a text that is not `postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE`, of which most may be missing.
    init?(_ text: String) {
        guard let prefix = Self.prefix(of: text) else { return nil }
        let rest = text.utf8.dropFirst(prefix.utf8.count)
        let place = rest.prefix { $0 != UInt8(ascii: "?") }
        let parts = place.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        // A second one, or one among the parameters, may be a part of a password that is not encoded.
        let marks = rest.reduce(0) { $0 + ($1 == UInt8(ascii: "@") ? 1 : 0) }
        guard marks == parts.count - 1, parts.count <= 2, let hosts = parts.last else { return nil }
        var user = ""
        if parts.count == 2, let login = parts.first {
            guard !login.contains(UInt8(ascii: "/")) else { return nil }
            user = String(decoding: login.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self) + "@"
        }
        shown = prefix + user + String(decoding: hosts, as: UTF8.self)
    }
}

/// The settings of a PostgreSQL database beside its address.
struct DataParts: Hashable, Sendable {
    var passwordFile: String?
    /// The directory for the contents of uploaded files; also for a server without a database.
    var files: String?
    /// The number of connections that read, for each of the two stores.
    var pool = 4
}
