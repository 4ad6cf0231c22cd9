import Foundation
import HubStorage
import NIOConcurrencyHelpers
import ServerStorage

/// Direct messages of a thousand users, as the server commits them, half of them to one user who is away.
struct ChatWorkload: Sendable {
    private struct State: Sendable {
        var id: UInt64
        var sequences: [UInt64]
    }

    let store: SQLiteChatStore
    private let state: NIOLockedValueBox<State>
    private let text = String(repeating: "x", count: 100)

    static func run(directory: String, count: Int) async throws {
        let store = try SQLiteChatStore(directory: directory)
        let restored = try await store.restore()
        let sequences = (0..<1000).map { restored.applications["app"]?.inboxes["user \($0)"]?.last ?? 0 }
        let state = State(id: max(restored.highestID, systemTicks()), sequences: sequences)
        let workload = ChatWorkload(store: store, state: NIOLockedValueBox(state))
        for inFlight in [1, 8, 64] { await workload.commit(20_000, inFlight: inFlight, "commit, \(inFlight) in flight") }
        await workload.commit(2 * count, inFlight: 1024, "commit, 1024 in flight")
        await workload.groups(2_000, members: 100)
        try await workload.packages("package of 200, nothing else")
        try await workload.pages("history of 100, nothing else")
        let writing = Task { await workload.commitUntilCancelled(perSecond: 5000) }
        try await workload.packages("package of 200, 5,000 commits/s beside it")
        try await workload.pages("history of 100, 5,000 commits/s beside it")
        writing.cancel()
        await writing.value
        var kept = 0
        let restoring = try await ContinuousClock().measure {
            kept = try await store.restore().applications.values.reduce(0) { $0 + $1.recentSends.count }
        }
        print("restore: \(kept) recent messages in \(Int(restoring.inSeconds * 1000)) ms")
        let purging = try await ContinuousClock().measure { try await store.purge(inboxBefore: .max, historyBefore: .max) }
        print("purge of all: \(Int(purging.inSeconds * 1000)) ms")
        await store.close()
    }

    private func next(group members: Int = 0) -> ChatCommit {
        state.withLockedValue { state in
            state.id += 1
            let number = Int(state.id &* 0x9E37_79B9_7F4A_7C15 >> 40) % 999 + 1
            let receivers = members > 0 ? Array(0..<members) : [state.id % 2 == 0 ? 0 : number]
            let places = receivers.map { receiver in
                state.sequences[receiver] += 1
                return ChatInboxPlace(user: "user \(receiver)", sequence: state.sequences[receiver])
            }
            let body = """
                {"k":"msg","id":"\(state.id)","time":\(state.id / 10_000),"conv":"direct","from":"user \(number)",\
                "to":"user \(receivers[0])","type":"RC:TxtMsg","content":{"content":"\(text)"},"cid":"c-\(state.id)"}
                """
            let event = ChatEvent(
                id: state.id, conversation: members > 0 ? "group:g" : "direct:user \(receivers[0]):user \(number)",
                sender: "user \(number)", clientID: "c-\(state.id)",
                body: Array(body.utf8), audience: receivers.count)
            var commit = ChatCommit()
            commit.additions = [ChatCommit.Addition(event, places: places)]
            return commit
        }
    }

    /// Commits with a fixed number that wait for their acknowledgement.
    private func commit(_ count: Int, inFlight: Int, group members: Int = 0, _ title: String) async {
        let cpu = CPU.used()
        let latencies = NIOLockedValueBox<[Double]>([])
        let clock = ContinuousClock()
        let remaining = NIOLockedValueBox(count)
        let time = await clock.measure {
            await withCheckedContinuation { continuation in
                @Sendable func one() {
                    let sent = clock.now
                    store.commit(next(group: members), application: "app") { error in
                        guard error == nil else { fatalError("commit failed: \(String(describing: error))") }
                        let done = latencies.withLockedValue { latencies in
                            latencies.append((clock.now - sent).inSeconds)
                            return latencies.count == count
                        }
                        if done { continuation.resume() }
                        let more = remaining.withLockedValue { remaining in
                            remaining -= 1
                            return remaining >= 0
                        }
                        if more { one() }
                    }
                }
                remaining.withLockedValue { $0 -= inFlight }
                for _ in 0..<inFlight { one() }
            }
        }
        let each = (CPU.used() - cpu) / Double(count)
        let rate = Int(Double(count) / time.inSeconds)
        print("\(title): \(rate)/s, \(micro(each)) µs CPU each, \(quantiles(latencies.withLockedValue { $0 }))")
    }

    private func groups(_ count: Int, members: Int) async {
        await commit(count, inFlight: 64, group: members, "commit to a group of \(members), 64 in flight")
    }

    private func commitUntilCancelled(perSecond: Int) async {
        while !Task.isCancelled {
            for _ in 0..<perSecond / 100 { store.commit(next(), application: "app") { _ in } }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// What devices fetch that come back, from random places.
    private func packages(_ title: String) async throws {
        let last = state.withLockedValue { $0.sequences[0] }
        try await measure(2_000, title) {
            try await store.inbox(of: "user 0", after: UInt64.random(in: 0..<last), limit: 200, application: "app").count
        }
    }

    private func pages(_ title: String) async throws {
        try await measure(2_000, title) {
            let query = ChatHistoryQuery(
                conversation: "direct:user 0:user \(Int.random(in: 1..<1000))", limit: 100, viewer: "user 0")
            return try await store.history(query, application: "app").count
        }
    }

    private func measure(_ count: Int, _ title: String, _ read: () async throws -> Int) async throws {
        var latencies: [Double] = []
        var found = 0
        let cpu = CPU.used()
        for _ in 0..<count {
            let began = ContinuousClock.now
            found += try await read()
            latencies.append((ContinuousClock.now - began).inSeconds)
        }
        print("\(title): \(found / count) each, \(micro((CPU.used() - cpu) / Double(count))) µs CPU, \(quantiles(latencies))")
    }
}
