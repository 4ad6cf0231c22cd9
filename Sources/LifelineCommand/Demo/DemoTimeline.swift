import ConnectionEngine
import PusherSwift

/// The lines of the demonstration: seconds since the start, who, what.
struct DemoTimeline: Sendable {
    let colours: Colours
    let start: Moment

    func line(_ at: Moment, _ who: String, _ word: String, _ colour: Colours.Colour, _ rest: String = "") -> String {
        let time = Seconds.text(at.duration(since: start))
        let padding = String(repeating: " ", count: max(0, 7 - time.count))
        let kind = colours.paint(word.padded(to: 13), colour)
        return "\(colours.paint(padding + time, .dim))  \(who.padded(to: 6))  \(kind) \(rest)".trimmingEnd()
    }

    /// A heading for what is done to the line.
    func heading(_ at: Moment, _ text: String) -> String {
        line(at, "line", "●", .bold, "") + " " + colours.paint(text, .bold)
    }

    func status(_ status: PusherConnectionStatus, at now: Moment, of who: String) -> String {
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

extension String {
    fileprivate func trimmingEnd() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
