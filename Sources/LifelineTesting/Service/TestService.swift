import ClientRuntime
import Lifeline
import PubNub
import PusherSwift

/// A realtime service in memory, for the tests of an app: without sockets and servers, and with a manual clock.
///
/// Clients of `Lifeline`, `PusherSwift` and `PubNub` that use a test service run their real code: sessions, engine, retries and callbacks.
/// Only sockets, HTTP requests, time and randomness are replaced. A test scripts the service:
///
/// ```swift
/// let service = TestService()
/// let client = LifelineClient(service.pusher())
/// try await client.connect()
/// let room = try await client.channel("room").subscribe()
/// try await service.deliver("hello", event: "greeting", on: "room")
/// try await service.drop(.reset)
/// try await service.advance(by: .seconds(30))
/// ```
///
/// Methods that cause events return when all effects have been delivered: callbacks have run, and loops over a client's sequences wait for
/// the next element. Without a script the service accepts every connection, subscription and message. Rules LT-1 to LT-38 of
/// `docs/rules/lifeline.md`. May be used from any thread; use one service for each test.
public final class TestService: Sendable {
    let core = ServiceCore()
    package let double: any ServiceDouble

    /// Makes a service without connections. It accepts every client until a script changes this.
    public init() {
        double = TestDouble(core: core)
    }

    // MARK: Lifeline

    /// Makes a `Service` for `LifelineClient` with which the client uses this test service as Pusher Channels.
    ///
    /// - Parameters:
    ///   - access: how channels are authorised; by default by the client itself, so that the client may publish.
    ///   - user: the client's member on presence channels.
    ///   - signIn: how the user is authenticated; nil for a client that does not sign in.
    public func pusher(
        access: PusherAccess = .secret("test-secret", appID: "1"), user: Member? = Member(id: "me"), signIn: PusherSignIn? = nil
    ) -> Service {
        inPlace(of: .pusher(key: "test-key", host: .init("test.invalid"), access: access, user: user, signIn: signIn))
    }

    /// Makes a `Service` for `LifelineClient` with which the client uses this test service as PubNub.
    ///
    /// - Parameters:
    ///   - user: the client's user id.
    ///   - presence: whether the client keeps `Room.presence` up to date.
    public func pubnub(user: String = "me", presence: Bool = true) -> Service {
        inPlace(
            of: .pubnub(
                publishKey: "test-publish", subscribeKey: "test-subscribe", userID: user, host: .init("test.invalid"),
                presence: presence))
    }

    /// Makes a `Service` for `LifelineClient` with which the client uses this test service as Nexconn Chat.
    ///
    /// - Parameters:
    ///   - user: the client's user id.
    ///   - presence: whether the client keeps `Room.presence` of open channels up to date.
    public func nexconn(user: String = "me", presence: Bool = true) -> Service {
        inPlace(
            of: .nexconn(
                appKey: "test-key", host: .init("test.invalid"), access: .token(token(for: user)), device: "device-of-\(user)",
                presence: presence))
    }

    /// Replaces a service that the app has configured. Keys, users and authorisation stay as configured; the service's hosts are never
    /// contacted.
    ///
    /// Requests to an app's own server, such as an authorisation endpoint, are sent to this test service too, and ``onRequest(_:)`` answers
    /// them.
    public func inPlace(of service: Service) -> Service {
        service.on(double)
    }

    // MARK: Clients with the APIs of PusherSwift and PubNub

    /// Connects every `Pusher` that is made with these options to this test service.
    public func attach(to options: PusherClientOptions) {
        options.use(double)
    }

    /// Connects every `PubNub` that is made with this configuration to this test service.
    public func attach(to configuration: PNConfiguration) {
        configuration.use(double)
    }

    /// An access token for a chat user, which this test service accepts.
    public func token(for user: String) -> String { ServiceState.tokenPrefix + user }
}
