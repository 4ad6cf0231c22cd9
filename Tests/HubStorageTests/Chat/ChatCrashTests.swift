import Foundation
import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import Testing

#if os(Linux) || os(macOS)
    @Suite("The end of the process, in chat (CT-2)")
    struct ChatCrashTests {
        /// The child commits from several threads, says on its standard output what was acknowledged, and is killed without
        /// warning by one of the completions, while others are being written.
        @Test("Killed while it commits, a store has all of every commit that it acknowledged", arguments: 1...4)
        func killed(round: Int) async throws {
            let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                await Self.commitUntilKilled()
            }
            let lines = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n").map(String.init)
            let directory = try #require(lines.first)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let acknowledged = lines.dropFirst().compactMap { UInt64($0) }
            #expect(acknowledged.count >= 500)
            let store = try SQLiteChatStore(directory: directory)
            let history = try await store.ids(ChatHistoryQuery(conversation: "room", isOldestFirst: true, limit: .max))
            #expect(acknowledged.filter { !Set(history).contains($0) } == [])
            // Whole or not at all.
            let inbox = try await store.inbox(of: "bob", after: 0, limit: .max, application: "app").map(\.sequence)
            #expect(inbox == history)
            let restored = try await store.restore()
            #expect(
                Set(restored.applications["app"]?.documents.map(\.key.name) ?? []) == Set(history.map { Identifier("\($0)") }))
            #expect(restored.highestID >= 1_000_000)
            await store.close()
        }

        private static func commitUntilKilled() async {
            let scratch = Scratch()
            guard let store = try? SQLiteChatStore(directory: scratch.path) else { return }
            try? await store.reserve(idsUpTo: 1_000_000)
            say(scratch.path)
            // The threads run apart from each other, so the id of a message says little about how many came before it.
            let left = NIOLockedValueBox(Int.random(in: 500...2000))
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 as Range<UInt64> {
                    group.addTask {
                        for number in 0..<5000 as Range<UInt64> {
                            let id = 4 * number + thread + 1
                            var commit = ChatCommit(chatEvent(id), to: [("bob", id)])
                            commit.documents = [.user(ChatDocument.User(id: "\(id)"))]
                            store.commit(commit, application: "app") { error in
                                guard error == nil else { return }
                                say("\(id)")
                                let isLast = left.withLockedValue { left in
                                    left -= 1
                                    return left <= 0
                                }
                                if isLast { kill(getpid(), SIGKILL) }
                            }
                            if number % 16 == 0 { await Task.yield() }
                        }
                    }
                }
            }
            await store.close()
        }

        /// At once and in one piece: what was said before the end is out.
        private static func say(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        }
    }
#endif
