import ConnectionEngine
import Identifiers
import WireCoding

// Signing in and out as a user. Rules PS-28 to PS-31.
extension PusherSession {
    mutating func signIn(id: RequestID?, memory: inout PusherMemory, out: inout Actions) {
        Self.wantUser(id: id, memory: &memory, out: out)
        switch user.phase {
        case .confirmed:
            Self.answerUser(.success(.signedIn), memory: &memory, out: &out)
        case .authorizing, .waiting, .confirming:
            return
        case .failed, .idle:
            memory.user?.notBefore = nil
            startUser(memory: &memory, out: &out)
        }
    }

    /// Stores that the application wants to be signed in. Several requests share one sign-in.
    static func wantUser(id: RequestID?, memory: inout PusherMemory, out: Actions) {
        var wanted = memory.user ?? WantedUser()
        wanted.waiters.removeAll { !out.isAwaited($0) }
        if let id { wanted.waiters.append(id) }
        memory.user = wanted
    }

    mutating func signOut(id: RequestID?, memory: inout PusherMemory, out: inout Actions) {
        for name in Self.userChannels(memory: memory) { drop(name, id: nil, memory: &memory, out: &out) }
        let parked = user.parked.keys.sorted().texts
        user = LiveUser(known: user.known)
        Self.forgetUser(id: id, memory: &memory, out: &out)
        for name in parked { failed(name, Self.nobody, final: true, memory: &memory, out: &out) }
    }

    static func forgetUser(id: RequestID?, memory: inout PusherMemory, out: inout Actions) {
        answerUser(
            .failure(ConnectionFailure(.cancelled, "The user was signed out before the sign-in was completed.")), memory: &memory,
            out: &out)
        for name in userChannels(memory: memory) { forget(name, id: nil, memory: &memory, out: &out) }
        memory.user = nil
        out.answer(id, .success(.signedOut))
    }

    /// Signs in on a new connection: at once, unless failures on earlier connections require a pause.
    mutating func beginUser(memory: inout PusherMemory, out: inout Actions) {
        guard let wanted = memory.user else { return }
        if let notBefore = wanted.notBefore, notBefore > out.now {
            user.phase = .waiting
            setUserDeadline(notBefore, out: &out)
        } else {
            startUser(memory: &memory, out: &out)
        }
    }

    private mutating func startUser(memory: inout PusherMemory, out: inout Actions) {
        guard let socketID, memory.user != nil,
            let job = out.run(PusherAuthorizeJob(channel: "", socketID: socketID, purpose: .user))
        else { return }
        user.asked = nil
        user.phase = .authorizing(job)
        setUserDeadline(out.now + out.timing.request, out: &out)
    }

    /// Handles the result of the user's authorisation.
    mutating func userAuthorized(
        _ result: Result<PusherAuthorization, ConnectionFailure>, memory: inout PusherMemory, out: inout Actions
    ) {
        switch result {
        case .success(let authorization):
            guard let asked = authorization.userData.flatMap(PusherUser.init(parsing:)) else {
                let problem = authorization.userData == nil ? "has no user_data" : "has a user_data without a usable id"
                userFailed(
                    ConnectionFailure(.badRequest, "The authorisation of the user \(problem)."), final: true, memory: &memory,
                    out: &out)
                return
            }
            if let known = user.known, known.id == asked.id {
                // The user signed out and in again on the same connection. The protocol has no message for signing out, so the server still
                // has the user as signed in, and no second sign-in is sent.
                userConfirmed(known, memory: &memory, out: &out)
                return
            }
            user.asked = asked
            user.phase = .confirming
            out.send(.text(PusherClientFrames.signin(auth: authorization.auth, userData: asked.userData)))
            setUserDeadline(out.now + out.timing.request, out: &out)
        case .failure(let failure):
            let failure = Self.refined(failure)
            userFailed(failure, final: Self.isFinal(failure), memory: &memory, out: &out)
        }
    }

    /// Handles `pusher:signin_success`. It is accepted only for the requested user, even if it arrives after the deadline of the sign-in.
    mutating func signinConfirmed(_ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions) {
        guard let asked = user.asked, user.phase == .confirming || user.phase == .failed else { return }
        let confirmed = PusherUser(confirmed: envelope.data)
        guard confirmed == nil || confirmed?.id == asked.id else {
            out.emit(.malformed(reason: "The server confirmed the sign-in of another user than the one who signed in."))
            return
        }
        userConfirmed(confirmed ?? asked, memory: &memory, out: &out)
    }

