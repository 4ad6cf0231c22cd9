import ChatDatabase
import ChatProtocol
import ConnectionEngine
import EngineRuntime
import EngineTesting
import Foundation
import NIOConcurrencyHelpers
import TransportCommon

@testable import NexconnChatSDK

/// An engine over scripted transports and a manual clock: nothing happens by itself, and `settle()` waits for what was set off.
final class EngineFixture: Sendable {
    let timers = ManualTimers()
    let intake: RecordingIntake
    let engine: ChatEngine
    let directory: URL
    let transports = NIOLockedValueBox<[ScriptedTransport<ChatSession>]>([])
    let network = NIOLockedValueBox<(@Sendable (NetworkStatus) -> Void)?>(nil)
    private let statuses = NIOLockedValueBox<[Int]>([])
    private let monitor: Recorder

    init(
        directory: URL? = nil, timing: NCTiming = .standard, naviServer: String? = "http://127.0.0.1:6001",
        initialized: Bool = true,
        openDatabase:
            (@Sendable (String, String, String) throws(ChatDatabaseError) -> (ChatDatabase, Bool))? = nil,
        configure: (InitParams) -> Void = { _ in }
    ) {
        let intake = RecordingIntake()
        let timers = timers
        let transports = transports
        let network = network
        var assembly = ChatEngineAssembly(
            makeDriver: { settings, memory, policy in
                let transport = ScriptedTransport<ChatSession>()
                transports.withLockedValue { $0.append(transport) }
                return ConnectionDriver(
                    transport: transport, jobs: NoJobs(), timers: timers, policy: policy, memory: memory, seed: 7)
            }, timers: timers,
            observeNetwork: { _, report in
                network.withLockedValue { $0 = report }
                return nil
            },
            intake: intake)
        if let openDatabase { assembly.openDatabase = openDatabase }
        self.intake = intake
        self.directory =
            directory
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("nexconn-\(UUID().uuidString)", isDirectory: true)
        engine = ChatEngine(assembly: assembly)
        monitor = Recorder(statuses)
        engine.registry.connectionStatus.add("fixture") { [weak monitor] in monitor }
        if initialized { initialize("app-key", timing: timing, naviServer: naviServer, configure: configure) }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    func initialize(
        _ key: String, timing: NCTiming = .standard, naviServer: String? = "http://127.0.0.1:6001",
        configure: (InitParams) -> Void = { _ in }
    ) {
        let params = InitParams(appKey: key)
        params.naviServer = naviServer
        params.databaseDirectory = directory.path
        params.timing = timing
        params.logLevel = .none
        configure(params)
        engine.initialize(EngineSettings(params))
    }

    /// The statuses that handlers have heard.
    var heard: [Int] { statuses.withLockedValue { $0 } }
    var transport: ScriptedTransport<ChatSession>? { transports.withLockedValue { $0.last } }
    var dials: Int { transports.withLockedValue { $0.map(\.dials).reduce(0, +) } }
    /// Attempts that are alive, over all drivers.
    var live: Int { transports.withLockedValue { $0.map(\.live.count).reduce(0, +) } }

    /// Waits for everything that was handed to the work queue and the callback queue.
    func settle() {
        for _ in 0..<4 {
            engine.work.sync {}
            let done = DispatchSemaphore(value: 0)
            engine.registry.run { done.signal() }
            done.wait()
        }
    }

    // MARK: What an application does

    @discardableResult
    func connect(_ token: String = "token", timeout: Int = 0, yields: Bool = false) -> Outcome {
        let params = ConnectParams(token: token)
        params.timeout = timeout
        params.reconnectKickEnable = yields
        let outcome = Outcome()
        let registry = engine.registry
        engine.connect(
            SignIn(params),
            call: ConnectCall(opened: { outcome.opened($0, $1) }) { result in
                registry.run { outcome.finished(result) }
            })
        settle()
        return outcome
    }

    func disconnect() {
        engine.disconnect(disablePush: false)
        settle()
    }

    // MARK: What the server does

    func open() { report(.opened) }

    func welcome(
        _ user: String = "u1", epoch: String = "e", at sequence: UInt64 = 0, resumed: Bool = false, lost: Bool = false
    ) {
        let welcome = ChatWelcome(
            user: user, session: "s", time: 1_763_710_000_000, place: ChatPlace(epoch: epoch, sequence: sequence),
            isResumed: resumed, hasLost: lost)
        report(.received([.welcome(welcome)]))
    }

    func say(_ inbound: ChatInbound...) { report(.received(inbound)) }

    func bye(_ code: Int, retry: Bool = false) {
        say(.bye(ChatBye(code: ChatErrorCode(code), reason: "Scripted.", mayRetry: retry)))
    }

    func lose(_ category: StatusCategory = .unexpectedDisconnect) {
        report(.closed(ConnectionFailure(category, "Scripted.")))
    }

    func report(_ event: TransportEvent<ChatInbound>) {
        settle()
        transport?.report(event)
        settle()
    }

    /// Opens, welcomes and ends the catching up.
    func confirm(_ user: String = "u1", epoch: String = "e", at sequence: UInt64 = 0, resumed: Bool = false) {
        open()
        welcome(user, epoch: epoch, at: sequence, resumed: resumed)
        say(.package([], hasMore: false))
    }

    func advance(_ duration: Duration) {
        timers.advance(by: duration)
        settle()
    }

    /// Lets time pass until the next attempt begins, at most the longest pause.
    func waitForAttempt() {
        let before = dials
        for _ in 0..<650 where dials == before { advance(.milliseconds(100)) }
    }

    /// The first frame of the latest attempt, and what else was written, as text.
    var sent: [String] {
        (transport?.sent ?? []).compactMap { outbound in
            if case .text(let text) = outbound { text } else { nil }
        }
    }

    static func message(_ number: UInt64, from: String = "u2", to: String = "u1") -> ChatInboxItem {
        ChatInboxItem(
            sequence: number,
            event: .message(
                ChatMessage(
                    id: ChatMessageID(rawValue: 17_637_100_000_000_000 + number), conversation: .direct, from: from, to: to,
                    type: "RC:TxtMsg", content: Array(#"{"content":"hello"}"#.utf8))))
    }
}

/// Writes statuses down.
private final class Recorder: ConnectionStatusHandler, Sendable {
    private let statuses: NIOLockedValueBox<[Int]>

    init(_ statuses: NIOLockedValueBox<[Int]>) {
        self.statuses = statuses
    }

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
        statuses.withLockedValue { $0.append(event.status.rawValue) }
    }
}

/// What a call of `connect` was told.
final class Outcome: Sendable {
    private let state = NIOLockedValueBox<(results: [Result<String, NCError>], openings: [String])>(([], []))

    func finished(_ result: Result<String, NCError>) {
        state.withLockedValue { $0.results.append(result) }
    }

    func opened(_ isRecreated: Bool, _ error: NCError?) {
        let word = error.map { "error \($0.code)" } ?? (isRecreated ? "recreated" : "opened")
        state.withLockedValue { $0.openings.append(word) }
    }

    /// One word for each completion: the user or the code.
    var words: [String] {
        state.withLockedValue { state in
            state.results.map { result in
                switch result {
                case .success(let user): user
                case .failure(let error): "\(error.code)"
                }
            }
        }
    }

    var openings: [String] { state.withLockedValue { $0.openings } }
}

/// Keeps events in the database, and writes down what it was given.
final class RecordingIntake: ChatIntake {
    private let state = NIOLockedValueBox<(words: [String], failures: Int)>(([], 0))

    /// In order.
    var words: [String] { state.withLockedValue { $0.words } }

    /// The next `count` batches cannot be kept.
    func fail(_ count: Int) { state.withLockedValue { $0.failures = count } }

    func received(
        _ items: [ChatInboxItem], place: ChatPlace, isOffline: Bool, hasMore: Bool, client: ChatClient
    ) throws {
        let mustFail = state.withLockedValue { state in
            defer { state.failures = max(state.failures - 1, 0) }
            return state.failures > 0
        }
        if mustFail { throw ChatDatabaseError.full }
        _ = try client.database?.receive(items, place: place)
        let numbers = items.map { String($0.sequence) }.joined(separator: ",")
        note("received \(numbers)\(isOffline ? " offline" : "")\(hasMore ? " more" : "")")
    }

    func caughtUp(client: ChatClient) { note("caughtUp") }
    func received(_ event: ChatWireEvent, client: ChatClient) { note("transient") }
    func missed(since: Moment?, client: ChatClient) { note("missed") }
    func missed(in openChannel: String, since: Moment?, client: ChatClient) { note("missed in \(openChannel)") }
    func reentered(_ entrance: ChatOpenEntrance, client: ChatClient) { note("reentered \(entrance.channel)") }
    func entryFailed(_ openChannel: String, _ error: NCError, client: ChatClient) { note("failed \(openChannel) \(error.code)") }

    private func note(_ word: String) { state.withLockedValue { $0.words.append(word) } }
}
