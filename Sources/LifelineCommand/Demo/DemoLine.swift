import ConnectionEngine
import WireCoding

/// One output line of the demonstration, before it is formatted.
enum DemoLine: Sendable {
    /// A client's event, or an observation of the script.
    case event(Event)
    /// The next step of the script, which causes the lines that follow.
    case cause(at: Moment, elapsed: Duration, String)
    /// Introductions and tables, for people only.
    case text(String)
    /// The result of one part of the demonstration, for programs only; people get tables.
    case result(Result)

    struct Event: Sendable {
        var at: Moment
        /// The time since this part of the demonstration began.
        var elapsed: Duration
        var who: String
        var word: String
        var colour: Colours.Colour
        var rest: String
    }

    struct Result: Sendable {
        var addsUp: Bool
        var sent: Int
        var received: Int
        var duplicated: Int
        var lost: Int
        var declared: Int
        /// Expected events that did not happen, and other problems.
        var problems: [String]
    }

    /// The text for people; nil for lines that only programs read.
    func plain(_ colours: Colours) -> String? {
        switch self {
        case .event(let event):
            let kind = colours.paint(event.word.padded(to: 13), event.colour)
            return Self.trimmed(Self.time(event.elapsed, colours) + "  \(event.who.padded(to: 6))  \(kind) \(event.rest)")
        case .cause(_, let elapsed, let text):
            return Self.time(elapsed, colours) + "  line    " + colours.paint("●", .bold) + "  " + colours.paint(text, .bold)
        case .text(let text): return text
        case .result: return nil
        }
    }

    /// Rule CL-92: one JSON object on one line; nil for lines that only people read.
    func json(_ service: ServiceKind, _ clock: TimeOfDay) -> String? {
        var object = JSONObject()
        switch self {
        case .text: return nil
        case .event(let event):
            object.put("t", event.at)
            object.put("time", clock.timestamp(event.at))
            object.put("service", service.rawValue)
            object.put("ev", "event")
            object.put("who", event.who)
            object.put("word", event.word)
            object.put("text", event.rest)
        case .cause(let at, _, let text):
            object.put("t", at)
            object.put("time", clock.timestamp(at))
            object.put("service", service.rawValue)
            object.put("ev", "cause")
            object.put("text", text)
        case .result(let result):
            object.put("t", Moment.now)
            object.put("time", clock.timestamp(.now))
            object.put("service", service.rawValue)
            object.put("ev", "result")
            object.put("adds_up", result.addsUp)
            object.put("sent", result.sent)
            object.put("received", result.received)
            object.put("duplicated", result.duplicated)
            object.put("lost", result.lost)
            object.put("declared", result.declared)
            object.put("problems", json: "[\(result.problems.map { JSONWriter.string($0) }.joined(separator: ","))]")
        }
        return object.text
    }

    private static func time(_ elapsed: Duration, _ colours: Colours) -> String {
        let time = Seconds.text(elapsed)
        return colours.paint(String(repeating: " ", count: max(0, 7 - time.count)) + time, .dim)
    }

    private static func trimmed(_ text: String) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }
}
