import ConnectionEngine
import Identifiers
import WireCoding

// Authorisation of channels, and the handling of failed authorisations.
extension PusherSession {
    public mutating func finished(
        _ job: JobID, _ result: Result<PusherAuthorization, ConnectionFailure>, memory: inout PusherMemory,
        out: inout SessionActions<Self>
    ) {
        if user.phase == .authorizing(job) {
            userAuthorized(result, memory: &memory, out: &out)
            return
        }
        // The job's result is dropped if the channel no longer waits for this job.
        guard let name = jobs.removeValue(forKey: job), let channel = live[name] else { return }
        if channel.phase == .authorizing(job) {
            switch result {
            case .success(let authorization): authorized(name, with: authorization, memory: &memory, out: &out)
            case .failure(let failure):
                let failure = Self.refined(failure)
                let isFinal = Self.isFinal(failure) && !Self.mayPass(failure, on: name, memory: memory)
                failed(name, failure, final: isFinal, memory: &memory, out: &out)
                memory.channels[name]?.notBefore = live[name]?.deadline
            }
        } else if sealed[name]?.reload?.job == job {
            keyArrived(try? result.get(), for: name, out: &out)
        }
    }

    /// Continues a subscription with an authorisation: sends it, waits for the sign-in, or fails for lack of data (rules PS-11, PS-19 and
    /// PS-20).
    mutating func authorized(
        _ name: String, with authorization: PusherAuthorization, memory: inout PusherMemory, out: inout Actions
    ) {
        guard let channel = live[name] else { return }
        switch channel.access {
        case .presence where authorization.channelData == nil:
            if memory.user != nil, user.phase != .failed {
                subscribeAsUser(name, with: authorization, memory: &memory, out: &out)
            } else {
                failed(name, Self.nobody, final: true, memory: &memory, out: &out)
            }
            return
        case .encrypted where authorization.sharedSecret == nil:
            let failure = ConnectionFailure(
                .badRequest, "The authorisation has no shared_secret, which an encrypted channel needs.")
            failed(name, failure, final: true, memory: &memory, out: &out)
            return
        case .presence, .encrypted, .private, .normal:
            break
        }
        memory.channels[name]?.myID = authorization.channelData.flatMap { PusherMember(parsing: $0)?.userID }
        if channel.access == .encrypted {
            sealed[name] = SealedChannel(key: authorization.sharedSecret.flatMap { PusherEncryption.key(base64: $0) })
        }
        sendSubscribe(name, with: authorization, memory: memory, out: &out)
    }

    static func refined(_ failure: ConnectionFailure) -> ConnectionFailure {
        var failure = failure
        if failure.httpStatus == 401 || failure.httpStatus == 403 { failure.category = .accessDenied }
        return failure
    }

    /// The part of a refusal's body that is reported to the application, at most 1 KiB.
    static func shown(_ body: String?) -> String? {
        guard let body, body.utf8.count > PusherLimits.shownBody else { return body }
        return String(decoding: body.utf8.prefix(PusherLimits.shownBody), as: UTF8.self)
    }

    /// Whether another authorisation request would fail in the same way (rule PS-12).
    static func isFinal(_ failure: ConnectionFailure) -> Bool {
        if let status = failure.httpStatus {
            return (400...499).contains(status) && status != 408 && status != 429
        }
        switch failure.category {
        case .accessDenied, .credentialsRejected, .badRequest, .refused, .tlsUntrusted, .cancelled, .disconnected: return true
        default: return false
        }
    }

    /// Whether a denied authorisation may be temporary. This is assumed when the channel was confirmed before (rule PS-38).
    static func mayPass(_ failure: ConnectionFailure, on name: String, memory: PusherMemory) -> Bool {
        failure.category == .accessDenied && memory.channels[name]?.wasConfirmed ?? false
    }

    /// Handles a failed subscription. If `final` is true, no further attempt to subscribe is made on this connection; otherwise the next
    /// attempt is scheduled after a pause. The caller of this function decides whether the pause also applies to the next connection.
    mutating func failed(
        _ name: String, _ failure: ConnectionFailure, body: String? = nil, final: Bool, memory: inout PusherMemory,
        out: inout Actions
    ) {
        noteLoss(of: name, at: out.now, memory: &memory)
        memory.channels[name]?.failures += 1
        out.emit(.subscriptionFailed(channel: name, failure: failure, body: Self.shown(body), willRetry: !final))
        if final {
            live[name]?.phase = .failed
            live[name]?.deadline = nil
            memory.channels[name]?.refusal = failure
            Self.answerWaiters(of: name, with: .failure(failure), memory: &memory, out: &out)
            for event in memory.channels[name]?.outbox ?? [] { out.answer(event.id, .failure(failure)) }
            memory.channels[name]?.outbox = []
            return
        }
        live[name]?.phase = .waiting
        setDeadline(name, after: Self.pause(after: failure, memory.channels[name]?.failures ?? 1, out: &out), out: &out)
    }

