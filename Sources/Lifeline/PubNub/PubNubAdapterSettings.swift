import ConnectionEngine
import PubNubProtocol
import WireCoding

/// The settings of the PubNub adapter.
struct PubNubAdapterSettings: Sendable {
    var host: ServiceHost
    var settings: PubNubSettings
    var cipher: PubNubCipher?
    var filter: String?
    var tracksPresence: Bool
    /// The source of tokens; nil for a client that uses the token of its settings.
    var tokens: TokenProvider?

    static let serviceName = "PubNub"
    static let sdk = "Lifeline/\(PackageVersion.current)"
}

/// The methods of encrypting messages with a cipher key.
public enum PubNubCipherForm: String, CaseIterable, Hashable, Sendable {
    /// The method that every SDK can decrypt, also those before 2023: AES-CBC with half of the key's hash and a random initialisation
    /// vector.
    case legacy
    /// The crypto module of the SDKs since 2023: AES-256-CBC with the whole hash, and a header that names the method.
    case current

    var form: PubNubCipher.Form { self == .legacy ? .legacy : .current }
}

/// Keys that messages of PubNub are decrypted with beside the cipher key, such as the one before it (rule LL-53).
///
/// To replace a cipher key: first give every client the new one for reading, then make it the cipher key and keep the old one for
/// reading, and remove the old one when no message that was encrypted with it is needed any more. Descriptions do not show the keys.
public struct PubNubReadingKeys: Sendable, CustomStringConvertible, CustomReflectable {
    /// No reading keys: only the cipher key decrypts.
    public static let none = PubNubReadingKeys()

    let keys: [String]

    private init() {
        keys = []
    }

    /// Keys for decryption.
    ///
    /// - Parameter keys: 1 to 7; tried in this order, after the cipher key.
    /// - Throws: ``LifelineError/Code/badRequest`` for more than 7 keys, because each key costs an attempt for every message that none
    ///   of them decrypts.
    public init(_ keys: [String]) throws(LifelineError) {
        guard keys.count <= PubNubCipher.maximumReaders else {
            throw LifelineError(
                .badRequest, "There are \(keys.count) reading keys; at most \(PubNubCipher.maximumReaders) can be used.")
        }
        self.keys = keys
    }

    public var description: String { "PubNubReadingKeys(\(keys.count))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Service {
    /// PubNub, or a server that speaks its protocol.
    ///
    /// After a lost connection the client fetches the missed messages that the service still keeps; if it cannot fetch them all, it
    /// declares a gap.
    ///
    /// - Parameters:
    ///   - publishKey: needed to publish; empty for a client that only listens.
    ///   - subscribeKey: the key that identifies the keyset.
    ///   - userID: the id of this client's user, 1 to 92 letters.
    ///   - host: see ``ServiceHost/pubnub``.
    ///   - authToken: a token or an auth key, if the keyset uses the access manager.
    ///   - tokens: your code that gets tokens, in place of `authToken`: the client asks again before a token expires and when one is refused.
    ///   - secretKey: signs every request; the service grants it every right. For servers, tools and tests: do not ship it to users.
    ///   - cipherKey: encrypts published messages and decrypts received ones; all participants need the same key.
    ///   - readingKeys: further keys that decrypt received messages and the history; without effect without `cipherKey`.
    ///   - cipherForm: the method of encrypting; both methods are decrypted.
    ///   - filter: a filter expression; only messages whose metadata matches it are delivered. Presence events are filtered too.
    ///   - presence: whether ``Room/presence`` is kept up to date. Costs a request for each channel and connection, and a
    ///     subscription of `-pnpres`, which an access token must grant.
    public static func pubnub(
        publishKey: String, subscribeKey: String, userID: String, host: ServiceHost = .pubnub, authToken: String? = nil,
        secretKey: String? = nil, cipherKey: String? = nil, readingKeys: PubNubReadingKeys = .none,
        cipherForm: PubNubCipherForm = .legacy, filter: String? = nil,
        presence: Bool = true, tokens: TokenProvider? = nil
    ) -> Service {
        let endpoint = HTTPEndpoint(host: host.name, port: host.port, usesTLS: host.tls)
        let settings = PubNubAdapterSettings(
            host: host,
            settings: PubNubSettings(
                endpoint: endpoint, publishKey: publishKey, subscribeKey: subscribeKey, secretKey: secretKey, userID: userID,
                auth: tokens == nil ? authToken : nil, sdk: PubNubAdapterSettings.sdk),
            cipher: cipherKey.map { PubNubCipher(key: $0, form: cipherForm.form).reading(readingKeys.keys) }, filter: filter,
            tracksPresence: presence, tokens: tokens)
        return Service(name: PubNubAdapterSettings.serviceName) { options, parts in
            PubNubAdapter.on(parts, settings, options: options)
        }
    }
}

extension ServiceHost {
    /// PubNub's own servers, with TLS.
    public static let pubnub = ServiceHost("ps.pndsn.com")
}
