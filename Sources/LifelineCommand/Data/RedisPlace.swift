import LifelineServer

/// The Redis servers of a cluster, as the source of a copy.
struct RedisPlace: Hashable {
    let configuration: RedisConfiguration

    /// The addresses without users and passwords.
    var shown: String { configuration.places.joined(separator: " ") }

    private static let schemes = ["redis://", "rediss://"]

    /// Whether a text is the address of a Redis, and not a directory or a database.
    static func isAddress(_ text: String) -> Bool { schemes.contains { text.utf8.starts(with: $0.utf8) } }

    /// - Parameters:
    ///   - text: one address, or several with spaces between them.
    ///   - more: further addresses.
    ///   - prefix: the prefix of the cluster's keys.
    ///   - passwordFile: a file with the password of all these Redis servers.
    /// - Throws: a usage error for an invalid address or an unusable password file.
    init(_ text: String, more: [String], prefix: String, passwordFile: String?) throws(CommandFailure) {
        var addresses = ([text] + more).flatMap { $0.split(separator: " ").map(String.init) }
        if let passwordFile {
            let password = try Self.password(in: passwordFile)
            addresses = try addresses.map { address throws(CommandFailure) in try Self.address(address, with: password) }
        }
        do throws(RedisConfigurationError) {
            // The number of addresses is only the smallest possible number of partitions; the copy reads the real number from Redis.
            configuration = try RedisConfiguration(
                addresses: addresses, node: "data-copy", prefix: prefix, partitions: max(1, addresses.count))
        } catch {
            throw CommandFailure(error.description, .usage)
        }
    }

    /// Reads the password: the first line of the file.
    private static func password(in file: String) throws(CommandFailure) -> String {
        let bytes: [UInt8]
        do throws(FileContent.Failure) {
            bytes = try FileContent.read(file, limit: 65_536)
        } catch {
            throw CommandFailure("The password file \(file) \(error.reason).", .usage)
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else {
            throw CommandFailure("The password file \(file) is empty. Its first line must be the password.", .usage)
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static func address(_ text: String, with password: String) throws(CommandFailure) -> String {
        guard let scheme = schemes.first(where: { text.utf8.starts(with: $0.utf8) }) else { return text }
        let rest = String(decoding: text.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
        guard let mark = rest.utf8.lastIndex(of: UInt8(ascii: "@")) else { return "\(scheme):\(escaped(password))@\(rest)" }
        let user = rest[..<mark]
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw CommandFailure(
                "A Redis address already contains a password: remove it from the address, or omit --from-password-file.", .usage)
        }
        return "\(scheme)\(user):\(escaped(password))\(rest[mark...])"
    }

    /// Percent-encodes a password for an address.
    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { escaped, byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte) {
                escaped.unicodeScalars.append(scalar)
            } else {
                escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
