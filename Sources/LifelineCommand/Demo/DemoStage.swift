import Foundation
import PusherSwift

/// Hears everything of all clients in order, keeps the ledger and prints the timeline.
actor DemoStage {
    struct Heard: Sendable {
        let client: String
        let news: DemoClient.News
        let at: Double
    }

    private let start = ContinuousClock.now
    private let colours: Colours
    private let printer = LinePrinter()
    private(set) var ledger = DemoLedger()
    /// Channels that are confirmed now, by client.
    private(set) var confirmed: [String: Set<String>] = [:]
    private(set) var states: [String: ConnectionState] = [:]
    private(set) var clientEvents = 0
    private(set) var memberChanges: [String] = []
    private(set) var errors: [String] = []
    private var numbers = 0

    init(colours: Colours) {
        self.colours = colours
    }

    /// Seconds since the demo began.
    nonisolated var now: Double {
        let elapsed = ContinuousClock.now - start
        return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    }

    // MARK: Waiting

    /// Returns when `condition` holds; throws what was awaited after `limit` seconds.
    func wait(_ what: String, limit: Double = 20, until condition: @Sendable (isolated DemoStage) -> Bool) async throws {
        let deadline = now + limit
        while !condition(self) {
            guard now < deadline else { throw DemoFailure(awaited: what, limit: limit) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func isComplete(_ clients: [String], _ channels: Set<String>) -> Bool {
        clients.allSatisfy { states[$0] == .connected && channels.isSubset(of: confirmed[$0] ?? []) }
    }

    // MARK: Hearing

    func hear(_ heard: Heard) async {
        switch heard.news {
        case .status(let status):
            states[heard.client] = status.state
            if status.state != .connected { confirmed[heard.client] = [] }
            if status.state == .reconnecting, status.attempt == 1 { ledger.noticed(at: heard.at) }
            await show(status, heard)
        case .subscribed(let channel):
            confirmed[heard.client, default: []].insert(channel)
            await line(heard, colours.paint("subscribed", .green), channel)
        case .refused(let channel, let reason):
            errors.append("\(channel): \(reason)")
            await line(heard, colours.paint("refused", .red), "\(channel): \(reason)")
        case .message(_, let event, let data):
            if event.hasPrefix("client-") {
                clientEvents += 1
                await line(heard, "client event", "\(event) \(data)")
            } else if let number = Self.number(in: data) {
                ledger.receive(number, client: heard.client)
            }
        case .member(_, let user, let joined):
            memberChanges.append("\(heard.client) \(joined ? "+" : "-")\(user)")
            await line(heard, "presence", "\(user) \(joined ? "joined" : "left")")
        case .error(let message):
            errors.append(message)
            await line(heard, colours.paint("error", .red), message)
        }
    }

    private func show(_ status: PusherConnectionStatus, _ heard: Heard) async {
        let word = status.state.stringValue()
        let painted =
            switch status.state {
            case .connected: colours.paint(word, .green)
            case .reconnecting: colours.paint(word, .yellow)
            case .disconnected: status.reason == nil ? colours.paint(word, .plain) : colours.paint(word, .red)
            default: colours.paint(word, .cyan)
            }
        var facts: [String] = []
        if status.attempt > 0 { facts.append("attempt \(status.attempt)") }
        if let pause = status.retryIn { facts.append("retry in \(Self.text(pause)) s") }
        if status.reason != nil && (status.state == .reconnecting || status.state == .disconnected) {
            facts.append(status.category)
            if let code = status.code { facts.append("code \(code)") }
            if let reason = status.reason { facts.append(reason) }
        }
        await line(heard, painted, facts.joined(separator: " · "), width: word.count)
    }

    // MARK: Printing

    func title(_ text: String) async {
        await printer.print("")
        await printer.print(colours.paint(text, .bold))
    }

    func say(_ text: String) async {
        await printer.print(colours.paint("\(Self.pad(Self.text(now), 8, left: true)) s  ", .dim) + text)
    }

    func plain(_ text: String) async { await printer.print(text) }

    func flush() async { await printer.drained() }

    private func line(_ heard: Heard, _ word: String, _ text: String, width: Int? = nil) async {
        let padding = String(repeating: " ", count: max(0, 14 - (width ?? Self.visible(word))))
        let time = colours.paint("\(Self.pad(Self.text(heard.at), 8, left: true)) s", .dim)
        await printer.print("\(time)  \(Self.pad(heard.client, 6))\(word)\(padding)\(text)")
    }

    /// The length of a word without its colour.
    private static func visible(_ word: String) -> Int {
        word.hasPrefix("\u{1B}") ? max(0, word.count - 9) : word.count
    }

    static func text(_ seconds: Double) -> String { String(format: "%.2f", seconds) }

    static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - text.count))
        return left ? spaces + text : text + spaces
    }

    // MARK: Ledger

    /// The next message's number; `clients` have to see it.
    func nextNumber(for clients: Set<String>) -> Int {
        numbers += 1
        ledger.send(numbers, to: clients, at: now)
        return numbers
    }

    func begin(_ outage: String) { ledger.begin(outage, at: now) }
    func mended() { ledger.mended(at: now) }
    func recovered() { ledger.recovered(at: now) }

    private static func number(in data: String) -> Int? {
        guard data.hasPrefix("{\"n\":"), data.hasSuffix("}") else { return nil }
        return Int(data.dropFirst(5).dropLast())
    }
}

/// Something did not happen in time.
struct DemoFailure: Error, CustomStringConvertible {
    let awaited: String
    let limit: Double

    var description: String { "Not within \(Int(limit)) s: \(awaited)." }
}
