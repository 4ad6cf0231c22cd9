import ChatDatabase
import ChatProtocol
import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import TransportCommon

/// A signed-in user, with the session with the server and the local database. Each sign-in has a client of its own, which ends with
/// `disconnect`.
///
/// Completions run on ``work``, in one order with arriving events. They may use the database, and call the application's handlers with
/// ``HandlerRegistry/run(_:)`` or ``tell(_:)``.
final class ChatClient: Sendable {
    /// A notice of the session's connection, or an answer, that is passed from the connection engine's thread to the work queue.
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
        /// The number of the present driver, the object that runs the connection. Events of drivers with lower numbers are dropped.
        var launch = 0
        /// The user from whose inbox position `resume` the present connection resumes; nil if the user was unknown when it began.
        var resumedUser: String?
        var resume: ChatPlace?
        var started: Moment?
        var epoch: String?
        var welcome: ChatWelcome?
        var clockDelta: Int64 = 0
        var isOnline = false
        /// Whether all missed events have arrived on the present connection.
        var isInboxLive = false
        /// Whether the application has signed the user out, or signed in another user.
        var isRetired = false
        /// Whether the client makes no further attempt to connect, because it has ended or the connection has failed for good.
        var isOver = false
        var isSuspended = false
        /// Batches of inbox events that could not be stored yet and are not acknowledged.
        var unkept: [Batch] = []
        /// The number of events in `unkept`.
        var unkeptItems = 0
        var sweep: TimerCancellation?
    }

    /// Events of the inbox that are stored together.
    struct Batch: Sendable {
        var items: [ChatInboxItem]
        var place: ChatPlace
        var isOffline: Bool
        var hasMore: Bool
        /// Whether the events of this batch were dropped, so that it only records a gap (rule NC-73).
        var isGap = false
    }

    /// The number of this client, which is unique within an engine.
    let number: UInt64
    /// All handlers of the application, and the callback queue.
    let registry: HandlerRegistry
    /// The serial queue that uses the database and handles all arriving events.
    let work: DispatchQueue
    let settings: EngineSettings
    let signIn: SignIn
    let call: ConnectCall
    let assembly: ChatEngineAssembly
    let board: StatusBoard
    let installation: InstallationStore
    let state = NIOLockedValueBox(State())
    /// The log and the metrics that the settings contain; nil for neither.
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

    /// The signed-in user's id. It is nil until the server has confirmed the token, unless the token was used before on this device.
    var user: String? { state.withLockedValue { $0.user } }
    /// The user's database. Nil while the user is unknown, if it could not be opened, and after the client has ended.
    var database: ChatDatabase? { state.withLockedValue { $0.database } }
    /// The server's welcome at the latest sign-in.
    var welcome: ChatWelcome? { state.withLockedValue { $0.welcome } }
    /// How many milliseconds this device's clock is ahead of the server's clock.
    var clockDelta: Int64 { state.withLockedValue { $0.clockDelta } }
    /// Whether the client is connected and all missed messages have arrived.
    var isInboxLive: Bool { state.withLockedValue { $0.isOnline && $0.isInboxLive } }
    /// Whether the client makes no further attempt to connect, because it has ended or the connection has failed for good.
    var isOver: Bool { state.withLockedValue { $0.isOver } }
    /// Whether the application has ended this client.
    var isRetired: Bool { state.withLockedValue { $0.isRetired } }

    /// Runs `body` on the callback queue, unless this user has been signed out by then (rule NC-9).
    func tell(_ body: @escaping @Sendable (HandlerRegistry) -> Void) {
        registry.run { [self] in
            if !isRetired { body(registry) }
        }
    }

    /// Sends a message. Without a connection the message waits until the client is connected. After the loss of a connection an unanswered
    /// message is sent again with the same client id (chat-protocol.md, 5.1).
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

    /// Enters an open channel. The session enters it again after every reconnect, until `exit`.
    func enter(_ entry: ChatEntryRequest, completion: @escaping @Sendable (Result<ChatOpenEntrance, NCError>) -> Void) {
        perform(.enter(entry), completion) { reply in
            if case .entered(let entrance) = reply { entrance } else { nil }
        }
    }

    /// Leaves an open channel.
    func exit(_ channel: String, completion: @escaping @Sendable (Result<Void, NCError>) -> Void) {
        perform(.exit(channel), completion) { _ in () }
    }

    /// Notifies `user` that this user is typing a message of this type. Has no effect without a connection.
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

    /// Passes elements to the work queue. It holds the client weakly: after the client's release, answers still complete their calls, and
    /// all other elements are dropped.
    let inletBox = NIOLockedValueBox<CoalescingWorker<[Arrival]>?>(nil)
}

extension ChatClient {
    /// Passes events and answers to the work queue, in order.
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
