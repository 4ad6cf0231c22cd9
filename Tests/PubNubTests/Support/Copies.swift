import NIOConcurrencyHelpers

@testable import PubNub

/// Keeps clients that completions hand over.
final class Copies: Sendable {
    private let box = NIOLockedValueBox<[PubNub]>([])

    var all: [PubNub] { box.withLockedValue { $0 } }

    func add(_ client: PubNub) { box.withLockedValue { $0.append(client) } }
}
