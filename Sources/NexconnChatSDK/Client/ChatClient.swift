import ChatDatabase
import ChatProtocol
import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import TransportCommon

/// A signed-in user: the session with the server and the local database. Each sign-in has a separate client, which ends with
/// `disconnect`.
///
/// Completions run on ``work``, in one order with arriving events; they may use the database, and notify the application with
/// ``HandlerRegistry/run(_:)`` or ``tell(_:)``.
final class ChatClient: Sendable {
    /// Input for the work queue, in one order.
    enum Arrival: Sendable {
        indirect case change(ConnectionChange, NCConnectionDetails, launch: Int, version: UInt64)
        case event(ChatSessionEvent, launch: Int)
        case dropped(Int)
        case answer(@Sendable () -> Void)
    }

    struct State: Sendable {
        var user: String?
        var database: ChatDatabase?
        var driver: ChatEngineAssembly.Driver?
        var observation: Observation?
        var networkStatus = NetworkStatus.available
        /// The number of the present driver; reports of earlier ones are dropped.
        var launch = 0
        /// The user whose inbox position the present driver resumes from, and the position.
        var resumedUser: String?
        var resume: ChatPlace?
        var started: Moment?
        var epoch: String?
        var welcome: ChatWelcome?
        var clockDelta: Int64 = 0
        var isOnline = false
        /// Whether all missed events have arrived since the latest sign-in.
        var isInboxLive = false
        /// Whether the application has signed the user out, or signed in another user.
        var isRetired = false
        /// Whether the client has ended, or its connection for good: it makes no further attempt to connect.
        var isOver = false
        var isSuspended = false
        /// Events that could not be stored yet and are not acknowledged.
        var unkept: [Batch] = []
        /// The number of events in them.
        var unkeptItems = 0
        var sweep: TimerCancellation?
    }

    /// Events of the inbox that are stored together.
    struct Batch: Sendable {
        var items: [ChatInboxItem]
        var place: ChatPlace
        var isOffline: Bool
        var hasMore: Bool
        /// Whether the items had to be dropped (rule NC-73).
        var isGap = false
    }

    /// The number of this client, which is unique within an engine.
    let number: UInt64
    /// The handlers and the callback queue.
    let registry: HandlerRegistry
    /// The serial queue of the database and of all arriving events.
    let work: DispatchQueue
    let settings: EngineSettings
    let signIn: SignIn
    let call: ConnectCall
    let assembly: ChatEngineAssembly
    let board: StatusBoard
    let installation: InstallationStore
    let state = NIOLockedValueBox(State())
    /// The log and the metrics of the settings.
    let telemetry: ClientTelemetry?

    init(
        number: UInt64, settings: EngineSettings, signIn: SignIn, call: ConnectCall, assembly: ChatEngineAssembly,
        board: StatusBoard, registry: HandlerRegistry, installation: InstallationStore, work: DispatchQueue
    ) {
        self.number = number
        self.settings = settings
        self.signIn = signIn
        self.call = call
        self.assembly = assembly
        self.board = board
        self.registry = registry
        self.installation = installation
        self.work = work
        telemetry = ClientTelemetry(service: "chat", logger: settings.logger, metrics: settings.metrics)
    }

    /// The signed-in user; nil until the server has confirmed the token, unless the token was used before.
    var user: String? { state.withLockedValue { $0.user } }
    /// The user's database; nil until the user is known, when it could not be opened, and after the end.
    var database: ChatDatabase? { state.withLockedValue { $0.database } }
    /// The server's welcome at the latest sign-in.
    var welcome: ChatWelcome? { state.withLockedValue { $0.welcome } }
    /// How far this device's clock is ahead of the server's, ms.
    var clockDelta: Int64 { state.withLockedValue { $0.clockDelta } }
    /// Whether the inbox is complete up to now: connected, and all missed messages have arrived.
    var isInboxLive: Bool { state.withLockedValue { $0.isOnline && $0.isInboxLive } }
    /// Whether the client has ended, or its connection for good: it makes no further attempt to connect.
    var isOver: Bool { state.withLockedValue { $0.isOver } }
    /// Whether the application has ended this client.
    var isRetired: Bool { state.withLockedValue { $0.isRetired } }

