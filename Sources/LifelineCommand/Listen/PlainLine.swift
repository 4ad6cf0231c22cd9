import ConnectionEngine
import Lifeline

/// A line of `lifeline listen` for people: time, kind and text, in columns.
struct PlainLine: Sendable {
    let colours: Colours
    /// Formats a moment of the monotonic clock as time of day.
    let timeOfDay: @Sendable (Moment) -> String

    func text(_ line: ListenLine) -> String {
        let (kind, rest) = words(line.content)
        let time = colours.paint(timeOfDay(line.at), .dim)
        return "\(time)  \(colours.paint(kind.padded(to: 13), colour(line.content)))  \(rest.printable)"
    }

    private func words(_ content: ListenLine.Content) -> (kind: String, rest: String) {
        switch content {
        case .status(let status):
            return (status.word.rawValue, sentence(status))
        case .subscribed(let channel):
            return ("subscribed", channel)
        case .unsubscribed(let channel):
            return ("unsubscribed", channel)
        case .message(let channel, let event, let data, _, let user):
            return ("message", "\(channel)  \(event)  \(data)" + (user.map { "  from \($0)" } ?? ""))
        case .gap(let channel, let since):
            return ("gap", "\(channel): messages since \(timeOfDay(since)) may be missing")
        case .presence(let channel, let action, let user, let count):
            return (action, "\(channel)  \(user)  (\(count) there)")
        case .notice(let notice):
            return ("notice", [notice.channel, notice.name.rawValue, notice.data].compactMap { $0 }.joined(separator: "  "))
        case .error(let channel, let category, let code, let reason):
            let place = channel.map { "\($0): " } ?? ""
            let number = code.map { " \($0)" } ?? ""
            return ("error", "\(place)\(reason) [\(category)\(number)]")
        case .published(let channel, let outcome, let id):
            return ("published", "\(channel): \(outcome)" + (id.map { ", id \($0)" } ?? ""))
        }
    }

    private func colour(_ content: ListenLine.Content) -> Colours.Colour {
        switch content {
        case .status(let status):
            switch status.word {
            case .connected: .green
            case .reconnecting, .connecting: .yellow
            case .failed: .red
            case .disconnecting, .disconnected: .plain
            }
        case .subscribed: .green
        case .gap: .yellow
        case .presence: .cyan
        case .error: .red
        case .published(_, let outcome, _): outcome == "accepted" ? .green : .red
        case .message, .unsubscribed, .notice: .plain
        }
    }

    private func sentence(_ status: ListenLine.Status) -> String {
        var text = status.reason
        if status.category == "reconnected" { text += " (again)" }
        if let code = status.code { text += " [code \(code)]" }
        if let pause = status.retryIn { text += " Retry \(status.attempt) in \(Seconds.text(pause)) s." }
        return text
    }
}

extension String {
    /// The text padded with spaces to a width; longer text is unchanged.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
