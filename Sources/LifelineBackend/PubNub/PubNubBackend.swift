import ConnectionEngine
import HTTPTransport
import PubNubProtocol
import WireCoding

/// The keys of a PubNub keyset, with the secret key.
public struct PubNubKeys: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key that publishers use.
    public var publishKey: String
    /// The key that subscribers use. It identifies the keyset.
    public var subscribeKey: String
    /// The secret key, which signs calls. It must not leave the backend.
    public var secretKey: String

    /// Makes the keys of a keyset from the three key texts.
    public init(publishKey: String, subscribeKey: String, secretKey: String) {
        self.publishKey = publishKey
        self.subscribeKey = subscribeKey
        self.secretKey = secretKey
    }

    /// The subscribe key; the secret key is left out.
    public var description: String { "keyset \(subscribeKey)" }
    /// The subscribe key; the secret key is left out.
    public var debugDescription: String { description }
    /// A mirror with the subscribe key; the secret key is left out.
    public var customMirror: Mirror { Mirror(self, children: ["subscribeKey": subscribeKey]) }
}

/// PubNub's API for an application's own server: access tokens, and signed calls that need no token.
///
/// A value without a connection: each call is one HTTP request, signed with the secret key. Any task may make any call at any time.
///
/// ## Which calls are repeated
///
/// Calls that only read are repeated after a lost connection, a timeout and the statuses 429 and 500 or more. Grants and revocations are
/// repeated too, because they are idempotent. Messages, signals and state are repeated only when the failure occurred before any byte was
/// sent; ``PusherBackend`` explains why.
public struct PubNubBackend: Sendable {
    let keys: PubNubKeys
    let address: BackendAddress
    let settings: PubNubSettings
    let caller: BackendCaller
    let unixMilliseconds: @Sendable () -> Int

    /// Makes a backend for one keyset.
    ///
    /// - Parameters:
    ///   - keys: the keys of the keyset, with its secret key.
    ///   - userID: the publisher's user id, which subscribers see.
    ///   - address: the address of the service; PubNub's own by default.
    ///   - options: the options of calls.
    /// - Throws: `badRequest` when a key or the user id is empty.
    public init(
        keys: PubNubKeys, userID: String, address: BackendAddress = BackendAddress("ps.pndsn.com"),
        options: BackendOptions = BackendOptions()
    ) throws(BackendError) {
        try self.init(
            keys: keys, userID: userID, address: address, caller: BackendCaller(options),
            unixMilliseconds: BackendClock.unixMilliseconds)
    }

    init(
        keys: PubNubKeys, userID: String, address: BackendAddress, caller: BackendCaller,
        unixMilliseconds: @escaping @Sendable () -> Int
    ) throws(BackendError) {
        let texts = [keys.publishKey, keys.subscribeKey, keys.secretKey, userID]
        guard texts.allSatisfy({ !$0.isEmpty }) else {
            throw .badRequest("A key of the keyset or the user id is empty. Pass all of them.")
        }
        self.keys = keys
        self.address = address
        self.caller = caller
        self.unixMilliseconds = unixMilliseconds
        settings = PubNubSettings(
            endpoint: HTTPEndpoint(host: address.host, port: address.port, usesTLS: address.tls), publishKey: keys.publishKey,
            subscribeKey: keys.subscribeKey, secretKey: keys.secretKey, userID: userID,
            sdk: "LifelineBackend/\(PackageVersion.current)")
    }

    func call(_ request: PubNubRequest) -> HTTPCall {
        PubNubRequests(settings, address: address, unixMilliseconds: unixMilliseconds).call(request)
    }

    func make<Call: PubNubCall>(
        _ question: Call, _ repetition: BackendCaller.Repetition
    ) async throws(BackendError) -> Call.Answer {
        let request: PubNubRequest
        do throws(PubNubProblem) {
            request = try question.request(settings)
        } catch {
            throw .badRequest(error.failure.reason)
        }
        let answer = try await caller.send(repetition) { call(request) }
        do throws(PubNubProblem) {
            return try question.answer(answer.body)
        } catch {
            throw BackendError(
                .init(rawValue: error.failure.category.rawValue), error.information ?? error.failure.reason,
                status: answer.status, mayHaveTakenEffect: error.failure.category == .malformedResponse)
        }
    }
}