    /// The pause before the next attempt to subscribe or sign in: random, growing with the number of failures, and at least as long as the
    /// server has requested.
    static func pause(after failure: ConnectionFailure, _ failures: Int, out: inout Actions) -> Duration {
        let pause = pause(afterFailures: failures)
        let drawn = out.draw(in: pause...(pause + pause / 4))
        return failure.retryAfter.map { max(drawn, min($0, .seconds(300))) } ?? drawn
    }

    /// The pause in seconds is 1, 2, 4, 8, 16 and then 30: at most six attempts in any minute (rule PS-12).
    private static func pause(afterFailures failures: Int) -> Duration {
        failures > 5 ? .seconds(30) : .seconds(1 << max(failures - 1, 0))
    }

    /// Handles the deadline of a channel: an expected answer did not arrive, or the pause before an attempt has ended.
    mutating func deadlinePassed(_ name: String, memory: inout PusherMemory, out: inout Actions) {
        live[name]?.deadline = nil
        let limit = Self.limit(of: name, memory: memory, out: out)
        switch live[name]?.phase {
        case .authorizing:
            failed(name, Self.late("The authorisation", limit), final: false, memory: &memory, out: &out)
            memory.channels[name]?.notBefore = live[name]?.deadline
        case .awaitingUser:
            user.parked[name] = nil
            failed(
                name, Self.late("The sign-in, as whom the channel is authorised,", limit), final: false, memory: &memory,
                out: &out)
        case .confirming:
            // The subscription is cancelled first. Otherwise the server would refuse the next attempt as a second subscription to the same
            // channel.
            takeBack(name, out: &out)
            failed(name, Self.late("The server's confirmation", limit), final: false, memory: &memory, out: &out)
        case .waiting:
            start(name, memory: &memory, out: &out)
        case .confirmed, .failed, nil:
            return
        }
    }

    static func late(_ awaited: String, _ limit: Duration) -> ConnectionFailure {
        ConnectionFailure(.timeout, "\(awaited) did not arrive within \(limit.inSeconds) s.")
    }

    /// Handles `pusher:subscription_error`, which some servers send (rule PS-14).
    mutating func refused(_ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions) {
        guard let name = envelope.channel, isConfirming(name) else { return }
        let data = envelope.data.flatMap { try? JSONText($0) }
        let status = data?["status"]?.integer ?? (data?["type"]?.string == "AuthError" ? 403 : nil)
        let message = data?["error"]?.string ?? "The server refused the subscription and gave no reason."
        subscriptionRefused(name, status: status, message: message, body: envelope.data, memory: &memory, out: &out)
    }

    /// Returns the channel that an error without a channel must concern; nil if this is not certain (rule PS-14). Only channels whose
    /// confirmation is awaited are considered. Pusher's error quotes the text that should have been signed, which begins with the socket id
    /// and the channel. Reverb sends only the code 4009.
    func refusedChannel(_ error: PusherErrorData) -> String? {
        guard let socketID, error.code == nil || error.code == 4009 else { return nil }
        let pending = live.filter { $0.value.phase == .confirming && $0.value.access != .normal }.keys.texts
        // Of several matching names the longest one counts, because a shorter one may be only the beginning of the quoted name.
        let quoted = pending.filter { error.message.contains("\(socketID):\($0)") }.max { $0.utf8.count < $1.utf8.count }
        if let quoted { return quoted }
        let isAboutNothingElse = user.phase != .confirming && sent.isEmpty && unpinged == 0 && pending.count == 1
        return error.code == 4009 && isAboutNothingElse ? pending.first : nil
    }

    /// Handles the server's refusal of a subscription.
    mutating func subscriptionRefused(
        _ name: String, status: Int?, message: String, body: String?, memory: inout PusherMemory, out: inout Actions
    ) {
        live[name]?.hasAsked = false
        let status = status ?? 0
        let isPassing = (4100...4299).contains(status) || (500...599).contains(status) || status == 408 || status == 429
        let isDenial = status == 401 || status == 403 || status == 4009
        let category: StatusCategory = isPassing ? .overloaded : isDenial ? .accessDenied : .badRequest
        let failure = ConnectionFailure(
            category, String(message.prefix(300)), origin: .server, httpStatus: (100...599).contains(status) ? status : nil)
        failed(
            name, failure, body: body, final: !isPassing && !Self.mayPass(failure, on: name, memory: memory), memory: &memory,
            out: &out)
    }
}
