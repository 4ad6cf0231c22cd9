import Foundation
import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import StoreConformance
import Testing

@Suite("A chat store that breaks a rule is told so")
struct BrokenChatStoreTests {
    private let scratch = Scratch()

    @Test("By the rule that it breaks", arguments: BrokenChatStore.Fault.allCases)
    func broken(fault: BrokenChatStore.Fault) async throws {
        let path = scratch.path
        let failure = await #expect(throws: StoreRuleFailure.self) {
            try await fault.rule.check { place in
                BrokenChatStore(
                    base: try SQLiteChatStore(directory: path + "/" + place.name, now: place.now), fault: fault)
            }
        }
        #expect(failure?.rule == fault.rule.rawValue && failure?.reason.isEmpty == false)
    }

    @Test("Every rule can be broken")
    func complete() {
        #expect(Set(BrokenChatStore.Fault.allCases.map(\.rule)) == Set(ChatStoreRule.allCases))
    }
}

/// A good store that does one thing wrong.
struct BrokenChatStore: ChatStore {
    enum Fault: CaseIterable, Sendable {
        case confirmsTwice, losesSome, splitsCommits, forgetsAudience, includesPlace, includesBounds, ignoresRewrites,
            ignoresRecalls
        case showsHidden, showsEverybody, sortsReceipts, keepsDocuments, forgetsSends, mixesApplications, normalizesNames,
            purgesHistory,
            changesEpoch, trimsInboxes

        /// The rule that is broken.
        var rule: ChatStoreRule {
            switch self {
            case .confirmsTwice: .order
            case .losesSome: .concurrency
            case .splitsCommits: .atomicity
            case .forgetsAudience: .fields
            case .includesPlace: .inboxes
            case .includesBounds: .histories
            case .ignoresRewrites: .rewrites
            case .ignoresRecalls: .recalls
            case .showsHidden: .hiding
            case .showsEverybody: .readers
            case .sortsReceipts: .receipts
            case .keepsDocuments: .documents
            case .forgetsSends: .recency
            case .mixesApplications: .applications
            case .normalizesNames: .spellings
            case .purgesHistory: .retention
            case .changesEpoch: .restart
            case .trimsInboxes: .limits
            }
        }
    }

    let base: any ChatStore
    let fault: Fault
    private let restorations = NIOLockedValueBox(Int.random(in: 1 ... .max))

    init(base: any ChatStore, fault: Fault) {
        self.base = base
        self.fault = fault
    }

    private func name(_ application: String) -> String { fault == .mixesApplications ? "app" : application }

    private func name(_ id: Identifier) -> Identifier {
        fault == .normalizesNames ? Identifier(id.text.precomposedStringWithCanonicalMapping) : id
    }

    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        var commit = commit
        if fault == .ignoresRewrites { commit.rewrites = [] }
        if fault == .ignoresRecalls { commit.recalls = [] }
        if fault == .keepsDocuments { commit.removedDocuments = [] }
        for index in commit.additions.indices {
            let conversation = commit.additions[index].event.conversation
            commit.additions[index].event.conversation = conversation.map { name($0) }
            if fault == .showsEverybody { commit.additions[index].event.readers = nil }
        }
        if fault == .losesSome, let event = commit.additions.first?.event, event.id % 10 == 0 { return completion(nil) }
        if fault == .splitsCommits {
            for addition in commit.additions.dropLast() {
                var part = ChatCommit()
                part.additions = [addition]
                base.commit(part, application: application) { _ in }
            }
            commit.additions = commit.additions.suffix(1)
        }
        base.commit(commit, application: name(application)) { error in
            completion(error)
            if fault == .confirmsTwice { completion(error) }
        }
    }

    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry] {
        let sequence = fault == .includesPlace && sequence > 0 ? sequence - 1 : sequence
        return try await base.inbox(of: user, after: sequence, limit: limit, application: name(application))
    }

    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        var query = query
        query.conversation = name(query.conversation)
        if fault == .includesBounds { query.before = query.before.map { $0 + 1 } }
        if fault == .showsHidden { query.viewer = nil }
        return try await base.history(query, application: name(application)).map { event in
            var event = event
            if fault == .forgetsAudience { event.audience = 0 }
            return event
        }
    }

    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await base.event(id, in: conversation, application: application)
    }

    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        let found = try await base.receipts(of: ids, application: application)
        return fault == .sortsReceipts ? found.mapValues { $0.sorted { $0.user < $1.user } } : found
    }

    func restore() async throws -> RestoredChat {
        var restored = try await base.restore()
        if fault == .forgetsSends { restored.applications = restored.applications.mapValues { .init(inboxes: $0.inboxes) } }
        if fault == .changesEpoch { restored.epoch += "\(restorations.withLockedValue { $0 })" }
        return restored
    }

    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        try await base.purge(inboxBefore: inbox, historyBefore: fault == .purgesHistory ? inbox : history)
    }

    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        if fault == .trimsInboxes, let lowest = limits["app"]?.lowest, lowest > 0 { try await base.purge(inboxBefore: lowest) }
        return try await base.trim(limits)
    }

    func reserve(idsUpTo limit: UInt64) async throws { try await base.reserve(idsUpTo: limit) }

    func close() async { await base.close() }
}
