import ConnectionEngine
import Lifeline

/// Makes the output lines of one part of the demonstration, with the time since its start.
struct DemoTimeline: Sendable {
    let start: Moment

    func line(at: Moment, _ who: String, _ word: String, colour: Colours.Colour, _ rest: String = "") -> DemoLine {
        .event(.init(at: at, elapsed: at.duration(since: start), who: who, word: word, colour: colour, rest: rest))
    }

    /// The output line that announces the next step of the script.
    func heading(_ at: Moment, _ text: String) -> DemoLine {
        .cause(at: at, elapsed: at.duration(since: start), text)
    }

    /// The line for a status; nil before the first `connect`.
    func status(_ status: ConnectionStatus, of who: String) -> DemoLine? {
        guard let word = StatusWord(status.phase) else { return nil }
        let at = status.at
        var reason = status.cause?.reason ?? word.sentence
        if !reason.hasSuffix(".") { reason += "." }
        switch word {
        case .connecting:
            return line(at: at, who, word.rawValue, colour: .yellow, status.attempt == 0 ? "" : "attempt \(status.attempt + 1)")
        case .connected: return line(at: at, who, word.rawValue, colour: .green, status.category == .reconnected ? "again" : "")
        case .reconnecting:
            let pause = status.retryIn.map { " Retry \(status.attempt) in \(Seconds.text($0)) s." } ?? ""
            return line(at: at, who, word.rawValue, colour: .yellow, "\(reason)\(pause) [\(status.category)]")
        case .failed:
            return line(at: at, who, word.rawValue, colour: .red, "\(reason) The client does not try again. [\(status.category)]")
        case .disconnecting, .disconnected: return line(at: at, who, word.rawValue, colour: .plain)
        }
    }
}
