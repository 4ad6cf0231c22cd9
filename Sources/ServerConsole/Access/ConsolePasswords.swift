import Crypto
import CryptoExtras
import WireCoding

/// The passwords of the console, as scrypt hashes with one salt. Descriptions and reflection reveal nothing about the passwords (rule
/// CO-10).
package struct ConsolePasswords: Sendable, CustomStringConvertible, CustomReflectable {
    /// The cost of scrypt: 16 MiB and some hundredths of a second. Generated passwords have 137 random bits, so the cost only has to slow
    /// down attempts to log in, not guesses against stolen hashes.
    package struct Cost: Hashable, Sendable {
        package var rounds = 1 << 14
        package var blockSize = 8

        package init() {}
        package init(rounds: Int) { self.rounds = rounds }
    }

    package enum Problem: Error, Hashable, Sendable {
        case tooShort
        case tooLong
        /// The admin's password and the reader's password are equal, so the console could not distinguish the two roles.
        case same
        /// scrypt could not allocate its memory.
        case unavailable
    }

    private let salt: [UInt8]
    private let cost: Cost
    private let admin: [UInt8]
    private let reader: [UInt8]?

    package static let lengths = 12...1024

    /// Hashes the passwords. Each hash takes some hundredths of a second, see ``Cost``.
    package init(
        admin: String, reader: String? = nil, salt: [UInt8] = Self.random(16), cost: Cost = Cost()
    ) throws(Problem) {
        try self.init(
            adminHash: try Self.hash(Self.checked(admin), salt: salt, cost: cost), reader: reader, salt: salt, cost: cost)
        if let reader, ConstantTime.areEqual(reader, admin) { throw .same }
    }

    private init(adminHash: [UInt8], reader: String?, salt: [UInt8], cost: Cost) throws(Problem) {
        self.salt = salt
        self.cost = cost
        admin = adminHash
        if let reader {
            let hash = try Self.hash(Self.checked(reader), salt: salt, cost: cost)
            guard !ConstantTime.areEqual(hash, adminHash) else { throw .same }
            self.reader = hash
        } else {
            self.reader = nil
        }
    }

    /// The role that a password has; nil for a wrong password. The check takes the same time for every password. Do not call it on an event
    /// loop, because the check takes too long there.
    package func role(of password: String) -> ConsoleRole? {
        guard password.utf8.count <= Self.lengths.upperBound, let hash = try? Self.hash(password, salt: salt, cost: cost) else {
            return nil
        }
        let isAdmin = ConstantTime.areEqual(hash, admin)
        let isReader = ConstantTime.areEqual(hash, reader ?? [UInt8](repeating: 0, count: hash.count))
        if isAdmin { return .admin }
        return isReader && reader != nil ? .reader : nil
    }

    private static func checked(_ password: String) throws(Problem) -> String {
        guard password.utf8.count >= lengths.lowerBound else { throw .tooShort }
        guard password.utf8.count <= lengths.upperBound else { throw .tooLong }
        return password
    }

    private static func hash(_ password: String, salt: [UInt8], cost: Cost) throws(Problem) -> [UInt8] {
        let key = try? KDF.Scrypt.deriveKey(
            from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: cost.rounds, blockSize: cost.blockSize,
            parallelism: 1)
        guard let key else { throw .unavailable }
        return key.withUnsafeBytes { Array($0) }
    }

    // MARK: Kept

    /// The admin's password in its stored form: `scrypt ROUNDS BLOCK SALT HASH`, in hexadecimal.
    package var kept: String { "scrypt \(cost.rounds) \(cost.blockSize) \(Hex.text(salt)) \(Hex.text(admin))\n" }

    /// Parses the stored form of the admin's password; nil for any other text.
    package init?(kept: String, reader: String?) throws(Problem) {
        let parts = kept.split(whereSeparator: \.isWhitespace)
        guard parts.count == 5, parts[0] == "scrypt", let rounds = Int(parts[1]), parts[2] == "8",
            (1 << 10...1 << 20).contains(rounds), rounds & (rounds - 1) == 0, let salt = Self.bytes(parts[3]),
            salt.count >= 16, let hash = Self.bytes(parts[4]), hash.count == 32
        else { return nil }
        try self.init(adminHash: hash, reader: reader, salt: salt, cost: Cost(rounds: rounds))
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        return try? stride(from: 0, to: digits.count, by: 2).map { index throws(NotHex) in
            guard let byte = UInt8(String(decoding: digits.clamped(from: index, to: index + 2), as: UTF8.self), radix: 16) else {
                throw NotHex()
            }
            return byte
        }
    }

    private struct NotHex: Error {}

    /// Generates a password with 137 random bits: 24 letters and digits, without characters that look alike.
    package static func generated() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        var random = SystemRandomNumberGenerator()
        return String((0..<24).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
    }

    package static func random(_ count: Int) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    package var description: String { "passwords of the console" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
