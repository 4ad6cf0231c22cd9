import Foundation
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// A directory that goes with the test.
final class Scratch: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A time of day that tests set.
final class TestTicks: Sendable {
    private let ticks: NIOLockedValueBox<UInt64>

    init(_ ticks: UInt64 = 20_000_000_000) {
        self.ticks = NIOLockedValueBox(ticks)
    }

    var now: UInt64 { ticks.withLockedValue { $0 } }
    func set(_ value: UInt64) { ticks.withLockedValue { $0 = value } }
}

func message(_ timetoken: UInt64, _ channel: Identifier, stored: Bool = true, expires: UInt64? = nil) -> StoredMessage {
    StoredMessage(
        timetoken: timetoken, channel: channel, publisher: "ann", payload: Array("\"\(timetoken)\"".utf8), isStored: stored,
        expires: expires)
}

extension MessageStore {
    /// Appends and waits for the outcome.
    func append(_ message: StoredMessage, application: String = "app") async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            append(message, application: application) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    func tokens(_ query: HistoryQuery) async throws -> [UInt64] {
        try await history(query, application: "app").map(\.timetoken)
    }
}
