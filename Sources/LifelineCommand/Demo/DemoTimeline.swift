import ConnectionEngine
import PusherSwift

/// The lines of one part of the demonstration, with the time since its start.
struct DemoTimeline: Sendable {
    let start: Moment

    func line(_ at: Moment, _ who: String, _ word: String, _ colour: Colours.Colour, _ rest: String = "") -> DemoLine {
        .event(.init(at: at, elapsed: at.duration(since: start), who: who, word: word, colour: colour, rest: rest))
    }

    /// A heading for the next step.
    func heading(_ at: Moment, _ text: String) -> DemoLine {
        .cause(at: at, elapsed: at.duration(since: start), text)
    }

    func status(_ status: PusherConnectionStatus, at now: Moment, of who: String) -> DemoLine {
        let word = status.state.stringValue()
        switch status.state {
        case .connecting:
            return line(now, who, word, .yellow, status.attempt == 0 ? "" : "attempt \(status.attempt + 1)")
        case .connected:
            return line(now, who, word, .green, status.category == "reconnected" ? "again" : "")
        case .reconnecting:
            let pause = status.retryIn.map { " Retry \(status.attempt) in \(Seconds.text(.seconds($0))) s." } ?? ""
            return line(now, who, word, .yellow, "\(status.reason ?? "No reason given.")\(pause) [\(status.category)]")
        case .disconnecting, .disconnected:
            return line(now, who, word, status.reason == nil ? .plain : .red, status.reason ?? "")
        }
    }
}
