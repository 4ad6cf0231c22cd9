import NIOCore
import PusherProtocol
import RealtimeHub
import ServerRuntime

// Replays for connections with recovery (rules RV-1 to RV-13 of `docs/rules/pusher-recovery.md`).
extension PusherConnection {
    /// What the greeting says; nil for connections without recovery.
    static func offer(_ application: Application) -> PusherRecoveryOffer {
        PusherRecoveryOffer(
            messages: application.recovery.messages, seconds: Int(application.recovery.lifetime.components.seconds))
    }

    /// Makes room for what is replayed, which may be more than what may wait for a connection otherwise.
    func recovery(_ request: PusherRecoverRequest?) -> SubscriptionRecovery? {
        guard isRecovering else { return nil }
        guard let request else { return SubscriptionRecovery(request: nil, limit: 0) }
        var budget = replays.value ?? ReplayBudget(pendingBytes: service.context.settings.maximumPendingBytes)
        let limit = budget.reserve(answersAtOnce: service.channels.answersAtOnce)
        replays.value = budget
        setRoom(for: budget.used)
        return SubscriptionRecovery(request: request, limit: limit)
    }

    /// A subscription has been answered.
    func settle(_ recovery: SubscriptionRecovery?, replayed bytes: Int) {
        guard let recovery, recovery.request != nil, var budget = replays.value else { return }
        budget.settle(recovery.limit, with: bytes, at: service.now)
        replays.value = budget
        setRoom(for: budget.used)
    }

    /// Gives the room back when the client has taken everything.
    func checkReplays(at now: MonotonicInstant) {
        guard let budget = replays.value, budget.isOver(at: now, pendingBytes: pendingBytes) else { return }
        replays.value = nil
        setRoom(for: 0)
    }

    private func setRoom(for bytes: Int) {
        let limit = service.context.settings.maximumPendingBytes
        let (high, overflow) = limit.addingReportingOverflow(bytes)
        try? context?.channel.syncOptions?.setOption(
            .writeBufferWaterMark, value: .init(low: max(limit / 2, 1), high: overflow ? .max : max(high, 2)))
    }
}
