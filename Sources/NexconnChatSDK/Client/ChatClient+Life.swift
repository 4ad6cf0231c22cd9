import ChatProtocol
import ConnectionEngine
import EngineRuntime

// Start and end of a client, and reactions to background, network and timers. On the work queue, unless stated otherwise.
extension ChatClient {
    /// Opens the database if the token's user is known, and connects (rules NC-5 and NC-6).
    func start() {
        guard !isRetired else { return }
        if let known = installation.user(appKey: settings.appKey, token: signIn.token) {
            state.withLockedValue { $0.user = known }
            open(for: known)
        }
        state.withLockedValue { $0.started = assembly.timers.now }
        launch(resume: database?.place)
    }

    /// Connects with a new driver. The former one is released without a `leave`.
    func launch(resume: ChatPlace?) {
        guard case .success(let server) = settings.server else { return }
        let memory = ChatMemory(
            host: server.host, port: server.port, usesTLS: server.usesTLS, path: server.path, appKey: settings.appKey,
            token: signIn.token,
            device: ChatDevice(
                id: installation.deviceID, class: signIn.deviceClass, system: ChatDevice.currentSystem),
            client: "NexconnChatSDK-lifeline/1", yields: signIn.yields, resume: resume)
        let driver = assembly.makeDriver(settings, memory, settings.policy)
        let launch = state.withLockedValue { state in
            state.launch += 1
            return state.launch
        }
        let observation = driver.notices.observe(on: .inline) { [weak self] notices in self?.hear(notices, launch) }
        let former = state.withLockedValue { state in
            let former = state
            (state.driver, state.observation) = (driver, observation)
            (state.resume, state.resumedUser) = (resume, state.user)
            return former
        }
        former.observation?.cancel()
        // The new connection is in the same surroundings as the former one (rule NC-74).
        if former.networkStatus == .unavailable { driver.submit(.networkChanged(.unavailable)) }
        if former.isSuspended { driver.submit(.enterBackground) }
        driver.submit(.connect(within: remainingTime(former.started)))
    }

    /// The rest of the caller's time limit; never zero, so that its end is reported in the usual way.
    private func remainingTime(_ started: Moment?) -> Duration? {
        guard let limit = signIn.limit else { return nil }
        let spent = started.map { assembly.timers.now.duration(since: $0) } ?? .zero
        return max(limit - spent, .milliseconds(1))
    }

    /// From now on no event of this user is delivered. From any thread; takes effect at once.
    func retire() {
        state.withLockedValue { $0.isRetired = true }
    }

    /// Sends `leave`, closes the database, and answers callers that still wait for the connection.
    func end(disablePush: Bool) {
        let former = state.withLockedValue { state in
            let former = state
            (state.driver, state.observation, state.sweep) = (nil, nil, nil)
            (state.unkept, state.unkeptItems) = ([], 0)
            state.isOver = true
            return former
        }
        former.sweep?()
        if let driver = former.driver {
            // Keeps the driver alive until the server has answered the `leave`, or its time limit has passed.
            let farewell = Farewell(driver)
            driver.submit(.perform(.leave(disablePush: disablePush), nil))
            driver.submit(.disconnect)
            farewell.endIfOver()
        }
        former.observation?.cancel()
        registry.chat.media.endAll(of: number)
        closeDatabase()
        call.finish(
            .failure(NCError(.released, reason: "The connection was ended with disconnect, or by another sign-in.")))
    }

    func closeDatabase() {
        let database = state.withLockedValue { state in
            defer { state.database = nil }
            return state.database
        }
        database?.close()
    }

    /// Closes the link until the application returns (rule NC-16).
    func suspend() {
        guard !isRetired, !isOver, let driver else { return }
        let wasSuspended = state.withLockedValue { state in
            defer { state.isSuspended = true }
            return state.isSuspended
        }
        if wasSuspended { return }
        driver.submit(.enterBackground)
    }

    /// The application is in the foreground again: connects at once, and the pauses restart (rule NC-17).
    func comeBack() {
        guard !isRetired, !isOver, let driver else { return }
        let wasSuspended = state.withLockedValue { state in
            defer { state.isSuspended = false }
            return state.isSuspended
        }
        let inputs =
            wasSuspended
            ? ChatSession.returning(settings.policy)
            : ChatSession.networkChanged(.available, policy: settings.policy, failures: driver.snapshot.failedAttempts)
        for input in inputs { driver.submit(input) }
        let network = state.withLockedValue { $0.networkStatus }
        if !wasSuspended, network == .unavailable { driver.submit(.networkChanged(.unavailable)) }
    }

    /// The application has called `connect` again while the client is connecting.
    func nudge() {
        if state.withLockedValue({ $0.isSuspended }) {
            comeBack()
        } else if !isRetired, !isOver, let driver, driver.snapshot.phase == .waiting || driver.snapshot.phase == .suspended {
            driver.submit(.connect(within: nil))
        }
    }

    /// Handles a change of the network: a new route restarts the pauses (rule NC-13).
    func networkChanged(_ status: NetworkStatus) {
        state.withLockedValue { $0.networkStatus = status }
        guard !isRetired, !isOver, let driver else { return }
        let failures = driver.snapshot.failedAttempts
        for input in ChatSession.networkChanged(status, policy: settings.policy, failures: failures) {
            driver.submit(input)
        }
    }

    /// While there is no link, gives up messages whose time limit has passed (rule NS-14). From any thread.
    func sweepIfWaiting() {
        guard let driver, driver.snapshot.phase != .connected, driver.withMemory({ $0.waitingMessages }) > 0 else { return }
        sweepSoon()
    }

    /// Schedules one sweep of waiting messages and batches, unless one is scheduled. From any thread.
    func sweepSoon() {
        let isRunning = state.withLockedValue { state in
            if state.sweep != nil || state.isOver || state.isRetired { return true }
            state.sweep = {}
            return false
        }
        if isRunning { return }
        let cancel = assembly.timers.schedule(after: settings.timing.sweepPause) { [weak self] in
            guard let self else { return }
            work.async { self.sweep() }
        }
        state.withLockedValue { state in
            if state.sweep != nil { state.sweep = cancel }
        }
    }

    private func sweep() {
        state.withLockedValue { $0.sweep = nil }
        guard !isRetired, !isOver, let driver else { return }
        keep()
        let phase = driver.snapshot.phase
        if phase == .waiting || phase == .suspended { driver.submit(.perform(.expire, nil)) }
        if state.withLockedValue({ !$0.unkept.isEmpty }) { sweepSoon() } else { sweepIfWaiting() }
    }
}
