import ConnectionEngine
import Identifiers

// The message queues of the channels, and the closing of the outbox.
extension OutboxMachine {
    mutating func store(_ change: OutboxChange, into effects: inout [Effect]) {
        unconfirmed += 1
        effects.append(.store(change))
    }

    /// The channels with messages; the channel of the oldest message is first.
    var channelsInOrder: [Identifier] {
        let first = lines.mapValues { line in (line.current ?? line.waiting.first).flatMap { items[$0]?.record.order } ?? .max }
        return lines.keys.sorted { (first[$0] ?? .max, $0) < (first[$1] ?? .max, $1) }
    }

    /// Marks a channel for processing, if it has waiting messages and sends none.
    mutating func makeReady(_ channel: Identifier) {
        guard let line = lines[channel], !line.isReady, line.current == nil, !line.waiting.isEmpty else { return }
        lines[channel]?.isReady = true
        ready.append(channel)
    }

    /// Records that a message is no longer being sent, so that its channel can send the next one.
    mutating func release(_ item: OutboxItem) {
        guard lines[item.channel]?.current == item.id else { return }
        lines[item.channel]?.current = nil
        underWay -= 1
        makeReady(item.channel)
    }

    mutating func remove(_ item: OutboxItem, into effects: inout [Effect]) {
        guard items.removeValue(forKey: item.id) != nil else { return }
        bytes -= item.bytes
        lines[item.channel]?.waiting.removeAll { $0 == item.id }
        dropIfIdle(item.channel)
        makeReady(item.channel)
        store(.remove(id: item.record.id), into: &effects)
        effects.append(.entriesChanged)
    }

    /// Removes the queue of a channel without messages, unless the service has requested a pause of the channel.
    mutating func dropIfIdle(_ channel: Identifier) {
        guard let line = lines[channel], line.current == nil, line.waiting.isEmpty, !line.isAskedToWait else { return }
        lines[channel] = nil
    }

    /// Closes the outbox: no further message is sent; attempts in progress may end.
    mutating func close(into effects: inout [Effect]) {
        isClosing = true
        closeIfDone(into: &effects)
    }

    mutating func closeIfDone(into effects: inout [Effect]) {
        guard isClosing, !isClosed, underWay == 0, unconfirmed == 0 else { return }
        isClosed = true
        effects.append(.closed)
    }
}

extension LifelineError {
    /// Whether the error is temporary: nothing was sent, and a later attempt may succeed.
    var isPassing: Bool {
        // An unknown error without a number of the service comes from the app's own code for getting a token, so it counts as temporary.
        Self.passingCodes.contains(code) || (code == Self.unknownCode && number == nil)
    }

    private static let unknownCode = Code(.unknown)

    private static let passingCodes: Set<Code> = [
        .networkUnavailable, .timeout, .disconnected, .notSubscribed, .cancelled, .init(.unexpectedDisconnect),
        .init(.background),
        .init(.overloaded), .init(.serverRestart), .init(.proxyUnavailable), .init(.tlsFailed), .init(.tlsUntrusted),
        // An answer in another format counts as temporary: it may be the web page of a captive portal, which requires a sign-in first.
        .init(.malformedResponse),
    ]

    static let outboxClosed = LifelineError(
        .disconnected, "The outbox was closed. Open another one with client.outbox(…).")
    static let notFailed = LifelineError(
        .badRequest, "Only a message that has failed can be retried; this one is waiting, being sent, or was removed.")
    static let diedWhileSending = LifelineError(
        .init(.unknown), "The program ended while the message was being sent, so it is unknown whether the message has arrived.")

    static func outboxFull(_ options: OutboxOptions) -> LifelineError {
        LifelineError(
            .outboxFull,
            "The outbox is full: its limit is \(options.maximumEntries) messages and \(options.maximumBytes) bytes. Cancel messages, wait until "
                + "some are sent, or raise OutboxOptions.maximumEntries or maximumBytes.")
    }

    static func tooLargeForOutbox(_ size: Int, _ options: OutboxOptions) -> LifelineError {
        LifelineError(
            .outboxFull,
            "The message has \(size) bytes; the outbox accepts \(options.maximumBytes). Raise OutboxOptions.maximumBytes, or split the message."
        )
    }
}
