import ClientRuntime
import ConnectionEngine
import EngineRuntime
import Identifiers
import PusherProtocol
import WireCoding

/// Makes a second connection for each replay of a channel's events since a position (rule RV-24).
struct PusherReplay: Sendable {
    /// The time limit for establishing a second connection.
    let limit: Duration
    let tasks: TaskStarter
    /// Makes the driver of the second connection, in phase `idle`. The given closure changes the session's memory before the driver starts.
    let driver: @Sendable ((inout PusherMemory) -> Void) -> PusherAdapter.Driver

    /// Starts closing the second connection, without waiting for the end of the close handshake.
    fileprivate func end(_ driver: PusherAdapter.Driver) {
        guard !driver.snapshot.phase.isTerminal else { return }
        let notices = driver.notices.stream()
        driver.submit(.disconnect)
        // The task keeps the driver alive until the connection is closed.
        _ = tasks.start {
            for await notice in notices {
                if case .change(let change) = notice, change.phase.isTerminal { break }
            }
            withExtendedLifetime(driver) {}
        }
    }
}

extension PusherAdapter {
    var noHistory: LifelineError { .unsupported(feature: "message history", service: serviceName) }

    func check(_ start: HistoryStart, of channel: String) throws(LifelineError) {
        guard case .position(let id) = start else { throw noHistory }
        try check(.resuming, of: channel)
        guard PusherPosition(id) != nil else { throw .notAnID }
    }

    /// Requests the channel's missed events on a second connection (rule RV-24). On the first connection, a replay would also reach the
    /// channel's other consumers.
    func past(of channel: String, since start: HistoryStart) async throws(LifelineError) -> ChannelPast {
        try check(start, of: channel)
        guard let replay, case .position(let id) = start, let position = PusherPosition(id) else { throw noHistory }
        let own = self.driver.withMemory { $0.connection(of: channel) }
        let driver = replay.driver { $0.resume(channel, after: position, heardOn: own) }
        let notices = driver.notices.stream()
        driver.submit(.connect(within: replay.limit))
        defer { replay.end(driver) }
        var messages: [Message] = []
        var isWhole = true
        for await notice in notices {
            switch notice {
            case .change(let change):
                guard change.phase != .connecting, change.phase != .connected else { continue }
                throw change.cause.map { LifelineError($0) }
                    ?? LifelineError(
                        .disconnected, "The second connection, which requests missed messages, was closed before they arrived.")
            case .event(.subscribed(let confirmed)) where confirmed.channel.isExactly(channel):
                return (messages, isWhole && confirmed.isRecovered)
            case .event(.subscriptionFailed(let name, let failure, _, _)) where name.isExactly(channel):
                throw LifelineError(failure)
            case .event(.decryptionFailed), .dropped: isWhole = false
            case .event(let event):
                guard case .message(let message)? = Self.event(event, at: clock()), message.channel.isExactly(channel) else {
                    continue
                }
                messages.append(message)
                if messages.count > Self.mostPages * HistoryRequest.mostMessages {
                    messages.removeFirst()
                    isWhole = false
                }
            }
        }
        throw LifelineError(.cancelled, "The task was cancelled while requesting missed messages.")
    }
}
