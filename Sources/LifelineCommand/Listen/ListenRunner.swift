import ConnectionEngine
import Identifiers
import Lifeline

/// Runs `lifeline listen`: connects, keeps channels subscribed, executes commands, and prints every event.
actor ListenRunner {
    private let client: LifelineClient
    private let print: @Sendable (ListenLine) async -> Void
    private var translator: ListenTranslator
    private let event: String
    /// Channels that are wanted, in order, whether they are subscribed or not.
    private var wanted: [String] = []
    /// The last command on each channel that is still in progress. The next command waits for it (rule CL-84).
    private var pending: [String: (turn: Int, work: Task<Void, Never>)] = [:]
    private var turns = 0
    private var connecting: Task<Void, Never>?
    /// Ends when the client is connecting again after a failure. A subscription before that would fail at once with that failure.
    private var reconnecting: Task<Void, Never>?
    /// The numbers of requested and answered publishes.
    private var published = (asked: 0, answered: 0)
    private let publishes: AsyncStream<(channel: String, json: String)>.Continuation
    private let publishing: AsyncStream<(channel: String, json: String)>

    /// How many publishes may wait for the ones before them.
    private static let publishLimit = 4096

    /// How long a command waits for earlier publishes. With a connection they are answered within the time limit of a request; without
    /// one they may wait for a later `connect`.
    private static let patience = Duration.seconds(10)

    /// - Parameter event: the event's name for publishes from the command line.
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

    /// The latest status that was printed.
    var status: StatusWord? { translator.status }

    /// Whether the client was connected and not only refused (rule CL-93).
    var hasListened: Bool { translator.hasListened }

    /// Connects and subscribes.
    func start(channels: [String]) {
        wanted = channels
        connect()
    }

    /// Prints the events until the sequence ends.
    ///
    /// - Parameter onFailed: called when the connection has failed for good.
    func tell(_ events: ClientEvents, onFailed: @Sendable () -> Void) async {
        for await event in events {
            for line in translator.lines(for: event) {
                await print(line)
                if case .status(let status) = line.content, status.word == .failed { onFailed() }
            }
            // The channel was refused for good, and the user may request it again. The end of the connection refuses no channel (rule
            // CL-83).
            if case .problem(let error, let channel?, willRetry: false, _) = event, error.code != .decryptionFailed,
                translator.status != .failed
            {
                wanted.removeAll { $0 == channel }
            }
        }
    }

    /// Publishes the requested messages one after the other, in their order. Ends with ``stop()``.
    func publishInOrder() async {
        for await (channel, json) in publishing {
            do throws(LifelineError) {
                let outcome = try await client.channel(channel).publish(json: json, event: event)
                for line in translator.lines(for: outcome, in: channel, at: .now) { await print(line) }
            } catch {
                for line in translator.lines(for: .refused(error), in: channel, at: .now) { await print(line) }
            }
            published.answered += 1
        }
    }

    /// Disconnects in an orderly way.
    func stop() async {
        publishes.finish()
        wanted = []
        await disconnect()
        for (_, work) in pending.values { work.cancel() }
    }
}

// Commands.
extension ListenRunner {
    /// Executes one line of the input. False for `quit`.
    func obey(_ line: String) async -> Bool {
        do throws(CommandFailure) {
            guard let command = try ListenInput.parse(line) else { return true }
            if command == .quit {
                await waitForPublishes()
                return false
            }
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
            await unsubscribe(channel)
        case .publish(let channel, let json):
            // Commands over the connection need the subscription that was requested before.
            if client.status.phase == .connected, let earlier = pending[channel] { await earlier.work.value }
            guard case .enqueued = publishes.yield((channel, json)) else {
                let error = LifelineError(.init(.overloaded), "\(Self.publishLimit) publishes wait already.")
                for line in translator.lines(for: .refused(error), in: channel, at: .now) { await print(line) }
                return
            }
            published.asked += 1
        case .disconnect:
            await waitForPublishes()
            await disconnect()
        case .connect:
            connect()
        case .status:
            if let line = translator.line(for: client.status, at: .now) { await print(line) }
        case .quit:
            return
        }
    }

    /// Connects; statuses report the progress.
    private func connect() {
        connecting?.cancel()
        let client = client
        // Messages that still wait then will fail together with the connection.
        let hasFailed = client.status.phase == .failed
        let statuses = client.statuses
        // Statuses report failures.
        connecting = Task { try? await client.connect() }
        reconnecting = hasFailed ? Task { for await status in statuses where status.phase != .failed { return } } : nil
        for channel in wanted where hasFailed || pending[channel] == nil { subscribe(channel) }
    }

    /// Ends the connection, also one that was requested just before.
    private func disconnect() async {
        // A cancelled task stops waiting, and has requested the connection by then.
        connecting?.cancel()
        await connecting?.value
        await client.disconnect()
    }

    /// Subscribes; lines report the progress. The next `connect` repeats a subscription that ended with a connection.
    private func subscribe(_ channel: String) {
        let client = client
        let reconnecting = reconnecting
        enqueue(on: channel) { [weak self] in
            await reconnecting?.value
            do throws(LifelineError) {
                // The lines come from the client's own sequence; messages that the room stores for a first consumer are released.
                _ = try await client.channel(channel).subscribe().deliveries
            } catch {
                await self?.refused(channel, error)
            }
        }
    }

    private func unsubscribe(_ channel: String) async {
        await waitForPublishes()
        let client = client
        // Unsubscribed at once, so that no call keeps waiting for a subscription; and again afterwards, because the subscription may
        // not have begun yet.
        client.channel(channel).unsubscribe()
        guard pending[channel] != nil else { return }
        enqueue(on: channel) { client.channel(channel).unsubscribe() }
    }

    /// Runs `work` after all earlier commands for the channel.
    private func enqueue(on channel: String, _ work: @escaping @Sendable () async -> Void) {
        let earlier = pending[channel]?.work
        turns += 1
        let turn = turns
        pending[channel] = (
            turn,
            Task { [weak self] in
                await earlier?.value
                await work()
                await self?.finished(turn, on: channel)
            }
        )
    }

    private func finished(_ turn: Int, on channel: String) {
        if pending[channel]?.turn == turn { pending[channel] = nil }
    }

    /// Prints the refusal of a channel without a request to the service, because the client emits no event for it.
    private func refused(_ channel: String, _ error: LifelineError) async {
        guard error.code == .unsupported || channel.hasBytePrefix("#"), error.code != .disconnected, error.code != .cancelled,
            client.status.phase != .failed
        else { return }
        wanted.removeAll { $0 == channel }
        translator.noteRefusal()
        await print(translator.line(for: error, in: channel, at: .now))
    }

    /// Waits until all earlier publishes are answered, as long as that is possible.
    private func waitForPublishes() async {
        let (asked, end) = (published.asked, ContinuousClock.now + Self.patience)
        while published.answered < asked, client.status.phase == .connected, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(5))
            if Task.isCancelled { return }
        }
    }
}
