import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import PusherProtocol
import TransportCommon

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking

    /// `URLSession` of the platform's module.
    public typealias PusherURLSession = FoundationNetworking.URLSession
#elseif WITHOUT_FOUNDATION_NETWORKING
    /// The stand-in of `URLSession` in builds without FoundationNetworking.
    public typealias PusherURLSession = PusherSwift.URLSession
#else
    /// `URLSession` of the platform's module.
    public typealias PusherURLSession = Foundation.URLSession
#endif

/// The connection of a client and its settings.
///
/// May be used from any thread. All callbacks and delegate calls happen on ``callbackQueue``, in one order.
///
/// `@unchecked Sendable`: everything that changes is behind `state` (a `NIOLockedValueBox`) or inside objects with locks of their own;
/// the app's closures are stored there and called on the callback queue only. `commands` serialises operations that change both the
/// table of channels and the engine.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherConnection: NSObject, @unchecked Sendable {
    /// The address that the client connects to.
    public let url: String
    /// The app's key.
    public let key: String
    /// The queue of all callbacks. Chosen with ``PusherClientOptions/callbackQueue``; an addition to PusherSwift 10.1.
    public let callbackQueue: DispatchQueue

    /// The user who signs in. An addition to PusherSwift 10.1.
    public let user = PusherUserAccount()

    let state: NIOLockedValueBox<ConnectionValues>
    let truth = ConnectionTruth()
    let delegateBox = DelegateBox()
    /// Recursive, because the app's socket is called while the lock is held, and may call back.
    let commands = NSRecursiveLock()
    let gate = SocketGate()
    let driver: ConnectionDriver<PusherSession>
    let authorizations: AuthorizationRunner
    /// Set once, in `init`.
    private var observations: [Observation] = []
    /// Set once, in `init`.
    private var network: NetworkObservation?

    /// A connection on the library's own transport; ``Pusher/init(key:options:)`` makes one with a URL for its options. An addition to
    /// PusherSwift 10.1.
    ///
    /// - Parameters:
    ///   - key: the app's key.
    ///   - url: the address to connect to: `wss://host:port/app/KEY?…`.
    ///   - options: the settings.
    ///   - URLSession: the session for authorisation requests; by default the library's own client sends them.
    public convenience init(
        key: String, url: String, options: PusherClientOptions, URLSession: PusherURLSession = PusherURLSession.shared
    ) {
        self.init(key: key, socket: NWWebSocket(faceAt: url), url: url, options: options, URLSession: URLSession)
    }

    /// A connection on a socket that the app supplies, whose delegate it becomes (rule PA-43).
    ///
    /// - Parameters:
    ///   - key: the app's key.
    ///   - socket: the app's socket, which connects to its own address instead of `url`.
    ///   - url: the value of ``url``: `wss://host:port/app/KEY?…`.
    ///   - options: the settings.
    ///   - URLSession: the session for authorisation requests; by default the library's own client sends them.
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
        // Callbacks often hold the channel that they are bound to. They get no further events, so they are released. Channels of
        // another connection, whose table this one has been given, still get events and keep theirs.
        for channel in channels.channels.values where channel.connection == nil { channel.forgetCallbacks() }
        user.forgetCallbacks()
    }

    /// Connects. A scheduled attempt starts at once; while connected the call does nothing (rule PA-1).
    open func connect() {
        guard PusherAddress.endpoint(url: url) != nil || !gate.dialsItself else {
            report(PusherError(code: nil, message: "The URL to connect to is not valid."))
            return
        }
        if let problem = options.problem {
            report(PusherError(code: nil, message: problem))
            return
        }
        driver.submit(.connect(within: nil))
    }

    /// Ends the connection in every state, and stops all attempts to reconnect (rule PA-2).
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

    /// Passes an error to the delegate. Called on the callback queue for every `pusher:error`; override it to get them without a
    /// delegate.
    open func handleError(error: PusherError) {
        delegateBox.received(error)
    }

    /// Passes an event to the callbacks: first the global ones, then those of its channel. Called on the callback queue for every
    /// event.
    open func handleEvent(event: PusherEvent) {
        // One lock for both values, because this runs for every event.
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
            // A callback may have unsubscribed (rule PA-18).
            if let name = event.channelName, channels.live(name) !== channel { return }
        }
        channel?.handleEvent(event: event)
    }

    /// The delegate for events of the connection and its subscriptions; held weakly.
    open var delegate: PusherDelegate? {
        get { delegateBox.delegate }
        set { delegateBox.delegate = newValue }
    }

    /// The settings. New values of `authMethod` and `autoReconnect` take effect at once; the others are read when the connection is
    /// made.
    open var options: PusherClientOptions {
        get { state.withLockedValue { $0.options } }
        set {
            state.replace(\.options, with: newValue)
            change { $0.autoReconnect = newValue.autoReconnect }
        }
    }

    /// The channel whose callbacks get every event. Setting it replaces the channel; nil makes a new one.
    open var globalChannel: GlobalChannel! {
        get { global }
        set { state.replace(\.global, with: newValue) }
    }

    /// All channels of the client, subscribed or not. Setting it subscribes the channels that are new and unsubscribes those that are
    /// missing.
    open var channels: PusherChannels {
        get { state.withLockedValue { $0.channels } }
        set { replaceChannels(with: newValue) }
    }

    /// The socket of the next attempt to connect (rules PA-43 to PA-50). A socket without a delegate gets the connection as one.
    ///
    /// Unless the app sets it, it is a facade of the library's own transport: `ping()`, `send(string:)` and `disconnect(closeCode:)`
    /// act on the present connection, which stays open when another socket is set. Setting nil restores the facade.
    open var socket: NWWebSocket! {
        get { gate.socket }
        set {
            let socket = newValue ?? NWWebSocket(faceAt: url)
            gate.use(socket)
            if socket.delegate == nil { socket.delegate = self }
        }
    }

    /// The id of the present connection, or nil.
    open var socketId: String? {
        get { truth.values.socketID }
        set { truth.update { $0.socketID = newValue } }
    }

    /// The present state of the connection. The library sets it; setting it yourself only changes the property.
    open var connectionState: ConnectionState {
        get { truth.values.state }
        set { truth.update { $0.state = newValue } }
    }

    /// How many attempts have failed in a row; 0 after a success. Setting it only changes the property.
    open var reconnectAttempts: Int {
        get { truth.values.attempts }
        set { truth.update { $0.attempts = newValue } }
    }

    /// The session for authorisation requests, if you set one. By default the library's own HTTP client sends them.
    open var URLSession: PusherURLSession {
        get { state.withLockedValue { $0.URLSession } }
        set { state.replace(\.URLSession, with: newValue) }
    }

    /// Returns the own member for presence channels that are signed with ``AuthMethod/inline(secret:)``. Called on the callback queue.
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

    /// The time limit for the answer to a ping, in seconds. The property is 30 by default, as documented, although the engine then
    /// waits 5 s.
    open var pongResponseTimeoutInterval: TimeInterval {
        get { state.withLockedValue { $0.settings.pongTimeoutInterval } }
        set { change { $0.pongTimeout = .chosen(newValue) } }
    }

    /// Seconds without received data before the client sends a ping. The property is 60 by default, as documented, although the engine
    /// then waits 20 s. A value that is set here or in the options replaces the 20 s. The server's own value applies when it is
    /// shorter.
    open var activityTimeoutInterval: TimeInterval {
        get { state.withLockedValue { $0.settings.activityTimeoutInterval } }
        set { change { $0.activityTimeout = .chosen(newValue) } }
    }
}
