import ChatProtocol
import ConnectionEngine
import Dispatch
import EngineRuntime
import NIOConcurrencyHelpers
import TransportCommon

/// The implementation of ``NCEngine``: settings, handlers and the signed-in user. The process has one engine; tests create more.
final class ChatEngine: Sendable {
    static let shared = ChatEngine(assembly: .live)

    private struct State: Sendable {
        var settings: EngineSettings?
        var installation: InstallationStore?
        var client: ChatClient?
        var network: NetworkObservation?
        var lastClient: UInt64 = 0
        var background: TimerCancellation?
        var isInBackground = false
    }

    let registry: HandlerRegistry
    let board: StatusBoard
    private let assembly: ChatEngineAssembly
    let work = DispatchQueue(label: "nexconn.work")
    private let state = NIOLockedValueBox(State())

    init(assembly: ChatEngineAssembly, registry: HandlerRegistry = HandlerRegistry()) {
        self.assembly = assembly
        self.registry = registry
        board = StatusBoard(registry: registry)
    }

    deinit {
        guard let client = state.withLockedValue({ $0.client }) else { return }
        client.retire()
        work.async { client.end(disablePush: false) }
    }

    /// The client of the signed-in user. It stays set after a final failure of the connection, until `disconnect` or another sign-in.
    var client: ChatClient? { state.withLockedValue { $0.client } }
    var status: NCConnectionStatus { board.status }
    var settings: EngineSettings? { state.withLockedValue { $0.settings } }

    /// Sets the application's settings. A repeated call with the same app key has no effect; another app key signs the present user out
    /// (rule NC-1).
    func initialize(_ settings: EngineSettings) {
        let isRepeated = state.withLockedValue { state in
            if let present = state.settings, present.appKey == settings.appKey { return true }
            signOut(&state, disablePush: false)
            state.settings = settings
            state.installation = InstallationStore(directory: settings.directory)
            return false
        }
        if isRepeated {
            settings.logger.warning("initialize was called again with the same App Key; this call is ignored")
            return
        }
        if let queue = settings.callbackQueue { registry.use(queue) }
        watchNetwork(of: settings)
    }

    /// Watches the network from now on, whether or not a user is signed in (rule NC-70).
    private func watchNetwork(of settings: EngineSettings) {
        guard case .success(let server) = settings.server else { return }
        let observation = assembly.observeNetwork(server.host) { [weak self] status in
            guard let self else { return }
            work.async { self.networkChanged(to: status) }
        }
        // The former observation of the network is released outside of the lock, because the release may run code of other objects, which
        // must not run under the lock.
        let former = state.withLockedValue { state in
            defer { state.network = observation }
            return state.network
        }
        _ = former
    }

    /// Handles a change of the network on the work queue. Handlers are notified before the connection reacts, so that they get the change
    /// of the network before the resulting changes of status.
    private func networkChanged(to status: NetworkStatus) {
        board.tell(status)
        client?.networkChanged(status)
    }

    func setLogLevel(_ level: LogLevel) {
        settings?.setLogLevel(level)
    }

    /// Signs a user in, after signing out the present user, or reports why this is not possible. Does not block (rules NC-3 to NC-9).
    func connect(_ signIn: SignIn, call: ConnectCall) {
        let refusal: NCError? = state.withLockedValue { state in
            guard let settings = state.settings, let installation = state.installation else { return NCError(.notInitialised) }
            if case .failure(let error) = settings.server { return error }
            if let client = state.client, !client.isOver, client.signIn.token == signIn.token {
                return repeated(client)
            }
            signOut(&state, disablePush: false, tellsAlways: false)
            if signIn.token.isEmpty { return refuseToken() }
            state.lastClient += 1
            let client = ChatClient(
                number: state.lastClient, settings: settings, signIn: signIn, call: call, assembly: assembly, board: board,
                registry: registry, installation: installation, work: work)
            state.client = client
            board.hand(to: client.number, .connecting)
            work.async { [board] in
                guard !client.isRetired else { return }
                board.tell(
                    NCConnectionDetails(status: .connecting, category: StatusCategory.connecting.rawValue, willRetry: true))
                client.start()
            }
            return nil
        }
        if let refusal { work.async { call.finish(.failure(refusal)) } }
    }

