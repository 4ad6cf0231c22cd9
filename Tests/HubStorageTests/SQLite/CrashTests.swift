import Foundation
import HubStorage
import NIOConcurrencyHelpers
import ServerStorage
import Testing

#if os(Linux) || os(macOS)
    @Suite("The end of the process (HB-44)")
    struct CrashTests {
        /// The child appends from several threads, says on its standard output what was acknowledged, and is killed without
        /// warning by one of the completions, while others are being written.
        @Test("Killed while it appends, a store has every message that it acknowledged", arguments: 1...4)
        func killed(round: Int) async throws {
            let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                await Self.appendUntilKilled()
            }
            let lines = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n").map(String.init)
            let directory = try #require(lines.first)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let acknowledged = lines.dropFirst().compactMap { UInt64($0) }
            #expect(acknowledged.count >= 500)
            let store = try SQLiteMessageStore(directory: directory)
            let there = try await Set(store.tokens(HistoryQuery(channel: "c", limit: .max)))
            #expect(acknowledged.filter { !there.contains($0) } == [])
            #expect(try await store.restore().highestTimetoken >= 1_000_000)
            await store.close()
        }

        private static func appendUntilKilled() async {
            let scratch = Scratch()
            guard let store = try? SQLiteMessageStore(directory: scratch.path) else { return }
            try? await store.reserve(timetokensUpTo: 1_000_000)
            say(scratch.path)
            // The threads run apart from each other, so the number of a message says little about how many came before it.
            let left = NIOLockedValueBox(Int.random(in: 500...3000))
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 as Range<UInt64> {
                    group.addTask {
                        for number in 0..<5000 as Range<UInt64> {
                            let token = 4 * number + thread + 1
                            store.append(message(token, "c"), application: "app") { error in
                                guard error == nil else { return }
                                say("\(token)")
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
