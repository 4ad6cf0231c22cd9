/// What was sent and what arrived, and which losses an outage owns up to. A pure value.
struct DemoLedger: Sendable {
    struct Outage: Hashable, Sendable {
        var name: String
        var begun: Double
        /// When the link could work again.
        var mended: Double?
        /// When the slowest client said that something is wrong.
        var noticed: Double?
        /// When the last subscription was confirmed again.
        var recovered: Double?

        var noticedAfter: Double? { noticed.map { $0 - begun } }
        var recoveredAfter: Double? { recovered.map { $0 - (mended ?? begun) } }
    }

    private struct Key: Hashable {
        var client: String
        var number: Int
    }

    private(set) var outages: [Outage] = []
    /// When each message was sent.
    private var sent: [Int: Double] = [:]
    private var expected: [Int: Set<String>] = [:]
    private var arrived: [Key: Int] = [:]

    /// A message was sent that `clients` have to see.
    mutating func send(_ number: Int, to clients: Set<String>, at time: Double) {
        sent[number] = time
        expected[number] = clients
    }

    mutating func receive(_ number: Int, client: String) {
        arrived[Key(client: client, number: number), default: 0] += 1
    }

    mutating func begin(_ name: String, at time: Double) {
        outages.append(Outage(name: name, begun: time))
    }

    mutating func noticed(at time: Double) { update { $0.noticed = max($0.noticed ?? time, time) } }
    mutating func mended(at time: Double) { update { $0.mended = time } }
    mutating func recovered(at time: Double) { update { $0.recovered = time } }

    private mutating func update(_ change: (inout Outage) -> Void) {
        guard !outages.isEmpty else { return }
        change(&outages[outages.count - 1])
    }

    var sentCount: Int { expected.values.reduce(0) { $0 + $1.count } }
    var receivedCount: Int { arrived.count }
    var duplicatedCount: Int { arrived.values.reduce(0) { $0 + $1 - 1 } }

    private func missing(_ number: Int) -> Int {
        (expected[number] ?? []).count { arrived[Key(client: $0, number: number)] == nil }
    }

    private func isInOutage(_ time: Double) -> Bool {
        outages.contains { $0.begun <= time && time <= $0.recovered ?? .infinity }
    }

    /// Missing, but sent while an outage lasted that the clients told of.
    var declaredCount: Int { sent.filter { isInOutage($0.value) }.keys.reduce(0) { $0 + missing($1) } }

    /// Missing, and nobody said so.
    var lostCount: Int { sent.filter { !isInOutage($0.value) }.keys.reduce(0) { $0 + missing($1) } }

    /// Whether everything is accounted for.
    var isClean: Bool {
        lostCount == 0 && duplicatedCount == 0 && outages.allSatisfy { $0.noticed != nil && $0.recovered != nil }
    }
}
