import PusherProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a client of Pusher Channels is authorised. Private, presence and encrypted channels need an authorisation; publishing without
/// a subscription to such a channel needs the app's secret.
public struct PusherAccess: Sendable {
    /// A client's request for the authorisation of a channel, which your code answers with a ``Grant``.
    public struct Request: Hashable, Sendable {
        /// The channel's name.
        public var channel: String
        /// The socket id: the connection's id, which is part of the signed text.
        public var socketID: String

        /// Makes a request, such as for tests of your own code.
        public init(channel: String, socketID: String) {
            self.channel = channel
            self.socketID = socketID
        }
    }

    /// The answer of your server to a request for authorisation.
    public struct Grant: Hashable, Sendable {
        /// `key:signature`.
        public var auth: String
        /// The JSON text about the member that was signed; only for presence channels, nil for others.
        public var channelData: String?
        /// The channel's encryption key, in base64; only for encrypted channels, nil for others.
        public var sharedSecret: String?

        /// Makes an authorisation from the values of your server's answer.
        public init(auth: String, channelData: String? = nil, sharedSecret: String? = nil) {
            self.auth = auth
            self.channelData = channelData
            self.sharedSecret = sharedSecret
        }
    }

    enum Kind: Sendable {
        case none
        case secret(PusherCredentials)
        case endpoint(url: String, headers: EndpointHeaders)
        case custom(@Sendable (Request) async throws -> Grant)
    }

    let kind: Kind

    /// No authorisation: the client can subscribe only to public channels and cannot publish.
    public static let none = PusherAccess(kind: .none)

    /// The client signs with the app's secret. For servers, tools and tests: do not ship a secret to users.
    ///
    /// - Parameters:
    ///   - secret: the application's secret.
    ///   - appID: the app's id, as in the paths of the HTTP API.
    ///   - encryptionMasterKey: 32 bytes in base64, for encrypted channels.
    public static func secret(_ secret: String, appID: String, encryptionMasterKey: String? = nil) -> PusherAccess {
        PusherAccess(
            kind: .secret(PusherCredentials(appID: appID, secret: secret, encryptionMasterKey: encryptionMasterKey)))
    }

    /// Requests each authorisation from an endpoint of your server. The endpoint gets a form POST with `socket_id` and `channel_name` for
    /// every channel and connection.
    public static func endpoint(_ url: String, headers: [String: String] = [:]) -> PusherAccess {
        PusherAccess(kind: .endpoint(url: url, headers: .fixed(headers)))
    }

    /// Requests each authorisation from an endpoint of your server, with header fields that your own code provides, such as `Authorization`
    /// with a token. The endpoint gets a form POST with `socket_id` and `channel_name` for every channel and connection.
    ///
    /// - Parameters:
    ///   - url: the endpoint's address.
    ///   - headers: called before the first request, and again when the endpoint has answered 401 or 403; the request is then repeated
    ///     once. It is called once, in a separate task, even when many channels need headers at the same time (rules LL-80 to LL-84). Throw
    ///     a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to refuse; after other errors the client tries again.
    public static func endpoint(
        _ url: String, headers: @escaping @Sendable (TokenRequest) async throws -> [String: String]
    ) -> PusherAccess {
        PusherAccess(kind: .endpoint(url: url, headers: .provided(headers)))
    }

    /// Calls your own code for each authorisation, in a separate task for every channel and connection. The task is cancelled when the
    /// result is no longer needed.
    ///
    /// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to refuse the channel; after other errors the client tries again.
    public static func custom(_ authorize: @escaping @Sendable (Request) async throws -> Grant) -> PusherAccess {
        PusherAccess(kind: .custom(authorize))
    }

    var credentials: PusherCredentials? {
        if case .secret(let credentials) = kind { credentials } else { nil }
    }
}

/// The app id and the secrets with which a client signs its own requests. The description and the mirror omit the secrets.
struct PusherCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    let appID: String
    let secret: String
    let encryptionMasterKey: String?

    var description: String { "credentials of app \(appID)" }
    var customMirror: Mirror { Mirror(self, children: ["appID": appID]) }

    /// The encryption key of a channel; nil when there is no master key, or an invalid one.
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
