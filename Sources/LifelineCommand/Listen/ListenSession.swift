import Lifeline
import NIOConcurrencyHelpers
import UnixSignals

/// One run of `lifeline listen`: connects the listener to the terminal and ends it in order.
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

    /// The time limit for the reader to accept the last lines.
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

    /// Runs to the end; returns whether the session succeeded (rules CL-6 and CL-93).
    func run() async -> Bool {
        let (ends, end) = AsyncStream<End>.makeStream()
        let printer = LinePrinter(onBroken: { end.yield(.asked) })
        let client = LifelineClient(service, options: options)
        let listener = ListenRunner(client: client, translator: translator) { [text] line in await printer.print(text(line)) }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)

        let events = client.events
        let telling = Task { await listener.tell(events) { end.yield(.failed) } }
        let publishing = Task { await listener.publishInOrder() }
        // Started before the first command is read, which may already wait in the pipe (rule CL-84).
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
        // Events up to this point are still printed, if the reader accepts them.
        telling.cancel()
        await Self.atMost(Self.patience) {
            await telling.value
            await publishing.value
            await printer.drained()
        }
        if await listener.status == .failed { return false }
        return if isTimeUp { await listener.hasListened } else { true }
    }

    /// Rule CL-6: after a connection has failed for good, a command may request it again, as long as commands can arrive.
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

    /// Waits for `body`, at most for `limit`. After that `body` continues without being awaited.
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
