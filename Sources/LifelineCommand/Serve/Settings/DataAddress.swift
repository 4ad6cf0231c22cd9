/// The address of a PostgreSQL database in the setting `data`.
///
/// libpq parses the address; this value only finds its parts, so that the password is never shown. Addresses with characters that should
/// have been encoded are refused, because any part of such a text could belong to the password.
struct DataAddress: Hashable, Sendable {
    /// The address without password and parameters.
    let shown: String

    /// Whether a value of `data` is the address of a database and not a directory.
    static func isAddress(_ text: String) -> Bool { prefix(of: text) != nil }

    private static func prefix(of text: String) -> String? {
        ["postgres://", "postgresql://"].first { text.utf8.starts(with: $0.utf8) }
    }

    /// Explains why a text is neither a PostgreSQL address nor a directory; nil for a directory (rule SO-171). The result is the end of a
    /// sentence that begins with the setting's name. It does not contain the text, which may contain a password.
    static func mistake(in text: String) -> String? {
        guard !isAddress(text) else { return nil }
        let right =
            "the address of a PostgreSQL database begins with postgres:// or postgresql://, anything else is the name of a directory"
        if let scheme = scheme(of: text) {
            let redis =
                ["redis", "rediss"].contains(scheme.lowercased()) ? "; the address of a Redis is the setting redis (--redis)" : ""
            return "begins with \(scheme)://, but \(right)\(redis)."
        }
        let words = ["host=", "hostaddr=", "dbname=", "user=", "password="]
        let isConnectionString = text.split(separator: " ").contains { word in words.contains { word.utf8.starts(with: $0.utf8) }
        }
        return isConnectionString ? "looks like the keywords and values of a connection, but \(right)." : nil
    }

    /// The scheme at the beginning of a text: up to 20 letters, digits and `+ - .` before `://`; nil for none.
    private static func scheme(of text: String) -> Substring? {
        guard let end = text.firstRange(of: "://")?.lowerBound, let first = text.unicodeScalars.first,
            first.properties.isAlphabetic
        else { return nil }
        let scheme = text[..<end]
        let isScheme =
            scheme.utf8.count <= 20 && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        return isScheme ? scheme : nil
    }

    /// - Returns: nil for a text that is not `postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE`. Most parts may be missing.
    init?(_ text: String) {
        guard let prefix = Self.prefix(of: text) else { return nil }
        let rest = text.utf8.dropFirst(prefix.utf8.count)
        let place = rest.prefix { $0 != UInt8(ascii: "?") }
        let parts = place.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        // A second `@`, or an `@` in the parameters, may be a part of a password that is not encoded.
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

/// The settings of the data store in addition to its address.
struct DataParts: Hashable, Sendable {
    var passwordFile: String?
    /// The directory for the contents of uploaded files, with or without a database; nil when it is not set.
    var files: String?
    /// The number of database connections for reading that each of the two stores has: the store of messages and the store of chat.
    var pool = 4
}
