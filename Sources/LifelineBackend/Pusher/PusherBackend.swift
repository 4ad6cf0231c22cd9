import HTTPTransport
import PusherProtocol

/// Pusher's HTTP API for an application's own server: publishes, queries channels, authorises clients and verifies webhooks.
///
/// A value without a connection: each call is one HTTP request. Works with Pusher's own service and with every server that has Pusher's
/// HTTP API. Any task may make any call at any time.
///
/// ## Which calls are repeated
///
/// Calls that only read (``channels(prefix:attributes:)``, ``channel(_:attributes:)``, ``users(on:)``) are repeated after a lost
/// connection, a timeout and the statuses 429 and 500 or more.
///
/// Calls with an effect (triggers, ``terminateConnections(ofUser:)``) have no id in this protocol by which a server could recognise a
/// repetition. They are repeated only when the failure occurred before any byte was sent: the connection was refused, or the proxy could
/// not be used. After any other failure ``BackendError/mayHaveTakenEffect`` is true if the call may have taken effect, and the caller
/// decides whether to repeat it.
public struct PusherBackend: Sendable {
    /// The application's id in the HTTP API.
    public let appID: String
    let address: BackendAddress
    /// The application's keys. The first key signs; webhooks may be signed with any of the keys.
    let keys: [PusherKey]
    let signer: PusherKey
    /// The encryption master key of 32 bytes; nil without encrypted channels.
    let masterKey: [UInt8]?
    let caller: BackendCaller
    let unixMilliseconds: @Sendable () -> Int

    /// Makes a backend for one application.
    ///
    /// - Parameters:
    ///   - appID: the application's id.
    ///   - keys: keys of the application. The first one signs; webhooks may be signed with any of them, so keys can be replaced without an
    ///     interruption: add the new key at the end, configure the new key in clients and service, then remove the old key (rule BK-3).
    ///   - address: the address of the HTTP API, such as `.pusherCluster("eu")`.
    ///   - encryptionMasterKey: 32 bytes in base64, for encrypted channels; nil without them.
    ///   - options: the options of calls.
    /// - Throws: `badRequest` when there is no key, or the master key is not 32 bytes in base64.
    public init(
        appID: String, keys: [PusherKey], address: BackendAddress, encryptionMasterKey: String? = nil,
        options: BackendOptions = BackendOptions()
    ) throws(BackendError) {
        try self.init(
            appID: appID, keys: keys, address: address, encryptionMasterKey: encryptionMasterKey, caller: BackendCaller(options),
            unixMilliseconds: BackendClock.unixMilliseconds)
    }

    init(
        appID: String, keys: [PusherKey], address: BackendAddress, encryptionMasterKey: String? = nil, caller: BackendCaller,
        unixMilliseconds: @escaping @Sendable () -> Int
    ) throws(BackendError) {
        guard let first = keys.first else {
            throw .badRequest("The list of keys is empty. Pass at least one key of the application.")
        }
        guard keys.allSatisfy({ !$0.key.isEmpty && !$0.secret.isEmpty }), !appID.isEmpty else {
            throw .badRequest("The application's id, a key or a secret is empty. Pass all of them.")
        }
        if let text = encryptionMasterKey {
            guard let bytes = PusherEncryption.key(base64: text) else {
                throw .badRequest("The encryption master key is not 32 bytes in base64.")
            }
            masterKey = bytes
        } else {
            masterKey = nil
        }
        self.appID = appID
        self.keys = keys
        self.address = address
        self.caller = caller
        self.unixMilliseconds = unixMilliseconds
        signer = first
    }

    func call(
        _ method: String, _ path: String, parameters: [PusherRequestSignature.Parameter] = [], body: [UInt8] = []
    ) -> HTTPCall {
        PusherRequests(appID: appID, key: signer, address: address, unixMilliseconds: unixMilliseconds)
            .call(method, path, parameters: parameters, body: body)
    }
}