    /// Runs `body` on the callback queue, unless this user has been signed out by then (rule NC-9).
    func tell(_ body: @escaping @Sendable (HandlerRegistry) -> Void) {
        registry.run { [self] in
            if !isRetired { body(registry) }
        }
    }

    /// Sends a message. Waits for a connection, and is sent again after a loss with the same client id (chat-protocol.md, 5.1).
    func send(_ draft: ChatMessageDraft, completion: @escaping @Sendable (Result<ChatSentMessage, NCError>) -> Void) {
        let (telemetry, clock) = (telemetry, assembly.timers)
        let began = clock.now
        perform(.send(draft), completion) { result in
            let roundTrip = clock.now.duration(since: began)
            switch result {
            case .success: telemetry?.noted(.published(.accepted, category: nil, code: nil, roundTrip: roundTrip))
            case .failure(let failure): telemetry?.noted(.notPublished(failure, after: roundTrip))
            }
        } value: { reply in
            if case .sent(let sent) = reply { sent } else { nil }
        }
        sweepIfWaiting()
    }

    /// Sends a request to the server. Needs a connection.
    func request(_ request: ChatRequest, completion: @escaping @Sendable (Result<ChatAnswer, NCError>) -> Void) {
        perform(.request(request), completion) { reply in
            if case .answer(let answer) = reply { answer } else { nil }
        }
    }

    /// Enters an open channel and stays in it over reconnects, until `exit`.
    func enter(_ entry: ChatEntryRequest, completion: @escaping @Sendable (Result<ChatOpenEntrance, NCError>) -> Void) {
        perform(.enter(entry), completion) { reply in
            if case .entered(let entrance) = reply { entrance } else { nil }
        }
    }

    /// Leaves an open channel.
    func exit(_ channel: String, completion: @escaping @Sendable (Result<Void, NCError>) -> Void) {
        perform(.exit(channel), completion) { _ in () }
    }

    /// Announces to `user` that this user is typing a message of this type. Dropped without a connection.
    func typing(to user: String, type: String) {
        driver?.submit(.perform(.typing(to: user, type: type), nil))
    }

    var driver: ChatEngineAssembly.Driver? { state.withLockedValue { $0.driver } }

    private func perform<Value: Sendable>(
        _ command: ChatCommand, _ completion: @escaping @Sendable (Result<Value, NCError>) -> Void,
        note: (@Sendable (Result<ChatReply, ConnectionFailure>) -> Void)? = nil,
        value: @escaping @Sendable (ChatReply) -> Value?
    ) {
        guard let driver else {
            work.async { completion(.failure(NCError(.notConnectedYet))) }
            return
        }
        let inlet = inlet
        driver.perform(command) { result in
            note?(result)
            let answer: Result<Value, NCError> =
                switch result {
                case .success(let reply): value(reply).map { .success($0) } ?? .failure(NCError(.unknownRequest))
                case .failure(let failure): .failure(NCError(failure))
                }
            inlet.put(.answer { completion(answer) })
        }
    }

    /// The queue of arriving events. It holds the client weakly, because events after the client's release are of no use, except
    /// answers.
    let inletBox = NIOLockedValueBox<CoalescingWorker<[Arrival]>?>(nil)
}

extension ChatClient {
    /// Passes arrivals to the work queue, in order.
    var inlet: CoalescingWorker<[Arrival]> {
        inletBox.withLockedValue { box in
            if let inlet = box { return inlet }
            let inlet = CoalescingWorker<[Arrival]>(on: .queue(.queue(work))) { [weak self] arrivals in
                if let self {
                    take(arrivals)
                } else {
                    for case .answer(let answer) in arrivals { answer() }
                }
            }
            box = inlet
            return inlet
        }
    }
}
