import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import PusherProtocol
import TransportCommon

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking

    /// The class `URLSession` of FoundationNetworking.
    public typealias PusherURLSession = FoundationNetworking.URLSession
#elseif WITHOUT_FOUNDATION_NETWORKING
    /// This library's replacement for `URLSession` in builds without FoundationNetworking.
    public typealias PusherURLSession = PusherSwift.URLSession
#else
    /// The class `URLSession` of Foundation.
    public typealias PusherURLSession = Foundation.URLSession
#endif

/// The connection of a client and its settings.
///
/// May be used from any thread. All callbacks and delegate calls happen on ``callbackQueue``, in one order.
///
/// `@unchecked Sendable`: everything that changes is protected by `state` (a `NIOLockedValueBox`) or by locks of the contained objects. The
/// app's closures are called on the callback queue only. The lock `commands` serialises operations that change both the table of channels
/// and the engine.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherConnection: NSObject, @unchecked Sendable {
    /// The address that the client connects to.
    public let url: String
    /// The app's key.
    public let key: String
    /// The queue of all callbacks and delegate calls. Set by ``PusherClientOptions/callbackQueue``; an addition to PusherSwift 10.1.
    public let callbackQueue: DispatchQueue

    /// The user who signs in. An addition to PusherSwift 10.1.
    public let user = PusherUserAccount()

    let state: NIOLockedValueBox<ConnectionValues>
    let truth = ConnectionTruth()
    let delegateBox = DelegateBox()
    /// Serialises operations that change both the table of channels and the engine's subscriptions. It is recursive, because the app's
    /// socket is called while the lock is held and may call the connection.
    let commands = NSRecursiveLock()
    let gate = SocketGate()
    let driver: ConnectionDriver<PusherSession>
    let authorizations: AuthorizationRunner
    /// The observations of the engine, the network and the application, set once in `init`. Releasing them ends them.
    private var observations: [Observation] = []
    /// The observation of the network route to the server, set once in `init`; nil when the route cannot be observed.
    private var network: NetworkObservation?

    /// Creates a connection on the library's own transport; ``Pusher/init(key:options:)`` uses it with the URL that its options define. An
    /// addition to PusherSwift 10.1.
    ///
    /// - Parameters:
    ///   - key: the app's key.
    ///   - url: the address to connect to: `wss://host:port/app/KEY?…`.
    ///   - options: the settings.
    ///   - URLSession: the session for authorisation requests; by default the library's own HTTP client sends them.
    public convenience init(
        key: String, url: String, options: PusherClientOptions, URLSession: PusherURLSession = PusherURLSession.shared
    ) {
        self.init(key: key, socket: NWWebSocket(faceAt: url), url: url, options: options, URLSession: URLSession)
    }

    /// Creates a connection on a socket that the app supplies. The connection becomes the socket's delegate (rule PA-43).
    ///
    /// - Parameters:
    ///   - key: the app's key.
    ///   - socket: the app's socket, which connects to its own address instead of `url`.
    ///   - url: the value of ``url``: `wss://host:port/app/KEY?…`.
    ///   - options: the settings.
    ///   - URLSession: the session for authorisation requests; by default the library's own HTTP client sends them.
    public init(
        key: String, socket: NWWebSocket, url: String, options: PusherClientOptions,
        URLSession: PusherURLSession = PusherURLSession.shared
    ) {
        let engine = options.engine
        self.key = key
        self.url = url
        callbackQueue = options.callbackQueue
        let values = ConnectionValues(options: options, URLSession: URLSession)
        state = NIOLockedValueBox(values)
        let runner = AuthorizationRunner(queue: options.callbackQueue, http: engine.makeHTTP(options, values.settings.policy))
        authorizations = runner
        driver = engine.makeDriver(url, options, values.settings.policy, runner, gate) { [delegateBox] in
            delegateBox.delegate != nil
        }
        super.init()
        values.channels.follow(self)
        gate.attach(self, socket: socket)
        socket.delegate = self
        network = PusherAddress.endpoint(url: url).flatMap { engine.observeNetwork($0.host, driver) }
        runner.attach(self)
        user.attach(self)
        let telemetry = ClientTelemetry(service: "pusher", logger: options.logger, metrics: options.metrics)
        observations = [
            driver.notices.observe(on: .inline) { [truth] notices in
                truth.note(notices)
                telemetry?.note(notices)
            },
            driver.notices.observe(on: .queue(callbackQueue)) { [weak self] in self?.deliver($0) },
            driver.networkChanges.observe(on: .queue(callbackQueue)) { [weak self] changes in
                for change in changes { self?.onNetworkChange?(change == .available) }
            },
        ]
        if options.suspendsInBackground, let application = engine.observeApplication(driver) { observations.append(application) }
    }

    deinit {
        // The callbacks of this connection's channels are released, because they get no further events and often hold their own channel. A
        // channel of another connection that was only assigned to this connection still gets events and keeps its callbacks.
        for channel in channels.channels.values where channel.connection == nil { channel.forgetCallbacks() }
        user.forgetCallbacks()
    }

    /// Connects. A pause before the next attempt ends at once; while connected the call has no effect (rule PA-1).
    open func connect() {
        guard PusherAddress.endpoint(url: url) != nil || !gate.dialsItself else {
            report(PusherError(code: nil, message: "The connection's url is not a valid WebSocket URL."))
            return
        }
        if let problem = options.problem {
            report(PusherError(code: nil, message: problem))
            return
        }
        driver.submit(.connect(within: nil))
    }

    /// Closes the connection in any state, and stops all attempts to reconnect (rule PA-2).
    open func disconnect() {
        driver.submit(.disconnect)
    }

    /// Sends an event.
    ///
    /// An event whose name begins with `client-` needs a private or presence channel and waits until the channel is subscribed. Any
    /// other event is sent without a channel; servers support only few such events.
    ///
    /// - Parameters:
    ///   - event: the event's name.
    ///   - data: a JSON value as `JSONSerialization` takes it; anything else is reported to the delegate and not sent.
    ///   - channel: the channel of a client event; nil for other events.
    open func sendEvent(event: String, data: Any, channel: PusherChannel? = nil) {
        send(event: event, data: data, channel: channel)
    }

    /// Passes an error to the delegate. Called on the callback queue for every `pusher:error`. A subclass can override this to get errors
    /// without a delegate.
    open func handleError(error: PusherError) {
        delegateBox.received(error)
    }

    /// Passes an event first to the global callbacks and then to the callbacks of its channel. Called on the callback queue for every
    /// event.
    open func handleEvent(event: PusherEvent) {
        // Both values are read under one lock instead of two, because this function runs for every event.
        let (channels, global) = state.withLockedValue { ($0.channels, $0.global) }
        var channel: PusherChannel?
        if let name = event.channelName {
            channel = channels.live(name)
            if channel == nil {
                guard isOfUser(name) else { return }
                global?.handleEvent(event: event)
                user.handleEvent(event)
                return
            }
        }
        if let global {
            global.handleEvent(event: event)
            // A global callback may have unsubscribed the channel; then the channel gets no event (rule PA-18).
            if let name = event.channelName, channels.live(name) !== channel { return }
        }
        channel?.handleEvent(event: event)
    }

    /// The delegate for events of the connection and its subscriptions; held weakly.
    open var delegate: PusherDelegate? {
        get { delegateBox.delegate }
        set { delegateBox.delegate = newValue }
    }

    /// The settings. New values of `authMethod` and `autoReconnect` take effect at once; all other settings are read when the connection is
    /// created.
    open var options: PusherClientOptions {
        get { state.withLockedValue { $0.options } }
        set {
            state.replace(\.options, with: newValue)
            change { $0.autoReconnect = newValue.autoReconnect }
        }
    }

    /// The channel whose callbacks get every event. Assigning nil creates a new one.
    open var globalChannel: GlobalChannel! {
        get { global }
        set { state.replace(\.global, with: newValue) }
    }

    /// All channels of the client, also those that the server has not confirmed yet. Assigning a table subscribes to the channels that only
    /// the new table contains, and unsubscribes from the channels that only the former table contains.
    open var channels: PusherChannels {
        get { state.withLockedValue { $0.channels } }
        set { replaceChannels(with: newValue) }
    }

    /// The socket of the next attempt to connect (rules PA-43 to PA-50). If an assigned socket has no delegate, the connection becomes its
    /// delegate.
    ///
    /// By default this socket is a facade of the library's own transport: `ping()`, `send(string:)` and `disconnect(closeCode:)` act on the
    /// present connection. Assigning another socket leaves the present connection open. Assigning nil restores the facade.
    open var socket: NWWebSocket! {
        get { gate.socket }
        set {
            let socket = newValue ?? NWWebSocket(faceAt: url)
            gate.use(socket)
            if socket.delegate == nil { socket.delegate = self }
        }
    }

    /// The socket id of the present connection; nil without a connection.
    open var socketId: String? {
        get { truth.values.socketID }
        set { truth.update { $0.socketID = newValue } }
    }

    /// The present state of the connection. The library sets it; assigning a value changes only the property, not the connection.
    open var connectionState: ConnectionState {
        get { truth.values.state }
        set { truth.update { $0.state = newValue } }
    }

    /// How many attempts have failed in a row; 0 after a success. Assigning a value changes only the property.
    open var reconnectAttempts: Int {
        get { truth.values.attempts }
        set { truth.update { $0.attempts = newValue } }
    }

    /// The session that sends authorisation requests. If the app has set none, the library's own HTTP client sends them.
    open var URLSession: PusherURLSession {
        get { state.withLockedValue { $0.URLSession } }
        set { state.replace(\.URLSession, with: newValue) }
    }

    /// Returns this client's member for presence channels that are signed with ``AuthMethod/inline(secret:)``. Called on the callback
    /// queue.
    open var userDataFetcher: (() -> PusherPresenceChannelMember)? {
        get { state.withLockedValue { $0.userDataFetcher } }
        set { state.replace(\.userDataFetcher, with: newValue) }
    }

    /// How many attempts in a row may fail before the state becomes `disconnected`; nil, the default, for no limit.
    open var reconnectAttemptsMax: Int? {
        get { state.withLockedValue { $0.settings.reconnectAttemptsMax } }
        set { change { $0.reconnectAttemptsMax = newValue } }
    }

    /// The longest pause between attempts, in seconds; 120 by default, nil for no limit, at least 0.1.
    open var maxReconnectGapInSeconds: Double? {
        get { state.withLockedValue { $0.settings.gap.seconds(documented: ConnectionSettings.documentedGap) } }
        set { change { $0.gap = .chosen(newValue) } }
    }

    /// The time limit for the answer to a ping, in seconds. Until this property is set, it returns 30, the documented default, although the
    /// client waits only 5 s.
    open var pongResponseTimeoutInterval: TimeInterval {
        get { state.withLockedValue { $0.settings.pongTimeoutInterval } }
        set { change { $0.pongTimeout = .chosen(newValue) } }
    }

    /// Seconds without received data before the client sends a ping. Until this property is set, it returns 60, the documented default,
    /// although the client sends a ping after only 20 s. A value that is set here or in the options replaces the 20 s. If the server
    /// requests a shorter time, the server's time applies.
    open var activityTimeoutInterval: TimeInterval {
        get { state.withLockedValue { $0.settings.activityTimeoutInterval } }
        set { change { $0.activityTimeout = .chosen(newValue) } }
    }
}