    /// The error of a second `connect` with the same token, while the user is signed in or being signed in (rule NC-5).
    private func repeated(_ client: ChatClient) -> NCError {
        if board.status == .connected { return NCError(.alreadyConnected) }
        work.async { client.nudge() }
        return NCError(.connecting)
    }

    /// Sets the status `tokenIncorrect` and returns the error for an empty token.
    private func refuseToken() -> NCError {
        let error = NCError(.tokenIncorrect, reason: "ConnectParams.token is empty.")
        board.hand(to: 0, .tokenIncorrect)
        work.async { [board] in
            board.tell(
                NCConnectionDetails(
                    status: .tokenIncorrect, category: StatusCategory.credentialsRejected.rawValue,
                    reason: "ConnectParams.token is empty.", code: ChatErrorCode.tokenIncorrect.rawValue))
        }
        return error
    }

    func disconnect(disablePush: Bool) {
        state.withLockedValue { state in
            signOut(&state, disablePush: disablePush)
        }
    }

    /// Ends the connection, because the task that waits for `call` was cancelled. Has no effect if the call has completed (rule NC-4).
    func cancel(_ call: ConnectCall) {
        state.withLockedValue { state in
            guard let client = state.client, client.call === call, !call.isOver else { return }
            work.async { call.finish(.failure(NCError(.cancelled, reason: "The task that called connect was cancelled."))) }
            signOut(&state, disablePush: false)
        }
    }

    /// Signs the present user out. Called while the lock is held, so that concurrent calls take effect in one order. This is safe, because
    /// the work queue runs no code of the application.
    ///
    /// - Parameter tellsAlways: whether handlers are notified of `signOut` even when the connection has already failed for good.
    private func signOut(_ state: inout State, disablePush: Bool, tellsAlways: Bool = true) {
        guard let client = state.client else { return }
        let isNews = tellsAlways || !client.isOver
        state.client = nil
        client.retire()
        if isNews { board.hand(to: 0, .signOut) }
        work.async { [board] in
            if isNews { board.tell(NCConnectionDetails(status: .signOut, category: StatusCategory.disconnected.rawValue)) }
            client.end(disablePush: disablePush)
        }
    }

    // MARK: Background

    /// Records that the application is in the background, and starts the time limit after which the connection is closed (rule NC-16).
    func enterBackground() {
        let limit = state.withLockedValue { state -> Duration? in
            if state.isInBackground { return nil }
            state.isInBackground = true
            return state.settings.map(\.backgroundLimit) ?? NCTiming.standard.backgroundLimit
        }
        guard let limit else { return }
        let cancel = assembly.timers.schedule(after: limit) { [weak self] in self?.suspend() }
        let isBack = state.withLockedValue { state in
            if state.isInBackground { state.background = cancel }
            return !state.isInBackground
        }
        if isBack { return cancel() }
        #if !os(macOS)
            SystemActivity.run(for: limit, reason: "The chat connection is kept for a moment") { [weak self] in self?.suspend() }
        #endif
    }

    private func suspend() {
        state.withLockedValue { state in
            guard state.isInBackground, let client = state.client else { return }
            work.async { client.suspend() }
        }
    }

    /// Stops the time limit of the background, and makes the client connect at once or probe its connection (rule NC-17).
    func enterForeground() {
        let cancel = state.withLockedValue { state -> TimerCancellation? in
            guard state.isInBackground else { return nil }
            state.isInBackground = false
            if let client = state.client { work.async { client.comeBack() } }
            defer { state.background = nil }
            return state.background
        }
        cancel?()
    }
}
