import Lifeline

/// The state of a chat screen: its lines and whether the client is online.
@MainActor final class Conversation {
    private(set) var lines: [String] = [] { didSet { changed.yield() } }
    private(set) var isOnline = false { didSet { changed.yield() } }
    /// An element for each change of `lines` or `isOnline`, for one consumer.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private var tasks: [Task<Void, Never>] = []

    init() {
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func open(_ channel: String, of client: LifelineClient) async throws {
        let statuses = client.statuses
        tasks.append(
            Task { [weak self] in
                for await status in statuses { self?.isOnline = status.phase == .connected }
            })
        let deliveries = try await client.channel(channel).subscribe().deliveries
        tasks.append(
            Task { [weak self] in
                for await delivery in deliveries { self?.add(delivery) }
            })
    }

    private func add(_ delivery: Delivery) {
        switch delivery {
        case .message(let message): lines.append(message.data)
        case .gap: lines.append("(messages may be missing here)")
        case .failed(let error, willRetry: _): lines.append("(\(error.reason))")
        }
    }

    func close() {
        for task in tasks { task.cancel() }
    }
}
