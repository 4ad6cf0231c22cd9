import Foundation
import NIOConcurrencyHelpers

@testable import NexconnChatSDK

/// Writes down what handlers are told, and lets tests wait for it.
final class EventLog: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: everything is behind `state`, a `NIOLockedValueBox`.
    private struct State {
        var events: [NCEvent] = []
        var waiters: [(id: UUID, check: @Sendable ([NCEvent]) -> Bool, resume: @Sendable () -> Void)] = []
    }

    private let state = NIOLockedValueBox(State())

    var events: [NCEvent] { state.withLockedValue { $0.events } }

    func count(of matches: (NCEvent) -> Bool) -> Int { events.count(where: matches) }

    func note(_ event: NCEvent) {
        let ready = state.withLockedValue { state in
            state.events.append(event)
            let events = state.events
            let ready = state.waiters.filter { $0.check(events) }
            state.waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
            return ready
        }
        for waiter in ready { waiter.resume() }
    }

    /// Waits until `find` finds something in what has been told so far; at most 30 seconds.
    @discardableResult
    func wait<Value: Sendable>(_ what: String, _ find: @escaping @Sendable ([NCEvent]) -> Value?) async throws -> Value {
        let id = UUID()
        let limit = Task { [weak self] in
            try await Task.sleep(for: .seconds(30))
            self?.giveUp(id)
        }
        defer { limit.cancel() }
        await withCheckedContinuation { continuation in
            let isThere = state.withLockedValue { state in
                if find(state.events) != nil { return true }
                state.waiters.append((id, { find($0) != nil }, { continuation.resume() }))
                return false
            }
            if isThere { continuation.resume() }
        }
        guard let found = find(events) else { throw Missing(description: "never: \(what)") }
        return found
    }

    private func giveUp(_ id: UUID) {
        let waiter = state.withLockedValue { state in
            let waiter = state.waiters.first { $0.id == id }
            state.waiters.removeAll { $0.id == id }
            return waiter
        }
        waiter?.resume()
    }
}

extension EventLog: MessageHandler {
    func onMessageReceived(_ event: MessageReceivedEvent) { note(.messageReceived(event)) }
    func onMessageDeleted(_ event: MessageDeletedEvent) { note(.messageDeleted(event)) }
    func onMessagesUpdated(_ event: MessagesUpdatedEvent) { note(.messagesUpdated(event)) }
    func onMessageMetadataUpdated(_ event: MessageMetadataUpdatedEvent) { note(.messageMetadataUpdated(event)) }
    func onMessageMetadataDeleted(_ event: MessageMetadataDeletedEvent) { note(.messageMetadataDeleted(event)) }
    func onMessageReceiptResponse(_ event: MessageReceiptResponseEvent) { note(.messageReceiptResponse(event)) }
    func onOfflineMessageSyncCompleted() { note(.offlineMessageSyncCompleted) }
    func onMessagesMissed(_ event: MessagesMissedEvent) { note(.messagesMissed(event)) }
}

extension EventLog: ChannelHandler {
    func onChannelPinnedSync(_ event: ChannelPinnedSyncEvent) { note(.channelPinned(event)) }
    func onChannelNoDisturbLevelSync(_ event: ChannelNoDisturbLevelSyncEvent) { note(.channelNoDisturbLevel(event)) }
    func onChannelUnreadStatusSync(_ event: ChannelUnreadStatusSyncEvent) { note(.channelUnreadStatus(event)) }
    func onTypingStatusChanged(_ event: TypingStatusChangedEvent) { note(.typing(event)) }
    func onRemoteChannelsSyncCompleted(_ event: RemoteChannelsSyncCompletedEvent) { note(.remoteChannelsSyncCompleted(event)) }
}

extension EventLog: GroupChannelHandler {
    func onGroupOperation(_ event: GroupOperationEvent) { note(.groupOperation(event)) }
    func onGroupInfoChanged(_ event: GroupInfoChangedEvent) { note(.groupInfoChanged(event)) }
    func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent) { note(.groupMemberInfoChanged(event)) }
}

extension EventLog: OpenChannelHandler {
    func onEntering(_ event: OpenChannelEnteringEvent) { note(.openChannel(.entering(event))) }
    func onEntered(_ event: OpenChannelEnteredEvent) { note(.openChannel(.entered(event))) }
    func onEnterFailed(_ event: OpenChannelEnterFailedEvent) { note(.openChannel(.enterFailed(event))) }
    func onReset(_ event: OpenChannelResetEvent) { note(.openChannel(.reset(event))) }
    func onExited(_ event: OpenChannelExitedEvent) { note(.openChannel(.exited(event))) }
    func onChannelDestroyed(_ event: OpenChannelDestroyedEvent) { note(.openChannel(.destroyed(event))) }
    func onMetadataSynced(_ event: OpenChannelMetadataSyncedEvent) { note(.openChannel(.metadataSynced(event))) }
    func onMetadataChanged(_ event: OpenChannelMetadataChangedEvent) { note(.openChannel(.metadataChanged(event))) }
    func onParticipantChanged(_ event: OpenChannelParticipantChangedEvent) { note(.openChannel(.participantChanged(event))) }
    func onParticipantMuted(_ event: OpenChannelParticipantMutedEvent) { note(.openChannel(.participantMuted(event))) }
    func onParticipantBanned(_ event: OpenChannelParticipantBannedEvent) { note(.openChannel(.participantBanned(event))) }
    func onMultiLoginSync(_ event: OpenChannelMultiLoginSyncEvent) { note(.openChannel(.multiLoginSync(event))) }
}

extension EventLog: UserHandler {
    func onSubscriptionChanged(_ event: SubscriptionChangedEvent) { note(.subscriptionChanged(event)) }
}
