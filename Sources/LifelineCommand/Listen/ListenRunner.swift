import ConnectionEngine
import Identifiers
import Lifeline

/// Runs `lifeline listen`: connects, keeps channels subscribed, executes commands, and prints every event.
actor ListenRunner {
    private let client: LifelineClient
    private let print: @Sendable (ListenLine) async -> Void
    private var translator: ListenTranslator
    private let event: String
    /// The channels that the user has requested, in order, also those that are not subscribed at present.
    private var wanted: [String] = []
    /// The last command in progress for each channel. The next command for the channel waits for it (rule CL-84).
    private var pending: [String: (turn: Int, work: Task<Void, Never>)] = [:]
    private var turns = 0
    private var connecting: Task<Void, Never>?
    /// A task that ends when the client has begun a new attempt to connect after a failure. Subscriptions wait for it, because without a
    /// new attempt they would fail with the error of the former attempt.
    private var reconnecting: Task<Void, Never>?
    /// The numbers of requested and answered publishes.
    private var published = (asked: 0, answered: 0)
    private let publishes: AsyncStream<(channel: String, json: String)>.Continuation
    private let publishing: AsyncStream<(channel: String, json: String)>

    /// How many publishes may wait for earlier publishes. Further publishes are refused.
    private static let publishLimit = 4096

    /// How long a command waits for the answers to earlier publishes. On an open connection each answer comes within the time limit of a
    /// request; without a connection a publish may wait for a later `connect`.
    private static let patience = Duration.seconds(10)

    /// - Parameter event: the event name for publishes that the user enters.
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

    /// Whether the client was connected, and some requested channel was not refused (rule CL-93).
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
            // The service has refused this channel for good, so the channel is no longer requested until the user subscribes to it again.
            // After a failed connection no channel counts as refused (rule CL-83).
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

    /// Stops publishing, disconnects, and cancels commands in progress.
    func stop() async {
        publishes.finish()
        wanted = []
        await disconnect()
        for (_, work) in pending.values { work.cancel() }
    }
}

// Commands.
extension ListenRunner {
    /// Executes one line of the input. Returns false for `quit`.
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
                let error = LifelineError(.notSubscribed, "The channel was not subscribed, so it cannot be unsubscribed.")
                return await print(translator.line(for: error, in: channel, at: .now))
            }
            wanted.removeAll { $0 == channel }
            await unsubscribe(channel)
        case .publish(let channel, let json):
            // A publish over the connection may need the subscription that was requested before it, so it waits for that command.
            if client.status.phase == .connected, let earlier = pending[channel] { await earlier.work.value }
            guard case .enqueued = publishes.yield((channel, json)) else {
                let error = LifelineError(
                    .init(.overloaded), "The message was not published, because \(Self.publishLimit) earlier messages still wait."
                )
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

    /// Starts to connect, and subscribes to the requested channels. Statuses report the progress.
    private func connect() {
        connecting?.cancel()
        let client = client
        // After a failure all requested channels are subscribed again, because subscriptions in progress fail together with the connection.
        let hasFailed = client.status.phase == .failed
        let statuses = client.statuses
        // Statuses report failures.
        connecting = Task { try? await client.connect() }
        reconnecting = hasFailed ? Task { for await status in statuses where status.phase != .failed { return } } : nil
        for channel in wanted where hasFailed || pending[channel] == nil { subscribe(channel) }
    }

    /// Closes the connection, also one that a previous command has just requested.
    private func disconnect() async {
        // The cancelled task has already requested the connection, and stops waiting for it.
        connecting?.cancel()
        await connecting?.value
        await client.disconnect()
    }

    /// Subscribes to a channel; printed lines report the progress. If the connection ends first, the next `connect` subscribes again.
    private func subscribe(_ channel: String) {
        let client = client
        let reconnecting = reconnecting
        enqueue(on: channel) { [weak self] in
            await reconnecting?.value
            do throws(LifelineError) {
                // Lines are made from the client's own sequence of events. The room is the object of the subscription, and stores messages
                // until they are first read: its `deliveries` are read here to release these messages.
                _ = try await client.channel(channel).subscribe().deliveries
            } catch {
                await self?.refused(channel, error)
            }
        }
    }

    private func unsubscribe(_ channel: String) async {
        await waitForPublishes()
        let client = client
        // This call ends a subscription that waits for its confirmation. Earlier commands for the channel may still be in progress and
        // subscribe only after this call; the second call below ends their subscription.
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

    /// Prints a refusal that the client made itself, without a request to the service, because the client emits no event for such a
    /// refusal.
    private func refused(_ channel: String, _ error: LifelineError) async {
        guard error.code == .unsupported || channel.hasBytePrefix("#"), error.code != .disconnected, error.code != .cancelled,
            client.status.phase != .failed
        else { return }
        wanted.removeAll { $0 == channel }
        translator.noteRefusal()
        await print(translator.line(for: error, in: channel, at: .now))
    }

    /// Waits until all earlier publishes are answered, while the client is connected, for at most `patience`.
    private func waitForPublishes() async {
        let (asked, end) = (published.asked, ContinuousClock.now + Self.patience)
        while published.answered < asked, client.status.phase == .connected, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(5))
            if Task.isCancelled { return }
        }
    }
}
