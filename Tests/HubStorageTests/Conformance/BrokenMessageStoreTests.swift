import Foundation
import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import StoreConformance
import Testing

@Suite("A message store that breaks a rule is told so")
struct BrokenMessageStoreTests {
    private let scratch = Scratch()

    @Test("By the rule that it breaks", arguments: BrokenMessageStore.Fault.allCases)
    func broken(fault: BrokenMessageStore.Fault) async throws {
        let path = scratch.path
        let failure = await #expect(throws: StoreRuleFailure.self) {
            try await fault.rule.check { place in
                let bytes = fault == .restoresEverything ? Int.max : nil
                return BrokenMessageStore(base: try SQLiteMessageStore(place, in: path, restoredBytes: bytes), fault: fault)
            }
        }
        #expect(failure?.rule == fault.rule.rawValue && failure?.reason.isEmpty == false)
    }

    @Test("Every rule can be broken")
    func complete() {
        #expect(Set(BrokenMessageStore.Fault.allCases.map(\.rule)) == Set(MessageStoreRule.allCases))
    }
}

/// A good store that does one thing wrong.
struct BrokenMessageStore: MessageStore {
    enum Fault: CaseIterable, Sendable {
        case confirmsOutOfOrder, confirmsTwice, losesSome, overwrites, forgetsMetadata, includesStart, ignoresBytes, showsUnstored
        case neverExpires, countsStart, deletesStart, mixesApplications, normalizesNames, readsPatterns, forgetsMessages
        case repeatsTimetokens, sortsGroups, forgetsActions, forgetsRemovals, keepsActionsOfDeleted, forgetsAccess,
            keepsExpiredAccess, restoresEverything
        case hidesGaps, makesUpGaps, forgetsRecords, keepsRemovedRecords, trimsTooMuch, countsTooLittle

        /// The rule that is broken.
        var rule: MessageStoreRule {
            switch self {
            case .confirmsOutOfOrder, .confirmsTwice: .order
            case .losesSome: .concurrency
            case .overwrites: .repetition
            case .forgetsMetadata: .fields
            case .includesStart: .spans
            case .ignoresBytes: .bytes
            case .showsUnstored, .neverExpires: .retention
            case .countsStart: .counts
            case .deletesStart: .deletion
            case .mixesApplications: .applications
            case .normalizesNames: .spellings
            case .readsPatterns: .patterns
            case .forgetsMessages, .repeatsTimetokens: .restart
            case .sortsGroups: .groups
            case .forgetsActions, .forgetsRemovals, .keepsActionsOfDeleted: .actions
            case .forgetsAccess, .keepsExpiredAccess: .access
            case .restoresEverything: .restoredBytes
            case .forgetsRecords, .keepsRemovedRecords: .records
            case .hidesGaps, .makesUpGaps: .gaps
            case .trimsTooMuch, .countsTooLittle: .limits
            }
        }
    }

    typealias Completion = @Sendable ((any Error)?) -> Void

    let base: any MessageStore
    let fault: Fault
    private let waiting = NIOLockedValueBox<[Completion]>([])
    private let latest = NIOLockedValueBox<[UInt64: StoredMessage]>([:])

    init(base: any MessageStore, fault: Fault) {
        self.base = base
        self.fault = fault
    }

    private func name(_ application: String) -> String { fault == .mixesApplications ? "app" : application }

    private func name(_ channel: Identifier) -> Identifier {
        switch fault {
        case .normalizesNames: Identifier(channel.text.precomposedStringWithCanonicalMapping)
        case .readsPatterns: Identifier(channel.text.replacingOccurrences(of: "*", with: "b"))
        default: channel
        }
    }

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String, completion: @escaping Completion
    ) {
        var (message, change) = (message, change)
        message.channel = name(message.channel)
        if fault == .showsUnstored { message.isStored = true }
        if fault == .neverExpires { message.expires = nil }
        if case .removed = change, fault == .forgetsRemovals { change = nil }
        if fault == .losesSome, message.timetoken % 10 == 0 { return completion(nil) }
        latest.withLockedValue { [message] in $0[message.timetoken] = message }
        if fault == .confirmsOutOfOrder, message.timetoken % 2 == 1 { return waiting.withLockedValue { $0.append(completion) } }
        base.append(message, with: change, application: name(application)) { error in
            completion(error)
            if fault == .confirmsTwice { completion(error) }
            for late in waiting.withLockedValue({ $0 }) { late(nil) }
            waiting.withLockedValue { $0 = [] }
        }
    }

    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String, completion: @escaping Completion
    ) {
        let kept = changes.filter { change in
            switch change {
            case .put: fault != .forgetsRecords
            case .remove: fault != .keepsRemovedRecords
            }
        }
        base.commit(kept, with: messages, application: name(application), completion: completion)
    }

    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        if fault == .keepsActionsOfDeleted { return }
        try await base.remove(actions: actions, of: name(channel), application: name(application))
    }

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        var query = query
        query.channel = name(query.channel)
        if fault == .includesStart, let start = query.start, start > 0 {
            query.start = query.isOldestFirst ? start - 1 : start + 1
        }
        if fault == .ignoresBytes { query.maximumBytes = .max }
        return try await base.history(query, application: name(application)).map { message in
            var message = fault == .overwrites ? latest.withLockedValue { $0[message.timetoken] ?? message } : message
            if fault == .forgetsMetadata { message.metadata = nil }
            return message
        }
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        var found: [Identifier: Int] = [:]
        for (channel, token) in since {
            let token = fault == .countsStart && token > 0 ? token - 1 : token
            found[channel] = try await base.counts([name(channel): token], application: name(application))[name(channel)]
        }
        return found
    }

    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        let start = fault == .deletesStart ? start.map { $0 - 1 } : start
        return try await base.delete(channel: name(channel), start: start, end: end, application: name(application))
    }

    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        let limits = limits.mapValues { limits in
            var limits = limits
            if fault == .trimsTooMuch { limits.messages = limits.messages.map { max(0, $0 - 1) } }
            return limits
        }
        return try await base.trim(limits).mapValues { usage in
            var usage = usage
            if fault == .countsTooLittle { usage.bytes /= 2 }
            return usage
        }
    }

    func save(group: Identifier, channels: [Identifier], application: String) async throws {
        try await base.save(
            group: group, channels: fault == .sortsGroups ? channels.sorted() : channels, application: application)
    }

    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        let entries = entries.map { entry in
            var entry = entry
            if fault == .keepsExpiredAccess { entry.expires = nil }
            return entry
        }
        try await base.save(access: entries, removing: keys, application: application)
    }

    func restore() async throws -> RestoredState {
        var state = try await base.restore()
        if fault == .forgetsMessages { state.recent = [:] }
        if fault == .repeatsTimetokens { state.highestTimetoken = 0 }
        if fault == .forgetsActions { state.actions = [:] }
        if fault == .forgetsAccess { state.access = [:] }
        if fault == .hidesGaps { state.recentSince = 1 }
        if fault == .makesUpGaps { (state.recentSince, state.recent) = (state.highestTimetoken, [:]) }
        return state
    }

    func reserve(timetokensUpTo limit: UInt64) async throws { try await base.reserve(timetokensUpTo: limit) }

    func close() async { await base.close() }
}
