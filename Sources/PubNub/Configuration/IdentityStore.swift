import Crypto
import Foundation
import NIOConcurrencyHelpers
import TransportCommon
import WireCoding

/// Stores the ids of users and devices across starts of the program. Never fails: an id that cannot be stored is valid for this
/// process.
final class IdentityStore: Sendable {
    /// The store in the folder `pubnub` of ``ApplicationFolder``.
    static let shared = IdentityStore(directory: ApplicationFolder.url("pubnub"))

    private let directory: URL?
    private let known = NIOLockedValueBox<[String: String]>([:])

    /// - Parameter directory: where the files are; nil for none.
    init(directory: URL?) {
        self.directory = directory
    }

    /// The user id of a publish key.
    func userID(publishKey: String) -> String {
        let digest = SHA256.hash(data: Data(publishKey.utf8)).prefix(16)
        return identity("user-" + Hex.text(digest)) { "pn-" + UUID().uuidString }
    }

    /// The id of this device.
    var deviceID: String {
        identity("device") { UUID().uuidString }
    }

    private func identity(_ name: String, make: () -> String) -> String {
        known.withLockedValue { known in
            if let identity = known[name] { return identity }
            let identity = kept(name, make: make)
            known[name] = identity
            return identity
        }
    }

    /// Returns the identity in the file, or stores a new one in a new file. If two processes do this at the same time, the identity of
    /// the first is kept.
    private func kept(_ name: String, make: () -> String) -> String {
        guard let directory else { return make() }
        let file = directory.appendingPathComponent(name, isDirectory: false)
        if let identity = Self.read(file) { return identity }
        let made = make()
        // Without a directory the identity is not stored, and the app gets a new one at the next start.
        try? ApplicationFolder.make(directory)
        // Written to a temporary file first, so that no reader sees an incomplete identity.
        let draft = directory.appendingPathComponent("\(name).\(UUID().uuidString)", isDirectory: false)
        guard (try? Data(made.utf8).write(to: draft)) != nil else { return made }
        defer { try? FileManager.default.removeItem(at: draft) }
        if (try? FileManager.default.linkItem(at: draft, to: file)) != nil { return made }
        return Self.read(file) ?? made
    }

    private static func read(_ file: URL) -> String? {
        guard let data = try? Data(contentsOf: file), data.count <= 128 else { return nil }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }
}
