import Lifeline
import NIOConcurrencyHelpers
import UnixSignals

/// One run of `lifeline listen`: connects the runner to the terminal and shuts down in order.
struct ListenSession: Sendable {
    /// Why a run ends.
    private enum End: Sendable {
        case asked, timeIsUp, failed, inputEnded
    }

    private let service: Service
    private let options: ClientOptions
    private let translator: ListenTranslator
    private let channels: [String]
    private let duration: Duration?
    private let text: @Sendable (ListenLine) -> String

    /// How long the last lines wait for the reader of the output to accept them.
    private static let patience = Duration.seconds(2)

    init(service: Service, command: ListenCommand) {
        self.service = service
        options = command.service.clientOptions
        translator = ListenTranslator(
            subscriber: command.service.subscriber, service: command.service.service, showsPresence: command.presence,
            showsNotices: command.notices)
        channels = command.channels
        duration = command.duration.map { .seconds($0) }
        let clock = TimeOfDay()
        if command.json {
            text = { $0.json { clock.timestamp($0) } }
        } else {
            let plain = PlainLine(colours: .standardOutput) { clock.text($0) }
            text = { plain.text($0) }
        }
    }

    /// Runs until an end is requested or the time is up. Returns whether the session succeeded (rules CL-6 and CL-93).
    func run() async -> Bool {
        let (ends, end) = AsyncStream<End>.makeStream()
        let printer = LinePrinter(onBroken: { end.yield(.asked) })
        let client = LifelineClient(service, options: options)
        let listener = ListenRunner(client: client, translator: translator) { [text] line in await printer.print(text(line)) }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)

        let events = client.events
        let telling = Task { await listener.tell(events) { end.yield(.failed) } }
        let publishing = Task { await listener.publishInOrder() }
        // The runner starts before the first command is read, because commands may already wait in the pipe (rule CL-84).
        await listener.start(channels: channels)
        let watching = [
            Task { for await _ in signals { end.yield(.asked) } },
            Task {
                await StandardInput.forEachLine { line in
                    if await !listener.obey(line) { end.yield(.asked) }
                }
                if !Task.isCancelled { end.yield(.inputEnded) }
            },
            Task {
                guard let duration else { return }
                do { try await Task.sleep(for: duration) } catch { return }
                end.yield(.timeIsUp)
            },
        ]
        let isTimeUp = await waitForEnd(ends) == .timeIsUp

        for task in watching { task.cancel() }
        await listener.stop()
        // Events that occurred before this point are still printed, if the reader of the output accepts them.
        telling.cancel()
        await Self.atMost(Self.patience) {
            await telling.value
            await publishing.value
            await printer.drained()
        }
        if await listener.status == .failed { return false }
        return if isTimeUp { await listener.hasListened } else { true }
    }

    /// Waits until the session has to end. A failed connection does not end it while commands can still arrive, because a command may
    /// connect again (rule CL-6).
    private func waitForEnd(_ ends: AsyncStream<End>) async -> End {
        var hasFailed = false
        var hasInput = true
        for await end in ends {
            switch end {
            case .asked, .timeIsUp: return end
            case .failed: hasFailed = true
            case .inputEnded: hasInput = false
            }
            if hasFailed && !hasInput && duration == nil { return .failed }
        }
        return .asked
    }

    /// Waits for `body`, but not longer than `limit`. If the limit passes, `body` continues without being awaited.
    private static func atMost(_ limit: Duration, _ body: @escaping @Sendable () async -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiting = NIOLockedValueBox<CheckedContinuation<Void, Never>?>(continuation)
            let resume: @Sendable () -> Void = {
                let taken = waiting.withLockedValue { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                taken?.resume()
            }
            Task {
                await body()
                resume()
            }
            Task {
                try? await Task.sleep(for: limit)
                resume()
            }
        }
    }
}
