import ChatDatabase
import ChatProtocol
import Foundation
import NIOConcurrencyHelpers
import Testing

#if os(Linux) || os(macOS)
    @Suite("The end of the process (CD-10)")
    struct CrashTests {
        /// The child receives packages, says on its standard output what was kept, and is killed without warning by another
        /// thread, while it writes.
        @Test("Killed while it receives, place, messages, counts and words agree", arguments: 1...4)
        func killed(round: Int) async throws {
            let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                Self.receiveUntilKilled()
            }
            let lines = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n").map(String.init)
            let directory = try #require(lines.first)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let told = lines.dropFirst().compactMap { Int($0) }.last ?? 0
            let (database, isRecreated) = try ChatDatabase.open(directory: directory, appKey: "app", user: "me")
            #expect(!isRecreated)
            let place = Int(try #require(database.place).sequence)
            #expect(told > 0)
            #expect(place >= told)
            let messages = try database.history(ann, from: .oldest, limit: .max).messages
            #expect(messages.map(\.sentTime) == (1...Int64(place)).map { $0 })
            #expect(try database.unread() == [place, 0])
            #expect(try database.search("hello", in: ann, limit: .max).messages.count == place)
            // What comes again from the place on makes it whole.
            let items = (1...UInt64(place + 10)).map { ChatInboxItem(sequence: $0, event: .message(text(Int64($0)))) }
            #expect(try database.receive(items, place: ChatPlace(epoch: "e", sequence: UInt64(place + 10))).count == 10)
            database.close()
        }

        private static func receiveUntilKilled() {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
            guard let database = try? ChatDatabase.open(directory: directory, appKey: "app", user: "me").database else { return }
            say(directory)
            let kept = NIOLockedValueBox(0)
            let limit = Int.random(in: 5...40)
            Thread.detachNewThread {
                while kept.withLockedValue({ $0 }) < limit { usleep(50) }
                kill(getpid(), SIGKILL)
            }
            let size = UInt64.random(in: 1...60)
            for package in 0..<100_000 as Range<UInt64> {
                let numbers = package * size + 1...(package + 1) * size
                let items = numbers.map { ChatInboxItem(sequence: $0, event: .message(text(Int64($0)))) }
                guard (try? database.receive(items, place: ChatPlace(epoch: "e", sequence: numbers.upperBound))) != nil else {
                    return
                }
                say("\(numbers.upperBound)")
                kept.withLockedValue { $0 += 1 }
            }
        }

        /// At once and in one piece: what was said before the end is out.
        private static func say(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        }
    }
#endif
