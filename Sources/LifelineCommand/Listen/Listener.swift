import ConnectionEngine
import Lifeline

/// What `lifeline listen` does: connects, keeps channels subscribed, obeys commands, and tells everything that happens.
actor Listener {
    private let client: LifelineClient
    private let print: @Sendable (ListenLine) async -> Void
    private var translator: ListenTranslator
    private let event: String
    /// Channels that are wanted, in order, whether they are subscribed or not.
    private var wanted: [String] = []
    /// Subscriptions that wait for their confirmation.
    private var pending: [String: Task<Void, Never>] = [:]
    private var connecting: Task<Void, Never>?
    private let publishes: AsyncStream<(channel: String, json: String)>.Continuation
    private let publishing: AsyncStream<(channel: String, json: String)>

    /// How many publishes may wait for the ones before them.
    private static let publishLimit = 4096

    /// - Parameter event: the event's name for what is published on the command line.
    init(
        client: LifelineClient, translator: ListenTranslator, event: String = Message.defaultEvent,
        print: @escaping @Sendable (ListenLine) async -> Void
    ) {
        self.client = client
        self.translator = translator
        self.event = event
        self.print = print
        (publishing, publishes) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.publishLimit))
    }

    /// The latest status that was told.
    var status: StatusWord? { translator.status }

    /// Connects and subscribes.
    func start(channels: [String]) {
        wanted = channels
        connect()
    }

    /// Tells what happens until the sequence ends.
    ///
    /// - Parameter onFailed: called when the connection has failed for good.
    func tell(_ events: ClientEvents, onFailed: @Sendable () -> Void) async {
        for await event in events {
            for line in translator.lines(for: event) {
                await print(line)
                if case .status(let status) = line.content, status.word == .failed { onFailed() }
            }
        }
    }

    /// Publishes what was asked for, one after the other, so that the order stays. Ends with ``stop()``.
    func publishInOrder() async {
        for await (channel, json) in publishing {
            do throws(LifelineError) {
                let outcome = try await client.channel(channel).publish(json: json, event: event)
                for line in translator.lines(for: outcome, in: channel, at: .now) { await print(line) }
            } catch {
                for line in translator.lines(for: .refused(error), in: channel, at: .now) { await print(line) }
            }
        }
    }

    /// Disconnects in an orderly way.
    func stop() async {
        publishes.finish()
        wanted = []
        await client.disconnect()
        connecting?.cancel()
        for task in pending.values { task.cancel() }
    }
}

// Commands.
extension Listener {
    /// Obeys one line of the input. False when it asks to quit.
    func obey(_ line: String) async -> Bool {
        do throws(CommandFailure) {
            guard let command = try ListenInput.parse(line) else { return true }
            if command == .quit { return false }
            await obey(command)
        } catch {
            await print(translator.line(for: LifelineError(.badRequest, error.message), in: nil, at: .now))
        }
        return true
    }

    private func obey(_ command: ListenInput) async {
        switch command {
        case .subscribe(let channel):
            if !wanted.contains(channel) { wanted.append(channel) }
            subscribe(channel)
        case .unsubscribe(let channel):
            guard wanted.contains(channel) else {
                let error = LifelineError(.notSubscribed, "The channel is not subscribed.")
                return await print(translator.line(for: error, in: channel, at: .now))
            }
            wanted.removeAll { $0 == channel }
            client.channel(channel).unsubscribe()
        case .publish(let channel, let json):
            guard case .enqueued = publishes.yield((channel, json)) else {
                let error = LifelineError(.init(.overloaded), "\(Self.publishLimit) publishes wait already.")
                for line in translator.lines(for: .refused(error), in: channel, at: .now) { await print(line) }
                return
            }
        case .disconnect:
            await client.disconnect()
        case .connect:
            connect()
        case .status:
            if let line = translator.line(for: client.status, at: .now) { await print(line) }
        case .quit:
            return
        }
    }

    /// Statuses tell how it goes.
    private func connect() {
        connecting?.cancel()
        let client = client
        connecting = Task { try? await client.connect() }
        for channel in wanted where pending[channel] == nil { subscribe(channel) }
    }

    /// Lines tell how it goes. A subscription that a disconnect has ended is asked for again by the next `connect`.
    private func subscribe(_ channel: String) {
        let earlier = pending[channel]
        let client = client
        pending[channel] = Task { [weak self] in
            await earlier?.value
            let result: Result<Room, LifelineError>
            do throws(LifelineError) {
                result = .success(try await client.channel(channel).subscribe())
            } catch {
                result = .failure(error)
            }
            await self?.settled(channel, result)
        }
    }

    private func settled(_ channel: String, _ result: Result<Room, LifelineError>) async {
        pending[channel] = nil
        if case .success(let room) = result {
            // The lines come from the client's own sequence; what the room keeps for a first consumer is let go.
            _ = room.deliveries
        }
        guard case .failure(let error) = result, error.code != .disconnected, error.code != .cancelled else { return }
        // Refused for good; asking again is up to the user.
        wanted.removeAll { $0 == channel }
        // What the service was not even asked for is not among the client's events.
        if error.code == .unsupported || channel.hasPrefix("#") {
            await print(translator.line(for: error, in: channel, at: .now))
        }
    }
}