    private mutating func userConfirmed(_ confirmed: PusherUser, memory: inout PusherMemory, out: inout Actions) {
        user.known = confirmed
        user.phase = .confirmed
        user.deadline = nil
        memory.user?.failures = 0
        memory.user?.notBefore = nil
        for name in Self.userChannels(memory: memory) where name != confirmed.channel {
            drop(name, id: nil, memory: &memory, out: &out)
        }
        if memory.channels[confirmed.channel] == nil { memory.channels[confirmed.channel] = WantedChannel() }
        out.emit(.signedIn(confirmed))
        Self.answerUser(.success(.signedIn), memory: &memory, out: &out)
        begin(confirmed.channel, memory: &memory, out: &out)
        let parked = user.parked.sorted { $0.key < $1.key }
        user.parked = [:]
        for (name, authorization) in parked { subscribeAsUser(name.text, with: authorization, memory: &memory, out: &out) }
        // Subscriptions that failed because no user was signed in are attempted again.
        let failed = memory.channels.filter { live[$0.key]?.phase == .failed && $0.value.refusal == Self.nobody }
        for name in failed.keys.texts { start(name, memory: &memory, out: &out) }
    }

    private mutating func userFailed(
        _ failure: ConnectionFailure, body: String? = nil, final: Bool, memory: inout PusherMemory, out: inout Actions
    ) {
        memory.user?.failures += 1
        out.emit(.signInFailed(failure: failure, body: Self.shown(body), willRetry: !final))
        if final {
            user.phase = .failed
            user.deadline = nil
            Self.answerUser(.failure(failure), memory: &memory, out: &out)
            let parked = user.parked.keys.sorted().texts
            user.parked = [:]
            for name in parked { failed(name, Self.nobody, final: true, memory: &memory, out: &out) }
        } else {
            let next = out.now + Self.pause(after: failure, memory.user?.failures ?? 1, out: &out)
            user.phase = .waiting
            memory.user?.notBefore = next
            setUserDeadline(next, out: &out)
        }
    }

    /// Handles the deadline of the sign-in: an expected answer did not arrive, or the pause before an attempt has ended.
    mutating func userDeadlinePassed(memory: inout PusherMemory, out: inout Actions) {
        user.deadline = nil
        let limit = out.timing.request
        switch user.phase {
        case .authorizing: userFailed(Self.late("The authorisation of the user", limit), final: false, memory: &memory, out: &out)
        // This connection makes no further attempt: a sign-in cannot be cancelled, and the server would refuse a second sign-in.
        case .confirming:
            userFailed(Self.late("The server's confirmation of the sign-in", limit), final: true, memory: &memory, out: &out)
        case .waiting: startUser(memory: &memory, out: &out)
        case .idle, .confirmed, .failed: return
        }
    }

    /// Whether an error without a channel is the answer to a pending sign-in: code 4009, or an error that can concern no channel and no
    /// event.
    func isAboutUser(_ error: PusherErrorData) -> Bool {
        guard user.phase == .confirming else { return false }
        if error.code == 4009 { return true }
        if let code = error.code, (4100...4399).contains(code) { return false }
        return sent.isEmpty && unpinged == 0 && !live.values.contains { $0.phase == .confirming }
    }

    mutating func userRefused(
        _ error: PusherErrorData, body: String?, memory: inout PusherMemory, out: inout Actions
    ) {
        user.asked = nil
        let failure = ConnectionFailure(
            .accessDenied,
            error.message.isEmpty ? "The server refused the sign-in and gave no reason." : String(error.message.prefix(300)),
            origin: .server)
        userFailed(failure, body: body, final: true, memory: &memory, out: &out)
    }

    /// Subscribes to a presence channel as the signed-in user, because the channel's authorisation names no member.
    mutating func subscribeAsUser(
        _ name: String, with authorization: PusherAuthorization, memory: inout PusherMemory, out: inout Actions
    ) {
        guard live[name] != nil else { return }
        if user.phase == .confirmed, let known = user.known {
            memory.channels[name]?.myID = known.id
            sendSubscribe(name, with: authorization, memory: memory, out: &out)
        } else {
            user.parked[name] = authorization
            live[name]?.phase = .awaitingUser
            setDeadline(name, after: Self.limit(of: name, memory: memory, out: out), out: &out)
        }
    }
}

extension PusherSession {
    static let nobody = ConnectionFailure(
        .badRequest, "The authorisation has no channel_data, which a presence channel needs unless a user is signed in.")

    private static func userChannels(memory: PusherMemory) -> [String] {
        memory.channels.keys.texts.filter(PusherChannelName.isReserved)
    }

    private static func answerUser(
        _ result: Result<PusherReply, ConnectionFailure>, memory: inout PusherMemory, out: inout Actions
    ) {
        for waiter in memory.user?.waiters ?? [] { out.answer(waiter, result) }
        memory.user?.waiters = []
    }

    private mutating func setUserDeadline(_ deadline: Moment, out: inout Actions) {
        user.deadline = deadline
        arm(deadline, out: &out)
    }
}
