import PusherProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who vouches for a client of Pusher Channels: private, presence and encrypted channels want an authorisation, and publishing from
/// anywhere but such a channel wants the app's secret.
public struct PusherAccess: Sendable {
    /// What a channel's authorisation is asked for.
    public struct Request: Hashable, Sendable {
        /// The channel's name.
        public var channel: String
        /// The connection's id, which is part of what is signed.
        public var socketID: String

        /// A question, such as for tests of your own code.
        public init(channel: String, socketID: String) {
            self.channel = channel
            self.socketID = socketID
        }
    }

    /// What your server answers.
    public struct Grant: Hashable, Sendable {
        /// `key:signature`.
        public var auth: String
        /// For presence channels: the JSON text that was signed.
        public var channelData: String?
        /// For encrypted channels: the channel's key, in base64.
        public var sharedSecret: String?

        /// What your server answered.
        public init(auth: String, channelData: String? = nil, sharedSecret: String? = nil) {
            self.auth = auth
            self.channelData = channelData
            self.sharedSecret = sharedSecret
        }
    }

    enum Kind: Sendable {
        case none
        case secret(PusherCredentials)
        case endpoint(url: String, headers: [String: String])
        case custom(@Sendable (Request) async throws -> Grant)
    }

    let kind: Kind

    /// Nobody. Public channels only, and no publishing.
    public static let none = PusherAccess(kind: .none)

    /// The client itself, with the app's secret. For servers, tools and tests: a secret must not be shipped to users.
    ///
    /// - Parameters:
    ///   - appID: the number in the paths of the HTTP API.
    ///   - encryptionMasterKey: 32 bytes in base64, for encrypted channels.
    public static func secret(_ secret: String, appID: String, encryptionMasterKey: String? = nil) -> PusherAccess {
        PusherAccess(
            kind: .secret(PusherCredentials(appID: appID, secret: secret, encryptionMasterKey: encryptionMasterKey)))
    }

    /// Your server's endpoint, asked with a form POST of `socket_id` and `channel_name` for every channel and connection.
    public static func endpoint(_ url: String, headers: [String: String] = [:]) -> PusherAccess {
        PusherAccess(kind: .endpoint(url: url, headers: headers))
    }

    /// Code of your own, run in a task of its own for every channel and connection; cancelled when it is not needed any more.
    ///
    /// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to refuse for good; other errors are tried again.
    public static func custom(_ authorize: @escaping @Sendable (Request) async throws -> Grant) -> PusherAccess {
        PusherAccess(kind: .custom(authorize))
    }

    var credentials: PusherCredentials? {
        if case .secret(let credentials) = kind { credentials } else { nil }
    }
}

/// What an app's own server knows. Does not print its secrets.
struct PusherCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    let appID: String
    let secret: String
    let encryptionMasterKey: String?

    var description: String { "credentials of app \(appID)" }
    var customMirror: Mirror { Mirror(self, children: ["appID": appID]) }

    /// The key of an encrypted channel; nil without a usable master key.
    func sharedSecret(of channel: String) -> [UInt8]? {
        encryptionMasterKey.flatMap { PusherEncryption.key(base64: $0) }
            .map { PusherEncryption.sharedSecret(channel: channel, masterKey: $0) }
    }
}

extension PusherAccess {
    static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }
}
