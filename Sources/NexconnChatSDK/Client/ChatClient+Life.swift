import ChatProtocol
import ConnectionEngine
import EngineRuntime

// Starts and ends a client, and handles changes of background, network and timers. The functions run on the work queue, unless their
// comment allows any thread.
extension ChatClient {
    /// Connects. If the token was used before on this device, its user is known, and the database is opened first (rules NC-5 and NC-6).
    func start() {
        guard !isRetired else { return }
        if let known = installation.user(appKey: settings.appKey, token: signIn.token) {
            state.withLockedValue { $0.user = known }
            open(for: known)
        }
        state.withLockedValue { $0.started = assembly.timers.now }
        launch(resume: database?.place)
    }

    /// Connects with a new driver, the object that runs the session's connection, from the inbox position `resume`. The former driver is
    /// released without sending a `leave`.
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
        // The new driver starts with the network status and the background state of the former driver (rule NC-74).
        if former.networkStatus == .unavailable { driver.submit(.networkChanged(.unavailable)) }
        if former.isSuspended { driver.submit(.enterBackground) }
        driver.submit(.connect(within: remainingTime(former.started)))
    }

    /// The part of the time limit of `connect` that has not passed; nil without a limit. It is at least 1 ms, so that the driver's timer
    /// reports the end of the limit.
    private func remainingTime(_ started: Moment?) -> Duration? {
        guard let limit = signIn.limit else { return nil }
        let spent = started.map { assembly.timers.now.duration(since: $0) } ?? .zero
        return max(limit - spent, .milliseconds(1))
    }

    /// Stops the delivery of this user's events at once. May be called from any thread.
    func retire() {
        state.withLockedValue { $0.isRetired = true }
    }

    /// Ends the client: sends `leave`, closes the database, and completes the call of `connect` with an error if it has no result yet.
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
            // `Farewell` keeps the driver alive until the server has answered the `leave`, or the time limit of closing has passed.
            let farewell = Farewell(driver)
            driver.submit(.perform(.leave(disablePush: disablePush), nil))
            driver.submit(.disconnect)
            farewell.endIfOver()
        }
        former.observation?.cancel()
        registry.chat.media.endAll(of: number)
        closeDatabase()
        call.finish(
            .failure(NCError(.released, reason: "The connection was ended by disconnect or by another sign-in.")))
    }

    func closeDatabase() {
        let database = state.withLockedValue { state in
            defer { state.database = nil }
            return state.database
        }
        database?.close()
    }

    /// Closes the connection until the application returns from the background (rule NC-16).
    func suspend() {
        guard !isRetired, !isOver, let driver else { return }
        let wasSuspended = state.withLockedValue { state in
            defer { state.isSuspended = true }
            return state.isSuspended
        }
        if wasSuspended { return }
        driver.submit(.enterBackground)
    }

    /// Handles the application's return to the foreground: connects at once, and the retry pauses start again with the shortest (rule
    /// NC-17).
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

    /// Starts the next attempt at once, because the application has called `connect` again with the same token.
    func nudge() {
        if state.withLockedValue({ $0.isSuspended }) {
            comeBack()
        } else if !isRetired, !isOver, let driver, driver.snapshot.phase == .waiting || driver.snapshot.phase == .suspended {
            driver.submit(.connect(within: nil))
        }
    }

    /// Handles a change of the network. After a new route the retry pauses start again with the shortest (rule NC-13).
    func networkChanged(_ status: NetworkStatus) {
        state.withLockedValue { $0.networkStatus = status }
        guard !isRetired, !isOver, let driver else { return }
        let failures = driver.snapshot.failedAttempts
        for input in ChatSession.networkChanged(status, policy: settings.policy, failures: failures) {
            driver.submit(input)
        }
    }

    /// Without a connection, schedules a check for messages whose time limit has passed (rule NS-14). May be called from any thread.
    func sweepIfWaiting() {
        guard let driver, driver.snapshot.phase != .connected, driver.withMemory({ $0.waitingMessages }) > 0 else { return }
        sweepSoon()
    }

    /// Schedules one check of waiting messages and of batches to be stored, unless one is scheduled. May be called from any thread.
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
