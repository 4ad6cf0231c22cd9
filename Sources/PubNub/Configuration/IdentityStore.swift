import Crypto
import Foundation
import NIOConcurrencyHelpers
import TransportCommon
import WireCoding

/// Stores the ids of users and of this device, so that they stay the same when the program starts again. Never fails: an id that cannot be
/// stored is used until the process ends.
final class IdentityStore: Sendable {
    /// The store whose files are in the folder `pubnub` of ``ApplicationFolder``.
    static let shared = IdentityStore(directory: ApplicationFolder.url("pubnub"))

    private let directory: URL?
    private let known = NIOLockedValueBox<[String: String]>([:])

    /// - Parameter directory: the folder of the files; nil to store nothing.
    init(directory: URL?) {
        self.directory = directory
    }

    /// The user id for a publish key: `pn-` and a random UUID, made at the first use.
    func userID(publishKey: String) -> String {
        let digest = SHA256.hash(data: Data(publishKey.utf8)).prefix(16)
        return identity("user-" + Hex.text(digest)) { "pn-" + UUID().uuidString }
    }

    /// The id of this device, a random UUID made at the first use.
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

    /// Returns the id in the file `name`. If there is no such file, stores a new id in a new file and returns it. If two processes store an
    /// id at the same time, both use the id that was stored first.
    private func kept(_ name: String, make: () -> String) -> String {
        guard let directory else { return make() }
        let file = directory.appendingPathComponent(name, isDirectory: false)
        if let identity = Self.read(file) { return identity }
        let made = make()
        // If the directory cannot be made, the id is not stored, and the app gets a new id at its next start.
        try? ApplicationFolder.make(directory)
        // The id is written to a temporary file first, so that no reader sees an incomplete id.
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
