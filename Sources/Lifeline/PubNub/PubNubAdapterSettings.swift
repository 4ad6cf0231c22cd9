import ConnectionEngine
import PubNubProtocol
import WireCoding

/// The arguments of `Service.pubnub(…)`, for the PubNub adapter.
struct PubNubAdapterSettings: Sendable {
    var host: ServiceHost
    var settings: PubNubSettings
    var cipher: PubNubCipher?
    var filter: String?
    var tracksPresence: Bool
    /// The application's token provider; nil for a client that uses the token in its settings.
    var tokens: TokenProvider?

    static let serviceName = "PubNub"
    static let sdk = "Lifeline/\(PackageVersion.current)"
}

/// The methods by which a cipher key encrypts messages.
public enum PubNubCipherForm: String, CaseIterable, Hashable, Sendable {
    /// AES-CBC with half of the key's hash and a random initialisation vector. Every SDK can decrypt this method, also SDKs from before
    /// 2023.
    case legacy
    /// AES-256-CBC with the whole hash, and a header that names the method: the crypto module of the SDKs since 2023.
    case current

    var form: PubNubCipher.Form { self == .legacy ? .legacy : .current }
}

/// Additional keys that decrypt messages of PubNub, such as the previous cipher key (rule LL-53).
///
/// To replace a cipher key: first give every client the new key for reading. Then make it the cipher key and keep the old key for reading.
/// Remove the old key when no message that was encrypted with it is needed any more. Descriptions do not show the keys.
public struct PubNubReadingKeys: Sendable, CustomStringConvertible, CustomReflectable {
    /// No reading keys: only the cipher key decrypts.
    public static let none = PubNubReadingKeys()

    let keys: [String]

    private init() {
        keys = []
    }

    /// Makes a list of decryption keys.
    ///
    /// - Parameter keys: 1 to 7; tried in this order, after the cipher key.
    /// - Throws: ``LifelineError/Code/badRequest`` for more than 7 keys, because each key costs an attempt for every message that none of
    ///   them decrypts.
    public init(_ keys: [String]) throws(LifelineError) {
        guard keys.count <= PubNubCipher.maximumReaders else {
            throw LifelineError(
                .badRequest, "There are \(keys.count) reading keys; at most \(PubNubCipher.maximumReaders) are allowed.")
        }
        self.keys = keys
    }

    public var description: String { "PubNubReadingKeys(\(keys.count))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Service {
    /// The service PubNub, or a server that speaks its protocol.
    ///
    /// After a lost connection the client fetches the missed messages that the service still has. If it cannot fetch all of them, it
    /// declares a gap.
    ///
    /// - Parameters:
    ///   - publishKey: needed to publish; empty for a client that only subscribes.
    ///   - subscribeKey: the key that identifies the keyset.
    ///   - userID: the id of this client's user, 1 to 92 letters.
    ///   - host: see ``ServiceHost/pubnub``.
    ///   - authToken: a token or an auth key, if the keyset uses the access manager.
    ///   - tokens: your code that gets tokens, in place of `authToken`: the client requests another token before a token expires and when
    ///     the service refuses a token.
    ///   - secretKey: signs every request; the service grants every right to a client with this key. For servers, tools and tests: do not
    ///     ship it to users.
    ///   - cipherKey: encrypts published messages and decrypts received ones; all participants need the same key.
    ///   - readingKeys: further keys that decrypt received messages and the history; without effect without `cipherKey`.
    ///   - cipherForm: the method of encrypting; both methods are decrypted.
    ///   - filter: a filter expression; only messages whose metadata matches it are delivered. Presence events are filtered too.
    ///   - presence: whether ``Room/presence`` is kept up to date. This costs a request for each channel and connection, and a subscription
    ///     of `-pnpres`, which an access token must grant.
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
    /// The address of PubNub's own servers, with TLS.
    public static let pubnub = ServiceHost("ps.pndsn.com")
}
