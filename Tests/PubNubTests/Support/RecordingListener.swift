import Foundation
import NIOConcurrencyHelpers

@testable import PubNub

/// Writes down all that it hears, one line each.
final class RecordingListener: PNObjectEventListener, Sendable {
    private struct State {
        var lines: [String] = []
        var statuses: [PNStatus] = []
        var messages: [PNMessageResult] = []
        var action: (@Sendable (String) -> Void)?
        var waiting: [(isDone: @Sendable ([String]) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
    }

    private let state = NIOLockedValueBox(State())

    var lines: [String] { state.withLockedValue { $0.lines } }
    var statuses: [PNStatus] { state.withLockedValue { $0.statuses } }
    var messages: [PNMessageResult] { state.withLockedValue { $0.messages } }

    /// What to do at each line, inside of the callback.
    func onLine(_ action: @escaping @Sendable (String) -> Void) {
        state.withLockedValue { $0.action = action }
    }

    private func note(_ line: String) {
        let (action, done) = state.withLockedValue { state in
            state.lines.append(line)
            let lines = state.lines
            let done = state.waiting.filter { $0.isDone(lines) }
            state.waiting.removeAll { $0.isDone(lines) }
            return (state.action, done)
        }
        action?(line)
        for waiter in done { waiter.resume.resume() }
    }

    /// Waits until the lines are as asked for. Tests have a time limit for the case that they never are.
    func wait(until isDone: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isDoneAlready = state.withLockedValue { state in
                if isDone(state.lines) { return true }
                state.waiting.append((isDone, continuation))
                return false
            }
            if isDoneAlready { continuation.resume() }
        }
    }

    /// Waits until the line has come, whatever has come behind it.
    func wait(for line: String) async {
        await wait { $0.contains(line) }
    }

    func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {
        state.withLockedValue { $0.messages.append(message) }
        note("message \(message.data.channel) \(message.data.json)")
    }

    func client(_ client: PubNub, didReceiveSignal signal: PNSignalResult) {
        note("signal \(signal.data.channel) \(signal.data.json)")
    }

    func client(_ client: PubNub, didReceiveMessageAction action: PNMessageActionResult) {
        let data = action.data
        note("action \(data.event) \(data.action.type)=\(data.action.value) on \(data.action.messageTimetoken)")
    }

    func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult) {
        let data = event.data
        note("presence \(data.channel) \(data.presenceEvent) \(data.presence.uuid ?? "-") \(data.presence.occupancy)")
    }

    func client(_ client: PubNub, didReceiveObjectEvent event: PNObjectEventResult) {
        note("object \(event.data.event) \(event.data.type)")
    }

    func client(_ client: PubNub, didReceiveFileEvent event: PNFileEventResult) {
        note("file \(event.data.file?.name ?? "-")")
    }

    func client(_ client: PubNub, didReceive status: PNStatus) {
        state.withLockedValue { $0.statuses.append(status) }
        note(status.line)
    }

    func client(_ client: PubNub, mayHaveMissedMessages gap: PNGap) {
        note("gap \(gap.channels.joined(separator: ",")) after \(gap.lastTimetoken ?? 0)")
    }
}

extension PNStatus {
    /// `Category`, `!` for an error, `~` when it retries, and the list of a subscription.
    var line: String {
        var line = stringifiedCategory()
        if isError { line += " !" }
        if willAutomaticallyRetry { line += " ~" }
        if operation != .subscribeOperation { line += " (\(stringifiedOperation()))" }
        if let subscription = self as? PNSubscribeStatus {
            let names = subscription.subscribedChannels + subscription.subscribedChannelGroups.map { "group:\($0)" }
            line += " [\(names.joined(separator: ","))]"
        }
        return line
    }
}
