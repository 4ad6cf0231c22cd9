import Lifeline

/// Everything that the app shows, as a value: the same for the terminal and for SwiftUI.
public struct ChatState: Hashable, Sendable {
    public private(set) var banner = Banner.offline
    /// The latest rows, oldest first.
    public private(set) var rows: [Row] = []
    /// Who is here, in the order of arrival.
    public private(set) var present: [String] = []
    /// What the user has written and what became of it, until it has come back.
    public private(set) var outbox: [OutgoingLine] = []
    private var lastID = 0

    /// How many rows are kept.
    public static let mostRows = 500

    public init() {}

    /// Something that happened.
    public enum Event: Sendable {
        case status(ConnectionStatus)
        case delivery(Delivery)
        case earlier([Message])
        case present([String])
        case sent(Int, PublishOutcome)
        case notSent(Int, LifelineError)
    }

    /// The user has written a line. Returns its number, for what becomes of it.
    public mutating func write(_ text: String) -> Int {
        let id = nextID()
        outbox.append(OutgoingLine(id: id, text: text, state: .sending))
        return id
    }

    public mutating func take(_ event: Event) {
        switch event {
        case .status(let status): banner = Banner(status)
        case .delivery(.message(let message)): append(Self.content(of: message))
        // Two gaps in a row say no more than one.
        case .delivery(.gap): if rows.last?.content != .gap { append(.gap) }
        case .delivery(.failed(_, let willRetry)): if !willRetry { append(.unreadable) }
        case .earlier(let messages): for message in messages { append(Self.content(of: message)) }
        case .present(let users): present = users
        case .sent(let id, let outcome): settle(id, outcome)
        case .notSent(let id, let error): change(id, to: .refused(error.reason))
        }
    }

    private mutating func settle(_ id: Int, _ outcome: PublishOutcome) {
        switch outcome {
        // It is in the list, as everybody sees it.
        case .accepted: outbox.removeAll { $0.id == id }
        case .refused(let error): change(id, to: .refused(error.reason))
        case .unknown: change(id, to: .unknown)
        }
    }

    private mutating func change(_ id: Int, to state: OutgoingLine.State) {
        guard let index = outbox.firstIndex(where: { $0.id == id }) else { return }
        outbox[index].state = state
    }

    private mutating func append(_ content: Row.Content) {
        rows.append(Row(id: nextID(), content: content))
        if rows.count > Self.mostRows { rows.removeFirst(rows.count - Self.mostRows) }
    }

    private mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    private static func content(of message: Message) -> Row.Content {
        (try? message.decode(Line.self)).map { .line($0) } ?? .unreadable
    }
}
