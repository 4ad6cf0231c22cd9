import Dispatch
import PusherSwift

/// One of the two clients: a `Pusher` with its own queue, subscribed to all channels.
final class DemoClient: Sendable {
    let name: String
    private let pusher: Pusher
    private let delegate: Delegate
    private let app: DemoApp
    private let callbacks: Callbacks

    /// The callbacks of a client, called on its queue.
    struct Callbacks: Sendable {
        var changed: @Sendable (PusherConnectionStatus) -> Void
        var confirmed: @Sendable (_ channel: String) -> Void
        /// Called for an event with a number.
        var received: @Sendable (_ channel: String, DemoTick) -> Void
        var member: @Sendable (_ user: String, _ isThere: Bool) -> Void
        var problem: @Sendable (String) -> Void
    }

    /// The name of the event that all clients send.
    static let event = "client-tick"

    init(name: String, port: Int, app: DemoApp, callbacks: Callbacks) {
        self.name = name
        self.app = app
        self.callbacks = callbacks
        let options = PusherClientOptions(
            authMethod: .authorizer(authorizer: DemoAuthorizer(user: name, app: app)), host: .host("127.0.0.1"), port: port,
            useTLS: false)
        options.timing = .fast
        // The main queue does not run in a command-line program.
        options.callbackQueue = DispatchQueue(label: "lifeline.demo.\(name)")
        pusher = Pusher(key: app.key, options: options)
        delegate = Delegate(callbacks)
        pusher.connection.onStatusChange = callbacks.changed
        pusher.delegate = delegate
        for channel in app.channels { subscribe(channel) }
    }

    private func subscribe(_ name: String) {
        let callbacks = callbacks
        let channel =
            name == app.lobby
            ? pusher.subscribe(
                name, onMemberAdded: { callbacks.member($0.userId, true) },
                onMemberRemoved: { callbacks.member($0.userId, false) })
            : pusher.subscribe(name)
        channel.bind(eventName: Self.event) { event in
            guard let tick = event.data.flatMap({ DemoTick(json: $0) }) else {
                return callbacks.problem("An event of \(name) could not be read.")
            }
            callbacks.received(name, tick)
        }
    }

    func connect() { pusher.connect() }
    func disconnect() { pusher.disconnect() }

    /// Leaves the lobby, which other clients see.
    func leaveLobby() { pusher.unsubscribe(app.lobby) }

    /// Enters the lobby again.
    func enterLobby() { subscribe(app.lobby) }

    /// A client event. Waits while the channel is not subscribed.
    func send(_ tick: DemoTick, to channel: String) {
        pusher.connection.channels.find(name: channel)?.trigger(
            eventName: Self.event, data: ["from": tick.from, "number": tick.number] as [String: Any])
    }

    private final class Delegate: PusherDelegate, Sendable {
        private let callbacks: Callbacks

        init(_ callbacks: Callbacks) {
            self.callbacks = callbacks
        }

        func subscribedToChannel(name: String) { callbacks.confirmed(name) }

        func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?) {
            callbacks.problem("\(name) could not be subscribed: \(error?.localizedDescription ?? "no reason given").")
        }

        func failedToDecryptEvent(eventName: String, channelName: String, data: String?) {
            callbacks.problem("An event of \(channelName) could not be decrypted.")
        }

        func receivedError(error: PusherError) { callbacks.problem("The server says: \(error.message)") }
    }
}
