import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Keeps chat data in memory until the process ends, and within limits (rules CT-1 and CT-9).
///
/// This is the store of a server that was started without a data directory. Each instance has a new epoch. By the new epoch, devices notice
/// that inbox positions from an earlier instance are invalid. Completions run before `commit` returns.
public final class InMemoryChatStore: ChatStore {
    private let log: NIOLockedValueBox<ChatLog>
    private let epoch = newChatEpoch()
    private let now: @Sendable () -> UInt64

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - limits: the limits of histories and inboxes.
    ///   - now: returns the current time in units of 100 ns; called on the thread of the caller.
    public init(limits: MemoryLimits = MemoryLimits(), now: @escaping @Sendable () -> UInt64 = systemTicks) {
        log = NIOLockedValueBox(ChatLog(limits: limits))
        self.now = now
    }

    public func restore() async throws -> RestoredChat {
        let horizon = recentSendsHorizon(at: now())
        return log.withLockedValue { $0.restored(epoch: epoch, since: horizon) }
    }

    public func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        completion(log.withLockedValue { $0.apply(commit, application: Identifier(application)) })
    }

    public func reserve(idsUpTo limit: UInt64) async throws {}

    public func inbox(
        of user: Identifier, after sequence: UInt64, limit: Int, application: String
    ) async throws -> [ChatInboxEntry] {
        log.withLockedValue { $0.applications[Identifier(application)]?.inbox(of: user, after: sequence, limit: limit) ?? [] }
    }

    public func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        log.withLockedValue { $0.applications[Identifier(application)]?.history(query) ?? [] }
    }

    public func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        log.withLockedValue { $0.applications[Identifier(application)]?.event(id, in: conversation) }
    }

    public func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        log.withLockedValue { $0.applications[Identifier(application)]?.receipts(of: ids) ?? [:] }
    }

    public func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        log.withLockedValue { $0.purge(inboxBefore: inbox, historyBefore: min(history, inbox)) }
    }

    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        limits.reduce(into: [:]) { usages, item in
            var removed = 0
            while true {
                let step = log.withLockedValue { $0.trim(item.key, item.value) }
                removed += step.usage.removed
                guard !step.isUnfinished else { continue }
                usages[item.key] = HistoryUsage(messages: step.usage.messages, bytes: step.usage.bytes, removed: removed)
                return
            }
        }
    }

    public func close() async {}
}

/// Makes a random name for the store's epoch. Devices compare it with the epoch from which their inbox positions come: if the two epochs
/// differ, the positions are invalid.
func newChatEpoch() -> String { String(UInt64.random(in: 1 << 40 ... .max), radix: 36) }

/// The lowest event id of the hour before `now`, in units of 100 ns. Only messages with this id or a higher one are compared with a message
/// that a client sends a second time (rule CT-7). Repetitions of older messages are not recognized.
func recentSendsHorizon(at now: UInt64) -> UInt64 { now - min(now, 3600 * TimetokenClock.ticksPerSecond) }
