import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage

// Replays for connections with recovery (rules RV-1 to RV-17 of `docs/rules/pusher-recovery.md`).
extension PusherConnection {
    /// The part of the first message that offers recovery to the client: how many events of a channel the server stores for replays, and
    /// for how long.
    static func offer(_ application: Application) -> PusherRecoveryOffer {
        PusherRecoveryOffer(
            messages: application.recovery.messages, seconds: Int(application.recovery.lifetime.components.seconds))
    }

    /// Reserves memory for a replay, which may be larger than the usual limit of bytes that wait for a connection. Returns nil for a
    /// connection without recovery. Also returns nil if the clients of this address have started too many histories and a cluster's leader
    /// handles the subscription, because the leader would start a history for it.
    func recovery(_ request: PusherRecoverRequest?) -> SubscriptionRecovery? {
        guard isRecovering, let application = application?.value else { return nil }
        let mayBegin = service.shares.takeHistory(application, address)
        guard mayBegin || service.channels.answersAtOnce else { return nil }
        guard let request else { return SubscriptionRecovery(request: nil, limit: 0, mayBegin: mayBegin) }
        var budget = replays ?? ReplayBudget(pendingBytes: service.context.settings.maximumPendingBytes)
        let limit = budget.reserve(answersAtOnce: service.channels.answersAtOnce) {
            service.shares.reserveReplay($0, of: application.id, from: address)
        }
        replays = budget
        setRoom(for: budget.used)
        return SubscriptionRecovery(request: request, limit: limit, mayBegin: mayBegin)
    }

    /// Reduces the memory that is reserved for a replay to the size of the replay in the answer to the subscription.
    ///
    /// - Parameter begins: whether the subscription has started a history; nil when the answer does not contain it.
    func settle(_ recovery: SubscriptionRecovery?, replayed bytes: Int, begins: Bool? = false) {
        guard let recovery, let application = application?.value else { return }
        if recovery.mayBegin, begins == false { service.shares.returnHistory(application, address) }
        guard recovery.request != nil, var budget = replays else { return }
        let surplus = budget.settle(recovery.limit, with: bytes, at: service.now)
        service.shares.releaseReplay(surplus, of: application.id, from: address)
        replays = budget
        setRoom(for: budget.used)
    }

    /// Releases the memory of replays when the client has received them or has had enough time to receive them. Closes the connection if
    /// the client receives none of the waiting bytes for too long.
    func checkReplays(at now: MonotonicInstant) {
        guard var budget = replays else { return }
        let pending = pendingBytes
        if budget.isOver(at: now, pendingBytes: pending) { return endReplays() }
        budget.observe(taken: sentBytes &- pending, pendingBytes: pending, at: now)
        replays = budget
        guard pending > 0 else { return }
        if budget.isStalled(at: now) { return cutOff() }
        guard budget.isOverdue(at: now) else { return }
        if pending > service.context.settings.maximumPendingBytes { return cutOff() }
        endReplays()
    }

    /// Releases the memory of all replays.
    func endReplays() {
        guard let budget = replays, let application = application?.value else { return }
        service.shares.releaseReplay(budget.pooled, of: application.id, from: address)
        replays = nil
        setRoom(for: 0)
    }

    private func setRoom(for bytes: Int) {
        let limit = service.context.settings.maximumPendingBytes
        let (high, overflow) = limit.addingReportingOverflow(bytes)
        // Setting the option fails only for a closed channel.
        try? context?.channel.syncOptions?.setOption(
            .writeBufferWaterMark, value: .init(low: max(limit / 2, 1), high: overflow ? .max : max(high, 2)))
    }
}
