import Crypto
import Foundation
import Identifiers
import NIOConcurrencyHelpers
import TransportCommon
import WireCoding

/// The stored state of an installation that is needed before the first connection: its id, and the users of known tokens.
///
/// Functions never fail: a value that cannot be stored is valid until the process ends. Tokens are stored only as digests.
final class InstallationStore: Sendable {
    private struct Account: Codable {
        var digest: String
        var user: String
    }

    /// The largest number of stored tokens. When there are more, the least recently used token is removed.
    private static let limit = 16

    private let directory: URL
    private let accounts = NIOLockedValueBox<[Account]?>(nil)
    private let device = NIOLockedValueBox<String?>(nil)

    init(directory: URL) {
        self.directory = directory
    }

    /// The id of this installation, created at first use. If two processes create an id at the same time, both use the id that was stored
    /// first.
    var deviceID: String {
        device.withLockedValue { device in
            if let device { return device }
            let known = keptDeviceID()
            device = known
            return known
        }
    }

    /// The user of this token; nil if the token was not used before.
    func user(appKey: String, token: String) -> String? {
        let digest = Self.digest(appKey, token)
        return accounts.withLockedValue { accounts in
            let known = accounts ?? read()
            accounts = known
            return known.first { $0.digest == digest }?.user
        }
    }

    /// Stores the user of a token.
    func remember(_ user: String, appKey: String, token: String) {
        let digest = Self.digest(appKey, token)
        accounts.withLockedValue { accounts in
            var known = accounts ?? read()
            if known.first?.digest == digest, known.first?.user.isExactly(user) == true { return }
            known.removeAll { $0.digest == digest }
            known.insert(Account(digest: digest, user: user), at: 0)
            if known.count > Self.limit { known.removeLast(known.count - Self.limit) }
            accounts = known
            guard let data = try? JSONEncoder().encode(known) else { return }
            makeDirectory()
            // A failed write is ignored: the user of the token is then unknown at the next start, until the server has confirmed it.
            try? data.write(to: accountsFile, options: .atomic)
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: accountsFile.path)
        }
    }

    private var accountsFile: URL { directory.appendingPathComponent("accounts.json", isDirectory: false) }

    private func read() -> [Account] {
        guard let data = try? Data(contentsOf: accountsFile), data.count <= 1 << 16 else { return [] }
        return (try? JSONDecoder().decode([Account].self, from: data)) ?? []
    }

    private func keptDeviceID() -> String {
        let file = directory.appendingPathComponent("device", isDirectory: false)
        if let id = Self.readID(file) { return id }
        let made = UUID().uuidString
        makeDirectory()
        // The id is written to a temporary file first, so that no process reads an incomplete id.
        let draft = directory.appendingPathComponent("device.\(made)", isDirectory: false)
        guard (try? Data(made.utf8).write(to: draft)) != nil else { return made }
        defer { try? FileManager.default.removeItem(at: draft) }
        if (try? FileManager.default.linkItem(at: draft, to: file)) != nil { return made }
        return Self.readID(file) ?? made
    }

    private func makeDirectory() {
        // An error is ignored here, because writing a file into the missing directory then fails as well, and that error is handled.
        try? ApplicationFolder.make(directory)
    }

    private static func readID(_ file: URL) -> String? {
        guard let data = try? Data(contentsOf: file), (1...64).contains(data.count) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private static func digest(_ appKey: String, _ token: String) -> String {
        Hex.text(SHA256.hash(data: Data("\(appKey.utf8.count):\(appKey)\(token)".utf8)))
    }
}
